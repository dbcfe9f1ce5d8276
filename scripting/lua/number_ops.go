package lua

import "math"

// modulo is Lua's %: the result has the sign of the divisor.
func modulo(a, b float64) float64 {
	if n, d := uint32(int64(a)), uint32(int64(b)); float64(n) == a && float64(d) == b && d != 0 {
		return float64(n % d)
	}
	return a - math.Floor(a/b)*b
}

// divisor is a constant divisor of %: an integer, by whose inverse the quotient is found. The inverse is a
// little too large unless it is exact, lest multiples of k miss their quotient.
type divisor struct{ k, inverse, limit float64 }

// remainder returns x % d.k, false where that needs a division. Between integers within the divisor's limit
// the product is exact, so what comes out as a remainder is the one.
func (d *divisor) remainder(x float64) (r float64, ok bool) {
	r = x - math.Floor(x*d.inverse)*d.k
	return r, r >= 0 && r < d.k && math.Floor(x) == x && math.Abs(x) < d.limit
}

// newDivisor prepares k, false if there is no quick way with it.
func newDivisor(k float64) (d divisor, ok bool) {
	if k < 1 || k > 1<<31 || math.Floor(k) != k {
		return d, false
	}
	if fraction, _ := math.Frexp(k); fraction == 0.5 {
		return divisor{k, 1 / k, math.Inf(1)}, true // exact, as its inverse is
	}
	return divisor{k, math.Nextafter(1/k, 1), 1 << 52}, true
}
