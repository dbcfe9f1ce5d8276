package set

import (
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Settle moves the blocks of a table to mem, or with compact those that are in memory which is
// being emptied. Bytes that are packed stay where they are. It reports whether no change will ask
// for it again. O(1) if there is nothing to do, else O(bytes).
func (s *Set) Settle(mem value.Memory, compact bool) (done bool) {
	s.table.Settle(mem, compact)
	return false // it may give its table up
}

// BlockBytes returns the bytes of the blocks that Settle moves.
func (s *Set) BlockBytes() int { return s.table.BlockBytes() }

// Drop frees some blocks, about n of each kind, of a set that is not used for anything else any
// more, and reports whether there are more.
func (s *Set) Drop(n int) (more bool) { return s.table.Drop(n) }

// Freeze returns the members as they are now, to be walked through while the set changes; nil if
// the set is packed. It is frozen once at a time. O(1).
func (s *Set) Freeze() *frozen.Elements { return s.table.Freeze() }

// Layout returns what the set consists of; false if it is packed. O(n).
func (s *Set) Layout() (table.Layout, bool) { return s.table.Layout() }
