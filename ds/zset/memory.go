package zset

import "github.com/miniserver-go/miniserver/ds/value"

// Settle moves the blocks of a sorted set to mem, or with compact those that are in memory which is
// being emptied. Bytes that are packed stay where they are. It reports whether no change will ask
// for it again. O(1) if there is nothing to do, else O(bytes).
func (s *Set) Settle(mem value.Memory, compact bool) (done bool) {
	if t := s.sorted; t != nil && (compact || t.list.Memory() != mem) {
		t.members.Settle(mem, compact)
		t.list.Settle(mem, compact)
		t.deadlines.Settle(mem, compact)
	}
	return s.sorted != nil
}

// BlockBytes returns the bytes of the blocks that Settle moves.
func (s *Set) BlockBytes() int {
	t := s.sorted
	if t == nil {
		return 0
	}
	return t.members.Held() + t.list.Held() + t.deadlines.Held()
}

// Drop frees some blocks, about n of each kind, of a set that is not used for anything else any
// more, and reports whether there are more.
func (s *Set) Drop(n int) (more bool) {
	if s.sorted != nil {
		more = s.sorted.drop(n)
	}
	return more
}

func (t *sorted) drop(n int) (more bool) {
	more = t.members.Drop(n)
	more = t.list.Drop(n) || more
	return t.deadlines.Drop(n) || more
}
