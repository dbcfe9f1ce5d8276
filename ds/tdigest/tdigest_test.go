package tdigest

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/value/valuetest"
)

func of(compression int64, values ...float64) *Digest {
	d := New(compression)
	for _, v := range values {
		d.Add(v)
	}
	return d
}

// slowSort is the sort of RedisBloom, without what makes it fast here.
func slowSort(means []float64, weights []int64) {
	n := nodes{means: means, weights: weights, steps: math.MaxInt}
	var quick func(first, last int)
	quick = func(first, last int) {
		if first >= last {
			return
		}
		if last-first == 1 {
			if means[last] < means[first] {
				n.Swap(first, last)
			}
			return
		}
		pivot, end := means[(first+last)/2], first
		n.Swap((first+last)/2, last)
		for i := first; i < last; i++ {
			if means[i] < pivot {
				n.Swap(end, i)
				end++
			}
		}
		n.Swap(end, last)
		quick(first, end-1)
		quick(end+1, last)
	}
	quick(0, len(means)-1)
}

// TestSort: equal means with different weights are in the same order as after the slow sort.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n, distinct := r.IntN(200), 1+r.IntN(40)
		d := New(1000)
		for i := range n {
			mean := float64(r.IntN(distinct))
			switch {
			case r.IntN(50) == 0:
				mean = math.NaN()
			case r.IntN(10) == 0:
				mean = math.Copysign(0, -1)
			}
			d.means, d.weights = append(d.means, mean), append(d.weights, int64(i))
		}
		means, weights := slices.Clone(d.means), slices.Clone(d.weights)
		slowSort(means, weights)
		d.sort()
		require.Equal(t, weights, d.weights)
	}
}

// TestSortIsFast sorts what takes a simple quicksort quadratic time.
func TestSortIsFast(t *testing.T) {
	const n = 200_000
	hostile := make([]float64, n)
	for i := range hostile { // each pivot is the least that is left, where the slow sort would take it
		hostile[i] = float64(i)
	}
	for size := 2; size <= n; size++ {
		middle := (n - size + n - 1) / 2
		hostile[n-size], hostile[middle] = hostile[middle], hostile[n-size]
	}
	for name, value := range map[string]func(i int) float64{
		"equal": func(int) float64 { return 5 }, "few": func(i int) float64 { return float64(i % 3) },
		"hostile": func(i int) float64 { return hostile[i] },
	} {
		d := New(n)
		for i := range n {
			d.means, d.weights = append(d.means, value(i)), append(d.weights, 1)
		}
		count := nodes{means: d.means, weights: d.weights, steps: 64 * n * 18}
		count.quick(0, n-1, math.NaN())
		require.True(t, sort.Float64sAreSorted(d.means), name)
		require.Greater(t, count.steps, -2*n, name)
	}
}

// TestModel compares the answers with those of all values in order, within what the compression
// promises.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() float64{
		"uniform": r.Float64, "normal": r.NormFloat64, "few": func() float64 { return float64(r.IntN(10)) },
		"heavy": func() float64 { return math.Exp(5 * r.NormFloat64()) },
	} {
		for _, compression := range []int64{50, 200, 1000} {
			d, all := New(compression), []float64(nil)
			for range 20_000 {
				v := draw()
				d.Add(v)
				all = append(all, v)
			}
			require.NoError(t, d.Check())
			slices.Sort(all)
			require.EqualValues(t, len(all), d.Size())
			require.Equal(t, all[0], d.Min())
			require.Equal(t, all[len(all)-1], d.Max())
			q := d.Ask()
			for _, p := range []float64{0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1} {
				v := q.Quantile(p)
				if name == "few" { // between equal values it interpolates
					require.InDelta(t, all[min(int(p*float64(len(all))), len(all)-1)], v, 1)
					continue
				}
				low, high := sort.SearchFloat64s(all, v), sort.Search(len(all), func(i int) bool { return all[i] > v })
				miss := max(float64(low)/float64(len(all))-p, p-float64(high)/float64(len(all)), 0)
				bound := 40 * max(p*(1-p), 5e-3) / float64(compression)
				require.LessOrEqual(t, miss, bound, "%s %d %v", name, compression, p)
				require.InDelta(t, p, q.CDF(v), 2./float64(compression), "%s %d %v", name, compression, p)
			}
			require.NoError(t, d.Check())
			require.Less(t, d.Len(), 6*int(compression))
		}
	}
}

