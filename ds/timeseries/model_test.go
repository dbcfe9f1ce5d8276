package timeseries

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
	"github.com/stretchr/testify/require"
)

// blocks is a value.Memory that knows what it has given. It empties all of its memory.
type blocks struct {
	t    *testing.T
	held map[unsafe.Pointer]int
}

func newBlocks(t *testing.T) *blocks { return &blocks{t, make(map[unsafe.Pointer]int)} }

func (m *blocks) Block(n int) (p unsafe.Pointer, held int) {
	held = sizeclass.Round(n)
	p = unsafe.Pointer(unsafe.SliceData(make([]byte, held)))
	m.held[p] = held
	return p, held
}

func (m *blocks) FreeBlock(p unsafe.Pointer, n int) (held int) {
	require.Equal(m.t, m.held[p], n)
	delete(m.held, p)
	return n
}

func (m *blocks) Retired(unsafe.Pointer) bool { return true }

// model is the samples of a series in the order of time.
type model []Sample

func (m *model) put(x Sample, p Policy) bool {
	at, found := slices.BinarySearchFunc(*m, x.Time, func(y Sample, t uint64) int {
		switch {
		case y.Time < t:
			return -1
		case y.Time > t:
			return 1
		}
		return 0
	})
	if !found {
		*m = slices.Insert(*m, at, x)
		return true
	}
	old := &(*m)[at].Value
	switch p {
	case KeepLast:
		*old = x.Value
	case KeepMin:
		*old = math.Min(*old, x.Value)
	case KeepMax:
		*old = math.Max(*old, x.Value)
	case AddUp:
		*old += x.Value
	case Block:
		return false
	}
	return true
}

func (m *model) delete(from, to uint64) int {
	before := len(*m)
	*m = slices.DeleteFunc(*m, func(x Sample) bool { return from <= x.Time && x.Time <= to })
	return before - len(*m)
}

func (m model) within(from, to uint64, backwards bool) (list []Sample) {
	for _, x := range m {
		if from <= x.Time && x.Time <= to {
			list = append(list, x)
		}
	}
	if backwards {
		slices.Reverse(list)
	}
	return list
}

// randomValue returns values that need few bits, many, and all.
func randomValue(r *rand.Rand) float64 {
	switch r.IntN(5) {
	case 0:
		return float64(r.IntN(10))
	case 1:
		return math.Float64frombits(r.Uint64() &^ (1 << 62)) // finite
	case 2:
		return []float64{0, math.Copysign(0, -1), 5e-324, -math.MaxFloat64, 0.1}[r.IntN(5)]
	}
	return float64(r.IntN(2000)) / 10
}

// TestModel compares a series with the list of its samples, in Go's heap and in a memory that is
// emptied now and then.
func TestModel(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := New(Options{ChunkBytes: 48 + 8*r.IntN(1<<r.IntN(8)), Plain: r.IntN(3) == 0})
		memory := newBlocks(t)
		var m model
		now := r.Uint64N(1 << (10 + r.IntN(40)))
		for step := range 400 {
			switch r.IntN(10) {
			case 0, 1, 2, 3, 4, 5:
				now += 1 + r.Uint64N(1<<r.IntN(20))
				x := Sample{now, randomValue(r)}
				require.True(t, s.Put(x, Block))
				require.True(t, m.put(x, Block))
			case 6, 7, 8:
				x := Sample{now - r.Uint64N(min(now+1, 1<<r.IntN(20))), randomValue(r)}
				p := Block + Policy(r.IntN(int(policies-Block)))
				require.Equal(t, m.put(x, p), s.Put(x, p), "seed %d, step %d", seed, step)
			default:
				from := now - r.Uint64N(min(now+1, 1<<r.IntN(20)))
				to := from + r.Uint64N(1<<r.IntN(20))
				require.Equal(t, m.delete(from, to), s.Delete(from, to), "seed %d, step %d", seed, step)
			}
			if seed%2 == 0 {
				s.Settle(memory, step%10 == 0)
			}
			require.NoError(t, s.Check(), "seed %d, step %d", seed, step)
		}
		compare(t, r, s, m, now)
		compare(t, r, s.Clone().(*Series), m, now)
		for s.Drop(3) {
		}
		require.Empty(t, memory.held)
	}
}

// TestFreeze: what a frozen series is saved as stays the same until it thaws, whatever becomes of
// the series, which gives each block back once.
func TestFreeze(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		s, memory := New(Options{ChunkBytes: 48, Plain: r.IntN(2) == 0, Retention: 4000 * r.Uint64N(2)}), newBlocks(t)
		now := uint64(1_000_000)
		change := func() {
			switch r.IntN(6) {
			case 0:
				s.Delete(now-r.Uint64N(3000), now-r.Uint64N(300))
			case 1, 2:
				s.Put(Sample{now - r.Uint64N(3000), randomValue(r)}, AddUp)
			default:
				now += 1 + r.Uint64N(100)
				s.Put(Sample{now, randomValue(r)}, Block)
			}
			s.Settle(memory, r.IntN(10) == 0)
			require.NoError(t, s.Check())
		}
		for s.Chunks() < 4 {
			change()
		}
		s.SetRules([]*Rule{NewRule("to", Sum, 10, 0)})
		want := valuetest.Save(s.Clone())
		f, thaw := s.Freeze()
		for range r.IntN(100) {
			s.Rules()[0].Take(Sample{now, 1})
			change()
			require.Equal(t, want, valuetest.Save(f))
			require.NoError(t, s.Clone().(*Series).Check())
		}
		dropped := func() {
			for s.Drop(3) {
			}
		}
		if r.IntN(2) == 0 {
			dropped()
			require.Equal(t, want, valuetest.Save(f))
			thaw()
		} else {
			thaw()
			for range 30 {
				change()
			}
			dropped()
		}
		require.Empty(t, memory.held, "seed %d", seed)
	}
}

// compare compares ranges of a series with those of its samples.
func compare(t *testing.T, r *rand.Rand, s *Series, m model, now uint64) {
	require.Equal(t, len(m), s.Len())
	for range 10 {
		from, to, backwards := r.Uint64N(now+2), r.Uint64N(now+2), r.IntN(2) == 0
		if r.IntN(2) == 0 {
			from, to = 0, math.MaxUint64
		}
		var got []Sample
		for w := s.Walk(from, to, backwards); ; {
			batch := w.Next()
			if len(batch) == 0 {
				break
			}
			got = append(got, batch...)
		}
		require.Equal(t, m.within(from, to, backwards), got)
	}
}

// TestRetention: chunks go whose samples are all too old, when a chunk begins.
func TestRetention(t *testing.T) {
	s := New(Options{ChunkBytes: 48, Plain: true, Retention: 50})
	for i := range uint64(100) {
		s.Add(Sample{i * 10, 1})
		require.NoError(t, s.Check())
		first, n := s.Kept()
		require.Equal(t, int(min(i, 5))+1, n)
		require.Equal(t, s.Oldest(), first.Time)
	}
	require.LessOrEqual(t, s.Chunks(), 4)
}

// TestMemory: a series takes memory as its samples need it, and no more than its chunks may have.
func TestMemory(t *testing.T) {
	s := New(Options{ChunkBytes: 4096})
	require.Less(t, s.Bytes(), 200)
	for i := range uint64(10_000) {
		s.Add(Sample{i * 1000, float64(i % 7)})
	}
	held := 0
	for i := range s.Chunks() {
		require.LessOrEqual(t, s.Chunk(i).Held, 4096)
		held += s.Chunk(i).Held
	}
	require.Less(t, float64(held)/float64(s.Len()), 3.)
}
