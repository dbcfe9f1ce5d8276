// Package arena is the memory of one large collection: cells without pointers, addressed by
// references of four bytes.
//
//	Ref ──▶ window number │ step in the window
//	              │
//	windows   [ • ][ • ][ • ][ • ][ • ]            where each 4 KB of references begin
//	            │    └────┴──┐ │    │
//	blocks    [4 KB]  [    8 KB   ][size│cell│cell│ ...]     outside of Go's heap, see memory.go
//
// A collection of a million elements is a few thousand objects to the collector, and each link in
// it takes four bytes instead of eight. A freed cell is used again for the next one of its size. So
// there is no garbage while elements come and go, and the arena goes with its collection.
//
// The newest block starts with a quarter of the size of what is in use, up to 32 KB. One smaller
// than a window grows up to that, by copying, before there is another. Nothing else is ever copied.
// A cell above MaxCell has a block of its own.
//
// When cells are free that no element needs, because the collection has shrunk or its values
// changed their sizes, the owner compacts the arena: Retire gives up all blocks, the owner moves
// element by element, and Release frees the blocks. See compact.go.
//
// Invariants, verified by Check:
//  1. A window points into a block, or is nil. A block starts with its size, and spans as many
//     windows as it needs, or one if it is a large cell.
//  2. Live is the sum of the cells in use.
//  3. Held is the sum of the blocks.
//  4. free[s] lists cells of s steps that are not in use; free[0] lists windows for large cells.
//
// Non-goals: cells with pointers; knowing which cells are in use, which the owner does; more than
// 32 GB; concurrent use.
package arena

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/invariants"
)

// Ref names a cell, or a place inside of one. 0 is none.
type Ref = uint32

const (
	// MaxCell is the size of the largest cell that shares a block with others.
	MaxCell = 2048

	// Step is the number of bytes between the addresses of consecutive references.
	Step = 8

	windowBits  = 9
	windowSteps = 1 << windowBits
	windowSize  = windowSteps * Step
	maxBlock    = 32 << 10
	headSteps   = 1 // at the beginning of a block: its head
)

// Arena allocates cells. The zero value is ready for use. Assigning an Arena shares its memory;
// Clone copies it.
type Arena struct {
	windows []unsafe.Pointer
	free    []Ref        // by steps: the first free cell of the size, which begins with the reference of the next
	next    Ref          // the first place in the newest block that was never used
	end     Ref          // the end of that block
	live    int          // bytes
	held    int          // bytes
	old     *retired     // the blocks that are being given up; nil if none are
	hand    uint32       // the next window to look at for one that is nil
	mem     value.Memory // where the blocks are; nil for Go's heap
}

// head is the first word of a block: its size in bytes, and whether it is a large cell.
type head uint64

func headOf(size int, large bool) head {
	if large {
		return head(size)<<1 | 1
	}
	return head(size) << 1
}

func (h head) size() int   { return int(h >> 1) }
func (h head) large() bool { return h&1 != 0 }

// windows returns how many windows the block spans.
func (h head) windows() uint32 {
	if h.large() {
		return 1
	}
	return uint32((h.size() + windowSize - 1) / windowSize)
}

// Size returns the bytes of the cell that Alloc returns for n bytes.
func Size(n int) int {
	if n > MaxCell {
		return blockSize(n + headSteps*Step)
	}
	return (n + Step - 1) &^ (Step - 1)
}

// Live returns the bytes of the cells in use.
func (a *Arena) Live() int { return a.live }

// Bytes returns the bytes that the arena takes beside the struct itself, in its Memory and in Go's
// heap.
func (a *Arena) Bytes() int {
	return a.held + a.old.bytes() + sizeclass.RoundScanned(cap(a.windows)*int(unsafe.Sizeof(uintptr(0)))) +
		sizeclass.Round(cap(a.free)*int(unsafe.Sizeof(Ref(0))))
}

// Cells finds the cells of an arena until the next Alloc.
type Cells struct{ windows unsafe.Pointer }

// Cells returns what finds the cells as they are now, for loops.
func (a *Arena) Cells() Cells { return Cells{unsafe.Pointer(unsafe.SliceData(a.windows))} }

// At returns the address of a reference. It is not checked.
func (c Cells) At(r Ref) unsafe.Pointer {
	w := *(*unsafe.Pointer)(unsafe.Add(c.windows, uintptr(r>>windowBits)*unsafe.Sizeof(uintptr(0))))
	return unsafe.Add(w, uintptr(r%windowSteps)*Step)
}

// Prefetch loads the beginnings of cells into the processor's caches, many at a time. The result
// means nothing, but must be used.
func (c Cells) Prefetch(refs []Ref) (sum byte) {
	for _, r := range refs {
		sum += *(*byte)(c.At(r))
	}
	return sum
}

// At returns the address of a reference. It is valid until the next Alloc.
func (a *Arena) At(r Ref) unsafe.Pointer { return a.Cells().At(r) }

// Alloc returns a cell of Size(n) bytes with arbitrary contents. O(1).
func (a *Arena) Alloc(n int) Ref {
	if n > MaxCell {
		return a.allocLarge(n)
	}
	steps := Ref(n+Step-1) / Step
	a.live += int(steps) * Step
	if int(steps) < len(a.free) && a.free[steps] != 0 {
		r := a.free[steps]
		a.free[steps] = *(*Ref)(a.At(r))
		if invariants.Poison {
			a.requirePoison(r, steps)
		}
		return r
	}
	if a.end-a.next < steps {
		a.extend(steps)
	}
	r := a.next
	a.next += steps
	return r
}

