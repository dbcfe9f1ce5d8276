package table

// Deadlines of elements: milliseconds since the epoch, from 1 to expiry.Max, 0 for none. The table
// does not know the time: an element that is due stays until Expire.

// Volatile returns how many elements have a deadline. O(1).
func (t *Table) Volatile() int {
	if t == nil {
		return 0
	}
	return t.deadlines.Count()
}

// NextDeadline returns a time before which no element is due, 0 if none has a deadline. O(1).
func (t *Table) NextDeadline() int64 {
	if t == nil {
		return 0
	}
	return t.deadlines.Next()
}

// DeadlineBytes returns the bytes that the deadlines take, part of Bytes. O(1).
func (t *Table) DeadlineBytes() int {
	if t == nil {
		return 0
	}
	return t.deadlines.Bytes()
}

// Deadline returns the deadline of a name, 0 if it has none; ok is false if the name is not there.
// O(1).
func (t *Table) Deadline(name []byte) (deadline int64, ok bool) {
	r := t.Find(name)
	if r != 0 {
		deadline = t.deadlines.At(r)
	}
	return deadline, r != 0
}

// SetDeadline gives a name a deadline, 0 for none, and reports whether the name is there. O(1) if
// the deadline moves later, else O(log n).
func (t *Table) SetDeadline(name []byte, deadline int64) bool {
	r := t.Find(name)
	if r != 0 {
		t.preserve(r)
		t.PutDeadline(r, deadline)
	}
	return r != 0
}

// PutDeadline is SetDeadline for an element that was added just now.
func (t *Table) PutDeadline(r Ref, deadline int64) {
	t.deadlines = t.deadlines.With(r, deadline, t.cells.Memory())
}

// Deadlines calls fn for each element that has a deadline until fn returns false. fn must not
// change the table. O(n).
func (t *Table) Deadlines(fn func(name []byte, deadline int64) bool) {
	if t.Volatile() > 0 {
		t.deadlines.Each(func(r Ref, deadline int64) bool { return fn(t.Name(r), deadline) })
	}
}

// Expire removes elements that are due, at most most of them, calls fn with the name of each before
// it goes unless fn is nil, and returns how many. O(log n) each.
func (t *Table) Expire(now int64, most int, fn func(name []byte)) (removed int) {
	for ; removed < most && t.Volatile() > 0; removed++ {
		r, deadline := t.deadlines.PopDue(now)
		if deadline == 0 {
			break
		}
		if t.frozen != nil {
			t.frozen.keep(r, deadline)
		}
		if fn != nil {
			fn(t.Name(r))
		}
		t.Remove(t.Name(r))
	}
	return removed
}
