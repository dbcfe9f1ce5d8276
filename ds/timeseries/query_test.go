package timeseries

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// collect returns all samples of a source.
func collect(from Source) (all []Sample) {
	for batch := from.Next(); len(batch) > 0; batch = from.Next() {
		all = append(all, batch...)
	}
	return all
}

// series returns one with samples at random times below most.
func series(r *rand.Rand, n int, most uint64) (s *Series, all []Sample) {
	s = New(Options{ChunkBytes: 128, Plain: r.IntN(2) == 0})
	for range n {
		put(s, Sample{r.Uint64N(most), float64(r.IntN(100))})
	}
	return s, collect(walkOf(s.Walk(0, math.MaxUint64, false)))
}

// put adds a sample, or changes it.
func put(s *Series, x Sample) {
	if last, ok := s.Last(); !ok || x.Time > last.Time {
		s.Add(x)
	} else {
		s.Upsert(x, KeepLast)
	}
}

func walkOf(w Walk) Source { return &w }

// TestQueries compares queries with what follows from their description.
func TestQueries(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		s, all := series(r, r.IntN(60), 1+r.Uint64N(400))
		q := randomQuery(r)
		kind := []Aggregator{Sum, Count, Min, Max, First, Last, Range}[r.IntN(7)]
		want := expected(q, kind, all)
		q.Buckets.Gaps = &Gaps{Left: 1 << 20}
		require.Equal(t, fmt.Sprint(want), fmt.Sprint(collect(q.Samples(s, kind, nil))), "%+v %v %v", q, kind, all)
	}
}

// A chunk of equal distances and values has more samples than a walk returns at a time.
func TestBackwardsThroughAChunkOfManySamples(t *testing.T) {
	s := New(Options{ChunkBytes: 4096})
	for s.Chunks() == 1 {
		s.Add(Sample{uint64(s.Len()) * 10, 1})
	}
	n := s.Chunk(0).Samples
	require.Greater(t, n, 3*backwardsSize)
	for _, bounds := range [][2]int{{0, n - 1}, {5, n - 2}, {backwardsSize, 2*backwardsSize - 1},
		{backwardsSize - 1, 2 * backwardsSize}, {n / 2, n / 2}} {
		from, to := uint64(bounds[0])*10, uint64(bounds[1])*10
		want := collect(walkOf(s.Walk(from, to, false)))
		require.Len(t, want, bounds[1]-bounds[0]+1)
		slices.Reverse(want)
		require.Equal(t, want, collect(walkOf(s.Walk(from, to, true))))
	}
}

func randomQuery(r *rand.Rand) Query {
	q := Query{From: r.Uint64N(300), To: r.Uint64N(500), Backwards: r.IntN(2) == 0, Limit: r.IntN(3) * r.IntN(9)}
	if r.IntN(3) == 0 {
		q.From, q.To = 0, math.MaxInt64
	}
	if r.IntN(3) == 0 {
		q.ByValue, q.Least, q.Most = true, float64(r.IntN(50)), float64(r.IntN(100))
	}
	if r.IntN(3) == 0 {
		for range 1 + r.IntN(20) {
			q.Times = append(q.Times, r.Uint64N(400))
		}
		slices.Sort(q.Times)
	}
	if r.IntN(3) > 0 {
		q.Buckets = Buckets{Duration: 1 + r.Uint64N(60), Align: r.Uint64N(100), Stamp: Stamp(r.IntN(3)),
			Empty: r.IntN(2) == 0}
	}
	return q
}

// expected is what a query finds in samples.
func expected(q Query, kind Aggregator, all []Sample) (list []Sample) {
	for _, x := range all {
		if x.Time >= q.From && x.Time <= q.To && (!q.ByValue || x.Value >= q.Least && x.Value <= q.Most) &&
			(q.Times == nil || slices.Contains(q.Times, x.Time)) {
			list = append(list, x)
		}
	}
	if q.Backwards {
		slices.Reverse(list)
	}
	if q.Buckets.Duration > 0 {
		list = bucketsOf(q, kind, list)
	}
	if q.Limit > 0 && q.Limit < len(list) {
		list = list[:q.Limit]
	}
	return list
}

// bucketsOf is the buckets of samples, by a number for each.
func bucketsOf(q Query, kind Aggregator, list []Sample) (out []Sample) {
	b := q.Buckets
	number := func(t uint64) int64 {
		return int64(math.Floor(float64(int64(t)-int64(b.Align%b.Duration)) / float64(b.Duration)))
	}
	step := int64(1)
	if q.Backwards {
		step = -1
	}
	for len(list) > 0 {
		n, of := number(list[0].Time), 0
		for of < len(list) && number(list[of].Time) == n {
			of++
		}
		var acc Accumulator
		acc.Start(kind)
		acc.Add(list[:of])
		v, _ := acc.Result()
		out = append(out, Sample{stampOf(b, n), v})
		if list = list[of:]; len(list) == 0 || !b.Empty {
			continue
		}
		if kind != Last {
			v = kind.Empty()
		}
		for n += step; n != number(list[0].Time); n += step {
			out = append(out, Sample{stampOf(b, n), v})
		}
	}
	return out
}

func stampOf(b Buckets, n int64) uint64 {
	start := uint64(max(0, n*int64(b.Duration)+int64(b.Align%b.Duration)))
	return start + [...]uint64{0, b.Duration, b.Duration / 2}[b.Stamp]
}

