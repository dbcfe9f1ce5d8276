// Package slab is an allocator of cells without pointers, in memory that Go's collector does not
// know of. What is freed is used again at once, so the resident memory follows the data. With Go's
// own allocator garbage would double it.
//
//	pool     of the whole process: regions, and which of their chunks no Slab has
//	region   4 MB of addresses, from the system
//	Slab     one for each database; its chunks go back to the pool when it goes
//	chunk    64 KB of a region, with cells of one size: 16, 24, 32 ... SmallCell bytes, from there
//	         on in steps of an eighth to MaxCell
//	cell     what Alloc returns
//	Ref      32 bits that stand for the address of a cell: the number of its region, and how many
//	         times 8 bytes it lies from there
//
// An empty Slab is a hundred bytes. One with few cells has a chunk for each of their sizes, of
// which only those pages are resident that were written to. So thousands of small datasets can
// share a process.
//
// What is known about a chunk lies in Go's heap beside it, not in it: a bit for each cell that is
// free, and a bit for each of 64 groups of cells that has a free one. So Alloc finds a cell with
// two bit scans, and a chunk can be walked, shared or moved without a look into its cells. What is
// left behind the last cell of a chunk, where large ones do not fill it, is never written to, and
// so takes addresses only.
//
// A chunk whose last cell is freed can take cells of any size next. A Slab keeps a few such chunks.
// The others go to the pool for any Slab; their memory goes back to the system, and only their
// addresses stay.
//
// Cells that are freed here and there leave chunks that are nearly empty. A compaction moves what
// is left: see compact.go.
//
// Invariants, verified by Check:
//  1. A chunk is in the list of its size if it has a free cell, and has no size if no cell is in
//     use; but the first of a list may be empty, so that a single cell that comes and goes costs
//     nothing. One that is retired is in the list of those instead, and never full or empty.
//  2. Bit i of free[w] is set exactly if cell 64*w+i is free, and bit w of groups if free[w] is not
//     zero.
//  3. Live is the sum of the cells in use, Held that of the Slab's chunks, without the pages behind
//     their last cells.
//  4. A chunk belongs to one Slab, at the place that it says, or to the pool, and has no cells
//     then.
//
// Under the race detector, which cannot watch other memory, and where the system has no mmap, the
// regions are slices of Go's heap, which go when all their chunks are in the pool. With package
// invariants a freed cell is filled with a pattern, so that a read of it shows, and a write panics
// when the cell is allocated next.
//
// A Ref names a cell of any Slab of the process, so that a table of references needs half the room
// of one of pointers, and takes a table of regions to resolve. 32 bits are enough for 32 GB of
// cells; the process ends when it wants more. From 24 GB on Scarce tells owners to keep large ones
// elsewhere.
//
// Non-goals: cells with pointers; cells above MaxCell; concurrent use of a Slab (different ones may
// be used at the same time).
package slab

import (
	"math"
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/miniserver-go/miniserver/internal/invariants"
)

const (
	// SmallCell is the size up to which cells come in steps of 8 bytes.
	SmallCell = 512
	// MaxCell is the size of the largest cell. It leaves room for the head of a region.
	MaxCell = 60 << 10

	step      = 8  // bytes between the sizes of small cells, and between the places that a Ref can name
	eighths   = 8  // sizes from one power of two to the next, above SmallCell
	minCell   = 16 // a chunk of such cells has 64 groups
	chunkSize = 64 << 10
	headSize  = 64 // bytes at the start of a region that lead to its description
)

// sizes is by the class of cells.
type sizes [SmallCell/step + 7*eighths]*chunk

// Slab allocates cells. The zero value is ready for use. It must not be copied.
type Slab struct {
	open    *sizes   // a chunk with free cells of that size, which links to others; nil in the beginning
	retired *chunk   // that a compaction empties, which links to others
	spare   []*chunk // without a size
	memory  *memory  // all chunks
	live    int      // bytes of cells in use
	used    int      // chunks that have a size
	held    int      // bytes of those chunks
	plain   bool     // no Ref can name its cells

	released bool
}