// Free frees the cell that Alloc returned for n bytes. O(1).
func (a *Arena) Free(r Ref, n int) {
	if n > MaxCell {
		a.freeLarge(r, n)
		return
	}
	steps := Ref(n+Step-1) / Step
	a.live -= int(steps) * Step
	if a.Retired(r) {
		return
	}
	if invariants.Poison {
		a.requireInUse(r, steps)
	}
	a.list(r, steps)
}

// list makes steps from r on a free cell.
func (a *Arena) list(r, steps Ref) {
	if int(steps) >= len(a.free) {
		a.growLists(int(steps) + 1)
	}
	if invariants.Poison {
		slab.Poison(a.At(r), int(steps)*Step)
	}
	*(*Ref)(a.At(r)) = a.free[steps]
	a.free[steps] = r
}

// growLists makes n lists of free cells.
func (a *Arena) growLists(n int) {
	lists := make([]Ref, n, sizeclass.Round(n*int(unsafe.Sizeof(Ref(0))))/int(unsafe.Sizeof(Ref(0))))
	copy(lists, a.free)
	a.free = lists
}

// extend makes room for a cell at next.
func (a *Arena) extend(steps Ref) {
	if used := a.next % windowSteps; a.end%windowSteps != 0 && used+steps <= windowSteps {
		a.enlarge(used, steps)
		return
	}
	if left := a.end - a.next; left > 0 {
		a.list(a.next, left)
	}
	wanted := max(int(headSteps+steps)*Step, a.live/4)
	size := blockSize(wanted)
	if whole := sizeclass.Round(wanted) &^ (windowSize - 1); whole > 0 {
		size = min(whole, maxBlock)
	}
	first := a.addBlock(size, false) << windowBits
	a.next, a.end = first+headSteps, first+Ref(size/Step)
}

// enlarge makes the newest block larger, which is smaller than a window.
func (a *Arena) enlarge(used, steps Ref) {
	size := min(blockSize(int(used+steps)*Step*5/4), windowSize)
	w := &a.windows[a.end>>windowBits]
	old, held := *w, int(a.end%windowSteps)*Step
	*w = newBlock(size, a.mem)
	copy(unsafe.Slice((*byte)(*w), int(used)*Step), unsafe.Slice((*byte)(old), int(used)*Step))
	*(*head)(*w) = headOf(size, false)
	freeBlock(old, held, a.mem)
	a.held += size - held
	a.end = a.end&^(windowSteps-1) + Ref(size/Step)
}

// addBlock makes a block and returns the number of its first window.
func (a *Arena) addBlock(size int, large bool) (w uint32) {
	block, h := newBlock(size, a.mem), headOf(size, large)
	*(*head)(block) = h
	w = a.vacant(h.windows())
	a.setWindows(w, block, h)
	a.held += size
	return w
}

// vacant returns the first of n windows that are nil. It looks at each window once between two
// compactions.
func (a *Arena) vacant(n uint32) uint32 {
	for run := uint32(0); int(a.hand) < len(a.windows); {
		if run++; a.windows[a.hand] != nil {
			run = 0
		}
		if a.hand++; run == n {
			return a.hand - n
		}
	}
	w := a.hand
	if w+n > 1<<(32-windowBits) {
		panic("arena: a collection is larger than 32 GB")
	}
	for range n {
		a.windows = append(a.windows, nil)
	}
	a.hand += n
	return w
}

// allocLarge returns a cell that has a block and a window of its own.
func (a *Arena) allocLarge(n int) Ref {
	size := Size(n)
	a.live += size
	if len(a.free) == 0 || a.free[0] == 0 {
		return a.addBlock(size, true)<<windowBits + headSteps
	}
	r := a.free[0]
	a.free[0] = *(*Ref)(a.At(r))
	a.setLarge(r, size)
	return r
}

// linkSize is the size of the block that stands in for a freed large cell. It links to the next
// window of that kind.
const linkSize = 16

func (a *Arena) freeLarge(r Ref, n int) {
	size := Size(n)
	a.live -= size
	if a.Retired(r) {
		a.held -= size
		freeBlock(a.windows[r>>windowBits], size, a.mem)
		a.forget(r, n)
		return
	}
	a.setLarge(r, linkSize)
	a.list(r, 0)
}

// setLarge puts a new block into the window of a large cell.
func (a *Arena) setLarge(r Ref, size int) {
	w := &a.windows[r>>windowBits]
	old := (*(*head)(*w)).size()
	a.held += size - old
	freeBlock(*w, old, a.mem)
	*w = newBlock(size, a.mem)
	*(*head)(*w) = headOf(size, true)
}

// Clone returns a copy with the same references, in Go's heap. O(bytes).
func (a *Arena) Clone() Arena {
	c := *a
	c.mem = nil
	c.old = a.old.clone()
	c.windows = make([]unsafe.Pointer, len(a.windows))
	c.free = append([]Ref(nil), a.free...)
	a.eachBlock(func(w uint32, h head) {
		block := newBlock(h.size(), nil)
		copy(unsafe.Slice((*byte)(block), h.size()), unsafe.Slice((*byte)(a.windows[w]), h.size()))
		c.setWindows(w, block, h)
	})
	return c
}

// eachBlock calls fn for each block with the number of its first window.
func (a *Arena) eachBlock(fn func(w uint32, h head)) {
	for w := uint32(0); w < uint32(len(a.windows)); {
		if a.windows[w] == nil {
			w++
			continue
		}
		h := *(*head)(a.windows[w])
		fn(w, h)
		w += h.windows()
	}
}
