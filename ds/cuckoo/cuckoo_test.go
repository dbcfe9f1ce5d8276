package cuckoo

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

func options(capacity uint64) Options {
	return Options{Capacity: capacity, Slots: 2, Iterations: 20, Growth: 1}
}

func made(t testing.TB, o Options) *Filter {
	f, ok := New(o)
	require.True(t, ok, "%+v", o)
	return f
}

// dump returns header and chunks as one.
func dump(f *Filter) []byte {
	b := f.AppendHeader(nil)
	for iter := int64(1); iter != 0; {
		b, iter = f.AppendChunk(b, iter, 1000)
	}
	return b
}

// model is a filter as RedisBloom describes it: plain arrays, and no counts.
type model struct {
	layers                    [][]byte
	slots, iterations, growth int
	buckets                   int
	items, deleted            uint64
}

// places returns the first slots of the two buckets of an item in a layer.
func (m *model) places(layer []byte, hash uint64, print byte) [2]int {
	n := uint64(len(layer) / m.slots)
	return [2]int{int(hash%n) * m.slots, int((hash^uint64(print)*0x5bd1e995)%n) * m.slots}
}

func (m *model) put(hash uint64, print byte, layers ...[]byte) bool {
	for _, layer := range layers {
		for _, from := range m.places(layer, hash, print) {
			if free := bytes.IndexByte(layer[from:from+m.slots], 0); free >= 0 {
				layer[from+free] = print
				return true
			}
		}
	}
	return false
}

func (m *model) add(item []byte) bool {
	hash := murmur.Hash64(item, 0)
	print := byte(hash%255) + 1
	backwards := slices.Clone(m.layers)
	slices.Reverse(backwards)
	if !m.put(hash, print, backwards...) && !m.displace(hash, print) {
		if m.growth == 0 {
			return false
		}
		factor := 1
		for range m.layers {
			factor *= m.growth
		}
		last := make([]byte, m.buckets*factor*m.slots)
		m.layers = append(m.layers, last)
		m.put(hash, print, last)
	}
	m.items++
	return true
}

func (m *model) displace(hash uint64, print byte) bool {
	layer := m.layers[len(m.layers)-1]
	before := bytes.Clone(layer)
	from := m.places(layer, hash, print)[0]
	for i := range m.iterations {
		victim := from + i%m.slots
		print, layer[victim] = layer[victim], print
		from = m.places(layer, uint64(from/m.slots), print)[1]
		if free := bytes.IndexByte(layer[from:from+m.slots], 0); free >= 0 {
			layer[from+free] = print
			return true
		}
	}
	copy(layer, before)
	return false
}

func (m *model) delete(item []byte) bool {
	hash := murmur.Hash64(item, 0)
	print := byte(hash%255) + 1
	for i := len(m.layers) - 1; i >= 0; i-- {
		for _, from := range m.places(m.layers[i], hash, print) {
			if at := bytes.IndexByte(m.layers[i][from:from+m.slots], print); at >= 0 {
				m.layers[i][from+at] = 0
				m.items--
				m.deleted++
				if len(m.layers) > 1 && float64(m.deleted) > float64(m.items)/10 {
					m.compact(false)
				}
				return true
			}
		}
	}
	return false
}

func (m *model) compact(all bool) {
	for i := len(m.layers) - 1; i > 0; i-- {
		stayed := false
		for at, print := range m.layers[i] {
			if print != 0 && m.put(uint64(at/m.slots), print, m.layers[:i]...) {
				m.layers[i][at] = 0
			} else if print != 0 {
				stayed = true
			}
		}
		if stayed && !all {
			break
		}
		if !stayed && i == len(m.layers)-1 {
			m.layers = m.layers[:i]
		}
	}
	m.deleted = 0
}

func (m *model) count(item []byte) (n int) {
	hash := murmur.Hash64(item, 0)
	print := byte(hash%255) + 1
	for _, layer := range m.layers {
		for _, from := range m.places(layer, hash, print) {
			n += bytes.Count(layer[from:from+m.slots], []byte{print})
		}
	}
	return n
}

