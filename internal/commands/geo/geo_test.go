package geo

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppendFixed compares with strconv, whose decimals are exact, for random numbers and for
// numbers whose fifth decimal is a five.
func TestAppendFixed(t *testing.T) {
	check := func(d float64) {
		require.Equal(t, strconv.FormatFloat(d, 'f', 4, 64), string(appendFixed(nil, d)), "%b", d)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		check(math.Exp(rng.Float64()*40 - 15))
		half := float64(rng.IntN(1<<30))/16 + 1./32 // ...03125: a tie for some fractions
		check(half)
		near := (float64(rng.IntN(1<<40)) + 0.5) / 10000
		check(near)
		check(math.Nextafter(near, 0))
		check(math.Nextafter(near, math.Inf(1)))
	}
	for _, d := range []float64{0, 1, 0.00005, 0.00015, 0.03125, 0.09375, 1e-300, 1e12, 4.6e11, math.MaxFloat64, -1} {
		check(d)
	}
}
