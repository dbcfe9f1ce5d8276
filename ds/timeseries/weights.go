package timeseries

import "math"

// weights is buckets for TWA, the mean weighted by time. The value between two samples lies on the
// line through them, so the neighbours of a bucket count, also those outside of the range:
//
//	      from                     to
//	   o   |    o  o          o    |     o
//	-------|-----------|-----------|--------
//	         1st bucket  2nd bucket
//
// A bucket counts as far as it lies in the range, and between the first and the last sample of the
// series. With Empty all buckets of that part of the range are shown.
type weights struct {
	*Query
	from       Source
	series     *Series
	in         []Sample // that were read; none at the end
	ended      bool
	prev, next *Sample // of what is in; next is behind all samples of the range
	bucket     bucket  // the latest one
	hi         uint64  // time of the last sample that could be in the range
	began      bool
	acc        Accumulator
	out        []Sample
	size       int // of out
}

// newWeights returns the buckets of a query that goes forwards, for the samples that pass its
// filters. open is as in Samples.
func newWeights(s *Series, q *Query, from Source, open *Sample) *weights {
	last, _ := s.Last()
	if open != nil {
		last = *open
	}
	w := &weights{Query: q, from: from, series: s, hi: min(q.To, last.Time), size: q.batch()}
	first := q.From
	if w.fill() {
		first = w.in[0].Time
	}
	if first > 0 {
		w.prev = one(s.Walk(s.Oldest(), first-1, true))
	}
	if w.next == nil && w.ended {
		w.next = one(s.Walk(q.To, math.MaxUint64, false))
	}
	return w
}

// one returns the next sample of a walk that is not NaN; nil if there is none.
func one(w Walk) *Sample {
	for list := w.Next(); len(list) > 0; list = w.Next() {
		if list = numbers(list); len(list) > 0 {
			x := list[0]
			return &x
		}
	}
	return nil
}

// fill reads samples if there are none, and at the end the neighbour of the last one. It reports
// whether there are samples.
func (w *weights) fill() bool {
	if len(w.in) == 0 && !w.ended {
		if w.in = w.from.Next(); len(w.in) == 0 {
			w.ended = true
			if w.prev != nil && w.prev.Time < math.MaxUint64 {
				w.next = one(w.series.Walk(w.prev.Time+1, math.MaxUint64, false))
			}
		}
	}
	return len(w.in) > 0
}

// Next implements Source.
func (w *weights) Next() []Sample {
	w.out = w.out[:0]
	for len(w.out) < w.size && w.advance() {
		w.show()
	}
	return w.out
}

// advance goes to the next bucket that is to be shown; false at the end.
func (w *weights) advance() bool {
	b := &w.Buckets
	switch samples := w.fill(); {
	case !b.Empty && samples:
		w.bucket = b.of(w.in[0].Time)
	case !b.Empty:
		return false
	case !w.began:
		first, ok := w.series.First()
		lo := max(w.From, first.Time)
		if w.prev == nil && samples {
			lo = w.in[0].Time
		}
		w.began, w.bucket = true, b.of(lo)
		return ok && lo <= w.hi && (samples || w.prev != nil)
	case w.bucket.end > w.hi:
		return false
	default:
		w.bucket = b.next(w.bucket, false)
	}
	return true
}

// show shows the bucket.
func (w *weights) show() {
	start, end := max(w.bucket.start, w.From), min(w.bucket.end, w.To)
	w.acc.Start(TWA)
	if w.prev != nil {
		w.acc.Before(*w.prev)
		start = max(start, w.prev.Time) // one that a filter has left out may be in the bucket
	}
	w.acc.Bounds(start, end)
	for w.fill() && w.bucket.holds(w.in[0].Time) {
		w.add()
	}
	next := w.next
	if len(w.in) > 0 {
		next = &w.in[0]
	}
	if next != nil && w.acc.count > 0 {
		w.acc.After(*next)
	}
	v, ok := w.acc.Result()
	if !ok {
		if !w.Buckets.Gaps.spend() {
			w.hi = 0
			return
		}
		v = w.mean(next, start, end)
	}
	w.out = append(w.out, Sample{w.Buckets.stamp(w.bucket), v})
}

// add adds the samples that were read and are in the bucket.
func (w *weights) add() {
	n := 0
	for n < len(w.in) && w.bucket.holds(w.in[n].Time) {
		n++
	}
	w.acc.Add(w.in[:n])
	x := w.in[n-1]
	w.prev, w.in = &x, w.in[n:]
}

// mean returns the value of a bucket without samples: that of the line through its neighbours.
func (w *weights) mean(next *Sample, start, end uint64) float64 {
	if w.prev == nil || next == nil {
		return TWA.Empty()
	}
	return (between(*w.prev, *next, start).Value + between(*w.prev, *next, end).Value) / 2
}
