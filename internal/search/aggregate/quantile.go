package aggregate

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// quantiles estimates a quantile by the algorithm of Cormode, Korn, Muthukrishnan and Srivastava,
// "Effective Computation of Biased Quantiles over Data Streams" (2005), with an error of 1 % of the
// rank. Numbers gather in a buffer, which is merged into the samples when it is full.
type quantiles struct {
	column  *column
	share   float64
	most    int // numbers in the buffer
	buffer  []float64
	samples []quantileSample // in order
	n       int
}

// quantileSample is a number that stands for others: the lowest rank that it can have is more by
// ranks than that of the sample before, and the highest more by spread.
type quantileSample struct {
	value         float64
	ranks, spread float32
}

const quantileError = 0.01

// allowed returns how many ranks a sample may stand for.
func allowed(rank float64) float64 { return 2 * quantileError * rank }

func (q *quantiles) add(r *row) (bytes int) {
	eachNumber(r, q.column, func(f float64) {
		before := cap(q.buffer) + 2*cap(q.samples)
		q.buffer = append(q.buffer, f)
		if len(q.buffer) == q.most {
			q.merge()
			q.compress()
		}
		bytes += 8 * (cap(q.buffer) + 2*cap(q.samples) - before)
	})
	return bytes
}

// merge puts the buffer into the samples.
func (q *quantiles) merge() {
	slices.Sort(q.buffer)
	merged := make([]quantileSample, 0, len(q.samples)+len(q.buffer))
	rank, rest := 0.0, q.samples
	for _, f := range q.buffer {
		for len(rest) > 0 && !(rest[0].value > f) {
			rank += float64(rest[0].ranks)
			merged, rest = append(merged, rest[0]), rest[1:]
		}
		s := quantileSample{value: f, ranks: 1}
		if len(rest) > 0 {
			s.spread = float32(math.Floor(allowed(rank)) - 1)
		}
		merged = append(merged, s)
		q.n++
	}
	q.samples, q.buffer = append(merged, rest...), q.buffer[:0]
}

// compress drops samples that the next one can stand for.
func (q *quantiles) compress() {
	if len(q.samples) < 2 {
		return
	}
	last := len(q.samples) - 1
	kept := []quantileSample{q.samples[last]}
	rank := float64(q.n) - 1 - float64(q.samples[last].ranks)
	for _, s := range slices.Backward(q.samples[:last]) {
		next := &kept[len(kept)-1]
		if float64(s.ranks+next.ranks+next.spread) <= allowed(rank) {
			next.ranks += s.ranks
		} else {
			kept = append(kept, s)
		}
		rank -= float64(s.ranks)
	}
	slices.Reverse(kept)
	q.samples = kept
}

func (q *quantiles) result() expr.Value {
	q.merge()
	if len(q.samples) == 0 {
		return expr.Number(0)
	}
	wanted := math.Ceil(q.share * float64(q.n))
	wanted += math.Floor(allowed(wanted) / 2)
	rank, value := 0.0, q.samples[0].value
	for _, s := range q.samples[1:] {
		if rank+float64(s.ranks)+float64(s.spread) >= wanted {
			break
		}
		rank += float64(s.ranks)
		value = s.value
	}
	return expr.Number(value)
}
