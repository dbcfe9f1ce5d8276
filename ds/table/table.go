// Package table is the encoding of large hashes and sets: names, each once, with a value or
// without.
//
//	dict.Index ──▶ arena.Arena    each element one cell  [length] name
//	                                        or with values  [length] name [length] value
//
// Elements lie side by side in an arena, which the collector never looks into. It is compacted,
// chain by chain with each change, when much of it is free. An element is named by the reference of
// its cell, which is valid until the table is next changed.
//
// Elements may have deadlines (see package expiry), which are kept beside the index and cost
// nothing in a table without them. Whatever changes or removes an element first keeps it for the
// walk of a snapshot, if there is one (see package frozen).
//
// Invariants, all verified by Check:
//
//  1. The cells of the elements are all that is in use in the arena.
//  2. No name is there twice.
//  3. Only elements of the table have deadlines.
//
// A nil Table has no elements, holds no bytes, and can be asked for either; nothing can be added to
// it.
package table

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Table is one table. It must not be copied.
type Table struct {
	index     dict.Index
	cells     arena.Arena
	seed      uint64 // of the hash function
	deadlines *expiry.Table
	frozen    *walk  // nil unless a snapshot is under way
	cursor    uint32 // of the walk that compacts the cells
	values    bool   // elements have values
}

// Ref names an element; 0 is none.
type Ref = arena.Ref

// New returns an empty table with room for n elements, with values or without.
func New(n int, seed uint64, values bool) *Table {
	t := &Table{seed: seed, values: values}
	t.index.Reserve(n)
	return t
}

// Len returns the number of elements. O(1).
func (t *Table) Len() int { return t.index.Len() }

// Name returns the name of an element, aliasing its cell; never nil.
func (t *Table) Name(r Ref) []byte { return arena.Text(t.cells.At(r)) }

// Cells returns the cells of the elements, which are valid until the table is next changed. A cell
// begins with the name: arena.Text.
func (t *Table) Cells() arena.Cells { return t.cells.Cells() }

// ValueAt returns the value behind the name of an element with a value.
func ValueAt(name []byte) []byte { return arena.Text(behind(name)) }

// behind returns where a name ends.
func behind(name []byte) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(name)), len(name))
}

// HashOf returns the hash of an element's name, for the index.
func (t *Table) HashOf(r Ref) uint64 { return dict.Hash(t.seed, arena.Key(t.cells.At(r))) }

// find returns the slot of the element of that name, nil if there is none, and the hash.
func (t *Table) find(name []byte) (slot *Ref, h uint64) {
	return t.index.FindText(t.seed, dict.Key(name), t.cells.Cells(), 0)
}

// Find returns the element of that name, 0 if there is none.
func (t *Table) Find(name []byte) Ref {
	if slot, _ := t.find(name); slot != nil {
		return *slot
	}
	return 0
}

// Has reports whether there is an element of that name.
func (t *Table) Has(name []byte) bool {
	slot, _ := t.find(name)
	return slot != nil
}

// Lookup returns the value of a name; ok is false if the name is not there.
func (t *Table) Lookup(name []byte) (value []byte, ok bool) {
	slot, _ := t.find(name)
	if slot == nil {
		return nil, false
	}
	return ValueAt(t.Name(*slot)), true
}

// Add adds a name without a value and reports whether it is new.
func (t *Table) Add(name []byte) (added bool) {
	slot, h := t.find(name)
	if slot == nil {
		t.insert(h, name, nil)
	}
	return slot == nil
}

// Set gives a name the value and reports whether the name is new. One that is not keeps its
// deadline.
func (t *Table) Set(name, value []byte) (created bool) {
	slot, h := t.find(name)
	if slot == nil {
		t.insert(h, name, value)
		return true
	}
	r := *slot
	t.preserve(r)
	start := behind(t.Name(r))
	old, size := t.size(name, arena.Text(start)), t.size(name, value)
	if arena.Size(old) == arena.Size(size) {
		arena.PutText(start, value)
		return false
	}
	*slot = t.cells.Alloc(size)
	cell := t.cells.At(*slot)
	arena.PutText(unsafe.Add(cell, arena.PutText(cell, name)), value)
	t.deadlines.Replace(r, *slot)
	t.free(r, old)
	return false
}

