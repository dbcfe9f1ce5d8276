package libm

import (
	"math"
	"math/big"
	"sync"
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

// mostAngle is the largest angle whose number of quarter turns has 20 bits.
const mostAngle = 1 << 20

// reduce returns r and n modulo 4 with x = n*pi/2 + r, |r| <= pi/4. An angle beyond mostAngle takes
// some microseconds.
func reduce(x float64) (r twice, n int) {
	switch a := math.Abs(x); {
	case a <= math.Pi/4:
		return twice{x, 0}, 0
	case a > mostAngle:
		return reduceLarge(x)
	}
	k := math.RoundToEven(x * (2 / math.Pi))
	r = sum(x-k*halfPi1, -k*halfPi2)
	r = r.addFloat(-k * halfPi3)
	r = r.addFloat(-k * halfPi4)
	return r, int(k) & 3
}

// largePrecision is the number of bits that a product of the largest float and 2/pi needs: 1024
// before the point, and after it those of a result near a multiple of pi/2.
const largePrecision = 1024 + 256

// twoOverPi returns 2/pi with largePrecision bits. The first call computes it in a tenth of a
// millisecond.
var twoOverPi = sync.OnceValue(func() *big.Float {
	// pi/4 = 4 atan(1/5) - atan(1/239), as Machin found.
	quarter := inverseArc(5)
	quarter.Mul(quarter, newLarge(4))
	quarter.Sub(quarter, inverseArc(239))
	return quarter.Quo(newLarge(0.5), quarter)
})

func newLarge(x float64) *big.Float {
	return new(big.Float).SetPrec(largePrecision).SetFloat64(x)
}

// inverseArc returns the arc tangent of 1/n.
func inverseArc(n float64) *big.Float {
	power := newLarge(1)
	power.Quo(power, newLarge(n))
	square, total := newLarge(-n*n), newLarge(0)
	for k := 1.0; power.MantExp(nil) > -largePrecision; k += 2 {
		total.Add(total, newLarge(0).Quo(power, newLarge(k)))
		power.Quo(power, square)
	}
	return total
}

// reduceLarge is reduce for any finite x.
func reduceLarge(x float64) (r twice, n int) {
	turns := newLarge(x)
	turns.Mul(turns, twoOverPi())
	half := newLarge(math.Copysign(0.5, x))
	whole, _ := newLarge(0).Add(turns, half).Int(nil)
	turns.Sub(turns, newLarge(0).SetInt(whole))
	hi, _ := turns.Float64()
	lo, _ := turns.Sub(turns, newLarge(hi)).Float64()
	return twice{hi, lo}.mul(halfPi), int(new(big.Int).And(whole, big.NewInt(3)).Int64())
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

// arc is an angle between 0 and pi/4: a point of the table plus a rest. The tails are the series of
// the rest without their first terms: sin(rest) - rest and cos(rest) - 1.
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

// sine returns the sine of the angle, by the addition theorem.
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
	switch {
	case math.IsInf(x, 0):
		return negativeNaN()
	case math.Abs(x) < 1e-8:
		return x
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

// sineFrom returns the sine of x plus a number of quarter turns.
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
	switch {
	case math.IsInf(x, 0):
		return negativeNaN()
	case math.Abs(x) < 1e-8:
		return x
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

// angle returns the arc tangent of y/x, between 0 and pi/2, for positive y and x.
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
		return x
	case a > 1e17:
		return math.Copysign(math.Pi/2, x)
	}
	return math.Copysign(angle(twice{a, 0}, twice{1, 0}).float(), x)
}

// Atan2 returns the angle of the point (x, y), between -pi and pi.
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

// Asin returns the arc sine of x; NaN outside of -1 to 1.
func Asin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case a > 1:
		return positiveNaN()
	case a < 1e-8:
		return x
	}
	return math.Copysign(angle(twice{a, 0}, cathetus(a)).float(), x)
}

// Acos returns the arc cosine of x; NaN outside of -1 to 1.
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
