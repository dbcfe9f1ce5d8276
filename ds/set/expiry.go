package set

// Deadlines of members: milliseconds since the epoch, from 1 to expiry.Max, 0 for none. The set
// does not know the time: a member that is due stays until Expire, which the keyspace calls at
// every lookup.

// Volatile returns how many members have a deadline. O(1).
func (s *Set) Volatile() int { return s.table.Volatile() }

// NextDeadline returns a time before which no member is due, 0 if none has a deadline. O(1).
func (s *Set) NextDeadline() int64 { return s.table.NextDeadline() }

// DeadlineBytes returns the bytes that the deadlines of members take, part of Bytes. O(1).
func (s *Set) DeadlineBytes() int { return s.table.DeadlineBytes() }

// Deadline returns the deadline of a member, 0 if it has none; ok is false if there is no such
// member. O(1), or as Has in a packed set.
func (s *Set) Deadline(text []byte) (deadline int64, ok bool) {
	if s.table == nil {
		return 0, s.Has(text)
	}
	return s.table.Deadline(text)
}

// SetDeadline gives a member a deadline, 0 for none, and reports whether there is such a member.
// O(1) if the deadline moves later, else O(log n). The first deadline makes a packed set a table,
// which takes its seed from dice.
func (s *Set) SetDeadline(text []byte, deadline int64, dice func(n uint64) uint64) bool {
	if s.table == nil {
		if deadline == 0 || !s.Has(text) {
			return s.Has(text)
		}
		s.convert(s.Len(), Limits{Seed: dice(1 << 62)})
	}
	return s.table.SetDeadline(text, deadline)
}

// Deadlines calls fn for each member that has a deadline until fn returns false. fn must not change
// the set. O(n).
func (s *Set) Deadlines(fn func(member []byte, deadline int64) bool) { s.table.Deadlines(fn) }

// Expire removes members that are due, at most most of them, calls fn with each before it goes
// unless fn is nil, and returns how many. O(log n) each.
func (s *Set) Expire(now int64, most int, fn func(member []byte)) (removed int) {
	return s.table.Expire(now, most, fn)
}

// Discard is Remove, under the name that other collections have for it.
func (s *Set) Discard(member []byte) bool { return s.Remove(member) }
