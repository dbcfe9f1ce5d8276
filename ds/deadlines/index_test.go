package deadlines

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/slab"
)

const start = int64(1_700_000_000_000)

// model is a sorted slice beside an index.
type model struct {
	t     testing.TB
	cells *slab.Slab
	x     *Index
	items []Item
}

func newModel(t testing.TB) *model {
	cells := new(slab.Slab)
	return &model{t: t, cells: cells, x: New(cells)}
}

func (m *model) insert(item Item) {
	i, _ := slices.BinarySearchFunc(m.items, item, Item.Compare)
	m.items = slices.Insert(m.items, i, item)
	m.x.Insert(item)
}

func (m *model) delete(item Item) {
	i, found := slices.BinarySearchFunc(m.items, item, Item.Compare)
	require.Equal(m.t, found, m.x.Has(item))
	require.Equal(m.t, found, m.x.Delete(item), "%v", item)
	if found {
		m.items = slices.Delete(m.items, i, i+1)
	}
}

func (m *model) deleteMin() {
	if len(m.items) > 0 {
		m.items = slices.Delete(m.items, 0, 1)
		m.x.DeleteMin()
	}
}

// check compares the index with the slice from some item on, and checks the invariants.
func (m *model) check(from Item) {
	m.t.Helper()
	require.NoError(m.t, m.x.Check())
	require.Equal(m.t, len(m.items), m.x.Len())
	require.Equal(m.t, m.cells.Live(), m.x.LeafBytes())
	first, ok := m.x.Min()
	require.Equal(m.t, len(m.items) > 0, ok)
	if ok {
		require.Equal(m.t, m.items[0], first)
	}
	i, _ := slices.BinarySearchFunc(m.items, from, Item.Compare)
	require.Equal(m.t, append([]Item{}, m.items[i:]...),
		slices.AppendSeq([]Item{}, func(yield func(Item) bool) { m.x.Ascend(from, yield) }))
}

// play lets a script change index and model, ten bytes for a step: what, how often, and an item in
// one of several ranges.
func play(t testing.TB, script []byte) {
	m := newModel(t)
	var item Item
	for ; len(script) >= 10; script = script[10:] {
		op, times := script[0], int(script[1])
		at, code := int64(binary.LittleEndian.Uint32(script[2:])), binary.LittleEndian.Uint32(script[6:])
		switch op >> 5 {
		case 0: // close to the last one
			item.At, item.Code = item.At+at%8, code%4
		case 1:
			item = Item{at % 1000, code % 8}
		case 2:
			item = Item{at << (code % 32), code}
		case 3:
			item = Item{math.MaxInt64 - at%100, code}
			if code%2 == 0 {
				item.At = math.MinInt64 + at%100
			}
		default:
			item = Item{start + at%100_000, code}
		}
		for range times/8 + 1 {
			switch op & 7 {
			case 0, 1:
				m.insert(item)
				item.At = max(item.At, item.At+1)
			case 2:
				m.insert(item)
				item.At = max(item.At-int64(code%5), 0)
			case 3:
				m.delete(item)
			case 4:
				if len(m.items) > 0 {
					m.delete(m.items[(int(code)+times)%len(m.items)])
				}
			case 5:
				m.deleteMin()
			case 6:
				m.insert(item)
			case 7:
				m.delete(item)
				item.At = max(item.At, item.At+1)
			}
		}
		m.check(item)
	}
	m.x.Clear()
	require.Zero(t, m.cells.Live())
	require.NoError(t, m.x.Check())
}

func TestRandomStepsAsInASortedSlice(t *testing.T) {
	for seed := range uint64(40) {
		draw := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 10*draw.IntN(300))
		for i := range script {
			script[i] = byte(draw.Uint32())
		}
		play(t, script)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte("\x00\xff12345678\x02\xff12345678\x05\xff12345678"))
	f.Add([]byte("\x46\xff12345678\x80\xff12345678\x04\xff12345678"))
	f.Fuzz(func(t *testing.T, script []byte) { play(t, script[:min(len(script), 3000)]) })
}

// bytesEach returns what the index takes for an item.
func (m *model) bytesEach() float64 { return float64(m.x.Bytes()) / float64(m.x.Len()) }

