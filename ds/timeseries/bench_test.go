package timeseries

import (
	"math"
	"math/rand/v2"
	"testing"
)

// measured returns a series of n samples as a sensor sends them: some milliseconds too early or too
// late each second, with two digits behind the point.
func measured(n int) *Series {
	s, r := New(Options{ChunkBytes: 4096}), rand.New(rand.NewPCG(1, 1))
	t, v := uint64(1_700_000_000_000), 20.0
	for range n {
		t += 990 + r.Uint64N(20)
		v += float64(r.IntN(21)-10) / 100
		s.Add(Sample{t, math.Round(v*100) / 100})
	}
	return s
}

// regular returns a series of n samples at equal distances, of small integers.
func regular(n int) *Series {
	s, r := New(Options{ChunkBytes: 4096}), rand.New(rand.NewPCG(1, 1))
	for i := range uint64(n) {
		s.Add(Sample{1_700_000_000_000 + i*1000, float64(r.IntN(100))})
	}
	return s
}

func BenchmarkQuery(b *testing.B) {
	const n = 100_000
	for name, s := range map[string]*Series{"measured": measured(n), "regular": regular(n)} {
		for of, q := range map[string]Query{
			"samples": {To: math.MaxInt64}, "buckets": {To: math.MaxInt64, Buckets: Buckets{Duration: 60_000}},
			"backwards": {To: math.MaxInt64, Backwards: true, Buckets: Buckets{Duration: 60_000}},
		} {
			b.Run(name+"/"+of, func(b *testing.B) {
				for b.Loop() {
					from := q.Samples(s, Avg, nil)
					for len(from.Next()) > 0 {
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/sample")
			})
		}
	}
}
