package lua

import "math"

// modulo is Lua's %: the result has the sign of the divisor.
func modulo(a, b float64) float64 {
	if n, d := uint32(int64(a)), uint32(int64(b)); float64(n) == a && float64(d) == b && d != 0 {
		return float64(n % d)
	}
	return a - math.Floor(a/b)*b
}
