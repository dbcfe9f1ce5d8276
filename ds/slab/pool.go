package slab

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// pool is the regions of the process, and which of their chunks no Slab has. Slabs use it at the
// same time.
type pool struct {
	mu      sync.Mutex
	regions []*region // those with such a chunk; the last one gives the next
	busy    map[*region]struct{}
	numbers []uint32 // of regions that are gone
	last    uint32   // the highest number of a region
	plain   bool     // the regions have no numbers
}

var (
	shared = pool{busy: map[*region]struct{}{}}
	blocks = pool{busy: map[*region]struct{}{}, plain: true} // of the Slabs that Blocks returns
)

const (
	perRegion = regionSize / chunkSize
	allVacant = 1<<perRegion - 1
)

// region is the addresses of some chunks. It begins with a pointer to this description, by which a
// cell leads to its chunk.
type region struct {
	base   unsafe.Pointer
	number uint32 // from 1 on; 0 for none
	pool   *pool
	vacant uint64 // bit i: no Slab has chunk i
	chunks [perRegion]chunk
}

// take returns a chunk for a Slab, without cells.
func (p *pool) take() *chunk {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.regions) == 0 {
		p.regions = append(p.regions, p.newRegion())
	}
	last := len(p.regions) - 1
	r := p.regions[last]
	i := bits.TrailingZeros64(r.vacant)
	if r.vacant &= r.vacant - 1; r.vacant == 0 {
		p.regions = p.regions[:last]
		p.busy[r] = struct{}{}
	}
	return &r.chunks[i]
}

// put takes a chunk from a Slab, with all its cells, and gives its memory back to the system.
func (p *pool) put(c *chunk) {
	r := c.home
	c.empty()
	c.free = nil
	giveBack(c.cells, c.room)
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.vacant == 0 {
		delete(p.busy, r)
		p.regions = append(p.regions, r)
	}
	r.vacant |= 1 << ((uintptr(c.cells) - uintptr(r.base)) / chunkSize)
	if r.vacant == allVacant && !keepsRegions {
		p.regions = slices.DeleteFunc(p.regions, func(other *region) bool { return other == r })
		p.forget(r)
	}
}

// newRegion gets addresses from the system, and a number.
func (p *pool) newRegion() *region {
	r := &region{base: getRegion(), vacant: allVacant, pool: p}
	*(**region)(r.base) = r
	if !p.plain {
		r.number = p.newNumber()
		regions[r.number] = r.base
	}
	for i := range r.chunks {
		c := &r.chunks[i]
		c.home, c.cells, c.room = r, unsafe.Add(r.base, i*chunkSize), chunkSize
		if i == 0 {
			c.cells, c.room = unsafe.Add(c.cells, headSize), c.room-headSize
		}
	}
	return r
}

var scarce atomic.Bool

// Scarce reports whether most references are in use, so that large cells are better kept elsewhere.
func Scarce() bool { return scarce.Load() }

// forget lets another region have the number of one that is gone.
func (p *pool) forget(r *region) {
	if !p.plain {
		p.numbers = append(p.numbers, r.number)
		regions[r.number] = nil
	}
}

// newNumber returns a number that no region has.
func (p *pool) newNumber() uint32 {
	if last := len(p.numbers) - 1; last >= 0 {
		n := p.numbers[last]
		p.numbers = p.numbers[:last]
		return n
	}
	if p.last++; p.last == maxRegions {
		panic("slab: 32 GB of cells are in use, and there are no references to more")
	}
	if p.last > maxRegions/4*3 {
		scarce.Store(true)
	}
	return p.last
}

// chunkOf returns the chunk that has the cell.
func chunkOf(p unsafe.Pointer) *chunk {
	r, at := regionOf(p)
	return &r.chunks[at/chunkSize]
}

// regionOf returns the region that has the cell, and how many bytes from its beginning the cell
// lies.
func regionOf(p unsafe.Pointer) (r *region, at uintptr) {
	at = uintptr(p) & (regionSize - 1)
	return *(**region)(unsafe.Add(p, -int(at))), at
}

// toMultiple returns how many bytes there are from p to the next multiple of n, a power of two.
func toMultiple(p unsafe.Pointer, n int) int { return -int(uintptr(p)) & (n - 1) }
