package set

// Deadlines of members: milliseconds since the epoch, from 1 to expiry.Max, 0 for none. The set
// does not know the time: a member that is due stays until Expire, which the keyspace calls at
// every lookup.

// Volatile returns how many members have a deadline. O(1).
func (s *Set) Volatile() int {
	if s.table == nil {
		return 0
	}
	return s.table.deadlines.Count()
}

// NextDeadline returns a time before which no member is due, 0 if none has a deadline. O(1).
func (s *Set) NextDeadline() int64 {
	if s.table == nil {
		return 0
	}
	return s.table.deadlines.Next()
}

// Deadline returns the deadline of a member, 0 if it has none; ok is false if there is no such
// member. O(1), or as Has in a packed set.
func (s *Set) Deadline(text []byte) (deadline int64, ok bool) {
	if s.table == nil {
		return 0, s.Has(text)
	}
	m := s.table.lookup(text)
	if m != 0 {
		deadline = s.table.deadline(m)
	}
	return deadline, m != 0
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
	m := s.table.lookup(text)
	if m != 0 {
		s.table.preserve(m)
		s.table.setDeadline(m, deadline)
	}
	return m != 0
}

// Deadlines calls fn for each member that has a deadline until fn returns false. fn must not change
// the set. O(n).
func (s *Set) Deadlines(fn func(member []byte, deadline int64) bool) {
	if s.Volatile() > 0 {
		s.table.deadlines.Each(func(m member, deadline int64) bool { return fn(s.table.text(m), deadline) })
	}
}

// Expire removes members that are due, at most most of them, calls fn with each before it goes
// unless fn is nil, and returns how many. O(log n) each.
func (s *Set) Expire(now int64, most int, fn func(member []byte)) (removed int) {
	for s.Volatile() > 0 && removed < most {
		m, deadline := s.table.deadlines.PopDue(now)
		if deadline == 0 {
			break
		}
		if s.table.frozen != nil {
			s.table.frozen.keep(m, deadline)
		}
		if fn != nil {
			fn(s.table.text(m))
		}
		s.table.remove(s.table.text(m))
		removed++
	}
	return removed
}

// Discard is Remove, under the name that other collections have for it.
func (s *Set) Discard(member []byte) bool { return s.Remove(member) }
