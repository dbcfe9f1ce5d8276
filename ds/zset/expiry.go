package zset

import (
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Deadlines of members: milliseconds since the epoch, from 1 to expiry.Max, 0 for none. The set
// does not know the time: a member that is due stays until Expire, which the keyspace calls at
// every lookup.

// Volatile returns how many members have a deadline. O(1).
func (s *Set) Volatile() int {
	if s.sorted == nil {
		return 0
	}
	return s.sorted.deadlines.Count()
}

// NextDeadline returns a time before which no member is due, 0 if none has a deadline. O(1).
func (s *Set) NextDeadline() int64 {
	if s.sorted == nil {
		return 0
	}
	return s.sorted.deadlines.Next()
}

// Deadline returns the deadline of a member, 0 if it has none; ok is false if there is no such
// member. O(1), or O(n) in a packed set.
func (s *Set) Deadline(member []byte) (deadline int64, ok bool) {
	if s.sorted == nil {
		return 0, s.find(member) != ziplist.None
	}
	n := s.sorted.node(member)
	if n != 0 {
		deadline = s.sorted.deadlines.At(n)
	}
	return deadline, n != 0
}

// SetDeadline gives a member a deadline, 0 for none, and reports whether there is such a member.
// O(1) if the deadline moves later, else O(log n). The first deadline makes a packed set sorted,
// for which dice are needed.
func (s *Set) SetDeadline(member []byte, deadline int64, dice func(n uint64) uint64) bool {
	if s.sorted == nil {
		if found := s.find(member) != ziplist.None; deadline == 0 || !found {
			return found
		}
		s.Sort(dice)
	}
	n := s.sorted.node(member)
	if n != 0 {
		s.sorted.preserve(n)
		s.sorted.setDeadline(n, deadline)
	}
	return n != 0
}

// Deadlines calls fn for each member that has a deadline until fn returns false. fn must not change
// the set. O(n).
func (s *Set) Deadlines(fn func(member []byte, deadline int64) bool) {
	if s.Volatile() > 0 {
		s.sorted.deadlines.Each(func(n node, deadline int64) bool { return fn(s.sorted.list.Member(n), deadline) })
	}
}

// Expire removes members that are due, at most most of them, calls fn with each before it goes
// unless fn is nil, and returns how many. O(log n) each.
func (s *Set) Expire(now int64, most int, fn func(member []byte)) (removed int) {
	for s.Volatile() > 0 && removed < most {
		n, deadline := s.sorted.deadlines.PopDue(now)
		if deadline == 0 {
			break
		}
		if s.sorted.frozen != nil {
			s.sorted.frozen.keep(n, deadline)
		}
		if fn != nil {
			fn(s.sorted.list.Member(n))
		}
		s.sorted.remove(s.sorted.list.Member(n))
		removed++
	}
	return removed
}

// Discard is Remove, under the name that other collections have for it.
func (s *Set) Discard(member []byte) bool { return s.Remove(member) }
