package timeseries

import (
	"math"
	"slices"
)

// Rule says that the aggregates of a series go to another one.
type Rule struct {
	Dest   string // key
	Kind   Aggregator
	Bucket uint64 // milliseconds, more than 0
	Align  uint64
	open   uint64 // when the bucket begins that is still open, or noBucket
	acc    Accumulator
}

const noBucket = math.MaxUint64

// bucketStart is BucketStart before it is known to be a time.
func bucketStart(t, duration, align uint64) uint64 {
	into := (int64(t-align)%int64(duration) + int64(duration)) % int64(duration)
	return t - uint64(into)
}

// notNegative returns a time, or 0 for one before it.
func notNegative(t uint64) uint64 { return uint64(max(0, int64(t))) }

// NewRule returns a rule for an empty bucket.
func NewRule(dest string, kind Aggregator, bucket, align uint64) *Rule {
	r := &Rule{Dest: dest, Kind: kind, Bucket: bucket, Align: align, open: noBucket}
	r.acc.Start(kind)
	return r
}

// Rules returns the rules in the order in which they were made. They belong to the series.
func (s *Series) Rules() []*Rule { return s.rules }

// SetRules changes them.
func (s *Series) SetRules(rules []*Rule) {
	s.rules = slices.Clip(rules)
	s.describe()
}

// start returns when the bucket of a time begins, and when it ends.
func (r *Rule) start(t uint64) (begin, end uint64) {
	at := bucketStart(t, r.Bucket, r.Align)
	return notNegative(at), at + r.Bucket
}

// Closes reports whether a sample of that time ends the open bucket.
func (r *Rule) Closes(t uint64) bool {
	begin, _ := r.start(t)
	return r.open != noBucket && begin > r.open
}

// Take adds a sample that is later than all before. If it ends the open bucket, done is the
// aggregate of that one.
func (r *Rule) Take(x Sample) (done Sample, ok bool) {
	begin, end := r.start(x.Time)
	switch {
	case r.Kind == TWA && math.IsNaN(x.Value):
		return done, false
	case r.open == noBucket:
		r.open = begin
		r.acc.Bounds(begin, end)
	case begin > r.open:
		if r.Kind == TWA {
			r.acc.After(x)
		}
		done.Time = r.open
		done.Value, ok = r.acc.Result()
		last := r.acc.twa.prev
		r.acc.Start(r.Kind)
		r.acc.Bounds(begin, end)
		r.acc.Before(last)
		r.open = begin
	}
	r.acc.Add([]Sample{x})
	return done, ok
}

// Pending returns the aggregate of the bucket that is open; ok is false if there is none.
func (r *Rule) Pending() (x Sample, ok bool) {
	if r.open == noBucket {
		return x, false
	}
	x.Time = r.open
	x.Value, ok = r.acc.Result()
	return x, ok
}

// Reopen lets the open bucket be that of the last sample of the series that has the rule, or none
// if it has no samples. O(samples of the bucket).
func (r *Rule) Reopen(s *Series) {
	last, ok := s.Last()
	if !ok {
		r.open = noBucket
		r.acc.Start(r.Kind)
		return
	}
	begin, end := r.start(last.Time)
	r.open = begin
	r.acc = r.gather(s, begin, end, math.MaxUint64)
}

// Open returns when the bucket begins that is still open; ok is false if there is none.
func (r *Rule) Open() (begin uint64, ok bool) { return r.open, r.open != noBucket }

// Closed returns the aggregate of the bucket of a time, with the samples that the series has; ok is
// false if it has none there. O(samples of the bucket).
func (r *Rule) Closed(s *Series, t uint64) (x Sample, ok bool) {
	begin, end := r.start(t)
	a := r.gather(s, begin, end, end-1)
	if r.Kind == TWA && a.count > 0 {
		if next := one(s.Walk(end, math.MaxUint64, false)); next != nil {
			a.After(*next)
		}
	}
	x.Time = begin
	x.Value, ok = a.Result()
	return x, ok
}

// gather returns the accumulator of a bucket with the samples up to a time that the retention
// leaves.
func (r *Rule) gather(s *Series, begin, end, to uint64) (a Accumulator) {
	a.Start(r.Kind)
	a.Bounds(begin, end)
	if r.Kind == TWA && begin > 0 {
		w := s.Walk(0, begin-1, true)
		if before := one(w); before != nil {
			a.Before(*before)
		}
	}
	w := s.Walk(max(begin, s.Oldest()), to, false)
	for list := w.Next(); len(list) > 0; list = w.Next() {
		a.Add(list)
	}
	return a
}

// BucketOf returns when the bucket of a time begins.
func (r *Rule) BucketOf(t uint64) uint64 {
	begin, _ := r.start(t)
	return begin
}
