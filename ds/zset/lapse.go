package zset

import (
	"github.com/miniserver-go/miniserver/ds/skiplist"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Deadlines of members: milliseconds since the epoch, from 1 to lapse.Max, 0 for none. The set does
// not know the time: a member that is due is there until Lapse, which the keyspace calls before it
// lends the set to anyone.

// Dated returns how many members have a deadline. O(1).
func (s *Set) Dated() int {
	if s.sorted == nil || s.sorted.dates == nil {
		return 0
	}
	return s.sorted.dates.Dated()
}

// NextDeadline returns a time before which no member is due, 0 if none has a deadline. O(1).
func (s *Set) NextDeadline() int64 {
	if s.Dated() == 0 {
		return 0
	}
	return s.sorted.dates.Next()
}

// Deadline returns the deadline of a member, 0 if it has none; ok is false if there is no such
// member. O(1), or O(n) in a packed set.
func (s *Set) Deadline(member []byte) (deadline int64, ok bool) {
	if s.sorted == nil {
		return 0, s.find(member) != ziplist.None
	}
	n, ok := s.sorted.members.Find(view(member))
	if ok && s.sorted.dates != nil {
		deadline = s.sorted.dates.At(n)
	}
	return deadline, ok
}

// SetDeadline gives a member a deadline, 0 for none, and reports whether there is such a member. O(1)
// if the deadline moves later, else O(log n). The first deadline makes a packed set sorted, for
// which dice are needed.
func (s *Set) SetDeadline(member []byte, deadline int64, dice func(n uint64) uint64) bool {
	if s.sorted == nil {
		if found := s.find(member) != ziplist.None; deadline == 0 || !found {
			return found
		}
		s.convert(dice)
	}
	n, ok := s.sorted.members.Find(view(member))
	if ok {
		s.sorted.date(n, deadline)
	}
	return ok
}

// Deadlines calls fn for each member that has a deadline until fn returns false. fn must not change
// the set. O(n).
func (s *Set) Deadlines(fn func(member []byte, deadline int64) bool) {
	if s.Dated() > 0 {
		s.sorted.dates.Each(func(n *skiplist.Node, deadline int64) bool { return fn(n.Member(), deadline) })
	}
}

// Lapse removes members that are due, at most most of them, calls fn with each before it goes unless
// fn is nil, and returns how many. O(log n) each.
func (s *Set) Lapse(now int64, most int, fn func(member []byte)) (removed int) {
	for s.Dated() > 0 && removed < most {
		n, ok := s.sorted.dates.Due(now)
		if !ok {
			break
		}
		if fn != nil {
			fn(n.Member())
		}
		s.sorted.remove(n.Member())
		removed++
	}
	return removed
}

// Discard is Remove, under the name that other collections have for it.
func (s *Set) Discard(member []byte) bool { return s.Remove(member) }
