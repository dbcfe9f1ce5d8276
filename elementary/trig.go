package elementary

import (
	"math"
	"math/bits"
)

// halfPi in four parts, of which the first three have 33 bits: their products
// with a number of 20 bits are exact.
const (
	halfPi1 = 0x1.921fb54400000p+0
	halfPi2 = 0x1.0b4611a600000p-34
	halfPi3 = 0x1.3198a2e000000p-69
	halfPi4 = 0x1.b839a252049c1p-104
)

var halfPi = twice{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}

// twoOverPi holds the binary digits of 2/pi.
var twoOverPi = [...]uint64{
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// reduce returns r and n modulo 4 with x = n*pi/2 + r, |r| <= pi/4.
func reduce(x float64) (r twice, n int) {
	if math.Abs(x) <= math.Pi/4 {
		return twice{x, 0}, 0
	}
	if math.Abs(x) > 1<<20 {
		return reduceLarge(x)
	}
	k := math.RoundToEven(x * (2 / math.Pi))
	r = sum(x-k*halfPi1, -k*halfPi2)
	r = r.addFloat(-k * halfPi3)
	r = r.addFloat(-k * halfPi4)
	return r, int(k) & 3
}

// reduceLarge multiplies x with those 256 bits of 2/pi that matter for the
// quarter and the fraction.
func reduceLarge(x float64) (r twice, n int) {
	m, e := math.Frexp(math.Abs(x))
	mantissa := uint64(m * (1 << 53))
	e -= 53
	var p [4]uint64 // of mantissa * bits, the highest word first
	carry := uint64(0)
	for i := 3; i >= 0; i-- {
		hi, lo := bits.Mul64(mantissa, piBits(e-2+64*i))
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	n = int(p[0] >> 62)
	negative := p[0]>>61&1 != 0 // the fraction is at least a half
	p[0] &= 1<<62 - 1
	if negative {
		n++
		borrow := uint64(0)
		p[3], borrow = bits.Sub64(0, p[3], 0)
		p[2], borrow = bits.Sub64(0, p[2], borrow)
		p[1], borrow = bits.Sub64(0, p[1], borrow)
		p[0], _ = bits.Sub64(1<<62, p[0], borrow)
	}
	var f twice
	for i, w := range p {
		f = f.addFloat(math.Ldexp(float64(w>>32), 2-32-64*i))
		f = f.addFloat(math.Ldexp(float64(w&math.MaxUint32), 2-64-64*i))
	}
	r = f.mul(halfPi)
	if negative {
		r = r.neg()
	}
	if x < 0 {
		return r.neg(), -n & 3
	}
	return r, n & 3
}

// piBits returns 64 bits of 2/pi from bit i on; those before the point are 0.
func piBits(i int) uint64 {
	word := func(i int) uint64 {
		if i < 0 || i >= len(twoOverPi) {
			return 0
		}
		return twoOverPi[i]
	}
	high, shift := i>>6, uint(i&63)
	if shift == 0 {
		return word(high)
	}
	return word(high)<<shift | word(high+1)>>(64-shift)
}

// circle[j] is sine and cosine of j/64.
var circle = func() (table [52]struct{ sin, cos twice }) {
	for j := range table {
		table[j].sin, table[j].cos = seriesSinCos(float64(j) / 64)
	}
	return table
}()

func seriesSinCos(x float64) (sin, cos twice) {
	term := twice{1, 0}
	for n := 0; n < 30; n++ {
		switch n & 3 {
		case 0:
			cos = cos.add(term)
		case 1:
			sin = sin.add(term)
		case 2:
			cos = cos.add(term.neg())
		case 3:
			sin = sin.add(term.neg())
		}
		term = term.mulFloat(x).div(twice{float64(n + 1), 0})
	}
	return sin, cos
}

// arc is an angle between 0 and pi/4: a point of the table and the rest, of
// which tails are the higher powers of sine and cosine, minus 1.
type arc struct {
	sin, cos         *twice
	rest             twice
	sinTail, cosTail float64
}

func arcOf(r twice) (a arc) {
	j := int(r.hi*64 + 0.5)
	a.sin, a.cos = &circle[j].sin, &circle[j].cos
	a.rest = quickSum(r.hi-float64(j)/64, r.lo)
	h := a.rest.hi
	square := h * h
	a.sinTail = h * square * (-1./6 + square*(1./120-square*(1./5040)))
	a.cosTail = square * (-1./2 + square*(1./24-square*(1./720)))
	return a
}

// sine is that of a point plus the rest, by the addition theorem.
func (a *arc) sine() twice {
	p := product(a.cos.hi, a.rest.hi)
	s := sum(a.sin.hi, p.hi)
	s.lo += a.sin.lo + p.lo + (a.cos.hi*(a.rest.lo+a.sinTail) + a.cos.lo*a.rest.hi + a.sin.hi*a.cosTail)
	return s
}

func (a *arc) cosine() twice {
	p := product(a.sin.hi, -a.rest.hi)
	c := sum(a.cos.hi, p.hi)
	c.lo += a.cos.lo + p.lo + (a.cos.hi*a.cosTail - a.sin.hi*(a.rest.lo+a.sinTail) - a.sin.lo*a.rest.hi)
	return c
}

// Sin returns the sine of x, an angle in radians.
func Sin(x float64) float64 {
	if math.IsInf(x, 0) {
		return negativeNaN()
	}
	if math.Abs(x) < 1e-8 {
		return x - x*x*x/6
	}
	return sineFrom(x, 0)
}

// Cos returns the cosine of x, an angle in radians.
func Cos(x float64) float64 {
	if math.IsInf(x, 0) {
		return negativeNaN()
	}
	return sineFrom(x, 1)
}

// sineFrom returns the sine of x plus that many quarters of a turn.
func sineFrom(x float64, quarters int) float64 {
	r, n := reduce(x)
	n += quarters
	negative := n&2 != 0
	if r.hi < 0 {
		r = r.neg()
		negative = negative != (n&1 == 0)
	}
	a := arcOf(r)
	var y float64
	if n&1 == 0 {
		y = a.sine().float()
	} else {
		y = a.cosine().float()
	}
	if negative {
		return -y
	}
	return y
}

// Tan returns the tangent of x, an angle in radians.
func Tan(x float64) float64 {
	if math.IsInf(x, 0) {
		return negativeNaN()
	}
	if math.Abs(x) < 1e-8 {
		return x + x*x*x/3
	}
	r, n := reduce(x)
	negative := r.hi < 0
	if negative {
		r = r.neg()
	}
	a := arcOf(r)
	s, c := a.sine(), a.cosine()
	s, c = quickSum(s.hi, s.lo), quickSum(c.hi, c.lo)
	if n&1 != 0 {
		s, c = c.neg(), s
	}
	y := s.div(c).float()
	if negative {
		return -y
	}
	return y
}

// arcs[j] is the arc tangent of j/64.
var arcs = func() (table [65]twice) {
	for j := 1; j < len(table); j++ {
		// atan(a) - atan(b) = atan((a-b)/(1+ab))
		step := twice{1. / 64, 0}.div(twice{1 + float64(j)*float64(j-1)/4096, 0})
		table[j] = table[j-1].add(seriesAtan(step))
	}
	return table
}()

func seriesAtan(x twice) twice {
	square, power, total := x.mul(x).neg(), x, x
	for n := 3.0; n < 30; n += 2 {
		power = power.mul(square)
		total = total.add(power.div(twice{n, 0}))
	}
	return total
}

// atanTwice returns the arc tangent of q between 0 and 1.
func atanTwice(q twice) twice {
	j := int(q.hi*64 + 0.5)
	center := float64(j) / 64
	t := q
	if j > 0 {
		t = q.addFloat(-center).div(q.mulFloat(center).addFloat(1))
	}
	square := t.hi * t.hi
	tail := t.hi * square * (-1./3 + square*(1./5-square*(1./7-square*(1./9))))
	y := sum(arcs[j].hi, t.hi)
	y.lo += arcs[j].lo + t.lo + tail - square*t.lo
	return quickSum(y.hi, y.lo)
}

// angle returns the arc tangent of y/x for positive y and x, in all of 0 to pi/2.
func angle(y, x twice) twice {
	if y.hi <= x.hi {
		return atanTwice(y.div(x))
	}
	return halfPi.add(atanTwice(x.div(y)).neg())
}

// Atan returns the arc tangent of x.
func Atan(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < 1e-8:
		return x - x*x*x/3
	case a > 1e17:
		return math.Copysign(math.Pi/2, x)
	}
	return math.Copysign(angle(twice{a, 0}, twice{1, 0}).float(), x)
}

// Atan2 returns the angle, between -pi and pi, of the point (x, y).
func Atan2(y, x float64) float64 {
	a, b := math.Abs(y), math.Abs(x)
	if !(a > 1e-290 && b > 1e-290 && a < 1e290 && b < 1e290 && a/b > 1e-200 && b/a > 1e-200) {
		return math.Atan2(y, x)
	}
	z := angle(twice{a, 0}, twice{b, 0})
	if x < 0 {
		z = twice{2 * halfPi.hi, 2 * halfPi.lo}.add(z.neg())
	}
	return math.Copysign(z.float(), y)
}

// Asin returns the arc sine of x, no number beyond -1 and 1.
func Asin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a > 1:
		return positiveNaN()
	case a < 1e-8:
		return x + x*x*x/6
	}
	return math.Copysign(angle(twice{a, 0}, cathetus(a)).float(), x)
}

