package timeseries

import "math"

// union goes over the samples of several sources together, in the order of time or backwards, and
// at one time in the order of the sources. It is a heap of sources by their next samples.
type union struct {
	heads     []head
	backwards bool
}

// head is a source with a sample that is next.
type head struct {
	rest   []Sample // the next ones, at least one
	source int
	from   Source
}

func newUnion(sources []Source, backwards bool) *union {
	m := &union{backwards: backwards}
	for i, from := range sources {
		if batch := from.Next(); len(batch) > 0 {
			m.heads = append(m.heads, head{batch, i, from})
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	return m
}

// less reports whether head i comes before head j.
func (m *union) less(i, j int) bool {
	a, b := &m.heads[i], &m.heads[j]
	if s, t := a.rest[0].Time, b.rest[0].Time; s != t {
		return s < t != m.backwards
	}
	return a.source < b.source
}

// sink moves a head to where it belongs below its place.
func (m *union) sink(i int) {
	for {
		first := 2*i + 1
		if first >= len(m.heads) {
			return
		}
		if first+1 < len(m.heads) && m.less(first+1, first) {
			first++
		}
		if !m.less(first, i) {
			return
		}
		m.heads[i], m.heads[first] = m.heads[first], m.heads[i]
		i = first
	}
}

// more reports whether there are samples left.
func (m *union) more() bool { return len(m.heads) > 0 }

// time returns that of the next sample.
func (m *union) time() uint64 { return m.heads[0].rest[0].Time }

// next returns the next sample, and the source that has it.
func (m *union) next() (x Sample, source int) {
	h := &m.heads[0]
	x, source = h.rest[0], h.source
	if h.rest = h.rest[1:]; len(h.rest) == 0 {
		if h.rest = h.from.Next(); len(h.rest) == 0 {
			last := len(m.heads) - 1
			m.heads[0] = m.heads[last]
			m.heads[last] = head{}
			m.heads = m.heads[:last]
		}
	}
	m.sink(0)
	return x, source
}

// Rows is the samples of several sources with a row for each time and a column for each source.
type Rows struct {
	union  *union
	values []float64
	left   int // -1 for no limit
}

// NewRows returns the rows of sources that go over time in the same direction: the first n of them,
// or all if n is 0.
func NewRows(sources []Source, backwards bool, n int) *Rows {
	if n == 0 {
		n = -1
	}
	return &Rows{newUnion(sources, backwards), make([]float64, len(sources)), n}
}

// Next returns the next row, with NaN where a source has no sample. The values are valid until the
// next call. ok is false at the end.
func (r *Rows) Next() (t uint64, values []float64, ok bool) {
	if !r.union.more() || r.left == 0 {
		return 0, nil, false
	}
	r.left--
	t = r.union.time()
	for i := range r.values {
		r.values[i] = math.NaN()
	}
	for r.union.more() && r.union.time() == t {
		x, i := r.union.next()
		r.values[i] = x.Value
	}
	return t, r.values, true
}

// reduced makes one sample of all that sources have at a time.
type reduced struct {
	union *union
	kind  Aggregator
	out   []Sample
}

// Reduce returns a source with one sample for each time of several sources, which go forwards: what
// an aggregator makes of their values. Those that are NaN do not count, and if all are, so is the
// result.
func Reduce(sources []Source, kind Aggregator) Source {
	return &reduced{newUnion(sources, false), kind, make([]Sample, 0, batchSize)}
}

// Next implements Source.
func (r *reduced) Next() []Sample {
	r.out = r.out[:0]
	var one [1]Sample
	for len(r.out) < cap(r.out) && r.union.more() {
		t := r.union.time()
		var acc Accumulator
		acc.Start(r.kind)
		for r.union.more() && r.union.time() == t {
			one[0], _ = r.union.next()
			acc.Add(one[:])
		}
		v, ok := acc.Result()
		if !ok {
			v = math.NaN()
		}
		r.out = append(r.out, Sample{t, v})
	}
	return r.out
}

// Reversed returns the samples of a source from the last to the first. It reads all of them first.
func Reversed(from Source) Source {
	var all []Sample
	for batch := from.Next(); len(batch) > 0; batch = from.Next() {
		all = append(all, batch...)
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return &list{all}
}
