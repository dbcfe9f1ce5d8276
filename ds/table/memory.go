package table

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Settle moves the blocks to mem, or with compact those that are in memory which is being emptied.
// O(1) if there is nothing to do, else O(bytes).
func (t *Table) Settle(mem value.Memory, compact bool) {
	if t != nil && (compact || t.cells.Memory() != mem) {
		t.index.Settle(mem, compact)
		t.cells.Settle(mem, compact)
		t.deadlines.Settle(mem, compact)
	}
}

// BlockBytes returns the bytes of the blocks that Settle moves.
func (t *Table) BlockBytes() int {
	if t == nil {
		return 0
	}
	return t.index.Held() + t.cells.Held() + t.deadlines.Held()
}

// Drop frees some blocks, about n of each kind, of a table that is not used for anything else any
// more, and reports whether there are more.
func (t *Table) Drop(n int) (more bool) {
	if t == nil {
		return false
	}
	more = t.index.Drop(n)
	more = t.cells.Drop(n) || more
	return t.deadlines.Drop(n) || more
}

// GiveUp frees the blocks of a table that its collection does not have any more, as soon as no
// snapshot reads it.
func (t *Table) GiveUp() {
	if t != nil && t.frozen != nil {
		t.frozen.last = true
		return
	}
	t.Drop(math.MaxInt)
}
