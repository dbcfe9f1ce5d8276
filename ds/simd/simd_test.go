package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProductsAreThoseOfLoops: the instructions of this processor give the results of plain loops,
// bit for bit, for vectors of every length that begin anywhere.
func TestProductsAreThoseOfLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v, w := make([]float32, 400), make([]float32, 400)
	a, b := make([]int8, 400), make([]int8, 400)
	for round := range 4 {
		for i := range v {
			v[i], w[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
			a[i], b[i] = int8(rng.Uint32()), int8(rng.Uint32())
			if round == 0 {
				a[i], b[i] = math.MinInt8, math.MinInt8
			}
		}
		for n := range 200 {
			from, to := rng.IntN(100), rng.IntN(100)
			x, y := v[from:][:n], w[to:][:n]
			require.Equal(t, math.Float32bits(inLanes(x, y)), math.Float32bits(Dot(x, y)), n)
			rows := n - n%lanes
			if require.Equal(t, inLanes(x[:rows], y[:rows]), plainDot(x[:rows], y[:rows])); rows > 0 {
				c, d := a[from:][:rows], b[to:][:rows]
				require.Equal(t, plainDotInts(c, d), dotIntRows(c, d))
				require.Equal(t, plainSquares(x[:rows], y[:rows]), squareRows(x[:rows], y[:rows]))
			}
			apart := make([]float32, n)
			for i := range apart {
				apart[i] = x[i] - y[i]
			}
			require.Equal(t, math.Float32bits(inLanes(apart, apart)), math.Float32bits(Squares(x, y)), n)
			want := int32(0)
			for i := range n {
				want += int32(a[from+i]) * int32(b[to+i])
			}
			require.Equal(t, want, DotInts(a[from:][:n], b[to:][:n]), n)
		}
	}
}

// inLanes is the scalar product as the package comment says.
func inLanes(v, w []float32) (sum float32) {
	var sums [lanes]float32
	rows := len(v) / lanes * lanes
	for i := range rows {
		sums[i%lanes] += float32(v[i] * w[i])
	}
	for _, n := range []int{8, 4, 2, 1} {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	sum = sums[0]
	for i := rows; i < len(v); i++ {
		sum += float32(v[i] * w[i])
	}
	return sum
}

func TestLongestVectorsDoNotOverflow(t *testing.T) {
	v, w := make([]int8, 1<<16), make([]int8, 1<<16)
	for i := range v {
		v[i], w[i] = math.MinInt8, math.MinInt8
	}
	require.EqualValues(t, 1<<30, DotInts(v, w))
}

func BenchmarkDot(b *testing.B) {
	v, w := make([]float32, 768), make([]float32, 768)
	for b.Loop() {
		Dot(v, w)
	}
}

func BenchmarkDotInts(b *testing.B) {
	v, w := make([]int8, 768), make([]int8, 768)
	for b.Loop() {
		DotInts(v, w)
	}
}
