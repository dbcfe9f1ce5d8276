// Package hash is the hash value: fields with values, packed in a ziplist
// while small and in a table from then on.
//
//	packed  one ziplist          field value field value ...
//	table   table.Table          each field a name with a value
//
// Invariants, all verified by Check:
//
//  1. A hash is packed or a table, never both; the zero Hash is an empty
//     packed one.
//  2. A packed hash has an even number of entries, each field once.
//  3. What became a table stays one, as in Redis.
//
// A hash becomes a table when Redis makes it one: before a field or value
// longer than Limits.MaxValue is written, and after a write that leaves more
// than Limits.MaxEntries fields.
//
// Fields and values come out as ziplist.Entry: text, or an integer not yet
// rendered, so that reading a number or writing straight into a reply
// makes no text in between. Both encodings return aliases of their
// own memory, valid until the hash is next changed. What goes in is copied
// and must not be such an alias.
//
// Fields may have deadlines (see expiry.go and package expiry). They are kept
// beside the ziplist or the table, and cost nothing in a hash without them.
//
// Non-goals: arithmetic on values, which is the commands' affair, and the
// removal of empty hashes, which is the keyspace's.
//
// Unlike Redis, which allocates a node, a field and a value, a table has its
// pairs side by side: see package table.
package hash

import (
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Hash is one hash. The zero value is an empty one.
//
// A Hash made by Of works on the bytes it was given and allocates only when
// they do not suffice, so it may be a short-lived view of bytes kept
// elsewhere. Assigning a Hash shares its memory; Clone copies it.
type Hash struct {
	packed    ziplist.List // nil if a table, or nothing was ever set
	table     *table.Table
	deadlines *expiry.Array // of the fields of a packed hash; nil if none ever had a deadline
}

// Limits are the thresholds for a packed hash, and what a table needs.
type Limits struct {
	MaxEntries        int    // most fields of a packed hash
	MaxValue          int    // most bytes of a field or value in a packed hash
	TableForDeadlines bool   // a packed hash has no deadlines, as in Valkey
	Seed              uint64 // hashes of a table's fields depend on it
}

// Of returns the packed hash whose fields and values alternate in zl. It
// works on zl itself. Bytes from outside must pass Check.
func Of(zl ziplist.List) Hash { return Hash{packed: zl} }

// Packed returns the ziplist of a packed hash, which stays the hash's own;
// false if the hash is a table, or if there are deadlines as well.
func (h *Hash) Packed() ([]byte, bool) {
	if h.packed == nil && h.table == nil {
		h.packed = ziplist.New()
	}
	return h.packed, h.table == nil && h.deadlines == nil
}

// Ziplist returns the ziplist, which stays the hash's own, also if fields have deadlines; false if
// the hash is encoded otherwise.
func (h *Hash) Ziplist() (ziplist.List, bool) {
	zl, _ := h.Packed()
	return zl, h.table == nil
}

// Len returns the number of fields. O(1); O(n) for a packed one of more than
// 32767 fields.
func (h *Hash) Len() int {
	switch {
	case h.table != nil:
		return h.table.Len()
	case h.packed == nil:
		return 0
	}
	return h.packed.Len() / 2
}

// Encoding returns the encoding as OBJECT ENCODING says it: ziplist, hashtable, or
// listpackex for a packed hash that has, or had, deadlines.
func (h *Hash) Encoding() string {
	switch {
	case h.table != nil:
		return "hashtable"
	case h.deadlines != nil:
		return "listpackex"
	}
	return "ziplist"
}

// Bytes returns the bytes held beyond the Hash itself: the ziplist's block,
// or the table as the allocator rounds it, and the deadlines.
// O(1).
func (h *Hash) Bytes() int {
	if h.table != nil {
		return h.table.Bytes()
	}
	return cap(h.packed) + h.deadlines.Bytes()
}

// Lookup returns the value of field; false if there is none.
// O(1), or O(n) in a packed hash; allocates nothing.
func (h *Hash) Lookup(field []byte) (value ziplist.Entry, ok bool) {
	if h.table != nil {
		value.Str, ok = h.table.Lookup(field)
		return value, ok
	}
	p := h.find(field)
	if p == ziplist.None {
		return value, false
	}
	value, _ = h.packed.Get(h.packed.Next(p))
	return value, true
}

// Get returns the text of field's value; nil and false if there is none. The
// text aliases the hash, or was rendered into buf[:0]; 20 bytes of capacity
// suffice there.
func (h *Hash) Get(field, buf []byte) (value []byte, ok bool) {
	e, ok := h.Lookup(field)
	if !ok {
		return nil, false
	}
	return e.Text(buf), true
}

// Has reports whether the field exists.
func (h *Hash) Has(field []byte) bool {
	_, ok := h.Lookup(field)
	return ok
}

// StrLen returns the length of the text of field's value, 0 if there is none.
func (h *Hash) StrLen(field []byte) int {
	if e, ok := h.Lookup(field); ok {
		return e.Len()
	}
	return 0
}

// Set gives field the value, and reports whether the field is new. Both are
// copied. The field has no deadline afterwards. O(1), or O(bytes) in a packed
// hash.
func (h *Hash) Set(field, value []byte, lim Limits) (created bool) {
	created = h.Update(field, value, lim)
	if !created && h.Volatile() > 0 {
		h.setDeadline(field, 0)
	}
	return created
}

// Update is Set, but a field that has a deadline keeps it.
func (h *Hash) Update(field, value []byte, lim Limits) (created bool) {
	if h.prepareWrite(len(field), len(value), lim) {
		return h.table.Set(field, value)
	}
	p := h.find(field)
	if created = p == ziplist.None; created {
		h.packed = h.packed.Append(field).Append(value)
		h.deadlineAdded()
	} else {
		h.packed = h.packed.Replace(h.packed.Next(p), value)
	}
	h.Fit(lim)
	return created
}

// UpdateInt is Update to n's decimal text.
func (h *Hash) UpdateInt(field []byte, n int64, lim Limits) (created bool) {
	value := ziplist.Entry{Int: n}
	if h.prepareWrite(len(field), value.Len(), lim) {
		var buf [20]byte
		return h.table.Set(field, value.Append(buf[:0]))
	}
	p := h.find(field)
	if created = p == ziplist.None; created {
		h.packed = h.packed.Append(field).AppendInt(n)
		h.deadlineAdded()
	} else {
		h.packed = h.packed.ReplaceInt(h.packed.Next(p), n)
	}
	h.Fit(lim)
	return created
}

// Delete removes field and reports whether it existed.
// O(1), or O(bytes) in a packed hash.
func (h *Hash) Delete(field []byte) bool {
	if h.table != nil {
		return h.table.Remove(field)
	}
	p := h.find(field)
	if p == ziplist.None {
		return false
	}
	h.deadlineRemoved(p)
	h.packed = h.packed.Delete(p, 2).Trim()
	return true
}

// Expect prepares for n fields that are about to be added: it makes an empty hash
// a table with room for them if they are too many for a packed one. O(n) memory.
func (h *Hash) Expect(n int, lim Limits) {
	if h.table == nil && n > lim.MaxEntries && h.Len() == 0 {
		*h = Hash{table: table.New(n, lim.Seed, true)}
	}
}

// Prepare makes the hash a table if a packed one cannot hold such a field and value. O(1), or O(n)
// if it converts.
func (h *Hash) Prepare(field, value []byte, lim Limits) { h.prepareWrite(len(field), len(value), lim) }

// Fit makes a packed hash of more than lim.MaxEntries fields a table; values
// are not looked at. Writes do it themselves: it is for hashes that were
// loaded. O(1), or O(n) if it converts.
func (h *Hash) Fit(lim Limits) {
	if h.table == nil && h.Len() > lim.MaxEntries {
		h.convert(lim)
	}
}

// Clone returns a copy that shares nothing with h. O(bytes).
func (h *Hash) Clone() value.Value {
	if h.table != nil {
		return &Hash{table: h.table.Clone()}
	}
	c := &Hash{packed: append(ziplist.List(nil), h.packed...)}
	if h.deadlines != nil {
		c.deadlines = h.deadlines.Clone()
	}
	return c
}

// find returns the position of field in a packed hash.
func (h *Hash) find(field []byte) int {
	if h.packed == nil {
		return ziplist.None
	}
	return h.packed.Find(field, h.packed.First(), 1)
}

// prepareWrite makes the hash ready for a field and a value of the given lengths
// and reports whether it is a table.
func (h *Hash) prepareWrite(field, value int, lim Limits) bool {
	const overhead = 2 * (5 + 5) // prevlens and encodings
	switch {
	case h.table != nil:
	case field > lim.MaxValue || value > lim.MaxValue || len(h.packed)+field+value+overhead > ziplist.MaxBytes:
		h.convert(lim)
	case h.packed == nil:
		h.packed = ziplist.New()
	}
	return h.table != nil
}

// convert makes a packed hash a table.
func (h *Hash) convert(lim Limits) {
	t := table.New(h.Len()+1, lim.Seed, true)
	var key, value [20]byte
	i := 0
	h.Each(func(f, v ziplist.Entry) bool {
		r := t.Append(f.Text(key[:]), v.Text(value[:]))
		if h.deadlines != nil && h.deadlines.At(i) != 0 {
			t.PutDeadline(r, h.deadlines.At(i))
		}
		i++
		return true
	})
	*h = Hash{table: t}
}
