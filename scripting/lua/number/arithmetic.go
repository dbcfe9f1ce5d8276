package number

import (
	"math"

	"github.com/miniserver-go/miniserver/libm"
)

// Power returns x^y.
func Power(x, y float64) float64 { return libm.Pow(x, y) }

// Modulo is Lua's %: the result has the sign of the divisor.
func Modulo(a, b float64) float64 {
	if n, d := uint32(int64(a)), uint32(int64(b)); float64(n) == a && float64(d) == b && d != 0 {
		return float64(n % d)
	}
	return a - math.Floor(a/b)*b
}
