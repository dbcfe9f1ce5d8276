package hash

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// pair names a field with its value, two texts in one cell of a table. A new value that needs a
// cell of the same size is written in place.
type pair = arena.Ref

// pairSize is the number of bytes a pair needs.
func pairSize(key, value int) int { return arena.TextSize(key) + arena.TextSize(value) }

// newPair makes a cell with copies of key and value.
func (t *table) newPair(key, value []byte) pair {
	p := t.pairs.Alloc(pairSize(len(key), len(value)))
	at := t.pairs.At(p)
	arena.PutText(unsafe.Add(at, arena.PutText(at, key)), value)
	return p
}

// field returns the field of a pair, aliasing its cell; never nil.
func (t *table) field(p pair) []byte { return arena.Text(t.pairs.At(p)) }

// value returns the value of a pair, aliasing its cell; never nil.
func (t *table) value(p pair) []byte { return arena.Text(behind(t.field(p))) }

// behind returns where the value of a field begins.
func behind(field []byte) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(field)), len(field))
}

// entries returns the field and the value at the address of a pair as a packed hash would hand them
// out.
func entries(at unsafe.Pointer) (field, value ziplist.Entry) {
	field.Str = arena.Text(at)
	value.Str = arena.Text(behind(field.Str))
	return field, value
}

// asEntries returns field and value of a pair.
func (t *table) asEntries(p pair) (field, value ziplist.Entry) { return entries(t.pairs.At(p)) }

// size returns how many bytes a pair needs.
func (t *table) size(p pair) int {
	field := t.field(p)
	return pairSize(len(field), len(arena.Text(behind(field))))
}
