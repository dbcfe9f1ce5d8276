package libm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// precision of the reference, in bits.
const precision = 300

func exact(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// series sums first * x^k/((n+1)...(n+k)) for k = 0, step, 2*step ... with alternating signs unless
// same.
func series(x *big.Float, first *big.Float, n, step int, same bool) *big.Float {
	total, term := exact(0), new(big.Float).Copy(first)
	for i := 0; i < 60; i++ {
		total.Add(total, term)
		for range step {
			n++
			term.Mul(term, x)
			term.Quo(term, exact(float64(n)))
		}
		if !same {
			term.Neg(term)
		}
	}
	return total
}

func exactTan(x float64) *big.Float { return new(big.Float).Quo(exactSin(x), exactCos(x)) }
func exactSin(x float64) *big.Float { return series(exact(x), exact(x), 1, 2, false) }
func exactCos(x float64) *big.Float { return series(exact(x), exact(1), 0, 2, false) }
func exactExp(x *big.Float) *big.Float {
	return series(x, exact(1), 0, 1, true)
}

// off returns how far got is from want, in units of got's last place.
func off(got float64, want *big.Float) float64 {
	unit := math.Nextafter(math.Abs(got), math.Inf(1)) - math.Abs(got)
	diff := new(big.Float).SetPrec(precision).Sub(exact(got), want)
	diff.Quo(diff, exact(unit))
	f, _ := diff.Float64()
	return math.Abs(f)
}

func TestFunctionsRoundOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const most = 0.51
	for range 500 {
		x := (rng.Float64()*2 - 1) * 8
		require.LessOrEqual(t, off(Sin(x), exactSin(x)), most, "sin %v", x)
		require.LessOrEqual(t, off(Cos(x), exactCos(x)), most, "cos %v", x)
		require.LessOrEqual(t, off(Tan(x), exactTan(x)), most, "tan %v", x)
		require.LessOrEqual(t, off(Exp(x), exactExp(exact(x))), most, "exp %v", x)
	}
}

// TestInversesRoundOnce leads a result back: where f' is the slope, f(inverse(x)) misses x by f'
// times the error.
func TestInversesRoundOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const most = 0.51
	for range 300 {
		x := rng.Float64()*2 - 1
		y := Asin(x)
		unit := math.Nextafter(math.Abs(y), 4) - math.Abs(y)
		require.LessOrEqual(t, miss(exactSin(y), x)/(unit*math.Cos(y)), most, "asin %v", x)
		y = Acos(x)
		unit = math.Nextafter(y, 4) - y
		require.LessOrEqual(t, miss(exactCos(y), x)/(unit*math.Sin(y)), most, "acos %v", x)
		x = rng.NormFloat64() * 3
		y = Atan(x)
		unit = math.Nextafter(math.Abs(y), 4) - math.Abs(y)
		require.LessOrEqual(t, miss(exactTan(y), x)/(unit*(1+x*x)), most, "atan %v", x)
		require.Equal(t, y, Atan2(x, 1))
		x = rng.Float64() * 100
		y = Log(x)
		unit = math.Nextafter(math.Abs(y), 1000) - math.Abs(y)
		require.LessOrEqual(t, miss(exactExp(exact(y)), x)/(unit*x), most, "log %v", x)
	}
}

func miss(at *big.Float, x float64) float64 {
	f, _ := new(big.Float).SetPrec(precision).Sub(at, exact(x)).Float64()
	return math.Abs(f)
}

func TestHyperbolicFunctionsAreWithinTwoUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		x := (rng.Float64()*2 - 1) * 8
		up, down := exactExp(exact(x)), exactExp(exact(-x))
		sinh, cosh := new(big.Float).Sub(up, down), new(big.Float).Add(up, down)
		tanh := new(big.Float).Quo(sinh, cosh)
		require.LessOrEqual(t, off(Sinh(x), sinh.Quo(sinh, exact(2))), 2., "sinh %v", x)
		require.LessOrEqual(t, off(Cosh(x), cosh.Quo(cosh, exact(2))), 2., "cosh %v", x)
		require.LessOrEqual(t, off(Tanh(x), tanh), 2., "tanh %v", x)
	}
}

// TestLargeAngles compares with glibc 2.36.
func TestLargeAngles(t *testing.T) {
	for _, c := range []struct{ x, sin, cos, tan float64 }{
		{1048577, 0.97275358431344128, 0.23184146351624124, 4.195770547511648},
		{10000000, 0.4205477931907825, -0.90727038618173961, -0.46353082785018906},
		{1000000000000000, 0.85827279317023586, -0.51319373778697031, -1.672414782127583},
		{1e+22, -0.85220084976718879, 0.52321478539513899, -1.6287782256068988},
		{1.9014759003423441e+30, -0.99982559979009744, -0.018675384985910634, 53.537081058537801},
		{1.7976931348623157e+308, 0.004961954789184062, -0.99998768942655991, -0.0049620158744448951},
	} {
		require.Equal(t, c.sin, Sin(c.x), "sin %v", c.x)
		require.Equal(t, -c.sin, Sin(-c.x), "sin %v", -c.x)
		require.Equal(t, c.cos, Cos(c.x), "cos %v", c.x)
		require.Equal(t, c.cos, Cos(-c.x), "cos %v", -c.x)
		require.Equal(t, c.tan, Tan(c.x), "tan %v", c.x)
		require.Equal(t, -c.tan, Tan(-c.x), "tan %v", -c.x)
	}
	// Of all floats this is the nearest one to a multiple of pi/2 (Muller, Elementary Functions).
	require.Equal(t, -4.687165924254628e-19, Cos(6381956970095103*0x1p797))
}

func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	require.Equal(t, math.Pi/2, Asin(1))
	require.Equal(t, -math.Pi/2, Asin(-1))
	require.Zero(t, Sin(0))
	require.Equal(t, 1., Cos(0))
	require.Equal(t, 1e-300, Sin(1e-300))
	for _, f := range []func(float64) float64{Sin, Tan, Asin, Atan, Sinh, Tanh} {
		require.True(t, math.Signbit(f(math.Copysign(0, -1))))
	}
	require.Equal(t, 0x1.ffffffffffd3bp+1023, Sinh(710.4758600739439)) // the largest argument
	require.Equal(t, 1.1169973830808557e+308, -Sinh(-710))
	require.Equal(t, 1.1169973830808557e+308, Cosh(710))
	require.Equal(t, inf, Cosh(710.5))
	require.Equal(t, -inf, Sinh(-inf))
	require.Equal(t, 1., Tanh(inf))
	require.Equal(t, -math.Pi/2, Atan(-inf))
	require.Equal(t, -math.Pi, Atan2(math.Copysign(0, -1), -1))
	require.Equal(t, -1., Log10(0.1))
	require.Equal(t, 8., Pow(2, 3))
	require.Equal(t, -inf, Log(0))
	for _, x := range []float64{Sin(inf), Cos(-inf), Tan(inf), Asin(1.5), Acos(-2), Log(-1), Pow(-8, 1./3)} {
		require.True(t, math.IsNaN(x))
	}
	require.True(t, math.Signbit(Sin(inf)))
	require.False(t, math.Signbit(Asin(2)))
}

var sink float64

func BenchmarkSin(b *testing.B) {
	for x := 0.3; b.Loop(); x += 1e-8 {
		sink = Sin(x)
	}
}

func BenchmarkAsin(b *testing.B) {
	for x := 0.3; b.Loop(); x += 1e-9 {
		sink = Asin(x)
	}
}
