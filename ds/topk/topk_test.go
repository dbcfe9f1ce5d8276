package topk

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// TestHashesAreRedisBlooms: fingerprints and cells as RedisBloom 2.8 saved them.
func TestHashesAreRedisBlooms(t *testing.T) {
	require.Equal(t, uint32(0xf23cf517), fingerprint([]byte("a")))
	require.Equal(t, uint32(0x92724134), fingerprint([]byte("x")))
	require.Equal(t, uint32(0x4a8566e0), fingerprint(nil))
	s := New(Default(3))
	s.Add([]byte("x"), 5)
	var at []uint64
	for row := range s.Depth {
		at = append(at, s.cell([]byte("x"), row)/cellBytes)
	}
	require.Equal(t, []uint64{4, 11, 17, 31, 36, 44, 53}, at)
}

// naive is a sketch with plain arrays, whose cells always or never lose a count.
type naive struct {
	Options
	cells []struct{ hash, count uint32 }
	heap  []Entry
}

func newNaive(o Options) *naive {
	return &naive{o, make([]struct{ hash, count uint32 }, o.Width*o.Depth), make([]Entry, o.K)}
}

func (n *naive) add(item string, by uint32) (left string, ok bool) {
	hash, most := fingerprint([]byte(item)), uint32(0)
	for row := range n.Depth {
		c := &n.cells[row*n.Width+murmur.Hash32([]byte(item), row)%n.Width]
		switch {
		case c.count == 0:
			c.hash, c.count = hash, by
		case c.hash == hash:
			c.count += by
		case n.Decay == 1 && by >= c.count:
			c.hash, c.count = hash, by-c.count+1
		case n.Decay == 1:
			c.count -= by
			continue
		default:
			continue
		}
		most = max(most, c.count)
	}
	if most < n.heap[0].Count {
		return "", false
	}
	i := slices.IndexFunc(n.heap, func(e Entry) bool { return e.hash == hash && e.Item == item })
	if i < 0 {
		left, ok = n.heap[0].Item, !n.heap[0].Empty()
		i, n.heap[0] = 0, Entry{Item: item, hash: hash}
	}
	n.heap[i].Count = most
	for first := true; 2*i+1 < len(n.heap); first = false {
		child := 2*i + 1
		if child+1 < len(n.heap) && n.heap[child+1].Count < n.heap[child].Count {
			child++
		}
		if n.heap[child].Count > most || !first && n.heap[child].Count == most {
			break
		}
		n.heap[i], n.heap[child] = n.heap[child], n.heap[i]
		i = child
	}
	return left, ok
}

// TestModel adds to a sketch and to a naive one, with heaps with and without index.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, o := range []Options{{1, 1, 1, 1}, {3, 4, 2, 1}, {3, 4, 2, 1e-300}, {20, 50, 5, 1}, {200, 100, 3, 1},
		{200, 300, 3, 1e-300}, {1000, 7, 1, 1}, {128, 1, 3, 1}} {
		s, n := New(o), newNaive(o)
		for i := range 3000 {
			item := strconv.Itoa(int(r.ExpFloat64() * 100))
			by := []uint32{1, 1, 1, 0, 2, 10, 1000}[r.IntN(7)]
			left, ok := s.Add([]byte(item), by)
			wantLeft, wantOK := n.add(item, by)
			require.Equal(t, []any{wantLeft, wantOK}, []any{left, ok}, "%+v: addition %d", o, i)
			if i%100 == 0 {
				require.NoError(t, s.Check())
				s = copied(t, s, i%200 == 0)
			}
		}
		require.Equal(t, n.heap, s.heap)
		for i, c := range n.cells {
			hash, count := s.cellAt(uint64(i) * cellBytes)
			require.Equal(t, c.count, count)
			require.True(t, c.hash == hash || count == 0)
		}
		for i := range 300 {
			item := strconv.Itoa(i)
			in := slices.ContainsFunc(n.heap, func(e Entry) bool { return e.Item == item })
			require.Equal(t, in, s.Has([]byte(item)))
		}
	}
}

// copied returns a clone, or what was saved and read again.
func copied(t *testing.T, s *Sketch, saved bool) *Sketch {
	c := s.Clone()
	if saved {
		var err error
		c, err = valuetest.Load(Type, valuetest.Save(s))
		require.NoError(t, err)
	}
	require.NoError(t, c.(*Sketch).Check())
	require.Equal(t, digest(s), digest(c))
	require.Equal(t, s.Bytes(), c.Bytes())
	return c.(*Sketch)
}

func digest(v value.Value) value.Digest {
	var m value.Mixer
	v.Digest(&m)
	return m.Digest
}

// A copy goes on with the same random numbers, and so does what was saved.
func TestCopiesGoOnAlike(t *testing.T) {
	s := New(Options{K: 5, Width: 3, Depth: 4, Decay: 0.9})
	add := func(s *Sketch) {
		for i := range 500 {
			s.Add([]byte(strconv.Itoa(i*i%37)), uint32(i%3))
		}
	}
	add(s)
	require.NotZero(t, s.state)
	clone, loaded := copied(t, s, false), copied(t, s, true)
	add(s)
	add(clone)
	add(loaded)
	require.Equal(t, digest(s), digest(clone))
	require.Equal(t, digest(s), digest(loaded))
}

