package expiry

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Array is the deadlines of elements by position. The collection must report every element that it
// inserts or deletes. Changes at both ends are O(1) amortized, inside O(n).
type Array struct {
	data  []byte
	start int // of the first cell: there is room for further ones before it
	count int
	next  int64 // 0 if count is 0
}

const width = 6 // bytes of a deadline, the lowest first

// NewArray returns an array of n elements without deadlines.
func NewArray(n int) *Array { return &Array{data: make([]byte, n*width, sizeclass.Round(n*width))} }

// Len returns the number of elements. O(1).
func (r *Array) Len() int { return (len(r.data) - r.start) / width }

// Count returns how many elements have a deadline. Like Next and Bytes it returns 0 for a nil
// Array. O(1).
func (r *Array) Count() int {
	if r == nil {
		return 0
	}
	return r.count
}

// Next returns a time before which no element is due, 0 if none has a deadline. It is the soonest
// deadline, or one that was until it was cleared. O(1).
func (r *Array) Next() int64 {
	if r == nil {
		return 0
	}
	return r.next
}

// Bytes returns the bytes held, the Row's own included. O(1).
func (r *Array) Bytes() int {
	if r == nil {
		return 0
	}
	return sizeclass.Round(int(unsafe.Sizeof(*r))) + sizeclass.Round(cap(r.data))
}

// At returns the deadline of element i, which exists; 0 if it has none. O(1).
func (r *Array) At(i int) int64 {
	c := r.data[r.start+i*width:][:width]
	return int64(c[0]) | int64(c[1])<<8 | int64(c[2])<<16 | int64(c[3])<<24 | int64(c[4])<<32 | int64(c[5])<<40
}

// Put gives element i the deadline, 0 for none. O(1).
func (r *Array) Put(i int, deadline int64) {
	if r.At(i) != 0 {
		r.count--
	}
	if deadline != 0 {
		r.count++
	}
	c := r.data[r.start+i*width:][:width]
	for k := range c {
		c[k] = byte(deadline >> (8 * k))
	}
	r.updateNext(deadline)
}

// updateNext keeps next true after a deadline was set, or cleared.
func (r *Array) updateNext(deadline int64) {
	switch {
	case r.count == 0:
		r.next = 0
	case deadline != 0 && (r.next == 0 || deadline < r.next):
		r.next = deadline
	}
}

// Insert adds n elements without deadlines before element i, behind the last if i is Len.
func (r *Array) Insert(i, n int) {
	if i == 0 && r.Len() > 0 {
		r.prepend(n)
		return
	}
	at := r.start + i*width
	r.reserve(n * width)
	r.data = r.data[:len(r.data)+n*width]
	copy(r.data[at+n*width:], r.data[at:])
	clear(r.data[at : at+n*width])
}

// exactBytes is the most bytes of a block that grows by no more than it must: there are many small
// ones.
const exactBytes = 4096

// reserve makes room for n bytes behind the last cell.
func (r *Array) reserve(n int) {
	need := len(r.data) + n
	if need <= cap(r.data) {
		return
	}
	if need > exactBytes {
		need += need / 4
	}
	grown := make([]byte, len(r.data), sizeclass.Round(need))
	copy(grown, r.data)
	r.data = grown
}

// prepend adds n elements before the first. If there is no room, it makes room for a quarter more
// than there are.
func (r *Array) prepend(n int) {
	if r.start < n*width {
		room := (n + r.Len()/4) * width
		grown := make([]byte, room+len(r.data)-r.start)
		copy(grown[room:], r.data[r.start:])
		r.data, r.start = grown, room
	}
	r.start -= n * width
	clear(r.data[r.start : r.start+n*width])
}

// Delete removes n elements from element i on.
func (r *Array) Delete(i, n int) {
	for k := i; k < i+n && r.count > 0; k++ {
		if r.At(k) != 0 {
			r.count--
		}
	}
	if at := r.start + i*width; i == 0 {
		r.start += n * width
	} else {
		r.data = slices.Delete(r.data, at, at+n*width)
	}
	r.updateNext(0)
	r.trim()
}

// trim replaces a block of which little is used by a smaller one.
func (r *Array) trim() {
	if used := len(r.data) - r.start; cap(r.data) > 4*used+64 {
		r.data, r.start = append([]byte(nil), r.data[r.start:]...), 0
	}
}

// LastDue returns the last run of neighbours before element end that are due: the first of them and
// their number, 0 if there is none. O(n).
func (r *Array) LastDue(now int64, end int) (i, n int) {
	for i = end; i > 0; i-- {
		switch d := r.At(i - 1); {
		case d != 0 && d <= now:
			n++
		case n > 0:
			return i, n
		}
	}
	return 0, n
}

// DeleteDue removes all elements that are due, and returns their number. O(n).
func (r *Array) DeleteDue(now int64) (gone int) {
	kept := r.start
	next := int64(0)
	for i := range r.Len() {
		d := r.At(i)
		if d != 0 && d <= now {
			gone++
			continue
		}
		if d != 0 && (next == 0 || d < next) {
			next = d
		}
		copy(r.data[kept:], r.data[r.start+i*width:][:width])
		kept += width
	}
	r.data = r.data[:kept]
	r.count -= gone
	r.next = next
	r.trim()
	return gone
}

// Clone returns a copy. O(n).
func (r *Array) Clone() *Array {
	c := *r
	c.data, c.start = append([]byte(nil), r.data[r.start:]...), 0
	return &c
}

// Check returns an error naming the first violation of the package's invariants; n is how many
// elements there are. O(n).
func (r *Array) Check(n int) error {
	if r.Len() != n {
		return fmt.Errorf("expiry: a row of %d for %d elements", r.Len(), n)
	}
	dated := 0
	for i := range n {
		d := r.At(i)
		if d == 0 {
			continue
		}
		dated++
		if r.next == 0 || d < r.next || d > Max {
			return fmt.Errorf("expiry: element %d is due at %d, the next at %d", i, d, r.next)
		}
	}
	if dated != r.count || dated == 0 && r.next != 0 {
		return fmt.Errorf("expiry: %d deadlines counted as %d, the next at %d", dated, r.count, r.next)
	}
	return nil
}
