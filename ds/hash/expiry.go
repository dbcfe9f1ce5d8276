package hash

import (
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Deadlines of fields: milliseconds since the epoch, from 1 to expiry.Max, 0 for none. The hash
// does not know the time: a field that is due stays until Expire, which the keyspace calls at every
// lookup.

// Volatile returns how many fields have a deadline. O(1).
func (h *Hash) Volatile() int {
	if h.table != nil {
		return h.table.Volatile()
	}
	return h.deadlines.Count()
}

// DeadlineBytes returns the bytes that the deadlines of fields take, part of Bytes. O(1).
func (h *Hash) DeadlineBytes() int {
	if h.table != nil {
		return h.table.DeadlineBytes()
	}
	return h.deadlines.Bytes()
}

// NextDeadline returns a time before which no field is due, 0 if none has a deadline. O(1).
func (h *Hash) NextDeadline() int64 {
	if h.table != nil {
		return h.table.NextDeadline()
	}
	return h.deadlines.Next()
}

// Deadline returns the deadline of field, 0 if it has none; ok is false if there is no such field.
// O(1), or O(n) in a packed hash.
func (h *Hash) Deadline(field []byte) (deadline int64, ok bool) {
	if h.table != nil {
		return h.table.Deadline(field)
	}
	p := h.find(field)
	if ok = p != ziplist.None; ok && h.deadlines != nil {
		deadline = h.deadlines.At(h.indexOf(p))
	}
	return deadline, ok
}

// SetDeadline gives field a deadline, 0 for none, and reports whether there is such a field. O(1)
// if the deadline moves later, else O(log n); O(n) in a packed hash. The dice are not needed; they
// are what other collections take.
func (h *Hash) SetDeadline(field []byte, deadline int64, _ func(n uint64) uint64) bool {
	if deadline != 0 {
		h.ExpectDeadline(Limits{})
	}
	return h.setDeadline(field, deadline)
}

// ExpectDeadline gives a packed hash room for deadlines, which changes its encoding, or makes it a
// table if lim says that only tables have deadlines. O(bytes).
func (h *Hash) ExpectDeadline(lim Limits) {
	switch {
	case h.table != nil || h.Len() == 0:
	case lim.TableForDeadlines:
		h.convert(lim)
	case h.deadlines == nil:
		h.packed = append(ziplist.List(nil), h.packed...) // a view's bytes are borrowed, deadlines are not
		h.deadlines = expiry.NewArray(h.Len())
	}
}

func (h *Hash) setDeadline(field []byte, deadline int64) bool {
	if h.table != nil {
		return h.table.SetDeadline(field, deadline)
	}
	p := h.find(field)
	if p != ziplist.None && h.deadlines != nil {
		h.deadlines.Put(h.indexOf(p), deadline)
	}
	return p != ziplist.None
}

// Deadlines calls fn for each field that has a deadline until fn returns false. fn must not change
// the hash. O(n).
func (h *Hash) Deadlines(fn func(field []byte, deadline int64) bool) {
	switch {
	case h.table != nil:
		h.table.Deadlines(fn)
	case h.deadlines != nil:
		var digits [20]byte
		i := -1
		h.Each(func(field, _ ziplist.Entry) bool {
			i++
			d := h.deadlines.At(i)
			return d == 0 || fn(field.Text(digits[:]), d)
		})
	}
}

// Expire removes fields that are due, at most most of them, calls fn with each before it goes
// unless fn is nil, and returns how many. O(log n) each, or O(bytes) in a packed hash.
func (h *Hash) Expire(now int64, most int, fn func(field []byte)) (removed int) {
	switch {
	case h.table != nil:
		return h.table.Expire(now, most, fn)
	case h.deadlines != nil:
		return h.expirePacked(now, fn)
	}
	return 0
}

// expirePacked removes all fields of a packed hash that are due: they are few.
func (h *Hash) expirePacked(now int64, fn func(field []byte)) (removed int) {
	var digits [20]byte
	for end := h.deadlines.Len(); ; {
		i, n := h.deadlines.LastDue(now, end)
		if n == 0 {
			h.packed = h.packed.Trim()
			return h.deadlines.DeleteDue(now)
		}
		p := h.packed.Index(2 * i)
		for q, k := p, 0; fn != nil && k < n; k++ {
			var field ziplist.Entry
			field, _, q = h.at(q)
			fn(field.Text(digits[:]))
		}
		h.packed = h.packed.Delete(p, 2*n)
		end = i
	}
}

// deadlineAdded keeps the deadlines in step with a field that was added to a packed hash.
func (h *Hash) deadlineAdded() {
	if h.deadlines != nil {
		h.deadlines.Insert(h.deadlines.Len(), 1)
	}
}

// deadlineRemoved keeps them in step with a field at position p that is about to be removed.
func (h *Hash) deadlineRemoved(p int) {
	if h.deadlines != nil {
		h.deadlines.Delete(h.indexOf(p), 1)
	}
}

// indexOf returns how many fields there are before that at position p of a packed hash.
func (h *Hash) indexOf(p int) (i int) {
	for q := h.packed.First(); q != p; i++ {
		q = h.packed.Next(h.packed.Next(q))
	}
	return i
}

// Discard is Delete, under the name that other collections have for it.
func (h *Hash) Discard(field []byte) bool { return h.Delete(field) }
