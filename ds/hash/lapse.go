package hash

import (
	"github.com/miniserver-go/miniserver/ds/lapse"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Deadlines of fields: milliseconds since the epoch, from 1 to lapse.Max, 0 for none. The hash does
// not know the time: a field that is due is there until Lapse, which the keyspace calls before it
// lends the hash to anyone.

// Dated returns how many fields have a deadline. O(1).
func (h *Hash) Dated() int {
	switch {
	case h.dates != nil:
		return h.dates.Dated()
	case h.table != nil && h.table.dates != nil:
		return h.table.dates.Dated()
	}
	return 0
}

// NextDeadline returns a time before which no field is due, 0 if none has a deadline. O(1).
func (h *Hash) NextDeadline() int64 {
	switch {
	case h.dates != nil:
		return h.dates.Next()
	case h.table != nil && h.table.dates != nil:
		return h.table.dates.Next()
	}
	return 0
}

// Deadline returns the deadline of field, 0 if it has none; ok is false if there is no such field.
// O(1), or O(n) in a packed hash.
func (h *Hash) Deadline(field []byte) (deadline int64, ok bool) {
	if h.table != nil {
		p, ok := h.table.pairs.Find(view(field))
		if ok && h.table.dates != nil {
			deadline = h.table.dates.At(p)
		}
		return deadline, ok
	}
	p := h.find(field)
	if ok = p != ziplist.None; ok && h.dates != nil {
		deadline = h.dates.At(h.ordinal(p))
	}
	return deadline, ok
}

// SetDeadline gives field a deadline, 0 for none, and reports whether there is such a field. O(1) if
// the deadline moves later, else O(log n); O(n) in a packed hash. The dice are not needed; they are
// what other collections take.
func (h *Hash) SetDeadline(field []byte, deadline int64, _ func(n uint64) uint64) bool {
	if deadline != 0 && h.table == nil && h.dates == nil && h.packed != nil {
		h.packed = append(ziplist.List(nil), h.packed...) // a view's bytes are borrowed, deadlines are not
		h.dates = lapse.NewRow(h.Len())
	}
	return h.setDeadline(field, deadline)
}

func (h *Hash) setDeadline(field []byte, deadline int64) bool {
	if h.table != nil {
		p, ok := h.table.pairs.Find(view(field))
		if ok {
			h.table.date(p, deadline)
		}
		return ok
	}
	p := h.find(field)
	if p != ziplist.None && h.dates != nil {
		h.dates.Put(h.ordinal(p), deadline)
	}
	return p != ziplist.None
}

// Deadlines calls fn for each field that has a deadline until fn returns false. fn must not change
// the hash. O(n).
func (h *Hash) Deadlines(fn func(field []byte, deadline int64) bool) {
	switch {
	case h.table != nil && h.table.dates != nil:
		h.table.dates.Each(func(p pair, deadline int64) bool { return fn(p.key(), deadline) })
	case h.dates != nil:
		var digits [20]byte
		i := -1
		h.Each(func(field, _ ziplist.Entry) bool {
			i++
			d := h.dates.At(i)
			return d == 0 || fn(field.Text(digits[:]), d)
		})
	}
}

// Lapse removes fields that are due, at most most of them, calls fn with each before it goes unless
// fn is nil, and returns how many. O(log n) each, or O(bytes) in a packed hash.
func (h *Hash) Lapse(now int64, most int, fn func(field []byte)) (removed int) {
	switch {
	case h.table != nil && h.table.dates != nil:
		return h.table.lapse(now, most, fn)
	case h.dates != nil:
		return h.lapsePacked(now, fn)
	}
	return 0
}

func (t *table) lapse(now int64, most int, fn func(field []byte)) (removed int) {
	for ; removed < most; removed++ {
		p, ok := t.dates.Due(now)
		if !ok {
			break
		}
		if fn != nil {
			fn(p.key())
		}
		t.delete(p.key())
	}
	return removed
}

// lapsePacked removes all fields of a packed hash that are due: they are few.
func (h *Hash) lapsePacked(now int64, fn func(field []byte)) (removed int) {
	var digits [20]byte
	for end := h.dates.Len(); ; {
		i, n := h.dates.Due(now, end)
		if n == 0 {
			h.packed = h.packed.Trim()
			return h.dates.Sweep(now)
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

// added keeps the row in step with a field that was added to a packed hash.
func (h *Hash) added() {
	if h.dates != nil {
		h.dates.Insert(h.dates.Len(), 1)
	}
}

// removing keeps it in step with one, at position p, that is about to go.
func (h *Hash) removing(p int) {
	if h.dates != nil {
		h.dates.Delete(h.ordinal(p), 1)
	}
}

// ordinal returns how many fields there are before that at position p of a packed hash.
func (h *Hash) ordinal(p int) (i int) {
	for q := h.packed.First(); q != p; i++ {
		q = h.packed.Next(h.packed.Next(q))
	}
	return i
}

// Discard is Delete, under the name that other collections have for it.
func (h *Hash) Discard(field []byte) bool { return h.Delete(field) }
