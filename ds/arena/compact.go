package arena

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Compaction takes three steps. While it lasts, cells can be allocated and freed.
//
//	Sparse?  ──▶  Retire  ──▶  for each cell, in slices: if Retired, Move  ──▶  Release
//
// A Move copies a small cell. A large one keeps its block, and only gets another window.

// minWaste is how many bytes of free cells are never worth a compaction.
const minWaste = windowSize / 2

// retired is the blocks that a compaction gives up.
type retired struct {
	windows []bool // by window: whether it is one of theirs
	held    int    // bytes of the blocks
}

// Sparse reports whether so much is free that the arena should be compacted. O(1).
func (a *Arena) Sparse() bool {
	return a.held-a.live > minWaste+a.live/2 && a.old == nil
}

// Retire gives up all blocks: no cell is allocated in them any more. O(windows).
func (a *Arena) Retire() {
	a.old = &retired{make([]bool, len(a.windows)), a.held}
	for w, p := range a.windows {
		a.old.windows[w] = p != nil
	}
	a.next, a.end, a.hand, a.free = 0, 0, 0, nil
}

// Compacting reports whether there are blocks that were given up and not released.
func (a *Arena) Compacting() bool { return a.old != nil }

// Retired reports whether a reference is in a block that was given up.
func (a *Arena) Retired(r Ref) bool {
	w := int(r >> windowBits)
	return a.old != nil && w < len(a.old.windows) && a.old.windows[w]
}

// Move moves a retired cell that Alloc returned for n bytes, and returns its new reference.
func (a *Arena) Move(r Ref, n int) Ref {
	if n > MaxCell {
		w := a.vacant(1)
		a.windows[w] = a.windows[r>>windowBits]
		a.forget(r, n)
		return w<<windowBits + headSteps
	}
	to := a.Alloc(n)
	a.live -= Size(n)
	copy(unsafe.Slice((*byte)(a.At(to)), n), unsafe.Slice((*byte)(a.At(r)), n))
	return to
}

// forget takes the block of a large cell out of those that are given up.
func (a *Arena) forget(r Ref, n int) {
	a.windows[r>>windowBits], a.old.windows[r>>windowBits] = nil, false
	a.old.held -= Size(n)
}

// Release frees the blocks that were given up. No cell in them may be in use. O(windows).
func (a *Arena) Release() {
	a.eachBlock(func(w uint32, h head) {
		if int(w) < len(a.old.windows) && a.old.windows[w] {
			freeBlock(a.windows[w], h.size(), a.mem)
		}
	})
	left := 0
	for w := range a.windows {
		if w < len(a.old.windows) && a.old.windows[w] {
			a.windows[w] = nil
		} else if a.windows[w] != nil {
			left = w + 1
		}
	}
	a.windows = append([]unsafe.Pointer(nil), a.windows[:left]...)
	a.held -= a.old.held
	a.old, a.hand = nil, 0
}

// clone returns a copy.
func (o *retired) clone() *retired {
	if o == nil {
		return nil
	}
	return &retired{append([]bool(nil), o.windows...), o.held}
}

// bytes returns what the struct and its windows take.
func (o *retired) bytes() int {
	if o == nil {
		return 0
	}
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*o))) + sizeclass.Round(cap(o.windows))
}
