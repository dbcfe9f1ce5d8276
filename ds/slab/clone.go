package slab

import (
	"math/bits"
	"unsafe"
)

// Clone is a copy of a Slab, chunk by chunk. It knows where the copy of each cell lies.
type Clone struct {
	*Slab
	dead   []*Slab        // which give it their chunks
	copies map[Ref]copied // by the number of the 64 KB in which a chunk lies
	recent [512]copied    // some of them
}

// copied is a chunk that was copied, and how far away the copy is.
type copied struct{ chunk, distance Ref }

// Clone copies all cells. O(bytes in use), at the speed at which memory is copied. The copies take the chunks of dead Slabs first: those
// lose their cells, and can only be released. That is several times faster than memory that the system has to provide.
func (s *Slab) Clone(dead ...*Slab) *Clone {
	c := &Clone{Slab: new(Slab), dead: dead, copies: make(map[Ref]copied)}
	if s.memory == nil {
		return c
	}
	c.open = new(sizes)
	for _, original := range s.memory.chunks {
		if original.size != 0 {
			from := RefOf(original.cells)
			c.copies[from/chunkCells] = copied{from / chunkCells, RefOf(c.copyChunk(original).cells) - from}
		}
	}
	c.live, c.used, c.dead = s.live, s.used, nil
	return c
}

// chunkCells is the places of cells in a chunk.
const chunkCells = chunkSize / step

// copyChunk copies a chunk into one with as much room.
func (c *Clone) copyChunk(from *chunk) *chunk {
	to := c.addChunk()
	for to.room < from.room {
		c.spare = append(c.spare, to)
		to = c.addChunk()
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

// addChunk gets a chunk without cells.
func (c *Clone) addChunk() *chunk {
	m := c.ownMemory()
	for ; len(c.dead) > 0; c.dead = c.dead[1:] {
		if from := c.dead[0].memory; from != nil && len(from.chunks) > 0 {
			return m.takeFrom(from)
		}
	}
	return m.add()
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

// Ref returns what stands for the copy of a cell. O(1).
func (c *Clone) Ref(r Ref) Ref {
	n := r / chunkCells
	at := &c.recent[n%uint32(len(c.recent))]
	if at.chunk != n {
		*at = c.copies[n]
	}
	return r + at.distance
}

// Cell returns the copy of a cell. O(1).
func (c *Clone) Cell(p unsafe.Pointer) unsafe.Pointer { return At(c.Ref(RefOf(p))) }
