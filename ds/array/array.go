package array

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// MaxIndex is the greatest index.
const MaxIndex = math.MaxUint64 - 1

// Exhausted is the next index of an array into which nothing more can be inserted.
const Exhausted = math.MaxUint64

// Limits decide how slices are kept.
type Limits struct {
	Slice int // indexes of a slice, a power of two from 256 to 65536: array-slice-size
	Most  int // elements of a sparse slice; 0 if all are dense: array-sparse-kmax
	Least int // with how many elements a dense slice becomes sparse again: array-sparse-kmin
}

// Defaults are the limits that Redis has by default.
var Defaults = Limits{Slice: 4096, Most: 10, Least: 5}

// Array is an array. The zero value is an empty one.
type Array struct {
	packed ziplist.List // of a small one: the next index, and index and text of each element
	large  *large       // nil if it is small
}

// Len returns the number of elements.
func (a *Array) Len() int {
	if a.large != nil {
		return a.large.count
	}
	if a.packed == nil {
		return 0
	}
	return a.packed.Len() / 2
}

// Span returns the greatest index plus 1; 0 if there are no elements.
func (a *Array) Span() uint64 {
	switch {
	case a.large != nil:
		return a.large.last() + 1
	case a.Len() == 0:
		return 0
	}
	return a.indexAt(a.packed.Prev(a.packed.Last())) + 1
}

// Next returns the next index; Exhausted if there is none.
func (a *Array) Next() uint64 {
	switch {
	case a.large != nil:
		return a.large.next
	case a.packed == nil:
		return 0
	}
	return a.indexAt(a.packed.First())
}

// Seek sets the next index.
func (a *Array) Seek(next uint64) {
	if a.large != nil {
		a.large.next = next
		return
	}
	a.start()
	a.packed = a.packed.ReplaceInt(a.packed.First(), int64(next))
}

// Get returns the element at an index; ok is false if there is none. It is valid until the next
// call of a method.
func (a *Array) Get(index uint64) (e ziplist.Entry, ok bool) {
	if a.large != nil {
		return a.large.get(index)
	}
	_, at, ok := a.find(index)
	if ok {
		e, _ = a.packed.Get(at)
	}
	return e, ok
}

// Set sets the element at an index, which is MaxIndex at most, and reports whether it is new.
func (a *Array) Set(index uint64, text []byte, lim Limits) (added bool) {
	if a.large == nil {
		if added, ok := a.setPacked(index, text); ok {
			return added
		}
		a.grow(lim)
	}
	added = a.large.set(index, text, lim)
	a.large.tidy()
	return added
}

// SetAll sets elements from an index on, the last one at MaxIndex at most, and returns how many are
// new.
func (a *Array) SetAll(index uint64, texts [][]byte, lim Limits) (added int) {
	if a.large == nil && a.Len()+len(texts) > packedMost {
		a.grow(lim)
	}
	for len(texts) > 0 {
		n := len(texts)
		if a.large != nil && n > 1 {
			n = a.large.expectAll(index, n, lim)
		}
		for _, text := range texts[:n] {
			if a.Set(index, text, lim) {
				added++
			}
			index++
		}
		texts = texts[n:]
	}
	return added
}

// Delete deletes the element at an index, and reports whether there was one.
func (a *Array) Delete(index uint64, lim Limits) bool { return a.DeleteRange(index, index, lim) > 0 }

// DeleteRange deletes the elements from one index to another, both included, and returns how many
// there were.
func (a *Array) DeleteRange(from, to uint64, lim Limits) (deleted int) {
	if a.large == nil {
		return a.deletePacked(from, to)
	}
	deleted = a.large.deleteRange(from, to, lim)
	if deleted > 0 && !a.shrink() {
		a.large.tidy()
	}
	return deleted
}

// Scan calls fn for the elements from one index to another, both included, until it returns false:
// from the greater to the lesser if from is greater than to. An element is valid during the call,
// which must not change the array.
func (a *Array) Scan(from, to uint64, fn func(index uint64, e ziplist.Entry) bool) {
	switch {
	case a.large == nil:
		a.scanPacked(from, to, fn)
	case from > to:
		a.large.scanBack(from, to, fn)
	default:
		a.large.scan(from, to, fn)
	}
}

// Reshape prepares a ring of that size: an array in which only indexes below it are used. If the
// array has more of them, or if it has fewer and the next index is among them, the last elements
// before the next index are kept, as many as fit, up to the first empty index; the oldest gets the
// index 0. If the next index is 0, the last elements are those at the end; then a larger ring keeps
// all as they are. O(1) if nothing moves.
func (a *Array) Reshape(size uint64, lim Limits) {
	span, next := a.Span(), a.Next()
	switch {
	case span == 0, size == span, size > span && (next == 0 || next >= span):
		return
	}
	newest := span - 1
	if next > 0 {
		newest = (next - 1) % span
	}
	at, kept := newest, uint64(0)
	for ; kept < min(size, span); kept++ {
		if _, ok := a.Get(at); !ok {
			break
		}
		at = before(at, span)
	}
	ring, buf := new(Array), make([]byte, 0, wordText)
	for i := range kept {
		if at++; at == span {
			at = 0
		}
		e, _ := a.Get(at)
		ring.Set(i, e.Text(buf), lim)
	}
	ring.Seek(kept)
	a.assign(ring)
}

// before returns the index before another one in a ring.
func before(index, span uint64) uint64 {
	if index == 0 {
		return span - 1
	}
	return index - 1
}

// assign lets a be the array that o is.
func (a *Array) assign(o *Array) {
	if a.large != nil {
		a.large.drop()
	}
	*a = *o
}
