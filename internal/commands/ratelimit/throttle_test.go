package ratelimit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheckedReportsOverflow compares with big.Int.
func TestCheckedReportsOverflow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, -1, 2, -2, math.MaxInt64, math.MinInt64, math.MaxInt64 / 2, math.MinInt64 / 2, 1e9, -1e9}
	pick := func() int64 {
		if r.IntN(3) == 0 {
			return edges[r.IntN(len(edges))]
		}
		return int64(r.Uint64()) >> r.IntN(64)
	}
	for range 100000 {
		a, b := pick(), pick()
		for name, c := range map[string]struct {
			do   func(x *checked, a, b int64) int64
			want *big.Int
		}{
			"+": {(*checked).add, new(big.Int).Add(big.NewInt(a), big.NewInt(b))},
			"-": {(*checked).sub, new(big.Int).Sub(big.NewInt(a), big.NewInt(b))},
			"*": {(*checked).mul, new(big.Int).Mul(big.NewInt(a), big.NewInt(b))},
		} {
			var x checked
			got := c.do(&x, a, b)
			require.Equal(t, !c.want.IsInt64(), x.overflow, "%d %s %d", a, name, b)
			if !x.overflow {
				require.Equal(t, c.want.Int64(), got, "%d %s %d", a, name, b)
			}
		}
	}
}

// TestABucketNeverTakesMoreThanItsRate fills buckets with random calls. In any interval a bucket
// lets through no more than its burst and what refilled meanwhile.
func TestABucketNeverTakesMoreThanItsRate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		burst, emission := r.Int64N(20), 1+r.Int64N(5e9)
		start := int64(1.7e18)
		now, tat, taken := start, start, int64(0)
		for range 500 {
			now += r.Int64N(2 * emission)
			quantity := r.Int64N(4)
			rate := rate{limit: burst + 1, emission: emission, tolerance: emission * (burst + 1),
				increment: emission * quantity}
			got := rate.decide(now, tat)
			require.False(t, got.overflow)
			if got.limited {
				require.True(t, got.retry > 0 || quantity > burst+1)
				if got.retry > 0 {
					require.False(t, rate.decide(now+got.retry, tat).limited)
					require.True(t, rate.decide(now+got.retry-1, tat).limited)
				}
				continue
			}
			tat, taken = now+got.ttl, taken+quantity
			require.LessOrEqual(t, taken, burst+1+(now-start)/emission)
		}
	}
}
