package slab

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// compactAll moves the cells among these that are in retired chunks, and reinstates the others'
// chunks.
func compactAll(s *Slab, cells []cell) (moved int) {
	s.Retire()
	for i, c := range cells {
		if p := unsafe.Pointer(unsafe.SliceData(c.mem)); Retired(p) {
			cells[i].mem = unsafe.Slice((*byte)(s.Move(p)), len(c.mem))
			moved++
		}
	}
	s.Reinstate()
	return moved
}

func TestACompactionLeavesFullChunks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Slab
	for range 60_000 {
		s.Alloc([]int{16, 70, 300, 4096}[rng.IntN(4)])
	}
	require.False(t, s.Retire(), "all chunks but the last of each size are full")
}

func TestACompactionGivesMemoryBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Slab
	var kept, gone []cell
	for i := range 60_000 {
		c := alloc(&s, []int{16, 70, 300, 4096}[rng.IntN(4)], byte(i))
		if rng.IntN(10) == 0 {
			kept = append(kept, c)
		} else {
			gone = append(gone, c)
		}
	}
	for _, c := range gone {
		free(&s, c)
	}
	live, held := s.Live(), s.Held()
	require.Greater(t, held, 5*live)

	moved := compactAll(&s, kept)
	require.NoError(t, s.Check())
	require.Equal(t, live, s.Live())
	partial, spare := 4, 8+s.used/256 // one chunk of each size may have room, and closeChunk keeps some
	// Retire counts on 16 cells of 4 KB in each chunk, but the first one of a region has 15: one
	// chunk of 64, or one of 4 in a race build.
	short := held / chunkSize / perRegion / 16
	require.LessOrEqual(t, s.Held(), live+(partial+spare+short+1)*chunkSize)
	require.Greater(t, moved, len(kept)*3/4)
	for _, c := range kept {
		c.requireIntact(t)
	}
	runtime.KeepAlive(&s)
}

// What is allocated and freed meanwhile, and cells that their owner does not find, do no harm.
func TestACompactionIsInterrupted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var s Slab
	var cells []cell
	for range 20_000 {
		cells = append(cells, alloc(&s, 16+rng.IntN(3)*200, byte(len(cells))))
	}
	drop := func() {
		at := rng.IntN(len(cells))
		cells[at].requireIntact(t)
		free(&s, cells[at])
		cells[at] = cells[len(cells)-1]
		cells = cells[:len(cells)-1]
	}
	for len(cells) > 4000 {
		drop()
	}
	for range 3 {
		require.True(t, s.Retire())
		for range 4000 {
			switch at := rng.IntN(len(cells)); {
			case rng.IntN(3) == 0 && len(cells) > 2000:
				drop()
			case rng.IntN(2) == 0:
				c := alloc(&s, 16+rng.IntN(3)*200, 'n')
				require.False(t, Retired(unsafe.Pointer(unsafe.SliceData(c.mem))))
				cells = append(cells, c)
			case Retired(unsafe.Pointer(unsafe.SliceData(cells[at].mem))):
				cells[at].mem = unsafe.Slice((*byte)(s.Move(unsafe.Pointer(unsafe.SliceData(cells[at].mem)))),
					len(cells[at].mem))
			}
		}
		require.NoError(t, s.Check())
		twin := s.Clone()
		require.NoError(t, twin.Check())
		require.Equal(t, s.Live(), twin.Live())
		require.Nil(t, twin.retired)
		s.Reinstate()
		require.NoError(t, s.Check())
		for len(cells) > 4000/2 {
			drop()
		}
	}
	for len(cells) > 0 {
		drop()
	}
	require.Zero(t, s.Live())
	require.NoError(t, s.Check())
}