// Blocks returns a Slab of cells that no Ref names, and of which there can be as many as there is
// memory for. It cannot be cloned, nor give its chunks to a clone.
func Blocks() *Slab { return &Slab{plain: true} }

// Named reports whether Refs can name the cells.
func (s *Slab) Named() bool { return !s.plain }

// chunk is a run of cells of one size.
type chunk struct {
	cells  unsafe.Pointer
	room   int      // bytes from there on
	size   int      // of a cell
	groups uint64   // bit w: free[w] is not zero
	free   []uint64 // bit i of word w: cell 64*w+i is free
	live   int      // cells in use

	poisoned []uint64 // bit i of word w: cell 64*w+i was filled with the pattern; nil for none

	retired    bool   // no cell is allocated here
	prev, next *chunk // in the list of their size, or of retired ones

	home  *region
	place int // in the list of the Slab that has it
}

// Size returns the bytes of the cell that Alloc returns for n bytes.
func Size(n int) int {
	if n > SmallCell {
		return largeSize(n)
	}
	return max((n+step-1)&^(step-1), minCell)
}

func largeSize(n int) int {
	unit := 1 << (bits.Len(uint(n-1)) - 4)
	return (n + unit - 1) &^ (unit - 1)
}

// class is the place of a size of cells in sizes.
func class(size int) int {
	if size > SmallCell {
		return largeClass(size)
	}
	return size / step
}

func largeClass(size int) int {
	octave := bits.Len(uint(size-1)) - 10 // 0 up to twice SmallCell
	return SmallCell/step + (octave-1)*eighths + size>>(octave+6)
}

// Live returns the bytes of the cells in use.
func (s *Slab) Live() int { return s.live }

// Held returns the bytes of the chunks, in use or kept. The system may count less, because it
// provides a page when it is first written to.
func (s *Slab) Held() int { return s.held + len(s.spare)*chunkSize }

// Alloc returns a cell of Size(n) bytes with arbitrary contents; n is MaxCell at most. O(1).
func (s *Slab) Alloc(n int) unsafe.Pointer {
	size := max((n+step-1)&^(step-1), minCell)
	k := size / step
	if n > SmallCell {
		size = largeSize(n)
		k = largeClass(size)
	}
	var c *chunk
	if s.open != nil {
		c = s.open[k]
	}
	if c == nil {
		c = s.openChunk(size)
	}
	w := bits.TrailingZeros64(c.groups)
	i := bits.TrailingZeros64(c.free[w])
	if c.free[w] &= c.free[w] - 1; c.free[w] == 0 {
		if c.groups &= c.groups - 1; c.groups == 0 {
			s.unlink(c)
		}
	}
	c.live++
	s.live += size
	if invariants.Poison {
		c.requirePoison(w*64 + i)
	}
	return unsafe.Add(c.cells, (w*64+i)*size)
}

// Free frees a cell of this Slab. Nothing may refer to it any more. O(1).
func (s *Slab) Free(p unsafe.Pointer) {
	c := chunkOf(p)
	i := c.index(p)
	w, bit := i/64, uint64(1)<<(i%64)
	if c.free[w]&bit != 0 {
		panic("slab: a cell is freed twice")
	}
	if invariants.Poison {
		c.poison(i)
	}
	if c.groups == 0 {
		s.link(c)
	}
	c.free[w] |= bit
	c.groups |= 1 << w
	c.live--
	s.live -= c.size
	if c.live == 0 {
		s.emptied(c)
	}
}

// index returns the number of a cell in the chunk.
func (c *chunk) index(p unsafe.Pointer) int {
	return int(uint32(uintptr(p)-uintptr(c.cells)) / uint32(c.size))
}

// emptied closes a chunk without cells, unless it is the first of its list.
func (s *Slab) emptied(c *chunk) {
	if c != s.open[class(c.size)] {
		s.closeChunk(c)
	}
}

