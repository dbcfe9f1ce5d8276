package hash

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Each calls fn for every field with its value until fn returns false, in
// the order of creation while packed. fn must not change the hash. O(n).
func (h *Hash) Each(fn func(field, value ziplist.Entry) bool) {
	if h.table != nil {
		cells := h.table.Cells()
		h.table.Each(func(r table.Ref) bool { return fn(entries(cells.At(r))) })
		return
	}
	for p := h.first(); p != ziplist.None; {
		var field, value ziplist.Entry
		field, value, p = h.at(p)
		if !fn(field, value) {
			return
		}
	}
}

// Scan calls fn for the fields of one step of a walk and returns the cursor
// for the next; a walk begins and ends at 0. A packed hash comes in one step.
// Of a table a step gives about count fields, and a field that is there
// during the whole walk is given at least once. fn must not change the hash.
func (h *Hash) Scan(cursor uint64, count int, fn func(field, value ziplist.Entry)) uint64 {
	if h.table == nil {
		h.Each(func(field, value ziplist.Entry) bool { fn(field, value); return true })
		return 0
	}
	return h.table.Scan(cursor, count, func(r table.Ref) { fn(h.pair(r)) })
}

// Random returns a field with its value, each with the same probability;
// zero Entries from an empty hash. dice(n) must return a number in [0, n),
// each with the same probability. O(1), or O(n) in a packed hash.
func (h *Hash) Random(dice func(n uint64) uint64) (field, value ziplist.Entry) {
	switch {
	case h.Len() == 0:
	case h.table != nil:
		return h.pair(h.table.Random(dice))
	default:
		field, value, _ = h.at(h.packed.Index(2 * int(dice(uint64(h.Len())))))
	}
	return field, value
}

// Draw calls fn for count fields, each time any of them with the same
// probability, until fn returns false. fn must not change the hash.
// O(count), and O(n) once in a packed hash.
func (h *Hash) Draw(count int, dice func(n uint64) uint64, fn func(field, value ziplist.Entry) bool) {
	if h.Len() == 0 {
		return
	}
	if h.table != nil {
		for ; count > 0 && fn(h.pair(h.table.Random(dice))); count-- {
		}
		return
	}
	var fields []int // positions
	for p := h.first(); p != ziplist.None; _, _, p = h.at(p) {
		fields = append(fields, p)
	}
	for ; count > 0; count-- {
		field, value, _ := h.at(fields[dice(uint64(len(fields)))])
		if !fn(field, value) {
			return
		}
	}
}

// Sample calls fn for count different fields, or all if there are fewer,
// until fn returns false. Each selection has the same probability, the order
// is not random. fn must not change the hash.
// O(n), or O(count) in a table of more than three times as many fields.
func (h *Hash) Sample(count int, dice func(n uint64) uint64, fn func(field, value ziplist.Entry) bool) {
	if h.table != nil && count < h.Len()/3 {
		h.table.Sample(count, dice, func(r table.Ref) bool { return fn(h.pair(r)) })
		return
	}
	lots := table.Lots{Left: h.Len(), Wanted: count, Dice: dice}
	h.Each(func(field, value ziplist.Entry) bool {
		return lots.Wanted > 0 && (!lots.Take() || fn(field, value))
	})
}

// first returns the position of the first field of a packed hash.
func (h *Hash) first() int {
	if h.packed == nil {
		return ziplist.None
	}
	return h.packed.First()
}

// at returns the field at position p of a packed hash with its value, and
// the position of the next field.
func (h *Hash) at(p int) (field, value ziplist.Entry, next int) {
	field, p = h.packed.Get(p)
	value, next = h.packed.Get(p)
	return field, value, next
}

// pair returns a field of a table with its value, as a packed hash would hand them out.
func (h *Hash) pair(r table.Ref) (field, value ziplist.Entry) { return entries(h.table.Cells().At(r)) }

// entries returns the field and the value in a cell of a table.
func entries(cell unsafe.Pointer) (field, value ziplist.Entry) {
	field.Str = arena.Text(cell)
	value.Str = table.ValueAt(field.Str)
	return field, value
}
