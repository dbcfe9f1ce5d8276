package timeseries

import "slices"

// Delete removes the samples from a time to another one, both included, and returns how many. If
// the last one goes, the one before it is the last. O(chunks + samples of two chunks).
func (s *Series) Delete(from, to uint64) (n int) {
	if from > to {
		return 0
	}
	for i := s.chunkOf(from); i < len(s.chunks) && s.chunks[i].first.Time <= to; {
		c := s.chunks[i]
		whole := c.first.Time >= from && c.last.Time <= to
		switch {
		case c.count == 0 || c.last.Time < from:
			i++
		case whole && len(s.chunks) > 1:
			n += int(c.count)
			s.discard(c)
			s.chunks = slices.Delete(s.chunks, i, i+1)
		default:
			n += s.deleteWithin(i, from, to)
			i++
		}
	}
	s.samples -= n
	if from <= s.last.Time && s.last.Time <= to {
		s.last = Sample{}
		if s.samples > 0 {
			s.last = s.chunks[len(s.chunks)-1].last
		}
	}
	return n
}

// deleteWithin removes samples of chunk i, and returns how many.
func (s *Series) deleteWithin(i int, from, to uint64) (n int) {
	c := s.chunks[i]
	list := s.all(c)
	before := len(list)
	list = slices.DeleteFunc(list, func(x Sample) bool { return from <= x.Time && x.Time <= to })
	s.rewrite(i, list)
	return before - len(list)
}
