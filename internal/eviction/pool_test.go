package eviction

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPool: the pool returns the best of the keys inserted, best first.
func TestPool(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		var p Pool
		best := map[uint32]string{}
		offers := rng.IntN(60)
		for i := range offers {
			staleness := rng.Uint32N(1000)*64 + uint32(i) // no two alike
			key := strconv.Itoa(i)
			best[staleness] = key
			p.insert(i%3, key, staleness)
			p.insert(i%3, key, staleness) // again: the pool has it already, or refuses it
		}
		require.Equal(t, min(offers, poolSize), p.n)
		for p.n > 0 {
			c := p.pop()
			require.Equal(t, best[c.staleness], string(c.key))
			delete(best, c.staleness)
			for staleness := range best {
				require.Less(t, staleness, c.staleness)
			}
		}
	}
}
