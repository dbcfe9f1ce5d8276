package lua

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/libm"
	"github.com/miniserver-go/miniserver/scripting/lua/number"
)

// OpenMath installs the math library as the global math, with the generator of math.random, which
// the host may seed.
func OpenMath(L *State, random *Random) {
	functions := []entry{
		{"abs", mathAbs},
		{"atan2", mathAtan2},
		{"deg", mathDeg},
		{"fmod", mathFmod},
		{"frexp", mathFrexp},
		{"ldexp", mathLdexp},
		{"max", mathMax},
		{"min", mathMin},
		{"modf", mathModf},
		{"pow", mathPow},
		{"rad", mathRad},
		{"random", random.draw},
		{"randomseed", random.reseed},
	}
	for _, f := range unaryMath {
		functions = append(functions, entry{f.name, unary(f.f)})
	}
	t := newLibrary(L, "math", functions)
	t.SetString(nil, "mod", t.GetString("fmod"))
	t.SetString(nil, "pi", Number(math.Pi))
	t.SetString(nil, "huge", Number(math.Inf(1)))
}

// unaryMath lists the functions of one number.
var unaryMath = []struct {
	name string
	f    func(float64) float64
}{
	{"acos", libm.Acos},
	{"asin", libm.Asin},
	{"atan", libm.Atan},
	{"ceil", math.Ceil},
	{"cos", libm.Cos},
	{"cosh", libm.Cosh},
	{"exp", libm.Exp},
	{"floor", math.Floor},
	{"log", libm.Log},
	{"log10", libm.Log10},
	{"sin", libm.Sin},
	{"sinh", libm.Sinh},
	{"sqrt", squareRoot},
	{"tan", libm.Tan},
	{"tanh", libm.Tanh},
}

func squareRoot(x float64) float64 {
	if x < 0 {
		return number.NegativeNaN()
	}
	return math.Sqrt(x)
}

// unary returns the host function of f. A NaN goes through as it is.
func unary(f func(float64) float64) GoFunction {
	return func(_ *State, c *Call) {
		x := c.CheckNumber(1)
		if x == x {
			x = f(x)
		}
		c.Return1(Number(x))
	}
}

// math.abs(x)
func mathAbs(_ *State, c *Call) { c.Return1(Number(math.Abs(c.CheckNumber(1)))) }

// twoNumbers returns two number arguments. The second one is checked first, as
// the usual compilers do with C's library.
func (c *Call) twoNumbers() (first, second float64) {
	second = c.CheckNumber(2)
	return c.CheckNumber(1), second
}

// math.atan2(y, x)
func mathAtan2(_ *State, c *Call) {
	y, x := c.twoNumbers()
	if y != y || x != x {
		c.Return1(Number(y + x))
		return
	}
	c.Return1(Number(libm.Atan2(y, x)))
}

// math.deg(x)
func mathDeg(_ *State, c *Call) { c.Return1(Number(c.CheckNumber(1) / radiansPerDegree)) }

// math.rad(x)
func mathRad(_ *State, c *Call) { c.Return1(Number(c.CheckNumber(1) * radiansPerDegree)) }

const radiansPerDegree float64 = math.Pi / 180

// math.fmod(x, y)
func mathFmod(_ *State, c *Call) {
	x, y := c.twoNumbers()
	c.Return1(Number(fmod(x, y)))
}

// fmod returns the exact rest of x/y with the sign of x.
func fmod(x, y float64) float64 {
	switch {
	case x != x || y != y:
		return x + y
	case y == 0 || math.IsInf(x, 0):
		return number.NegativeNaN()
	}
	a, b := math.Abs(x), math.Abs(y)
	if a < b {
		return x
	}
	q := a / b
	if q >= 1<<52 || b < 1e-290 {
		return math.Mod(x, y)
	}
	// The quotient may be rounded to the next integer; the rest is exact still.
	rest := math.FMA(-math.Trunc(q), b, a)
	if rest < 0 {
		rest += b
	}
	return math.Copysign(rest, x)
}

// math.frexp(x): the mantissa in [0.5, 1) and the exponent.
func mathFrexp(_ *State, c *Call) {
	x := c.CheckNumber(1)
	if x != x {
		c.Return2(Number(x), Int(0))
		return
	}
	mantissa, exponent := math.Frexp(x)
	c.Return2(Number(mantissa), Int(exponent))
}

// math.ldexp(m, e)
func mathLdexp(_ *State, c *Call) {
	e := c.CheckInt(2)
	x := c.CheckNumber(1)
	if x == x {
		x = math.Ldexp(x, e)
	}
	c.Return1(Number(x))
}

// math.modf(x): the integral part and the fraction, both with the sign of x.
func mathModf(_ *State, c *Call) {
	x := c.CheckNumber(1)
	if x != x {
		c.Return2(Number(x), Number(x))
		return
	}
	whole, fraction := math.Trunc(x), 0.0
	if !math.IsInf(x, 0) {
		fraction = x - whole
	}
	c.Return2(Number(whole), Number(math.Copysign(fraction, x)))
}

// math.pow(x, y)
func mathPow(_ *State, c *Call) {
	x, y := c.twoNumbers()
	c.Return1(Number(number.Power(x, y)))
}

// math.max(x, ...)
func mathMax(_ *State, c *Call) {
	largest := c.CheckNumber(1)
	for i := 2; i <= c.NArgs(); i++ {
		if x := c.CheckNumber(i); x > largest {
			largest = x
		}
	}
	c.Return1(Number(largest))
}

// math.min(x, ...)
func mathMin(_ *State, c *Call) {
	least := c.CheckNumber(1)
	for i := 2; i <= c.NArgs(); i++ {
		if x := c.CheckNumber(i); x < least {
			least = x
		}
	}
	c.Return1(Number(least))
}

// math.random([low,] [high])
func (r *Random) draw(L *State, c *Call) {
	unit := r.unit()
	switch c.NArgs() {
	case 0:
		c.Return1(Number(unit))
	case 1:
		high := int32(c.CheckInt(1))
		if high < 1 {
			c.ArgError(1, "interval is empty")
		}
		c.Return1(Number(math.Floor(unit*float64(high)) + 1))
	case 2:
		low, high := int32(c.CheckInt(1)), int32(c.CheckInt(2))
		if low > high {
			c.ArgError(2, "interval is empty")
		}
		// As in C the width is an int, which may overflow.
		c.Return1(Number(math.Floor(unit*float64(high-low+1)) + float64(low)))
	default:
		L.Errorf("wrong number of arguments")
	}
}

// math.randomseed(seed)
func (r *Random) reseed(_ *State, c *Call) { r.Seed(int32(c.CheckInt(1))) }