// TestDecay compares what many additions do at once with what they do one by one.
func TestDecay(t *testing.T) {
	quick.Skip(t, "counts down many times")
	const trials = 2000
	for _, c := range []struct {
		decay    float64
		count, n uint32
	}{{0.9, 3, 5}, {0.9, 20, 50}, {0.9, 30, 1000}, {0.99, 100, 300}, {0.99, 500, 20_000}, {0.999, 700, 1000},
		{0.9999, 5000, 5000}, {0.9999, 300, 600}, {0.99999, 50_000, 50_000}, {1 - 1e-9, 1000, 1005}} {
		s := New(Options{K: 1, Width: 1, Depth: 1, Decay: c.decay})
		var sums, squares [2]float64
		for range trials {
			rest, left := s.decayed(c.count, c.n)
			oneRest, oneLeft := s.oneByOne(c.count, c.n)
			for i, net := range [2]float64{float64(rest) - float64(left), float64(oneRest) - float64(oneLeft)} {
				sums[i] += net
				squares[i] += net * net
			}
		}
		mean, want := sums[0]/trials, sums[1]/trials
		deviation := func(i int) float64 {
			return math.Sqrt(max(squares[i]/trials-math.Pow(sums[i]/trials, 2), 0))
		}
		t.Logf("decay %v, count %d, %d additions: %.2f ± %.2f, one by one %.2f ± %.2f", c.decay, c.count, c.n,
			mean, deviation(0), want, deviation(1))
		require.InDelta(t, want, mean, 6*deviation(1)/math.Sqrt(trials)+float64(c.count)*1e-4+0.01)
		require.InDelta(t, deviation(1), deviation(0), 0.15*deviation(1)+0.05)
	}
}

// oneByOne is decayed with a random number for each addition.
func (s *Sketch) oneByOne(count, n uint32) (rest, left uint32) {
	for ; n > 0; n-- {
		if s.random() < s.chances.of(count) {
			if count--; count == 0 {
				return 0, n
			}
		}
	}
	return count, 0
}

// TestErrors refuses options for which there is no memory, and what is saved wrongly.
func TestErrors(t *testing.T) {
	for _, o := range []Options{{}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1.5},
		{1, 1, 1, math.NaN()}, {math.MaxUint32, 1, 1, 1}, {1, math.MaxUint32, 8, 1}, {1, 1 << 20, 1 << 20, 1}} {
		require.False(t, o.Valid(), "%+v", o)
	}
	s := New(Options{K: 3, Width: 2, Depth: 2, Decay: 0.9})
	s.Add([]byte("a"), 5)
	s.Add([]byte("bc"), 2)
	good := valuetest.Save(s)
	_, err := valuetest.Load(Type, good)
	require.NoError(t, err)
	entry := func(at int, set func(b []byte)) []byte {
		heap := slices.Clone(good[5].([]byte))
		set(heap[at*entryBytes:])
		return heap
	}
	for i, part := range map[int][]any{
		0: {uint64(0), uint64(2), uint64(1 << 40)}, 1: {uint64(3), uint64(1 << 50)},
		2: {uint64(0), uint64(math.MaxUint64)},
		3: {0., 2., math.NaN()}, 4: {[]byte{}, make([]byte, 31)}, 5: {make([]byte, 71), make([]byte, 96),
			entry(1, func(b []byte) { b[0]++ }), entry(1, func(b []byte) { b[4]-- })},
		6: {[]byte("x"), []byte("x\x00x"), []byte("")},
	} {
		for _, bad := range part {
			changed := slices.Clone(good)
			changed[i] = bad
			_, err := valuetest.Load(Type, changed)
			require.Error(t, err, "part %d: %v", i, bad)
		}
	}
}

// TestCutItems: of items with zero bytes RedisBloom saves what is before the first.
func TestCutItems(t *testing.T) {
	s := New(Options{K: 3, Width: 4, Depth: 2, Decay: 1})
	for i, item := range []string{"a\x00b", "a\x00c", "d"} {
		s.Add([]byte(item), uint32(i)+5)
	}
	saved := valuetest.Save(s)
	for i := 6; i < 9; i++ {
		before, _, _ := bytes.Cut(saved[i].([]byte), []byte{0})
		saved[i] = append(slices.Clone(before), 0)
	}
	v, err := valuetest.Load(Type, saved)
	require.NoError(t, err)
	got := v.(*Sketch)
	require.NoError(t, got.Check())
	require.Equal(t, 2, got.Len())
	require.True(t, got.Has([]byte("a")) && got.Has([]byte("d")))
}

func FuzzLoad(f *testing.F) {
	small := New(Options{K: 3, Width: 2, Depth: 2, Decay: 0.9})
	indexed := New(Options{K: 130, Width: 4, Depth: 1, Decay: 1})
	for i := range 20 {
		small.Add([]byte(strconv.Itoa(i%5)), 1)
		indexed.Add([]byte(strconv.Itoa(i)), 3)
	}
	valuetest.Fuzz(f, func(v value.Value) error { return v.(*Sketch).Check() }, small, indexed)
}

func BenchmarkAdd(b *testing.B) {
	for _, k := range []uint32{10, 1000} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			s := New(Options{K: k, Width: 8 * k, Depth: 7, Decay: 0.9})
			r := rand.New(rand.NewPCG(1, 2))
			zipf := rand.NewZipf(r, 1.2, 1, 1<<20)
			items := make([][]byte, 1<<14)
			for i := range items {
				items[i] = fmt.Appendf(nil, "item:%d", zipf.Uint64())
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Add(items[i%len(items)], 1)
			}
		})
	}
}