func TestALeafIsACell(t *testing.T) {
	require.EqualValues(t, slab.SmallCell, unsafe.Sizeof(leaf{}))
	require.EqualValues(t, 24, unsafe.Sizeof(place{}))
}

func TestGrowingDeadlinesFillTheLeaves(t *testing.T) {
	x := New(new(slab.Slab))
	for i := range 10_000 {
		x.Insert(Item{start + int64(i/3), uint32(i)})
	}
	require.Equal(t, (10_000+perLeaf-1)/perLeaf, x.leaves())
	for i := range 10_000 {
		first, _ := x.Min()
		require.Equal(t, Item{start + int64(i/3), uint32(i)}, first)
		x.DeleteMin()
	}
	require.Zero(t, x.Bytes())
}

func TestRandomDeadlinesFillFourFifths(t *testing.T) {
	for name, next := range map[string]func(i, dice int64) int64{
		"random":     func(_, dice int64) int64 { return dice },
		"jitter":     func(i, dice int64) int64 { return 10*i + dice%1000 },
		"two ttls":   func(i, dice int64) int64 { return 10*i + dice%3/2*50_000 },
		"descending": func(i, _ int64) int64 { return 1_000_000 - i },
	} {
		t.Run(name, func(t *testing.T) {
			m := newModel(t)
			draw := rand.New(rand.NewPCG(1, 2))
			for i := range int64(100_000) {
				m.x.Insert(Item{start + next(i, draw.Int64N(1<<30)), draw.Uint32()})
			}
			require.NoError(t, m.x.Check())
			require.Less(t, m.bytesEach(), 11.0)
		})
	}
}

func TestLeavesAreJoined(t *testing.T) {
	m := newModel(t)
	draw := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		m.insert(Item{start + int64(i), draw.Uint32()})
	}
	for len(m.items) > 1000 {
		m.delete(m.items[draw.IntN(len(m.items))])
	}
	m.check(lowest)
	require.Less(t, m.bytesEach(), 30.0, "there were %d leaves", 20_000/perLeaf)
	for len(m.items) > 0 {
		m.delete(m.items[draw.IntN(len(m.items))])
	}
	m.check(lowest)
}

func TestFarDeadlinesHaveLeavesOfTheirOwn(t *testing.T) {
	m := newModel(t)
	for _, at := range []int64{start, 0, math.MaxInt64, start + reach, start - reach, math.MinInt64, start + 1,
		math.MaxInt64 - reach} {
		m.insert(Item{at, 7})
		m.insert(Item{at, 5})
		m.insert(Item{at, 7})
		m.check(Item{start, 6})
	}
	require.Greater(t, m.x.leaves(), 4)
	for len(m.items) > 0 {
		m.delete(m.items[len(m.items)/2])
		m.check(lowest)
	}
}

func TestCopiesAreCounted(t *testing.T) {
	m := newModel(t)
	for range 10 * perLeaf {
		m.insert(Item{start, 1})
	}
	require.Equal(t, 1, m.x.leaves())
	m.insert(Item{start, 2})
	m.check(lowest)
	for len(m.items) > 0 {
		m.delete(Item{start, 1})
		m.deleteMin()
		m.check(lowest)
	}
}

func TestCloneIsACopy(t *testing.T) {
	require.Zero(t, New(new(slab.Slab)).Clone(new(slab.Slab).Clone()).Len())
	m := newModel(t)
	for i := range 1000 {
		m.insert(Item{start + int64(i%800)*1000, uint32(i % 3)})
	}
	cells := m.cells.Clone()
	twin := &model{t: t, cells: cells.Slab, x: m.x.Clone(cells), items: slices.Clone(m.items)}
	twin.check(lowest)
	for range 500 {
		m.deleteMin()
		twin.delete(twin.items[len(twin.items)/2])
		twin.insert(Item{start, 9})
	}
	m.check(lowest)
	twin.check(lowest)
}

func BenchmarkInsert(b *testing.B) {
	for name, span := range map[string]int64{"growing": 1, "random": 1 << 30} {
		b.Run(name, func(b *testing.B) {
			x := New(new(slab.Slab))
			draw := rand.New(rand.NewPCG(1, 2))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x.Insert(Item{start + int64(i) + draw.Int64N(span), uint32(i)})
			}
			b.ReportMetric(float64(x.Bytes())/float64(x.Len()), "B/item")
		})
	}
}
