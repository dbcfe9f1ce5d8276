package slab

import "unsafe"

// Compaction empties the chunks with the fewest cells, whose memory then goes back to the system.
// While it lasts, cells can be allocated and freed.
//
//	Retire  ──▶  for each cell, in slices: if Retired, Move, and name the new place ──▶ Reinstate
//	             wherever the old one was named
//
// The Slab does not know who refers to a cell, so its owner has to find the cells. Those that it
// does not find stay where they are, and their chunks take cells again after Reinstate.

// Retire gives up the chunks with the fewest cells of each size, as many as the free room of the
// others can empty: no cell is allocated in them any more. It reports whether there are any.
// O(chunks that are not full).
func (s *Slab) Retire() bool {
	if s.open != nil {
		for _, first := range s.open {
			if first != nil {
				s.retireSparse(first)
			}
		}
	}
	return s.retired != nil
}

// retireSparse retires chunks of the list that begins with first.
func (s *Slab) retireSparse(first *chunk) {
	perChunk := chunkSize / first.size
	counts, free := make([]int, perChunk+1), 0 // of chunks, by cells in use; of cells
	for c := first; c != nil; c = c.next {
		counts[c.live]++
		free += c.room/c.size - c.live
	}
	surplus := free / perChunk
	for live, n := range counts {
		counts[live] = min(n, surplus)
		surplus -= counts[live]
	}
	for c := first; c != nil; {
		next := c.next
		if counts[c.live] > 0 {
			counts[c.live]--
			s.retire(c)
		}
		c = next
	}
}

// retire gives up a chunk.
func (s *Slab) retire(c *chunk) {
	if c.live == 0 {
		s.closeChunk(c)
		return
	}
	s.unlink(c)
	c.retired = true
	s.link(c)
}

// Retired reports whether a cell is in a chunk that was given up. O(1).
func Retired(p unsafe.Pointer) bool { return chunkOf(p).retired }

// Retired reports whether a cell is in a chunk that was given up. O(1).
func (s *Slab) Retired(p unsafe.Pointer) bool { return Retired(p) }

// Move moves a cell of this Slab to another place. O(bytes).
func (s *Slab) Move(p unsafe.Pointer) (to unsafe.Pointer) {
	size := chunkOf(p).size
	to = s.Alloc(size)
	copy(unsafe.Slice((*byte)(to), size), unsafe.Slice((*byte)(p), size))
	s.Free(p)
	return to
}

// Reinstate ends a compaction: cells may be allocated again in the chunks that were given up and
// still have some. O(such chunks).
func (s *Slab) Reinstate() {
	for c := s.retired; c != nil; c = s.retired {
		s.unlink(c)
		c.retired = false
		s.link(c)
	}
}
