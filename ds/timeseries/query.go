package timeseries

import (
	"math"
	"slices"
)

// Query is what is asked of the samples of a series. They pass from one Source to the next:
//
//	Walk ─▶ the open bucket of a rule ─▶ filters by time and value ─▶ buckets ─▶ limit
type Query struct {
	From, To  uint64 // both included
	Backwards bool
	Times     []uint64 // in order: only the samples of these times; nil for all
	ByValue   bool     // only the samples between Least and Most
	Least     float64
	Most      float64
	Buckets   Buckets
	Limit     int // of samples, or of buckets; 0 for none
	Batch     int // samples that are read at a time, for many queries at once that go forwards; 0 for the usual number
}

// Buckets is an aggregation.
type Buckets struct {
	Duration uint64 // in milliseconds; 0 for none
	Align    uint64 // a time at which a bucket begins
	Stamp    Stamp
	Empty    bool // also those without samples that are between others
	Gaps     *Gaps
}

// Gaps bounds how many buckets without samples are shown. A query that would show more ends there.
type Gaps struct {
	Left     int
	Exceeded bool
}

// Stamp is which time of a bucket is shown.
type Stamp uint8

const (
	AtStart Stamp = iota
	AtEnd
	AtMiddle
)

// Samples returns what the query finds in a series, aggregated by kind if it has buckets. open is
// the sample of a bucket that a rule of another series has not closed yet, later than those of s;
// nil if it does not count.
func (q *Query) Samples(s *Series, kind Aggregator, open *Sample) Source {
	r := *q
	r.From = max(r.From, s.Oldest())
	if kind == TWA && r.Buckets.Duration > 0 {
		r.Backwards = false
	}
	from := r.filtered(s, open)
	switch {
	case q.Buckets.Duration == 0:
	case kind == TWA:
		if from = newWeights(s, &r, &valued{from}, open); q.Backwards {
			from = Reversed(from)
		}
	default:
		from = newBuckets(q, kind, from)
	}
	return Limited(from, q.Limit)
}

// filtered returns the samples of a series that pass the filters.
func (q *Query) filtered(s *Series, open *Sample) (from Source) {
	if q.Times != nil {
		if len(q.Times) == 0 {
			return nothing{}
		}
		narrow := *q
		narrow.From, narrow.To = max(q.From, q.Times[0]), min(q.To, q.Times[len(q.Times)-1])
		narrow.Times = nil
		return &byTime{narrow.filtered(s, open), q.Times}
	}
	w := s.Walk(q.From, q.To, q.Backwards)
	if q.Batch > 0 && !q.Backwards {
		w.batch = make([]Sample, min(q.Batch, s.Len()))
	}
	from = &w
	if open != nil && open.Time >= q.From && open.Time <= q.To {
		from = &joint{parts: []Source{&list{[]Sample{*open}}, from}}
		if !q.Backwards {
			slices.Reverse(from.(*joint).parts)
		}
	}
	if q.ByValue {
		from = &byValue{from, q.Least, q.Most}
	}
	return from
}

// nothing is a Source without samples.
type nothing struct{}

func (nothing) Next() []Sample { return nil }

// list is samples that are there.
type list struct{ rest []Sample }

func (l *list) Next() (all []Sample) {
	all, l.rest = l.rest, nil
	return all
}

// joint is sources that follow one another.
type joint struct{ parts []Source }

func (j *joint) Next() []Sample {
	for len(j.parts) > 0 {
		if batch := j.parts[0].Next(); len(batch) > 0 {
			return batch
		}
		j.parts = j.parts[1:]
	}
	return nil
}

// byTime passes the samples of some times.
type byTime struct {
	from  Source
	times []uint64
}

func (f *byTime) Next() []Sample {
	return pass(f.from, func(x Sample) bool {
		_, found := slices.BinarySearch(f.times, x.Time)
		return found
	})
}

// valued passes the samples that are not NaN.
type valued struct{ from Source }

func (f *valued) Next() []Sample {
	return pass(f.from, func(x Sample) bool { return !math.IsNaN(x.Value) })
}

// byValue passes the samples whose values lie between two.
type byValue struct {
	from        Source
	least, most float64
}

func (f *byValue) Next() []Sample {
	return pass(f.from, func(x Sample) bool { return x.Value >= f.least && x.Value <= f.most })
}

// pass returns those samples of a source that keep keeps, of the first batch that has any.
func pass(from Source, keep func(x Sample) bool) []Sample {
	for {
		batch := from.Next()
		if len(batch) == 0 {
			return nil
		}
		n := 0
		for _, x := range batch {
			if keep(x) {
				batch[n] = x
				n++
			}
		}
		if n > 0 {
			return batch[:n]
		}
	}
}

// limited passes the first samples of a source.
type limited struct {
	from Source
	left int
}

// Limited returns a source of the first n samples of another one; 0 for all.
func Limited(from Source, n int) Source {
	if n == 0 {
		return from
	}
	return &limited{from, n}
}

func (l *limited) Next() []Sample {
	if l.left == 0 {
		return nil
	}
	batch := l.from.Next()
	batch = batch[:min(len(batch), l.left)]
	l.left -= len(batch)
	return batch
}

// batch returns how many samples, or buckets, a source returns at a time.
func (q *Query) batch() int {
	if q.Batch > 0 {
		return q.Batch
	}
	return batchSize
}
