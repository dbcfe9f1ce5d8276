package set

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Settle moves the blocks of a table to mem, or with compact those that are in memory which is
// being emptied. Bytes that are packed stay where they are. It reports whether no change will ask
// for it again. O(1) if there is nothing to do, else O(bytes).
func (s *Set) Settle(mem value.Memory, compact bool) (done bool) {
	if t := s.table; t != nil && (compact || t.members.Memory() != mem) {
		t.index.Settle(mem, compact)
		t.members.Settle(mem, compact)
		t.deadlines.Settle(mem, compact)
	}
	return false // it may give its table up
}

// BlockBytes returns the bytes of the blocks that Settle moves.
func (s *Set) BlockBytes() int {
	t := s.table
	if t == nil {
		return 0
	}
	return t.index.Held() + t.members.Held() + t.deadlines.Held()
}

// Drop frees some blocks, about n of each kind, of a set that is not used for anything else any
// more, and reports whether there are more.
func (s *Set) Drop(n int) (more bool) {
	if s.table != nil {
		more = s.table.drop(n)
	}
	return more
}

func (t *table) drop(n int) (more bool) {
	more = t.index.Drop(n)
	more = t.members.Drop(n) || more
	return t.deadlines.Drop(n) || more
}

// giveUp frees the blocks of a table that its set does not have any more, as soon as no snapshot
// reads it.
func (t *table) giveUp() {
	if t.frozen != nil {
		t.frozen.last = true
		return
	}
	t.drop(math.MaxInt)
}
