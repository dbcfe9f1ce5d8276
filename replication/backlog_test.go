package replication

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The backlog holds the last bytes that were added, for pieces and rings of any size.
func TestBacklogHoldsTheLastBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b backlog
	var all []byte
	size, held := 0, 0
	for range 5000 {
		if rng.IntN(20) == 0 || size == 0 {
			size = 1 + rng.IntN(100)
			b.resize(size)
			held = min(held, size)
		}
		piece := make([]byte, rng.IntN(50))
		for i := range piece {
			piece[i] = byte(rng.IntN(256))
		}
		b.add(piece)
		all = append(all, piece...)
		held = min(held+len(piece), size)
		require.Equal(t, held, b.held)
		n := rng.IntN(held + 1)
		require.Equal(t, string(all[len(all)-n:]), string(b.last(n)))
	}
}