// TestModel does with filters of many shapes what is done with plain arrays.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		o := Options{Slots: 1 + r.Uint64N(5), Iterations: uint16(1 + r.IntN(30)), Growth: uint16(r.IntN(4))}
		if r.IntN(10) == 0 {
			o.Slots = 200 + r.Uint64N(56)
		}
		o.Capacity = o.Slots * (1 + r.Uint64N(40))
		f := made(t, o)
		m := &model{slots: int(o.Slots), iterations: int(o.Iterations), growth: int(f.Growth())}
		m.buckets = int(f.Buckets())
		m.layers = [][]byte{make([]byte, m.buckets*m.slots)}
		for i := range 600 {
			item := fmt.Appendf(nil, "item%d", r.IntN(int(o.Capacity)*3))
			switch n := r.IntN(20); {
			case n < 10 && len(m.layers) < 8:
				require.Equal(t, m.add(item), f.Add(item, math.MaxInt) == Added)
			case n == 19 && r.IntN(10) == 0:
				m.compact(true)
				f.Compact()
			case n > 15 || i > 400:
				require.Equal(t, m.delete(item), f.Delete(item))
			}
			require.Equal(t, m.count(item), f.Count(item))
			require.Equal(t, m.count(item) > 0, f.Has(item))
			if m.count(item) > 0 {
				require.Equal(t, Seen, f.AddNew(item, math.MaxInt))
			}
			require.Equal(t, m.items, uint64(f.Len()))
			require.Equal(t, m.deleted, f.Deleted())
		}
		require.NoError(t, f.Check())
		require.Equal(t, string(bytes.Join(m.layers, nil)), string(dump(f)[headerBytes:]))
		require.NoError(t, f.Clone().(*Filter).Check())
		require.Equal(t, dump(f), dump(f.Clone().(*Filter)))
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		o       Options
		buckets uint64
		growth  uint16
	}{
		{Options{4, 2, 20, 1}, 2, 1}, {Options{100, 50, 20, 1}, 2, 1}, {Options{1000, 255, 20, 3}, 4, 4},
		{Options{1000, 2, 1, 32768}, 512, 32768}, {Options{1024, 2, 1, 0}, 512, 0}, {Options{1, 2, 1, 0}, 1, 0},
	} {
		f := made(t, c.o)
		require.Equal(t, c.buckets, f.Buckets(), "%+v", c)
		require.Equal(t, c.growth, f.Growth(), "%+v", c)
	}
	for _, o := range []Options{{1 << 33, 2, 20, 1}, {math.MaxUint64, 2, 20, 1}, {100, 0, 20, 1}, {100, 256, 20, 1},
		{100, 2, 0, 1}, {100, 2, 20, 32769}, {1 << 32, 255, 20, 1}} {
		_, ok := New(o)
		require.False(t, ok, "%+v", o)
	}
}

// What was not written was not made, and is accounted nevertheless: a dump contains it.
func TestReservedFiltersAreAccounted(t *testing.T) {
	f := made(t, options(1<<31))
	require.Greater(t, f.Bytes(), 1<<31)
	before := f.Bytes()
	require.Less(t, testing.AllocsPerRun(1, func() { made(t, options(1<<31)) }), 10.)
	require.Equal(t, Added, f.Add([]byte("a"), 0))
	require.Equal(t, before, f.Bytes())
	f.Compact()
	require.True(t, f.Delete([]byte("a")))
}

func TestRoom(t *testing.T) {
	f := made(t, Options{Capacity: 8, Slots: 2, Iterations: 20, Growth: 2})
	i := 0
	for ; f.Add(fmt.Append(nil, i), 0) == Added; i++ {
	}
	before := dump(f)
	require.Equal(t, NoRoom, f.Add(fmt.Append(nil, i), 15))
	require.Equal(t, before, dump(f))
	require.Equal(t, Added, f.Add(fmt.Append(nil, i), 16))
	require.Equal(t, 2, f.Layers())
	f = made(t, Options{Capacity: 1, Slots: 1, Iterations: 1, Growth: 1})
	for i := range maxLayers {
		require.Equal(t, Added, f.Add(fmt.Append(nil, i), math.MaxInt))
	}
	require.Equal(t, NoRoom, f.Add([]byte("more"), math.MaxInt))
	require.NoError(t, f.Check())
}

