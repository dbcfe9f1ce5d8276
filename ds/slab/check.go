package slab

import (
	"fmt"
	"math/bits"
)

// Check returns the first violated invariant; nil if all hold. O(chunks).
func (s *Slab) Check() error {
	if s.memory == nil {
		return nil
	}
	live, used, held := 0, 0, 0
	for i, c := range s.memory.chunks {
		if err := s.checkChunk(c); err != nil {
			return fmt.Errorf("chunk %d, cells of %d bytes: %w", i, c.size, err)
		}
		if c.place != i || chunkOf(c.cells) != c {
			return fmt.Errorf("chunk %d is at place %d", i, c.place)
		}
		live += c.live * c.size
		if c.size > 0 {
			used++
			held += c.held()
		}
	}
	switch {
	case live != s.live || used != s.used || held != s.held:
		return fmt.Errorf("%d bytes in %d chunks of %d are in use, not %d in %d of %d", live, used, held, s.live,
			s.used, s.held)
	case used+len(s.spare) != len(s.memory.chunks):
		return fmt.Errorf("%d chunks, of which %d are in use and %d spare", len(s.memory.chunks), used, len(s.spare))
	}
	return nil
}

func (s *Slab) checkChunk(c *chunk) error {
	if c.size == 0 {
		if c.live != 0 || c.groups != 0 || c.retired || c.prev != nil || c.next != nil {
			return fmt.Errorf("vacant, but with %d cells in use", c.live)
		}
		return nil
	}
	free, groups := 0, uint64(0)
	for w, word := range c.free {
		free += bits.OnesCount64(word)
		if word != 0 {
			groups |= 1 << w
		}
	}
	first := c == *s.list(c)
	switch {
	case groups != c.groups:
		return fmt.Errorf("groups %x have free cells, not %x", groups, c.groups)
	case free+c.live != c.room/c.size:
		return fmt.Errorf("%d cells are free and %d in use, of %d", free, c.live, c.room/c.size)
	case c.live == 0 && (c.retired || !first):
		return fmt.Errorf("empty, but not vacant")
	case (free > 0) != (first || c.prev != nil && c.prev.next == c):
		return fmt.Errorf("wrongly in the list, or not, with %d free cells", free)
	}
	return nil
}
