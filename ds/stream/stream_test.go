package stream

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// filled returns a stream of n entries 1-0 to n-0.
func filled(n int, limits Limits) *Stream {
	s := new(Stream)
	for i := range n {
		s.Append(ID{uint64(i + 1), 0}, [][]byte{[]byte("f"), []byte("v")}, limits)
	}
	return s
}

func TestNodesCloseAtTheLimits(t *testing.T) {
	require.Equal(t, 3, filled(250, Defaults).NodeCount())
	require.Equal(t, 1, filled(250, Limits{}).NodeCount())
	require.Equal(t, 25, filled(250, Limits{Bytes: 4096, Entries: 10}).NodeCount())

	s := new(Stream)
	for i := range 4 {
		s.Append(ID{uint64(i + 1), 0}, [][]byte{[]byte("f"), []byte(strings.Repeat("v", 2100))}, Defaults)
	}
	require.Equal(t, 4, s.NodeCount(), "two would exceed the bytes")
}

func TestGrowingLeavesLittleGarbage(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var s Stream
	pairs := [][]byte{[]byte("sensor"), []byte("5"), []byte("temperature"), []byte("21.5")}
	for i := range 20_000 {
		s.Append(ID{uint64(i + 1), 0}, pairs, Defaults)
	}
	runtime.ReadMemStats(&after)
	require.NoError(t, s.Check())
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(s.Bytes())*5/4)
}

func TestTrimByWholeNodes(t *testing.T) {
	s := filled(250, Defaults)
	require.Equal(t, 0, s.Trim(Trim{Keep: 151, Nodes: true}))
	require.Equal(t, 100, s.Trim(Trim{Keep: 150, Nodes: true}))
	require.Equal(t, 0, s.Trim(Trim{Keep: 0, Nodes: true, Most: 99}))
	require.Equal(t, 0, s.Trim(Trim{ByID: true, Below: ID{200, 0}, Nodes: true}))
	require.Equal(t, 100, s.Trim(Trim{ByID: true, Below: ID{200, 1}, Nodes: true}))
	require.Equal(t, ID{201, 0}, s.First())
	require.Equal(t, 50, s.Trim(Trim{}))
	require.Equal(t, ID{}, s.First())
	require.Equal(t, int64(250), s.Added())
	require.NoError(t, s.Check())
}

func TestIDs(t *testing.T) {
	next, ok := ID{5, math.MaxUint64}.Next()
	require.True(t, ok)
	require.Equal(t, ID{6, 0}, next)
	_, ok = MaxID.Next()
	require.False(t, ok)
	prev, ok := ID{6, 0}.Prev()
	require.True(t, ok)
	require.Equal(t, ID{5, math.MaxUint64}, prev)
	_, ok = ID{}.Prev()
	require.False(t, ok)
	require.Equal(t, "18446744073709551615-7", ID{math.MaxUint64, 7}.String())
	require.True(t, ID{5, 9}.Before(ID{6, 0}))
	require.False(t, ID{5, 9}.Before(ID{5, 8}))
}

// TestSequencesMayWrap has distances that no int64 holds.
func TestSequencesMayWrap(t *testing.T) {
	s := new(Stream)
	ids := []ID{{0, 1}, {5, math.MaxUint64}, {6, 0}, {math.MaxUint64, 0}, MaxID}
	for _, id := range ids {
		s.Append(id, [][]byte{[]byte("f"), []byte("v")}, Defaults)
	}
	require.NoError(t, s.Check())
	for _, id := range ids {
		require.True(t, s.Has(id), id)
	}
	require.Equal(t, 2, s.Trim(Trim{ByID: true, Below: ID{6, 0}}))
}

// TestManyMessages fills blocks at the end and in the middle, and thins them out.
func TestManyMessages(t *testing.T) {
	s := new(Stream)
	g := s.AddGroup([]byte("g"), ID{}, 0)
	a, b := g.AddConsumer([]byte("a"), 1), g.AddConsumer([]byte("b"), 1)
	const n = 3000
	r := rand.New(rand.NewPCG(3, 4))
	for _, i := range r.Perm(n) {
		g.Deliver(ID{uint64(i), 0}, a)
	}
	for i := range n {
		g.Deliver(ID{n, uint64(i)}, b)
	}
	require.NoError(t, s.Check())
	for i, at := range r.Perm(n) {
		if i%3 == 0 {
			g.Deliver(ID{uint64(at), 0}, b)
		} else {
			require.True(t, g.Ack(ID{uint64(at), 0}))
		}
	}
	require.NoError(t, s.Check())
	require.Zero(t, a.Pending())
	require.Equal(t, 4000, b.Pending())
	next := uint64(0)
	g.Each(ID{n, 0}, func(p *Pending) bool {
		require.Equal(t, ID{n, next}, p.ID)
		next++
		return next < 10 || g.Ack(p.ID) && next < 20
	})
	require.Equal(t, 3989, g.Pending())
	require.Equal(t, 3989, g.RemoveConsumer([]byte("b")))
	require.True(t, s.RemoveGroup([]byte("g")))
	require.False(t, s.RemoveGroup([]byte("g")))
	require.NoError(t, s.Check())
}

func TestLagIsUnknownBehindGaps(t *testing.T) {
	s := filled(10, Defaults)
	g := s.AddGroup([]byte("g"), ID{}, Unknown)
	lag := func() int64 {
		if n, ok := g.Lag(); ok {
			return n
		}
		return -1
	}
	require.Equal(t, int64(10), lag())
	g.Last = ID{3, 0}
	require.Equal(t, int64(-1), lag(), "somewhere in the middle")
	g.Last = ID{10, 0}
	require.Equal(t, int64(0), lag())
	g.Last, g.Read = ID{}, 0
	require.True(t, g.Advance(ID{1, 0}))
	require.False(t, g.Advance(ID{1, 0}))
	require.Equal(t, int64(9), lag())
	s.Delete(ID{5, 0})
	require.Equal(t, int64(-1), lag(), "a gap ahead")
	require.True(t, g.Advance(ID{2, 0}))
	require.Equal(t, int64(Unknown), g.Read)
	require.True(t, g.Advance(ID{10, 0}))
	require.Equal(t, int64(10), g.Read)
}
