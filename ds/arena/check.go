package arena

import "fmt"

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
