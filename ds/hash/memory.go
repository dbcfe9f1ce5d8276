package hash

import (
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Settle moves the blocks of a table to mem, or with compact those that are in memory which is
// being emptied. Bytes that are packed stay where they are. It reports whether no change will ask
// for it again. O(1) if there is nothing to do, else O(bytes).
func (h *Hash) Settle(mem value.Memory, compact bool) (done bool) {
	h.table.Settle(mem, compact)
	return h.table != nil
}

// BlockBytes returns the bytes of the blocks that Settle moves.
func (h *Hash) BlockBytes() int { return h.table.BlockBytes() }

// Drop frees some blocks, about n of each kind, of a hash that is not used for anything else any
// more, and reports whether there are more.
func (h *Hash) Drop(n int) (more bool) { return h.table.Drop(n) }

// Freeze returns the fields as they are now, to be walked through while the hash changes; nil if
// the hash is packed. It is frozen once at a time. O(1).
func (h *Hash) Freeze() *frozen.Elements { return h.table.Freeze() }

// Layout returns what the hash consists of; false if it is packed. O(n).
func (h *Hash) Layout() (table.Layout, bool) { return h.table.Layout() }
