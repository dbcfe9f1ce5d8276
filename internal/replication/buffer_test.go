package replication

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The buffer holds the backlog and everything that the slowest replica has not received, for pieces
// and backlogs of any size.
func TestBufferHoldsTheEndOfTheStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const before = 100
	var b buffer
	b.begin(64, before)
	all := make([]byte, before)
	slowest := int64(before)
	for range 20_000 {
		if rng.IntN(50) == 0 {
			b.size = 1 + rng.IntN(200)
		}
		piece := make([]byte, rng.IntN(50))
		for i := range piece {
			piece[i] = byte(rng.IntN(256))
		}
		b.add(piece)
		all = append(all, piece...)
		require.Equal(t, int64(len(all)), b.end)

		if rng.IntN(3) == 0 {
			slowest = b.end - rng.Int64N(b.end-slowest+1)
		}
		got := b.after(slowest)
		require.Equal(t, string(all[slowest:][:len(got)]), string(got))
		require.True(t, len(got) > 0 || slowest == b.end)
		slowest += int64(rng.IntN(len(got) + 1))

		held := b.held
		b.trim(slowest)
		require.GreaterOrEqual(t, b.held, min(held, b.size))
		require.LessOrEqual(t, b.end-int64(b.held), slowest)
		room := 0
		for _, block := range b.blocks {
			room += cap(block.text)
		}
		require.Equal(t, room, b.room)
	}
	b.trim(b.end)
	require.LessOrEqual(t, b.held, b.size+200/backlogBlocks)
}
