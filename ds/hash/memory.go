package hash

import "github.com/miniserver-go/miniserver/ds/value"

// Settle moves the blocks of a table to mem, or with compact those that are in memory which is
// being emptied. Bytes that are packed stay where they are. It reports whether no change will ask
// for it again. O(1) if there is nothing to do, else O(bytes).
func (h *Hash) Settle(mem value.Memory, compact bool) (done bool) {
	if t := h.table; t != nil && (compact || t.pairs.Memory() != mem) {
		t.index.Settle(mem, compact)
		t.pairs.Settle(mem, compact)
		t.deadlines.Settle(mem, compact)
	}
	return h.table != nil
}

// BlockBytes returns the bytes of the blocks that Settle moves.
func (h *Hash) BlockBytes() int {
	t := h.table
	if t == nil {
		return 0
	}
	return t.index.Held() + t.pairs.Held() + t.deadlines.Held()
}

// Drop frees some blocks, about n of each kind, of a hash that is not used for anything else any
// more, and reports whether there are more.
func (h *Hash) Drop(n int) (more bool) {
	if h.table != nil {
		more = h.table.drop(n)
	}
	return more
}

func (t *table) drop(n int) (more bool) {
	more = t.index.Drop(n)
	more = t.pairs.Drop(n) || more
	return t.deadlines.Drop(n) || more
}