// Acos returns the arc cosine of x, no number beyond -1 and 1.
func Acos(x float64) float64 {
	a := math.Abs(x)
	if a > 1 {
		return positiveNaN()
	}
	if a < 1e-20 {
		return math.Pi / 2
	}
	z := angle(cathetus(a), twice{a, 0})
	if x < 0 {
		z = twice{2 * halfPi.hi, 2 * halfPi.lo}.add(z.neg())
	}
	return z.float()
}

// cathetus returns the square root of 1-a^2.
func cathetus(a float64) twice { return sum(1, -a).mul(sum(1, a)).sqrt() }

// The hyperbolic functions follow the formulas that C's library uses, errors
// of one unit included.

// Sinh returns the hyperbolic sine of x.
func Sinh(x float64) float64 {
	a, half := math.Abs(x), math.Copysign(0.5, x)
	switch {
	case a < 0x1p-28:
		return x
	case a < 1:
		t := math.Expm1(a)
		return half * (2*t - t*t/(t+1))
	case a < 22:
		t := math.Expm1(a)
		return half * (t + t/(t+1))
	}
	return largeExp(a, half)
}

// Cosh returns the hyperbolic cosine of x.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a < math.Ln2/2:
		t := math.Expm1(a)
		w := 1 + t
		if a < 0x1p-55 {
			return w
		}
		return 1 + (t*t)/(w+w)
	case a < 22:
		t := Exp(a)
		return 0.5*t + 0.5/t
	}
	return largeExp(a, 0.5)
}

// largeExp returns factor * e^x, also where only e^x overflows.
func largeExp(x, factor float64) float64 {
	if x <= 709.78 {
		return factor * Exp(x)
	}
	w := Exp(x / 2)
	return factor * w * w
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
		t := math.Expm1(2 * a)
		z = 1 - 2/(t+2)
	}
	return math.Copysign(z, x)
}