// Append adds a name that is known to be absent, with a value if the table has values.
func (t *Table) Append(name, value []byte) Ref {
	return t.insert(dict.Hash(t.seed, dict.Key(name)), name, value)
}

// insert is Append for a name whose hash is h.
func (t *Table) insert(h uint64, name, value []byte) Ref {
	if t.frozen != nil {
		t.frozen.added(h, name)
	}
	r := t.cells.Alloc(t.size(name, value))
	cell := t.cells.At(r)
	if end := arena.PutText(cell, name); t.values {
		arena.PutText(unsafe.Add(cell, end), value)
	}
	t.index.Insert(h, r, t)
	if t.cells.Compacting() {
		t.compact()
	}
	return r
}

// Remove removes a name and reports whether it was there.
func (t *Table) Remove(name []byte) bool {
	slot, h := t.find(name)
	if slot == nil {
		return false
	}
	r := *slot
	t.preserve(r)
	t.index.Remove(h, slot, t)
	t.deadlines = t.deadlines.With(r, 0, nil)
	size := t.size(name, nil)
	if t.values {
		size = t.sizeOf(r)
	}
	t.free(r, size)
	return true
}

// Clone returns a copy that shares nothing with t. O(bytes).
func (t *Table) Clone() *Table {
	return &Table{index: *t.index.Clone(), cells: t.cells.Clone(), seed: t.seed, deadlines: t.deadlines.Clone(),
		cursor: t.cursor, values: t.values}
}

// size returns how many bytes a cell needs. Without values, value does not count.
func (t *Table) size(name, value []byte) int {
	n := arena.TextSize(len(name))
	if t.values {
		n += arena.TextSize(len(value))
	}
	return n
}

// sizeOf returns how many bytes the cell of an element needs.
func (t *Table) sizeOf(r Ref) int {
	name := t.Name(r)
	n := arena.TextSize(len(name))
	if t.values {
		n += arena.TextSize(len(ValueAt(name)))
	}
	return n
}

// free frees the cell of an element.
func (t *Table) free(r Ref, size int) {
	t.cells.Free(r, size)
	if t.cells.Compacting() || t.cells.Sparse() {
		t.compact()
	}
}

// compact moves the elements of some chains out of the blocks that are given up.
func (t *Table) compact() { t.cursor = uint32(t.index.Compact(&t.cells, uint64(t.cursor), t.move)) }

// move moves an element if it has to, and returns its new reference, or the one that it has.
func (t *Table) move(r Ref) Ref {
	if !t.cells.Retired(r) {
		return r
	}
	to := t.cells.Move(r, t.sizeOf(r))
	t.deadlines.Replace(r, to)
	return to
}

// Bytes returns the bytes held, the Table's own included, as the allocator rounds them. O(1).
func (t *Table) Bytes() int {
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.index.Bytes() + t.cells.Bytes() + t.deadlines.Bytes()
}

// Layout lists what a table consists of; all but the last in bytes.
type Layout struct {
	Fixed int        // what holds the rest together
	Texts int        // names and values
	Held  int        // the arena: texts, their lengths, rounding, cells not in use
	Index dict.Stats // of the buckets
}

// Layout returns what the table consists of; false if it is nil. O(n).
func (t *Table) Layout() (d Layout, ok bool) {
	if t == nil {
		return d, false
	}
	d = Layout{Held: t.cells.Bytes(), Index: t.index.Stats()}
	d.Fixed = t.Bytes() - d.Held - d.Index.Bytes - t.deadlines.Bytes()
	t.index.Each(func(r Ref) bool {
		name := t.Name(r)
		d.Texts += len(name)
		if t.values {
			d.Texts += len(ValueAt(name))
		}
		return true
	})
	return d, true
}
