package countmin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

func made(t testing.TB, width, depth uint64) *Sketch {
	s, ok := New(width, depth)
	require.True(t, ok)
	return s
}

// cells returns all cells.
func cells(s *Sketch) (all []uint32) {
	b := s.cells.Append(nil, 0, s.cells.Len())
	for ; len(b) > 0; b = b[cellBytes:] {
		all = append(all, binary.LittleEndian.Uint32(b))
	}
	return all
}

// TestModel counts in plain arrays of big numbers, too.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		width, depth := 1+r.Uint64N(30), 1+r.Uint64N(6)
		if i == 0 {
			width = 2*pageCells + 1
		}
		s, other := made(t, width, depth), made(t, width, depth)
		model := make([]uint32, width*depth)
		for range 100 {
			item, n := fmt.Append(nil, r.IntN(50)), r.Uint64N(1<<r.IntN(30))
			if r.IntN(30) == 0 {
				n = r.Uint64N(math.MaxInt64)
			}
			other.Add(item, n)
			least := uint32(math.MaxUint32)
			for row := range depth {
				at := row*width + uint64(murmur.Hash32(item, uint32(row)))%width
				model[at] = uint32(min(uint64(model[at])+n, math.MaxUint32))
				least = min(least, model[at])
			}
			require.Equal(t, least, s.Add(item, n))
			require.Equal(t, least, s.Count(item))
		}
		require.Equal(t, model, cells(s))
		require.NoError(t, s.Check())
		merge(t, r, s, other, made(t, width, depth))
	}
}

// merge merges sketches with random weights, and compares with sums of big numbers.
func merge(t *testing.T, r *rand.Rand, all ...*Sketch) {
	for range 10 {
		to := all[r.IntN(len(all))].Clone().(*Sketch)
		var sources []*Sketch
		var weights []int64
		for range 1 + r.IntN(3) {
			sources = append(sources, all[r.IntN(len(all))])
			weight := r.Int64N(1<<(1+r.IntN(62))) - r.Int64N(1<<r.IntN(20))
			weights = append(weights, []int64{1, 2, -1, 0, weight, math.MinInt64, math.MaxInt64}[r.IntN(7)])
		}
		sum, ok := sums(sources, weights, func(s *Sketch) []uint64 { return []uint64{s.total} }, math.MaxInt64)
		want, inRange := sums(sources, weights, func(s *Sketch) (n []uint64) {
			for _, c := range cells(s) {
				n = append(n, uint64(c))
			}
			return n
		}, math.MaxUint32)
		before := cells(to)
		if !ok || !inRange {
			require.False(t, to.Merge(sources, weights))
			require.Equal(t, before, cells(to))
			continue
		}
		require.True(t, to.Merge(sources, weights), "%v", weights)
		require.Equal(t, sum[0], to.total)
		for i, c := range cells(to) {
			require.Equal(t, want[i], uint64(c))
		}
	}
}

// sums returns sums of weighted numbers; false if one, or what leads to it, is out of range.
func sums(sources []*Sketch, weights []int64, of func(s *Sketch) []uint64, most int64) (all []uint64, ok bool) {
	var numbers [][]uint64
	for _, s := range sources {
		numbers = append(numbers, of(s))
	}
	for i := range numbers[0] {
		sum := new(big.Int)
		for j := range sources {
			n := new(big.Int).Mul(new(big.Int).SetUint64(numbers[j][i]), big.NewInt(weights[j]))
			if sum.Add(sum, n); !n.IsInt64() || !sum.IsInt64() {
				return nil, false
			}
		}
		if sum.Sign() < 0 || sum.Int64() > most {
			return nil, false
		}
		all = append(all, sum.Uint64())
	}
	return all, true
}

// TestMergeIntoASource merges a sketch with itself.
func TestMergeIntoASource(t *testing.T) {
	s := made(t, 100, 3)
	s.Add([]byte("a"), 5)
	require.True(t, s.Merge([]*Sketch{s, s}, []int64{1, 2}))
	require.Equal(t, uint32(15), s.Count([]byte("a")))
	require.Equal(t, uint64(15), s.Total())
	require.True(t, s.Merge([]*Sketch{made(t, 100, 3)}, []int64{7}))
	require.Zero(t, s.Count([]byte("a")))
}

func TestLimits(t *testing.T) {
	for _, c := range [][2]uint64{
		{0, 1}, {1, 0}, {1 << 40, 5}, {1 << 33, 1 << 33}, {math.MaxUint64, 2}, {1, maxDepth + 1},
	} {
		_, ok := New(c[0], c[1])
		require.False(t, ok, "%v", c)
	}
	require.Greater(t, made(t, 1<<29, 4).Bytes(), 8<<30)
	require.Less(t, testing.AllocsPerRun(1, func() { made(t, 1<<29, 4) }), 5.)
}

// TestErrors measures how far counts exceed the truth, as Dimensions promises.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ err, chance float64 }{{0.01, 0.01}, {0.001, 0.01}, {0.002, 0.1}} {
		width, depth := Dimensions(c.err, c.chance)
		s := made(t, width, depth)
		r := rand.New(rand.NewPCG(1, 2))
		truth := make(map[uint64]uint64)
		zipf := rand.NewZipf(r, 1.1, 1, 1<<20)
		for range 200_000 {
			n := zipf.Uint64()
			truth[n]++
			s.Add(fmt.Append(nil, n), 1)
		}
		far := 0
		for n, times := range truth {
			got := uint64(s.Count(fmt.Append(nil, n)))
			require.GreaterOrEqual(t, got, times)
			if float64(got-times) > c.err*float64(s.Total()) {
				far++
			}
		}
		t.Logf("%+v: %d x %d cells, %d of %d items off by more", c, width, depth, far, len(truth))
		require.LessOrEqual(t, float64(far), c.chance*float64(len(truth)))
	}
}

func TestDimensions(t *testing.T) {
	for _, c := range []struct {
		err, chance  float64
		width, depth uint64
	}{
		{0.001, 0.01, 2000, 7}, {0.1, 0.5, 20, 1}, {0.3, 0.25, 7, 2}, {0.999, 0.999, 3, 1},
		{1e-9, 1e-30, 2000000000, 100}, {0.5, 0.50000005, 4, 1}, {0.5, 0.49999995, 4, 2},
		{1e-300, 1e-300, math.MaxInt64, math.MaxInt64},
	} {
		width, depth := Dimensions(c.err, c.chance)
		require.Equal(t, [2]uint64{c.width, c.depth}, [2]uint64{width, depth}, "%+v", c)
	}
}

// FuzzLoad reads payloads that lie.
func FuzzLoad(f *testing.F) {
	s := made(f, 10, 3)
	s.Add([]byte("a"), 5)
	valuetest.Fuzz(f, func(v value.Value) error { return v.(*Sketch).Check() }, made(f, 1, 1), s)
}

func BenchmarkAdd(b *testing.B) {
	s := made(b, 20_000, 7)
	item := []byte("item:00000000")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		for j, n := len(item)-1, i; n > 0; j, n = j-1, n/10 {
			item[j] = '0' + byte(n%10)
		}
		s.Add(item, 1)
	}
}
