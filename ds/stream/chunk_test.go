package stream

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
)

// long is a stream that has chunks, and the IDs of its entries.
type long struct {
	t   *testing.T
	s   *Stream
	ids []ID
	ms  uint64
}

func newLong(t *testing.T) *long {
	l := &long{t: t, s: new(Stream)}
	l.add(30_000, 16, Defaults)
	require.NotNil(t, l.s.open)
	return l
}

func (l *long) add(n, size int, limits Limits) {
	for range n {
		l.ms++
		l.s.Append(ID{l.ms, 0}, [][]byte{[]byte("field"), make([]byte, size)}, limits)
		l.ids = append(l.ids, ID{l.ms, 0})
	}
}

// delete deletes the entries from i to before j.
func (l *long) delete(i, j int) {
	for _, id := range l.ids[i:j] {
		require.True(l.t, l.s.Delete(id))
	}
	l.ids = slices.Delete(l.ids, i, j)
}

func (l *long) check() {
	l.t.Helper()
	require.NoError(l.t, l.s.Check())
	require.Equal(l.t, len(l.ids), l.s.Len())
	i := 0
	for w := l.s.Walk(ID{}, MaxID); w.Next(); i++ {
		require.Equal(l.t, l.ids[i], w.ID)
		_, value := w.Pair()
		require.NotNil(l.t, value.Str)
	}
}

func TestNodesOfALongStreamFitTightly(t *testing.T) {
	l := newLong(t)
	l.add(70_000, 16, Defaults)
	l.check()
	used := 0
	for _, pack := range l.s.Packs() {
		used += len(pack)
	}
	require.Less(t, l.s.Bytes(), used*109/100)
	require.Less(t, l.s.Clone().(*Stream).Bytes(), used*109/100)
	require.NoError(t, l.s.Clone().(*Stream).Check())
	l.s.Trim(Trim{Keep: 0})
	require.NoError(t, l.s.Check())
	require.Less(t, l.s.Bytes(), chunkSize, "only the slice of nodes is left")
}

func TestChangesOfALongStream(t *testing.T) {
	for seed := range quick.Rounds(uint64(3)) {
		draw := rand.New(rand.NewPCG(seed, 1))
		l := newLong(t)
		for range 150 {
			n := len(l.ids)
			switch i := draw.IntN(n); draw.IntN(8) {
			case 0, 1: // within a node, or a few of them
				l.delete(i, min(i+draw.IntN(500), n))
			case 2: // at the end, where the stream goes on
				l.delete(n-draw.IntN(250), n)
			case 3:
				keep := n - draw.IntN(500)
				l.s.Trim(Trim{Keep: keep})
				l.ids = l.ids[n-keep:]
			case 4: // nodes too large for a chunk, or for what is left of one
				l.add(draw.IntN(20), draw.IntN(2*maxShare), Limits{})
			case 5:
				l.add(draw.IntN(400), draw.IntN(40), Limits{Bytes: 4096}) // counts grow to two bytes
			default:
				l.add(draw.IntN(400), draw.IntN(40), Defaults)
			}
			require.NoError(t, l.s.Check())
		}
		l.check()
	}
}

// TestFewNodesDoNotKeepAChunk deletes all but one node in twenty.
func TestFewNodesDoNotKeepAChunk(t *testing.T) {
	l := newLong(t)
	for i := 0; i+2000 < len(l.ids); i += 100 {
		l.delete(i, i+1900)
	}
	l.check()
	require.Less(t, l.s.Bytes(), 300<<10, "of a million, with the nodes before the chunks and the last two chunks")
}

func TestAnEntryThatComesAndGoesLeavesLittleGarbage(t *testing.T) {
	l := newLong(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		l.add(1, 20, Defaults)
		l.delete(len(l.ids)-1, len(l.ids))
	}
	runtime.ReadMemStats(&after)
	l.check()
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
