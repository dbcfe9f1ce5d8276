package timeseries

import "math"

// Source is samples in batches.
type Source interface {
	// Next returns the samples that follow, and none at the end. They are valid until the next
	// call, and may be changed.
	Next() []Sample
}

// Walk goes over the samples of a range. The series must not change meanwhile.
type Walk struct {
	s         *Series
	from, to  uint64
	backwards bool
	chunk     int // the next one
	reader    reader
	batch     []Sample
}

// How many samples a walk returns at a time at most. Backwards a chunk of so many need not be
// decoded twice.
const (
	batchSize     = 128
	backwardsSize = 4096
)

// Walk returns a walk over the samples from a time to another one, both included, or backwards from
// the latest to the oldest.
func (s *Series) Walk(from, to uint64, backwards bool) Walk {
	w := Walk{s: s, from: from, to: to, backwards: backwards}
	if backwards {
		w.chunk = s.chunkOf(to)
	} else {
		w.chunk = s.chunkOf(from)
	}
	return w
}

// Kept returns the oldest sample that the retention leaves, and how many there are from it on.
// O(chunks + samples of a chunk).
func (s *Series) Kept() (first Sample, n int) {
	w := s.Walk(s.Oldest(), math.MaxUint64, false)
	if batch := w.Next(); len(batch) > 0 {
		first = batch[0]
	}
	return first, s.CountFrom(s.Oldest())
}

// CountFrom returns how many samples there are from a time on. O(chunks + samples of a chunk).
func (s *Series) CountFrom(t uint64) (n int) {
	first := s.chunkOf(t)
	for _, c := range s.chunks[first+1:] {
		n += int(c.count)
	}
	for w := s.Walk(t, s.chunks[first].last.Time, false); ; {
		batch := w.Next()
		if len(batch) == 0 {
			return n
		}
		n += len(batch)
	}
}

// Next implements Source. O(samples of a batch), and backwards that of a chunk twice.
func (w *Walk) Next() []Sample {
	for {
		for w.reader.more() {
			if list := w.within(w.reader.next(w.batch)); len(list) > 0 {
				return list
			}
		}
		if !w.open() {
			return nil
		}
	}
}

// open goes to the next chunk with samples in the range; false if there is none.
func (w *Walk) open() bool {
	for w.chunk >= 0 && w.chunk < len(w.s.chunks) && w.from <= w.to {
		c := w.s.chunks[w.chunk]
		if w.backwards {
			w.chunk--
		} else {
			w.chunk++
		}
		switch {
		case c.count == 0:
		case w.backwards && c.last.Time < w.from, !w.backwards && c.first.Time > w.to:
			return false
		default:
			w.makeBatch(int(c.count))
			w.reader.open(c, w.s.options.Plain, w.backwards, w.from, w.to)
			return true
		}
	}
	return false
}

// makeBatch lets there be memory for a batch of the n samples of a chunk.
func (w *Walk) makeBatch(n int) {
	switch {
	case w.backwards && len(w.batch) < min(n, backwardsSize):
		w.batch = make([]Sample, min(n, backwardsSize))
	case w.batch == nil:
		w.batch = make([]Sample, min(batchSize, w.s.samples))
	}
}

// within returns those of some samples that are in the range, in the order of the walk.
func (w *Walk) within(list []Sample) []Sample {
	for len(list) > 0 && list[0].Time < w.from {
		list = list[1:]
	}
	for n := len(list); n > 0 && list[n-1].Time > w.to; n-- {
		list = list[:n-1]
	}
	if w.backwards {
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	return list
}

// reader reads the samples of a chunk in batches, forwards or backwards, each batch in the order of
// time.
type reader struct {
	c         *chunk
	backwards bool
	from, to  int       // plain: samples that are left
	d         decoder   // compressed, forwards
	marks     []decoder // compressed, backwards: before each batch that is left
	end       uint64    // compressed, forwards: where to stop
}

// open lets r read the samples of a chunk from a time to another one, and perhaps others near them.
func (r *reader) open(c *chunk, plain, backwards bool, from, to uint64) {
	*r = reader{c: c, backwards: backwards, marks: r.marks[:0], end: to}
	switch {
	case plain:
		r.from, r.to = c.plainFrom(from), int(c.count)
		if to < c.last.Time {
			r.to = c.plainFrom(to + 1)
		}
	case backwards:
		r.mark(from, to)
	default:
		r.d = c.decode()
	}
}

// mark notes where the batches begin that have samples of a range.
func (r *reader) mark(from, to uint64) {
	d := r.c.decode()
	if d.left <= backwardsSize {
		r.marks = append(r.marks, d)
		return
	}
	for d.left > 0 && d.time <= to {
		r.marks = append(r.marks, d)
		if d.skip(backwardsSize); d.time < from {
			r.marks = r.marks[:0]
		}
	}
}

// more reports whether there may be samples left.
func (r *reader) more() bool {
	return r.from < r.to || len(r.marks) > 0 || r.d.left > 0 && (r.d.time <= r.end || !r.d.started)
}

// next reads samples into the memory of batch.
func (r *reader) next(batch []Sample) []Sample {
	switch {
	case r.from < r.to:
		n := min(len(batch), r.to-r.from)
		first := r.from
		if r.backwards {
			r.to -= n
			first = r.to
		} else {
			r.from += n
		}
		for i := range n {
			batch[i] = r.c.plain(first + i)
		}
		return batch[:n]
	case len(r.marks) > 0:
		last := len(r.marks) - 1
		d := r.marks[last]
		r.marks = r.marks[:last]
		return batch[:d.next(batch[:min(backwardsSize, len(batch))])]
	}
	return batch[:r.d.next(batch)]
}
