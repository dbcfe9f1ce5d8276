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

// series sums first * x^k/((n+1)...(n+k)) for k = 0, step, 2*step ... with alternating signs unless same.
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
		require.LessOrEqual(t, off(Exp(x), exactExp(exact(x))), most, "exp %v", x)
	}
}

// TestInversesRoundOnce leads a result back: where f' is the slope, f(inverse(x)) misses x by f' times
// the error.
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

func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	require.Equal(t, math.Pi/2, Asin(1))
	require.Equal(t, -math.Pi/2, Asin(-1))
	require.Zero(t, Sin(0))
	require.Equal(t, 1., Cos(0))
	require.Equal(t, 1e-300, Sin(1e-300))
	require.Equal(t, -1., Log10(0.1))
	require.Equal(t, 8., Pow(2, 3))
	require.Equal(t, -inf, Log(0))
	for _, x := range []float64{Sin(inf), Cos(-inf), Asin(1.5), Acos(-2), Log(-1), Pow(-8, 1./3)} {
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
