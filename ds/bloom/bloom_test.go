package bloom

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
	"github.com/miniserver-go/miniserver/internal/quick"
)

func scaling(capacity uint64, rate float64) Options {
	return Options{Capacity: capacity, Rate: rate, Growth: 2}
}

func made(t testing.TB, o Options) *Filter {
	f, ok := New(o)
	require.True(t, ok, "%+v", o)
	return f
}

// fill adds prefix0, prefix1 and so on.
func fill(f *Filter, prefix string, n int) (added int) {
	for i := range n {
		if f.Add(fmt.Appendf(nil, "%s%d", prefix, i), math.MaxInt) == Added {
			added++
		}
	}
	return added
}

// dump returns header and chunks as one.
func dump(f *Filter) []byte {
	b := f.AppendHeader(nil)
	for iter := int64(1); iter != 0; {
		b, iter = f.AppendChunk(b, iter, 1000)
	}
	return b
}

// TestDumpsAreRedisBlooms: the SHA-1 of dumps that RedisBloom's own code made.
func TestDumpsAreRedisBlooms(t *testing.T) {
	for _, c := range []struct {
		Options
		prefix string
		n      int
		sha1   string
	}{
		{Options{100, 0.01, 2, false}, "x", 0, "12ef59caab27ac0ca5a9ed0c3a0f9e3ebe6ff5a5"},
		{Options{100, 0.01, 2, false}, "item", 5, "1f29b4078517edf51a1d883e2bd7c9085290db35"},
		{Options{100, 0.01, 2, false}, "item", 1000, "219c27cb3789b4f14b243c6303e03f31277b8165"},
		{Options{1000, 0.001, 4, false}, "user:", 20000, "b375b3ad9368a0e4e2f3a57c4b9c1d414574cb3d"},
		{Options{500, 0.02, 2, true}, "k", 500, "aabb2a3497b202a9b81e3f9c277df33edcc39761"},
		{Options{1, 0.25, 1, false}, "longer-item-name-here-", 50, "fa98ecfd0769894844eadbbef00ee4e6bc4b8b6b"},
		{Options{100000, 0.0001, 2, false}, "x", 100, "e21f5b0d255c1b56d94c4015f834b5a783c80671"},
	} {
		f := made(t, c.Options)
		fill(f, c.prefix, c.n)
		require.NoError(t, f.Check())
		sum := sha1.Sum(dump(f))
		require.Equal(t, c.sha1, hex.EncodeToString(sum[:]), "%+v", c)
	}
}

// TestFalsePositives measures how often a full filter finds what was not added. A growing filter
// keeps below the rate it promises; a fixed one has what theory gives for its probes. Items of its
// own both always find.
func TestFalsePositives(t *testing.T) {
	quick.Skip(t, "fills filters with millions of items")
	const trials = 100_000
	for _, rate := range []float64{0.2, 0.05, 0.01, 0.001} {
		for _, o := range []Options{
			{1000, rate, 2, true}, {20_000, rate, 2, true}, {200_000, rate, 2, true},
			{1000, rate, 4, false}, {5000, rate, 2, false}, {20_000, rate, 1, false},
		} {
			n, promise := int(o.Capacity), rate
			f := made(t, o)
			if o.Fixed {
				k, perItem := float64(f.layers[0].probes), f.layers[0].perItem
				promise = math.Pow(1-math.Exp(-k/perItem), k)
				require.LessOrEqual(t, promise, rate*1.05)
			} else {
				n *= 6 // several layers
			}
			fill(f, "item", n)
			for i := range n {
				require.True(t, f.Has(fmt.Appendf(nil, "item%d", i)), "%+v %d", o, i)
			}
			got := falsePositives(f, trials)
			t.Logf("%+v: %d layers, %.5f", o, f.Layers(), got)
			require.LessOrEqual(t, got, promise+4*math.Sqrt(promise/trials), "%+v", o)
			require.Greater(t, got, rate/4, "%+v: it wastes memory", o)
		}
	}
}

// TestFalsePositivesOfSmallFilters averages over many. In so few bits the probes of an item meet
// more often than they should, which RedisBloom's filters have in common with these.
func TestFalsePositivesOfSmallFilters(t *testing.T) {
	for _, rate := range []float64{0.1, 0.01, 0.001} {
		sum := 0.
		for i := range 50 {
			f := made(t, scaling(100, rate))
			fill(f, fmt.Sprintf("%d:", i), 250)
			sum += falsePositives(f, 4000)
		}
		t.Logf("%v: %.5f", rate, sum/50)
		require.LessOrEqual(t, sum/50, rate*1.5)
	}
}

