package slab

import (
	"math/bits"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/parallel"
)

// Clone is a copy of a Slab, chunk by chunk. It knows where the copy of each cell lies.
type Clone struct {
	*Slab
	distances []Ref // how far away the copy of a chunk is, by the number of the 64 KB in which the original lies
}

// Reserve returns a Slab of n bytes that the system has provided, to be a dead one for Clone. O(n).
// It uses no other Slab.
func Reserve(n int) *Slab {
	s := new(Slab)
	for range n / chunkSize {
		c := s.ownMemory().add()
		provide(c.cells, c.room)
	}
	return s
}

// Clone copies all cells, on all processors if they are many. O(bytes in use), at the speed at
// which memory is copied. The copies take the chunks of dead Slabs first: those lose their cells,
// and can only be released. That is several times faster than memory that the system has to
// provide.
func (s *Slab) Clone(dead ...*Slab) *Clone {
	c := &Clone{Slab: new(Slab)}
	if s.memory == nil {
		return c
	}
	c.open = new(sizes)
	copies := make([]copied, 0, len(s.memory.chunks))
	for _, from := range s.memory.chunks {
		if from.size != 0 {
			to, fresh := c.addChunk(from.room, &dead)
			copies = append(copies, copied{from, to, fresh})
			c.knowDistance(from, to)
		}
	}
	parallel.Each(len(copies), copiesAtOnce, func(i, end int) {
		for ; i < end; i++ {
			copies[i].copy()
		}
	})
	for _, pair := range copies {
		if pair.to.groups != 0 {
			c.link(pair.to)
		}
	}
	c.live, c.used, c.held = s.live, s.used, s.held
	return c
}

const (
	chunkCells   = chunkSize / step // the places of cells in a chunk
	copiesAtOnce = 16               // chunks: a megabyte, which takes longer than to wake another processor
)

// knowDistance notes where the copies of a chunk's cells lie.
func (c *Clone) knowDistance(from, to *chunk) {
	r := RefOf(from.cells)
	n := int(r / chunkCells)
	if more := n + 1 - len(c.distances); more > 0 {
		c.distances = append(c.distances, make([]Ref, more)...)
	}
	c.distances[n] = RefOf(to.cells) - r
}

// copied is a chunk and its copy.
type copied struct {
	from, to *chunk
	fresh    bool // the system has not provided all memory of the copy
}

func (c copied) copy() {
	n := c.from.inUse()
	if c.fresh {
		provide(c.to.cells, n)
	}
	copy(unsafe.Slice((*byte)(c.to.cells), n), unsafe.Slice((*byte)(c.from.cells), n))
	c.to.room, c.to.size, c.to.groups, c.to.live = c.from.room, c.from.size, c.from.groups, c.from.live
	c.to.free = append(c.to.free[:0], c.from.free...)
}

// addChunk gets a chunk without cells that has as much room, from dead Slabs or fresh from the
// pool.
func (c *Clone) addChunk(room int, dead *[]*Slab) (to *chunk, fresh bool) {
	for {
		if to, fresh = c.anyChunk(dead); to.room >= room {
			return to, fresh
		}
		c.spare = append(c.spare, to)
	}
}

func (c *Clone) anyChunk(dead *[]*Slab) (to *chunk, fresh bool) {
	m := c.ownMemory()
	for ; len(*dead) > 0; *dead = (*dead)[1:] {
		if from := (*dead)[0].memory; from != nil && len(from.chunks) > 0 {
			return m.takeFrom(from), false
		}
	}
	return m.add(), true
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

// Ref returns what stands for the copy of a cell. O(1), and safe for concurrent use.
func (c *Clone) Ref(r Ref) Ref { return r + c.distances[r/chunkCells] }

// Cell returns the copy of a cell. O(1).
func (c *Clone) Cell(p unsafe.Pointer) unsafe.Pointer { return At(c.Ref(RefOf(p))) }
