package latency

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistogramBuckets(t *testing.T) {
	last := -1
	for _, n := range []int64{0, 1, 2, 7, 8, 9, 15, 16, 17, 18, 31, 32, 100, 1000, 123456789, 1<<40 - 1, 1 << 40,
		math.MaxInt64} {
		b := bucket(n)
		require.GreaterOrEqual(t, b, last, n)
		require.Less(t, b, maxBucket, n)
		last = b
		if n <= maxMicros {
			require.GreaterOrEqual(t, upperBound(b), n)
			require.LessOrEqual(t, float64(upperBound(b)), float64(n)*1.125, "at most an eighth too high")
		}
		if b > 0 && n <= maxMicros {
			require.Less(t, upperBound(b-1), n)
		}
	}
}

func TestHistogramPercentiles(t *testing.T) {
	var h histogram
	require.Zero(t, h.percentile(50))
	for i := range 1000 {
		h.add(int64(i+1), 1)
	}
	for p, n := range map[float64]float64{50: 500, 99: 990, 100: 1000} {
		require.InEpsilon(t, n, float64(h.percentile(p)), 0.13, p)
	}
	var powers [][2]int64
	h.cumulative(func(micros, count int64) { powers = append(powers, [2]int64{micros, count}) })
	require.Equal(t, [2]int64{1, 1}, powers[0])
	require.Equal(t, [2]int64{1024, 1000}, powers[len(powers)-1])
	for i := 1; i < len(powers); i++ {
		require.Greater(t, powers[i][0], powers[i-1][0])
		require.Greater(t, powers[i][1], powers[i-1][1])
	}
}
