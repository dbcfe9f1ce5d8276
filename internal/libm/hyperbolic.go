package libm

import "math"

// The hyperbolic functions use the formulas of C's library, with its errors of up to two units in
// the last place.

// Sinh returns the hyperbolic sine of x.
func Sinh(x float64) float64 {
	a, half := math.Abs(x), math.Copysign(0.5, x)
	switch {
	case a < 0x1p-28:
		return x
	case a < 1:
		t := math.Expm1(a)
		return half * (2*t - float64(t*t)/(t+1))
	case a < 22:
		t := math.Expm1(a)
		return half * (t + t/(t+1))
	}
	return timesExp(half, a)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 0x1p-55:
		return 1
	case a < math.Ln2/2:
		t := math.Expm1(a)
		w := 1 + t
		return 1 + (t*t)/(w+w)
	case a < 22:
		t := Exp(a)
		return float64(0.5*t) + 0.5/t
	}
	return timesExp(0.5, a)
}

// timesExp returns half * e^x, also if e^x alone is beyond the largest number.
func timesExp(half, x float64) float64 {
	if x < 709 {
		return half * Exp(x)
	}
	root := Exp(x / 2)
	return half * root * root
}

// Tanh returns the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	z := 1.0
	switch {
	case a < 0x1p-55:
		return x
	case a < 1:
		t := math.Expm1(-2 * a)
		z = -t / (t + 2)
	case a < 22:
		z = 1 - 2/(math.Expm1(2*a)+2)
	}
	return math.Copysign(z, x)
}