// TestFewValues: as long as nothing is merged, ranks are exact.
func TestFewValues(t *testing.T) {
	q := of(100, 1, 2, 3).Ask()
	require.Equal(t, []int64{-1, 0, 1, 2, 3}, []int64{q.Rank(0), q.Rank(1), q.Rank(2), q.Rank(3), q.Rank(4)})
	require.Equal(t, []int64{3, 2, 1, 0, -1}, []int64{q.ReverseRank(0), q.ReverseRank(1), q.ReverseRank(2),
		q.ReverseRank(3), q.ReverseRank(4)})
	require.Equal(t, []float64{1, 2, 3, math.Inf(1)}, []float64{q.ByRank(0), q.ByRank(1), q.ByRank(2), q.ByRank(3)})
	require.Equal(t, []float64{3, 2, 1, math.Inf(-1)}, []float64{q.ByReverseRank(0), q.ByReverseRank(1),
		q.ByReverseRank(2), q.ByReverseRank(3)})
	require.Equal(t, 2., q.TrimmedMean(0, 1))
	empty := New(100).Ask()
	require.True(t, math.IsNaN(empty.Quantile(0.5)) && math.IsNaN(empty.CDF(1)) && math.IsNaN(empty.TrimmedMean(0, 1)))
	require.EqualValues(t, Empty, empty.Rank(1))
}

// A single value is not merged, and is saved nevertheless.
func TestSavedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 100, 5000} {
		d := New(50)
		for range n {
			d.Add(r.NormFloat64())
		}
		saved := valuetest.Save(d)
		v, err := valuetest.Load(Type, saved)
		require.NoError(t, err)
		got := v.(*Digest)
		require.NoError(t, got.Check())
		d.Merge()
		require.Equal(t, saved, valuetest.Save(got))
		require.Equal(t, digest(d), digest(got), n)
		require.Equal(t, digest(d), digest(d.Clone()))
	}
}

func digest(v value.Value) value.Digest {
	var m value.Mixer
	v.Digest(&m)
	return m.Digest
}

func TestAbsorb(t *testing.T) {
	a, b, both := New(100), New(200), New(100)
	for i := range 5000 {
		a.Add(float64(i))
		b.Add(float64(-i))
	}
	require.True(t, both.Absorb(a) && both.Absorb(b))
	require.NoError(t, both.Check())
	require.EqualValues(t, 10_000, both.Size())
	require.InDelta(t, 0, both.Ask().Quantile(0.5), 50)
	for range 60 { // until there are too many
		twice := New(10)
		fits := twice.Absorb(both)
		if fits {
			fits = twice.Absorb(both)
		}
		if !fits {
			require.False(t, Fits(both.Size(), both.Size()))
			return
		}
		require.NoError(t, twice.Check())
		both = twice
	}
	t.Fatal("there is no end")
}

// Values that differ by more than the largest float make means that are infinite, or no numbers.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := New(5)
	for range 2000 {
		d.Add([]float64{math.MaxFloat64, -math.MaxFloat64, 1}[r.IntN(3)])
	}
	q := d.Ask()
	for range 100 {
		q.Quantile(r.Float64())
		q.CDF(r.NormFloat64())
		q.Rank(r.NormFloat64())
	}
	require.NoError(t, d.Check())
	v, err := valuetest.Load(Type, valuetest.Save(d))
	require.NoError(t, err)
	require.Equal(t, digest(d), digest(v))
}

func TestLoadRefuses(t *testing.T) {
	d := of(10, 1, 2, 3, 4)
	good := valuetest.Save(d)
	for i, part := range map[int][]any{
		0: {0., -1., math.NaN(), 1e300, 11.}, 1: {math.NaN()}, 3: {uint64(71), uint64(1 << 60)},
		4: {uint64(3), uint64(71), uint64(1 << 63)}, 5: {uint64(1), uint64(1 << 63)}, 7: {3., math.NaN(), math.Inf(1)},
		8: {1., math.NaN()}, 13: {0., 0.5, -1., math.NaN(), math.Inf(1), 1e19, 2.},
	} {
		for _, bad := range part {
			changed := slices.Clone(good)
			changed[i] = bad
			_, err := valuetest.Load(Type, changed)
			require.Error(t, err, "part %d: %v", i, bad)
		}
	}
}

func FuzzLoad(f *testing.F) {
	many := New(5)
	for i := range 100 {
		many.Add(float64(i * i))
	}
	valuetest.Fuzz(f, func(v value.Value) error {
		d := v.(*Digest)
		q := d.Clone().(*Digest).Ask()
		for i := range 10 {
			q.Quantile(float64(i) / 9)
			q.CDF(float64(i))
			q.ByRank(int64(i))
		}
		return d.Check()
	}, New(1), of(100, 7), many)
}

// FuzzAdd compares with RedisBloom's invariants what is added, merged and asked in any order.
func FuzzAdd(f *testing.F) {
	f.Add(uint8(1), []byte{1, 2, 3, 255, 4})
	f.Fuzz(func(t *testing.T, compression uint8, b []byte) {
		d := New(1 + int64(compression))
		for i, c := range b {
			switch {
			case c < 200:
				d.Add(float64(int8(c)) * math.Pow(10, float64(i%7)))
			case c < 210:
				other := of(1, 1, 2, 3)
				d.Absorb(other)
			default:
				d.Ask().Quantile(float64(c) / 255)
			}
			if err := d.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	d := New(Default)
	r := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	for b.Loop() {
		d.Add(r.NormFloat64())
	}
}
