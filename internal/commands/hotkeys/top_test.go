package hotkeys

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTopBesideExactSums: with as many counters as keys the sums are exact; with fewer each is at
// least what it should be, and the key with most is found.
func TestTopBesideExactSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, keys := range []int{1, 50, 64, 2000} {
		tops, exact, most := newTop(64), map[string]int64{}, 0
		for range 20000 {
			key, amount := fmt.Sprint("k", r.IntN(keys)), r.Int64N(100)
			if r.IntN(2) == 0 {
				key = "hot"
			}
			tops.add([]byte(key), amount)
			exact[key] += amount
			most = max(most, tops.memory())
		}
		largest := tops.largest(10)
		require.Equal(t, "hot", largest[0].key)
		for i, c := range largest {
			require.GreaterOrEqual(t, c.sum, exact[c.key])
			if keys < 64 {
				require.Equal(t, exact[c.key], c.sum)
			}
			require.True(t, i == 0 || c.sum <= largest[i-1].sum)
		}
		require.Less(t, most, 64*(counterBytes+8))
		for i, c := range tops.smallest {
			require.Equal(t, i, c.rank)
			require.Same(t, c, tops.byKey[c.key])
			require.LessOrEqual(t, tops.smallest[max(0, (i-1)/2)].sum, c.sum)
		}
	}
}
