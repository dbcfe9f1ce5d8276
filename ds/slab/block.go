package slab

import "unsafe"

// Blocks hold what is larger than a cell and is to go back to the system as soon as it is freed, such as the table
// of a hash map.

// Block returns n bytes that are zero, and how many it takes for them: those of a cell, or whole pages.
func (s *Slab) Block(n int) (p unsafe.Pointer, held int) {
	if n <= MaxCell {
		p = s.Alloc(n)
		clear(unsafe.Slice((*byte)(p), Size(n)))
		return p, Size(n)
	}
	held = toPages(n)
	p = getBlock(held)
	s.ownMemory().blocks[p] = block{held, held}
	s.blocks += held
	return p, held
}

// FreeBlock frees a block of n bytes, and returns how many it took.
func (s *Slab) FreeBlock(p unsafe.Pointer, n int) (held int) {
	if n <= MaxCell {
		s.Free(p)
		return Size(n)
	}
	held = toPages(n)
	delete(s.memory.blocks, p)
	s.blocks -= held
	putBlock(p, held)
	return held
}

// TrimBlock gives pages in a block back. They read as zero, or as they are, and must not be written to.
func (s *Slab) TrimBlock(p unsafe.Pointer, n int) { giveBack(p, n) }

func toPages(n int) int { return (n + pageSize - 1) &^ (pageSize - 1) }
