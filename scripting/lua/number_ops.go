package lua

import "math"

// modulo is Lua's %: the result has the sign of the divisor.
func modulo(a, b float64) float64 { return a - math.Floor(a/b)*b }

// power is Lua's ^.
func power(a, b float64) float64 {
	if b == 2 {
		return a * a
	}
	if b == 0.5 && a > 0 {
		return math.Sqrt(a)
	}
	return math.Pow(a, b)
}
