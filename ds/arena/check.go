package arena

import (
	"fmt"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Check returns the first violated invariant; nil if all hold. cells is the sum of Size of what the
// owner has in use. O(bytes/MaxCell), and O(1) for each free cell.
func (a *Arena) Check(cells int) error {
	held, free := 0, 0
	a.eachBlock(func(w uint32, h head) { held += h.size() })
	for steps := 1; steps < len(a.free); steps++ {
		for r := a.free[steps]; r != 0; r = *(*Ref)(a.At(r)) {
			if free += steps * Step; a.Retired(r) || free > held {
				return fmt.Errorf("arena: cell %d is free in a block that was given up, or twice", r)
			}
		}
	}
	switch {
	case held != a.held:
		return fmt.Errorf("arena: blocks of %d bytes, %d counted", held, a.held)
	case cells != a.live:
		return fmt.Errorf("arena: cells of %d bytes, %d counted", cells, a.live)
	case a.live+free > held:
		return fmt.Errorf("arena: cells of %d bytes are in use, %d bytes are free, of %d", a.live, free, held)
	}
	return nil
}

// What package invariants adds: a free cell consists of the pattern of package slab, but for the
// link at its beginning.

func (a *Arena) isPoisoned(r, steps Ref) bool {
	const link = int(unsafe.Sizeof(Ref(0)))
	return slab.IsPoisoned(unsafe.Add(a.At(r), link), int(steps)*Step-link)
}

// requirePoison panics if a cell of the list of free ones was written to.
func (a *Arena) requirePoison(r, steps Ref) {
	if !a.isPoisoned(r, steps) {
		panic("arena: a freed cell was written to")
	}
}

// requireInUse panics if a cell is in the list of free ones.
func (a *Arena) requireInUse(r, steps Ref) {
	if int(steps) >= len(a.free) || !a.isPoisoned(r, steps) {
		return
	}
	for free := a.free[steps]; free != 0; free = *(*Ref)(a.At(free)) {
		if free == r {
			panic("arena: a cell is freed twice")
		}
	}
}