func TestDumpComesBack(t *testing.T) {
	f := made(t, Options{Capacity: 100, Slots: 3, Iterations: 20, Growth: 2})
	for i := range 1000 {
		f.Add(fmt.Append(nil, i), math.MaxInt)
	}
	for _, most := range []uint64{10, 200, 1 << 20} {
		g, ok := FromHeader(f.AppendHeader(nil))
		require.True(t, ok)
		for chunk, iter := f.AppendChunk(nil, 1, most); iter != 0; chunk, iter = f.AppendChunk(nil, iter, most) {
			require.True(t, g.Load(iter, chunk))
		}
		require.NoError(t, g.Check())
		require.Equal(t, dump(f), dump(g))
	}
	for _, iter := range []int64{0, -1, math.MinInt64, math.MaxInt64, int64(f.SlotBytes()) + 1} {
		chunk, next := f.AppendChunk(nil, iter, 100)
		require.Empty(t, chunk)
		require.Zero(t, next)
	}
}

func TestLoadFaults(t *testing.T) {
	f := made(t, options(8)) // 8 bytes
	for _, c := range []struct {
		next  int64
		bytes int
		ok    bool
	}{
		{9, 8, true}, {3, 2, true}, {9, 1, true}, {9, 0, false}, {9, 9, false}, {10, 2, false}, {11, 2, false},
		{100, 2, false}, {0, 1, false}, {-5, 1, false}, {math.MinInt64, 1, false}, {math.MaxInt64, 3, false},
	} {
		require.Equal(t, c.ok, f.Load(c.next, bytes.Repeat([]byte{1}, c.bytes)), "%+v", c)
		require.NoError(t, f.Check())
	}
}

// FuzzDump: a header that is not refused makes a filter, which takes chunks or refuses them.
func FuzzDump(f *testing.F) {
	for _, o := range []Options{options(8), {100, 3, 5, 2}, {1000, 255, 20, 0}} {
		b := made(f, o)
		f.Add(b.AppendHeader(nil), int64(9), []byte("12345678"))
		for i := range 30 {
			b.Add(fmt.Append(nil, i), math.MaxInt)
		}
		f.Add(b.AppendHeader(nil), int64(33), dump(b)[headerBytes:])
	}
	f.Fuzz(func(t *testing.T, header []byte, next int64, chunk []byte) {
		b, ok := FromHeader(header)
		if !ok || b.SlotBytes() > 1<<16 {
			return
		}
		require.Equal(t, header, b.AppendHeader(nil))
		b.Load(next, chunk)
		require.NoError(t, b.Check())
		b.Add([]byte("x"), 1<<16)
		b.Delete([]byte("y"))
		b.Delete([]byte("x"))
		b.Compact()
		require.NoError(t, b.Check())
	})
}

// FuzzLoad reads payloads that lie.
func FuzzLoad(f *testing.F) {
	small, grown := made(f, options(8)), made(f, Options{8, 3, 5, 2})
	for i := range 50 {
		grown.Add(fmt.Append(nil, i), math.MaxInt)
	}
	valuetest.Fuzz(f, func(v value.Value) error { return v.(*Filter).Check() }, small, grown)
}

// TestFalsePositives measures how often a full filter finds what was not added: at most as often as
// the prints of two buckets hit by chance.
func TestFalsePositives(t *testing.T) {
	const trials = 100_000
	for _, slots := range []uint64{1, 2, 4, 8} {
		f := made(t, Options{Capacity: 1 << 14, Slots: slots, Iterations: 500, Growth: 0})
		added := 0
		for f.Add(fmt.Appendf(nil, "item%d", added), 0) == Added {
			added++
		}
		for i := range added {
			require.True(t, f.Has(fmt.Appendf(nil, "item%d", i)))
		}
		wrong := 0
		for i := range trials {
			if f.Has(fmt.Appendf(nil, "other%d", i)) {
				wrong++
			}
		}
		got, bound := float64(wrong)/trials, 2*float64(slots)/255
		t.Logf("%d slots: %d of %d used, %.4f of others found, at most %.4f", slots, added, f.SlotBytes(), got, bound)
		require.LessOrEqual(t, got, bound*1.05)
		require.Greater(t, got, bound/4)
	}
}

func BenchmarkAdd(b *testing.B) {
	f := made(b, options(1<<24))
	item := []byte("item:00000000")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for j, n := len(item)-1, i; n > 0; j, n = j-1, n/10 {
			item[j] = '0' + byte(n%10)
		}
		f.Add(item, 0)
	}
}

func BenchmarkHas(b *testing.B) {
	f := made(b, options(1<<20))
	for i := range 500_000 {
		f.Add(fmt.Appendf(nil, "item:%d", i), 0)
	}
	item := []byte("item:499999")
	b.ReportAllocs()
	for b.Loop() {
		f.Has(item)
	}
}
