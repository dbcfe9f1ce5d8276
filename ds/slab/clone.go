package slab

import (
	"math/bits"
	"unsafe"
)

// Clone is a copy of a Slab, chunk by chunk. It knows where the copy of each cell lies.
type Clone struct {
	*Slab
	copies map[uintptr]copied // by the address of the 64 KB in which a chunk lies
	recent [512]copied        // some of them
}

// copied is a chunk that was copied: where it lies, where its cells begin, and where those of the copy do.
type copied struct {
	chunk, from uintptr
	to          unsafe.Pointer
}

// Clone copies all cells. Blocks are copied one by one, by Copy. O(bytes in use), at the speed at which memory is copied.
func (s *Slab) Clone() *Clone {
	c := &Clone{Slab: new(Slab), copies: make(map[uintptr]copied)}
	if s.memory == nil {
		return c
	}
	c.open = new([MaxCell/step + 1]*chunk)
	for _, original := range s.memory.chunks {
		if original.size != 0 {
			at := addressOf(original.cells)
			c.copies[at] = copied{at, uintptr(original.cells), c.copyChunk(original).cells}
		}
	}
	c.live, c.used = s.live, s.used
	return c
}

// copyChunk copies a chunk into one with as much room.
func (c *Clone) copyChunk(from *chunk) *chunk {
	to := c.ownMemory().add()
	for to.room < from.room {
		c.spare = append(c.spare, to)
		to = c.memory.add()
	}
	n := from.inUse()
	copy(unsafe.Slice((*byte)(to.cells), n), unsafe.Slice((*byte)(from.cells), n))
	to.room, to.size, to.groups, to.live = from.room, from.size, from.groups, from.live
	to.free = append(to.free[:0], from.free...)
	if to.groups != 0 {
		c.link(to)
	}
	return to
}

// inUse returns how many bytes there are up to the end of the last cell that is in use.
func (c *chunk) inUse() int {
	n := c.room / c.size
	for w := len(c.free) - 1; w >= 0; w-- {
		cells := min(64, n-w*64)
		if used := ^c.free[w] & (^uint64(0) >> (64 - cells)); used != 0 {
			return (w*64 + bits.Len64(used)) * c.size
		}
	}
	return 0
}

// Cell returns the copy of a cell; ok is false if p is not a cell of the original. O(1).
func (c *Clone) Cell(p unsafe.Pointer) (twin unsafe.Pointer, ok bool) {
	at := addressOf(p)
	r := &c.recent[at/chunkSize%uintptr(len(c.recent))]
	if r.chunk != at {
		found, ok := c.copies[at]
		if !ok {
			return nil, false
		}
		*r = found
	}
	return unsafe.Add(r.to, uintptr(p)-r.from), true
}

// Copy returns the copy of a block of n bytes, which it makes if the block is no cell, and how many bytes it takes.
func (c *Clone) Copy(p unsafe.Pointer, n int) (twin unsafe.Pointer, held int) {
	if n <= MaxCell {
		twin, _ = c.Cell(p)
		return twin, Size(n)
	}
	twin, held = c.Block(n)
	copy(unsafe.Slice((*byte)(twin), n), unsafe.Slice((*byte)(p), n))
	return twin, held
}

func addressOf(p unsafe.Pointer) uintptr { return uintptr(p) &^ (chunkSize - 1) }
