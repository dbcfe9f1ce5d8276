package lapse

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Row is the deadlines of elements by position. It has to be told of every element that comes and
// goes. Both ends are O(1) amortized, the inside O(n).
type Row struct {
	cells []byte
	off   int // of the first cell: there is room for further ones before it
	dated int
	next  int64 // 0 if dated is 0
}

const cell = 6 // bytes of a deadline, the lowest first

// NewRow returns a row of n elements without deadlines.
func NewRow(n int) *Row { return &Row{cells: make([]byte, n*cell, sizeclass.Round(n*cell))} }

// Len returns the number of elements. O(1).
func (r *Row) Len() int { return (len(r.cells) - r.off) / cell }

// Dated returns how many elements have a deadline. O(1).
func (r *Row) Dated() int { return r.dated }

// Next returns a time before which no element is due, 0 if none has a deadline. It is the soonest
// deadline, or one that was until it was cleared. O(1).
func (r *Row) Next() int64 { return r.next }

// Bytes returns the bytes held, the Row's own included. O(1).
func (r *Row) Bytes() int {
	return sizeclass.Round(int(unsafe.Sizeof(*r))) + sizeclass.Round(cap(r.cells))
}

// At returns the deadline of element i, which exists; 0 if it has none. O(1).
func (r *Row) At(i int) int64 {
	c := r.cells[r.off+i*cell:][:cell]
	return int64(c[0]) | int64(c[1])<<8 | int64(c[2])<<16 | int64(c[3])<<24 | int64(c[4])<<32 | int64(c[5])<<40
}

// Put gives element i the deadline, 0 for none. O(1).
func (r *Row) Put(i int, deadline int64) {
	if r.At(i) != 0 {
		r.dated--
	}
	if deadline != 0 {
		r.dated++
	}
	c := r.cells[r.off+i*cell:][:cell]
	for k := range c {
		c[k] = byte(deadline >> (8 * k))
	}
	r.announce(deadline)
}

// announce keeps next true after a deadline was set, or cleared.
func (r *Row) announce(deadline int64) {
	switch {
	case r.dated == 0:
		r.next = 0
	case deadline != 0 && (r.next == 0 || deadline < r.next):
		r.next = deadline
	}
}

// Insert tells of n new elements before element i, behind the last if i is Len. They have no
// deadline.
func (r *Row) Insert(i, n int) {
	if i == 0 && r.Len() > 0 {
		r.prepend(n)
		return
	}
	at := r.off + i*cell
	r.reserve(n * cell)
	r.cells = r.cells[:len(r.cells)+n*cell]
	copy(r.cells[at+n*cell:], r.cells[at:])
	clear(r.cells[at : at+n*cell])
}

// exact is the most bytes of a block that grows by no more than it must: there are many small ones.
const exact = 4096

// reserve makes room for n bytes behind the last cell.
func (r *Row) reserve(n int) {
	need := len(r.cells) + n
	if need <= cap(r.cells) {
		return
	}
	if need > exact {
		need += need / 4
	}
	grown := make([]byte, len(r.cells), sizeclass.Round(need))
	copy(grown, r.cells)
	r.cells = grown
}

// prepend tells of n new elements before the first. Where there is no room it is made for a quarter
// more than there are.
func (r *Row) prepend(n int) {
	if r.off < n*cell {
		room := (n + r.Len()/4) * cell
		grown := make([]byte, room+len(r.cells)-r.off)
		copy(grown[room:], r.cells[r.off:])
		r.cells, r.off = grown, room
	}
	r.off -= n * cell
	clear(r.cells[r.off : r.off+n*cell])
}

// Delete tells that n elements from element i on are gone.
func (r *Row) Delete(i, n int) {
	for k := i; k < i+n && r.dated > 0; k++ {
		if r.At(k) != 0 {
			r.dated--
		}
	}
	if at := r.off + i*cell; i == 0 {
		r.off += n * cell
	} else {
		r.cells = slices.Delete(r.cells, at, at+n*cell)
	}
	r.announce(0)
	r.trim()
}

// trim gives back a block of which little is used.
func (r *Row) trim() {
	if used := len(r.cells) - r.off; cap(r.cells) > 4*used+64 {
		r.cells, r.off = append([]byte(nil), r.cells[r.off:]...), 0
	}
}

// Due returns the last run of neighbours before element end that are due: the first of them and
// their number, 0 if there is none. O(n).
func (r *Row) Due(now int64, end int) (i, n int) {
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

// Sweep tells that all elements that are due are gone, and returns their number. O(n).
func (r *Row) Sweep(now int64) (gone int) {
	kept := r.off
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
		copy(r.cells[kept:], r.cells[r.off+i*cell:][:cell])
		kept += cell
	}
	r.cells = r.cells[:kept]
	r.dated -= gone
	r.next = next
	r.trim()
	return gone
}

// Clone returns a copy. O(n).
func (r *Row) Clone() *Row {
	c := *r
	c.cells, c.off = append([]byte(nil), r.cells[r.off:]...), 0
	return &c
}

// Check returns an error naming the first violation of the package's invariants; n is how many
// elements there are. O(n).
func (r *Row) Check(n int) error {
	if r.Len() != n {
		return fmt.Errorf("lapse: a row of %d for %d elements", r.Len(), n)
	}
	dated := 0
	for i := range n {
		d := r.At(i)
		if d == 0 {
			continue
		}
		dated++
		if r.next == 0 || d < r.next || d > Max {
			return fmt.Errorf("lapse: element %d is due at %d, the next at %d", i, d, r.next)
		}
	}
	if dated != r.dated || dated == 0 && r.next != 0 {
		return fmt.Errorf("lapse: %d deadlines counted as %d, the next at %d", dated, r.dated, r.next)
	}
	return nil
}