// What was not written was not made, and is accounted nevertheless: a dump contains it.
func TestReservedFiltersAreAccounted(t *testing.T) {
	f := made(t, scaling(1<<30, 0.01))
	require.Greater(t, f.BitBytes(), uint64(1<<30))
	require.Greater(t, f.Bytes(), 1<<30)
	before := f.Bytes()
	require.Less(t, testing.AllocsPerRun(1, func() { made(t, scaling(1<<30, 0.01)) }), 10.)
	fill(f, "item", 3)
	require.Equal(t, before, f.Bytes())
	require.NoError(t, f.Check())
	c := *f.Clone().(*Filter)
	require.NoError(t, c.Check())
	require.True(t, c.Has([]byte("item2")))
	chunk, next := f.AppendChunk(nil, 1<<30, 16<<20)
	require.Len(t, chunk, 16<<20)
	require.Equal(t, int64(1<<30+16<<20), next)
}

// falsePositives returns the share of trials in which an item that was not added is found.
func falsePositives(f *Filter, trials int) float64 {
	wrong := 0
	for i := range trials {
		if f.Has(fmt.Appendf(nil, "other%d", i)) {
			wrong++
		}
	}
	return float64(wrong) / float64(trials)
}

func TestGrowth(t *testing.T) {
	f := made(t, scaling(10, 0.01))
	require.Equal(t, 10, fill(f, "a", 10))
	require.Equal(t, 1, f.Layers())
	require.Equal(t, Seen, f.Add([]byte("a3"), math.MaxInt))
	require.Equal(t, Added, f.Add([]byte("one more"), math.MaxInt))
	require.Equal(t, 2, f.Layers())
	require.Equal(t, uint64(30), f.Capacity())
	require.Equal(t, 11, f.Len())
	require.True(t, f.Has([]byte("one more")) && f.Has([]byte("a3")))
	factor, ok := f.Growth()
	require.True(t, ok)
	require.Equal(t, uint32(2), factor)
	require.NoError(t, f.Check())
}

func TestFixed(t *testing.T) {
	f := made(t, Options{10, 0.01, 2, true})
	require.Equal(t, 10, fill(f, "a", 10))
	require.Equal(t, Full, f.Add([]byte("more"), math.MaxInt))
	require.Equal(t, Seen, f.Add([]byte("a3"), math.MaxInt))
	require.False(t, f.Has([]byte("more")))
	require.Equal(t, 1, f.Layers())
	_, ok := f.Growth()
	require.False(t, ok)
}

func TestLimits(t *testing.T) {
	for _, o := range []Options{
		scaling(0, 0.1), scaling(10, 0), scaling(10, 2), scaling(1<<60, 0.1), scaling(math.MaxUint64, 0.1),
		{10, math.NaN(), 2, true}, {10, 1, 2, true}, scaling(10, -1), scaling(10, 5e-324),
	} {
		_, ok := New(o)
		require.False(t, ok, "%+v", o)
	}
	f := made(t, Options{20, 0.1, math.MaxUint32, false})
	fill(f, "a", 100)
	require.Equal(t, 20, f.Len())
	require.Equal(t, Stuck, f.Add([]byte("new"), math.MaxInt))
	require.NoError(t, f.Check())
	f = made(t, scaling(20, 0.1))
	fill(f, "a", 20)
	require.Equal(t, NoRoom, f.Add([]byte("new"), 20))
	require.Equal(t, 1, f.Layers())
	require.Equal(t, Added, f.Add([]byte("new"), 1000))
	f = made(t, Options{1, 0.25, 0, false})
	require.Equal(t, 1, fill(f, "a", 2))
	require.Equal(t, uint64(8), f.BitBytes())
}

func TestTheEmptyItem(t *testing.T) {
	f := made(t, scaling(10, 0.01))
	require.False(t, f.Has(nil))
	require.Equal(t, Added, f.Add(nil, math.MaxInt))
	require.True(t, f.Has([]byte{}))
	require.False(t, f.Has([]byte{0}))
}

func TestClone(t *testing.T) {
	f := made(t, scaling(10, 0.01))
	fill(f, "a", 30)
	before := dump(f)
	c := *f.Clone().(*Filter)
	require.Equal(t, before, dump(&c))
	fill(&c, "b", 30)
	require.Equal(t, before, dump(f))
	require.NotEqual(t, before, dump(&c))
	require.GreaterOrEqual(t, uint64(f.Bytes()), f.BitBytes())
}

func TestDumpComesBack(t *testing.T) {
	f := made(t, scaling(100, 0.01))
	fill(f, "a", 1000)
	g, ok := FromHeader(f.AppendHeader(nil))
	require.True(t, ok)
	require.False(t, g.Has([]byte("a1")))
	iters := []int64{1}
	for chunk, iter := f.AppendChunk(nil, 1, 100); len(chunk) > 0; chunk, iter = f.AppendChunk(nil, iter, 100) {
		require.LessOrEqual(t, len(chunk), 100)
		require.Equal(t, Loaded, g.Load(iter, chunk))
		iters = append(iters, iter)
	}
	require.Greater(t, len(iters), 10)
	require.Equal(t, dump(f), dump(g))
	require.Equal(t, 0, fill(g, "a", 1000))
	for _, iter := range []int64{0, -1, math.MinInt64, math.MaxInt64, iters[len(iters)-1]} {
		chunk, next := f.AppendChunk(nil, iter, 100)
		require.Empty(t, chunk)
		require.Zero(t, next)
	}
}

