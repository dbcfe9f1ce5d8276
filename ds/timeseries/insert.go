package timeseries

import (
	"math"
	"slices"
	"sort"
)

// Put adds a sample, or changes the one of its time as a policy says. It returns false, and changes
// nothing, if there is one and the policy is Block, or compares or adds, and only one is NaN. O(1)
// for one that is later than the last one, else O(samples of a chunk).
func (s *Series) Put(x Sample, p Policy) bool {
	if s.samples > 0 && x.Time <= s.last.Time {
		return s.Upsert(x, p)
	}
	s.Add(x)
	return true
}

// Add adds a sample that is later than the last one, or the first one. O(1), and O(chunks that are
// older than the retention) where a chunk begins.
func (s *Series) Add(x Sample) {
	c := s.own(len(s.chunks) - 1)
	if !s.append(c, x) {
		s.trim()
		c = s.newChunk(s.options.ChunkBytes)
		s.append(c, x)
		s.chunks = append(s.chunks, c)
	}
	s.last = x
	s.samples++
}

// trim removes the chunks whose samples are all older than the retention.
func (s *Series) trim() {
	if s.options.Retention == 0 {
		return
	}
	oldest, n := s.Oldest(), 0
	for n < len(s.chunks) && s.chunks[n].last.Time < oldest {
		s.samples -= int(s.chunks[n].count)
		s.discard(s.chunks[n])
		n++
	}
	s.chunks = slices.Delete(s.chunks, 0, n)
}

// chunkOf returns the index of the chunk that a time belongs to: the last one that does not begin
// after it, or the first.
func (s *Series) chunkOf(t uint64) int {
	return max(sort.Search(len(s.chunks), func(i int) bool { return s.chunks[i].first.Time > t })-1, 0)
}

// Upsert adds a sample that is not later than the last one, or changes the one of its time as a
// policy says. It returns false, and changes nothing, where Put does. O(samples of a chunk).
func (s *Series) Upsert(x Sample, p Policy) bool {
	i := s.chunkOf(x.Time)
	if c := s.chunks[i]; c.count > 1 && float64(c.size) > float64(s.options.ChunkBytes)*splitFactor {
		i = s.split(i, x.Time)
	}
	c := s.chunks[i]
	list := s.all(c)
	at, found := slices.BinarySearchFunc(list, x.Time, func(y Sample, t uint64) int {
		if y.Time < t {
			return -1
		}
		return int(min(y.Time-t, 1))
	})
	if found {
		var ok bool
		if x.Value, ok = merge(list[at].Value, x.Value, p); !ok {
			return false
		}
		list[at] = x
	} else {
		list = slices.Insert(list, at, x)
		s.samples++
	}
	s.rewrite(i, list)
	if x.Time == s.last.Time {
		s.last.Value = x.Value
	}
	return true
}

// splitFactor is how much larger than the size of a full one a chunk may be.
const splitFactor = 1.2

// merge returns the value of a sample that gets another one; ok is false if it may not.
func merge(old, new float64, p Policy) (v float64, ok bool) {
	if p >= KeepMin && math.IsNaN(old) != math.IsNaN(new) {
		return 0, false
	}
	switch p {
	case KeepLast:
		return new, true
	case KeepFirst:
		return old, true
	case KeepMin:
		return min(old, new), true
	case KeepMax:
		return max(old, new), true
	case AddUp:
		return old + new, true
	}
	return 0, false
}

// split cuts chunk i into two halves, and returns which of them a time belongs to.
func (s *Series) split(i int, t uint64) int {
	c := s.chunks[i]
	list := s.all(c)
	half := len(list) - len(list)/2
	left, right := s.half(c, list[:half]), s.half(c, list[half:])
	s.discard(c)
	s.chunks[i] = left
	s.chunks = slices.Insert(s.chunks, i+1, right)
	if t >= right.first.Time {
		return i + 1
	}
	return i
}

// half returns a chunk with some of the samples of another one, and no room for more.
func (s *Series) half(of *chunk, list []Sample) *chunk {
	if s.options.Plain {
		return s.fill(len(list)*sampleBytes, list)
	}
	c := s.fill(int(of.size), list)
	if free := c.size - (c.bits+7)/8; free > 1 {
		c.size -= free - 1
		c.size += 8 - c.size%8
	}
	return c
}

// rewrite replaces the samples of chunk i.
func (s *Series) rewrite(i int, list []Sample) {
	c := s.chunks[i]
	s.chunks[i] = s.fill(int(c.size), list)
	s.discard(c)
}