// TestTWA compares the mean weighted by time with that of many small steps.
func TestTWA(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		s, all := series(r, 2+r.IntN(30), 300)
		q := Query{From: r.Uint64N(300), To: r.Uint64N(400), Backwards: r.IntN(2) == 0, Limit: 0}
		q.Buckets = Buckets{Duration: 1 + r.Uint64N(60), Empty: r.IntN(2) == 0, Gaps: &Gaps{Left: 1 << 20}}
		lo, hi := max(q.From, all[0].Time), min(q.To, all[len(all)-1].Time)
		var want []Sample
		long := q.Buckets.Duration
		for start := lo / long * long; start <= hi && lo <= hi; start += long {
			from, to := max(start, lo), min(start+q.Buckets.Duration, hi)
			if q.Buckets.Empty || slices.ContainsFunc(all, func(x Sample) bool {
				return x.Time >= from && x.Time <= hi && x.Time < start+q.Buckets.Duration
			}) {
				want = append(want, Sample{start, meanOf(all, from, to)})
			}
		}
		if q.Backwards {
			slices.Reverse(want)
		}
		got := collect(q.Samples(s, TWA, nil))
		require.Len(t, got, len(want), "%+v %v", q, all)
		for i := range want {
			require.Equal(t, want[i].Time, got[i].Time)
			require.InDelta(t, want[i].Value, got[i].Value, 1e-9, "%+v %v", q, all)
		}
	}
}

// meanOf returns the mean of the lines between samples from a time to another one.
func meanOf(all []Sample, from, to uint64) float64 {
	at := func(t float64) float64 {
		i := 0
		for i+2 < len(all) && float64(all[i+1].Time) < t {
			i++
		}
		if i+1 >= len(all) {
			return all[i].Value
		}
		x, y := all[i], all[i+1]
		return x.Value + (y.Value-x.Value)*(t-float64(x.Time))/float64(y.Time-x.Time)
	}
	if from == to {
		return at(float64(from))
	}
	sum := 0.0
	for t := from; t < to; t++ {
		sum += (at(float64(t)) + at(float64(t+1))) / 2
	}
	return sum / float64(to-from)
}

func TestGapsAreBounded(t *testing.T) {
	for _, kind := range []Aggregator{Sum, Last, TWA} {
		s := New(Options{ChunkBytes: 128})
		put(s, Sample{0, 1})
		put(s, Sample{math.MaxUint64, 2})
		gaps := Gaps{Left: 1000}
		q := Query{To: math.MaxUint64, Buckets: Buckets{Duration: 1, Empty: true, Gaps: &gaps}}
		require.Len(t, collect(q.Samples(s, kind, nil)), 1001)
		require.True(t, gaps.Exceeded)
		q.Limit = 3
		if gaps = (Gaps{Left: 1000}); kind != TWA {
			require.Len(t, collect(q.Samples(s, kind, nil)), 3)
			require.False(t, gaps.Exceeded)
		}
		q.Buckets.Duration, gaps = math.MaxUint64, Gaps{}
		require.Len(t, collect(q.Samples(s, kind, nil)), 1)
	}
}

// TestReduce compares what is made of several series at each time with what a map says.
func TestReduce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var sources, again []Source
		sum := make(map[uint64]float64)
		all := make([]map[uint64]float64, r.IntN(8))
		q := Query{To: math.MaxUint64, Batch: 1 + r.IntN(20)}
		for i := range all {
			s, samples := series(r, r.IntN(50), 100)
			all[i] = make(map[uint64]float64)
			for _, x := range samples {
				sum[x.Time] += x.Value
				all[i][x.Time] = x.Value
			}
			sources, again = append(sources, q.Samples(s, 0, nil)), append(again, q.Samples(s, 0, nil))
		}
		got := collect(Reduce(sources, Sum))
		require.Len(t, got, len(sum))
		rows := NewRows(again, false, 0)
		for i, x := range got {
			require.True(t, i == 0 || got[i-1].Time < x.Time)
			require.Equal(t, sum[x.Time], x.Value)
			at, values, ok := rows.Next()
			require.True(t, ok)
			require.Equal(t, x.Time, at)
			for i, v := range values {
				of, found := all[i][at]
				require.Equal(t, !found, math.IsNaN(v))
				require.True(t, !found || v == of)
			}
		}
	}
}

// TestMissing compares aggregates of samples some of which are NaN with those of the others.
func TestMissing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 500 {
		s, others, values := New(Options{ChunkBytes: 64}), New(Options{ChunkBytes: 64}), make(map[uint64][]bool)
		q := Query{To: math.MaxInt64, Buckets: Buckets{Duration: 1 + r.Uint64N(40)}, Backwards: r.IntN(2) == 0}
		for at := range uint64(200) {
			x, bucket := Sample{at, float64(r.IntN(100))}, BucketStart(at, q.Buckets.Duration, 0)
			switch r.IntN(3) {
			case 0:
				continue
			case 1:
				x.Value = math.NaN()
			default:
				others.Add(x)
			}
			s.Add(x)
			values[bucket] = append(values[bucket], !math.IsNaN(x.Value))
		}
		for _, kind := range []Aggregator{Min, Max, Sum, Avg, First, Last, Range, StdP, VarS, TWA} {
			got := slices.DeleteFunc(collect(q.Samples(s, kind, nil)), func(x Sample) bool {
				return !slices.Contains(values[x.Time], true)
			})
			require.Equal(t, fmt.Sprint(collect(q.Samples(others, kind, nil))), fmt.Sprint(got), kind)
		}
		for _, x := range collect(q.Samples(s, CountNaN, nil)) {
			missing := slices.DeleteFunc(slices.Clone(values[x.Time]), func(is bool) bool { return is })
			require.Len(t, missing, int(x.Value))
		}
		for _, x := range collect(q.Samples(s, CountAll, nil)) {
			require.Len(t, values[x.Time], int(x.Value))
		}
	}
}