func TestLoadFaults(t *testing.T) {
	f := made(t, scaling(100, 0.01)) // 144 bytes
	for _, c := range []struct {
		iter  int64
		bytes int
		fault Fault
	}{
		{145, 144, Loaded}, {11, 10, Loaded}, {145, 1, Loaded}, {1, 0, Loaded},
		{0, 0, Damaged}, {-5, 1, Damaged}, {5, 6, Damaged}, {math.MinInt64, 0, Damaged},
		{5, 5, NoLayer}, {1000, 1, NoLayer}, {146, 1, NoLayer}, {math.MaxInt64, 3, NoLayer},
		{146, 145, TooLong}, {300, 200, TooLong},
	} {
		require.Equal(t, c.fault, f.Load(c.iter, make([]byte, c.bytes)), "%+v", c)
	}
}

// FuzzFromHeader: what is not refused works, and says the same again.
func FuzzFromHeader(f *testing.F) {
	for _, o := range []Options{scaling(10, 0.1), {10, 0.1, 2, true}, scaling(1, 1e-9)} {
		b := made(f, o)
		f.Add(b.AppendHeader(nil))
		fill(b, "a", 30)
		f.Add(b.AppendHeader(nil))
	}
	f.Fuzz(func(t *testing.T, header []byte) {
		b, ok := FromHeader(header)
		if !ok || b.BitBytes() > 1<<20 {
			return
		}
		require.NoError(t, b.Check())
		require.Equal(t, header, b.AppendHeader(nil))
		b.Add([]byte("x"), math.MaxInt)
		b.Has([]byte("y"))
		require.NoError(t, b.Check())
	})
}

func TestDamagedHeaders(t *testing.T) {
	f := made(t, scaling(10, 0.1))
	fill(f, "a", 25)
	header := f.AppendHeader(nil)
	_, ok := FromHeader(header)
	require.True(t, ok)
	for _, bad := range [][]byte{nil, header[:19], header[:len(header)-1], append(bytes.Clone(header), 0)} {
		_, ok := FromHeader(bad)
		require.False(t, ok)
	}
	// A bit that is turned, in everything but what the filter is free to be: its growth and the
	// layers' capacities, rates and bits per item.
	free := func(i int) bool {
		at := (i - headerBytes) % layerBytes
		return i >= 16 && i < headerBytes || i >= headerBytes && (at >= 24 && at < 40 || at >= 44 && at < 52)
	}
	for i := range header {
		if free(i) {
			continue
		}
		for bit := range 8 {
			bad := bytes.Clone(header)
			bad[i] ^= 1 << bit
			_, ok := FromHeader(bad)
			require.False(t, ok, "byte %d bit %d", i, bit)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	f := made(b, scaling(1_000_000, 0.01))
	item := []byte("item:00000000")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for j, n := len(item)-1, i; n > 0; j, n = j-1, n/10 {
			item[j] = '0' + byte(n%10)
		}
		f.Add(item, math.MaxInt)
	}
}

func BenchmarkHas(b *testing.B) {
	f := made(b, scaling(1_000_000, 0.01))
	fill(f, "item:", 100_000)
	item := []byte("item:99999")
	b.ReportAllocs()
	for b.Loop() {
		f.Has(item)
	}
}

// FuzzLoad reads payloads that lie.
func FuzzLoad(f *testing.F) {
	grown := made(f, scaling(10, 0.1))
	fill(grown, "a", 25)
	fixed := made(f, Options{10, 0.1, 2, true})
	valuetest.Fuzz(f, func(v value.Value) error { return v.(*Filter).Check() }, grown, fixed)
}

// FuzzChunk loads chunks into a filter at any iterator.
func FuzzChunk(f *testing.F) {
	f.Add(int64(9), []byte("12345678"))
	f.Add(int64(65), make([]byte, 64))
	f.Fuzz(func(t *testing.T, next int64, chunk []byte) {
		b := made(t, scaling(100, 0.01))
		bits := b.BitBytes()
		if b.Load(next, chunk) == Loaded {
			got, _ := b.AppendChunk(nil, next-int64(len(chunk)), uint64(len(chunk)))
			require.Equal(t, string(chunk), string(got))
		}
		require.NoError(t, b.Check())
		require.Equal(t, bits, b.BitBytes())
	})
}