// Block returns a cell for n bytes that are zero, and its size.
func (s *Slab) Block(n int) (p unsafe.Pointer, held int) {
	p = s.Alloc(n)
	clear(unsafe.Slice((*byte)(p), Size(n)))
	return p, Size(n)
}

// FreeBlock frees a block of n bytes, and returns the size of its cell.
func (s *Slab) FreeBlock(p unsafe.Pointer, n int) (held int) {
	s.Free(p)
	return Size(n)
}

// openChunk gives a chunk without a size that of the cells wanted.
func (s *Slab) openChunk(size int) *chunk {
	if s.open == nil {
		s.open = new(sizes)
	}
	if invariants.Poison && s.released {
		panic("slab: a cell is allocated in a Slab that was released")
	}
	c, ok := pop(&s.spare)
	if !ok {
		c = s.ownMemory().add()
	}
	c.divide(size)
	if ok {
		c.dropRest()
	}
	s.used++
	s.held += c.held()
	s.link(c)
	return c
}

// divide makes all cells free.
func (c *chunk) divide(size int) {
	n := c.room / size
	words := (n + 63) / 64
	if cap(c.free) < words {
		c.free = make([]uint64, words)
	}
	c.free = c.free[:words]
	for w := range c.free {
		c.free[w] = ^uint64(0)
	}
	c.free[words-1] >>= uint(words*64 - n)
	c.size, c.groups, c.poisoned = size, ^uint64(0)>>(64-words), nil
}

// rest returns how many bytes lie behind the last cell.
func (c *chunk) rest() int { return c.room % c.size }

// held returns the bytes of a chunk without the pages that no cell reaches.
func (c *chunk) held() int { return chunkSize - c.rest()&^(4<<10-1) }

// dropRest gives back what former cells have left behind the last one.
func (c *chunk) dropRest() {
	if rest := c.rest(); rest >= pageSize {
		giveBack(unsafe.Add(c.cells, c.room-rest), rest)
	}
}

// closeChunk takes the size from an empty chunk, and gives chunks back if many are spare.
func (s *Slab) closeChunk(c *chunk) {
	s.unlink(c)
	s.held -= c.held()
	c.size, c.groups, c.retired = 0, 0, false
	s.used--
	s.spare = append(s.spare, c)
	for len(s.spare) > 8+s.used/256 {
		c, _ := pop(&s.spare)
		s.memory.remove(c)
	}
}

// ownMemory returns what is to be released when the collector finds the Slab unreachable.
func (s *Slab) ownMemory() *memory {
	if s.memory == nil {
		s.memory = &memory{pool: &shared}
		if s.plain {
			s.memory.pool = &blocks
		}
		runtime.AddCleanup(s, func(m *memory) { m.release(math.MaxInt) }, s.memory)
	}
	return s.memory
}

// Release gives the chunks of up to n regions back to the system, and reports whether there are
// more. All cells are lost, and the Slab must not be used for anything else any more. A Slab that
// the collector finds unreachable releases all of them.
func (s *Slab) Release(n int) (more bool) {
	if s.memory == nil {
		return false
	}
	s.released = true
	return s.memory.release(n)
}

// list returns where the list begins in which a chunk is, or has to be.
func (s *Slab) list(c *chunk) (first **chunk) {
	if c.retired {
		return &s.retired
	}
	return &s.open[class(c.size)]
}

// link puts a chunk into its list, behind the first.
func (s *Slab) link(c *chunk) {
	head := s.list(c)
	if *head == nil {
		*head = c
		return
	}
	c.prev, c.next = *head, (*head).next
	if c.next != nil {
		c.next.prev = c
	}
	(*head).next = c
}

// unlink takes a chunk out of its list.
func (s *Slab) unlink(c *chunk) {
	if c.prev == nil {
		*s.list(c) = c.next
	} else {
		c.prev.next = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
}

func pop(list *[]*chunk) (c *chunk, ok bool) {
	last := len(*list) - 1
	if last < 0 {
		return nil, false
	}
	c = (*list)[last]
	*list = (*list)[:last]
	return c, true
}
