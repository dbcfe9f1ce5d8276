package array

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

var largeSize = sizeclass.RoundScanned(int(unsafe.Sizeof(large{})))

// Bytes implements value.Value.
func (a *Array) Bytes() int {
	if a.large == nil {
		return sizeclass.Round(cap(a.packed))
	}
	return largeSize + a.large.bytes()
}

// bytes returns what the array takes beside the struct itself.
func (x *large) bytes() int {
	return x.cells.Bytes() + x.held + sizeclass.RoundScanned(cap(x.pages)*int(unsafe.Sizeof([]slice(nil))))
}

// Settle implements value.Settler: it moves the cells of a large array. A small one stays where it
// is.
func (a *Array) Settle(mem value.Memory, compact bool) (done bool) {
	if a.large != nil {
		a.large.cells.Settle(mem, compact)
	}
	return false
}

// BlockBytes implements value.Settler. O(blocks).
func (a *Array) BlockBytes() int {
	if a.large == nil {
		return 0
	}
	return a.large.cells.Held()
}

// Drop implements value.Settler.
func (a *Array) Drop(n int) (more bool) { return a.large != nil && a.large.cells.Drop(n) }

// drop frees all blocks.
func (x *large) drop() {
	for x.cells.Drop(1 << 20) {
	}
}

// tidyWords is how many words move with a change while the arena is compacted.
const tidyWords = 64

// tidy compacts the arena if much of it is free, with each change a little.
func (x *large) tidy() {
	switch {
	case x.cells.Compacting():
		x.moveSome()
	case x.cells.Sparse():
		x.cells.Retire()
		x.moved = 0
	}
}

// moveSome moves the cells of some slices and words, from the index x.moved on.
func (x *large) moveSome() {
	id, _ := x.split(x.moved)
	page, i, _ := x.locate(id)
	for left := tidyWords; page < len(x.pages); page, i = page+1, 0 {
		for ; i < len(x.pages[page]); i++ {
			s := &x.pages[page][i]
			if size := cellSize(s.dense, s.room); x.cells.Retired(s.cell) {
				s.cell = x.cells.Move(s.cell, size)
			}
			for place, end := x.place(s, x.moved), x.end(s); place < end; place++ {
				if left--; left < 0 {
					x.moved = x.index(s, x.offset(s, place))
					return
				}
				x.moveText(s, place)
			}
		}
	}
	x.cells.Release()
}

// moveText moves the cell of a word, if it has one that is retired.
func (x *large) moveText(s *slice, place uint32) {
	r, size, ok := x.cellOf(x.words(s)[place])
	if ok && x.cells.Retired(r) {
		r = x.cells.Move(r, size)
		x.words(s)[place] = word(r)<<farShift | tagFar
	}
}

// clone returns a copy that shares nothing with x.
func (x *large) clone() *large {
	c := *x
	c.cells = x.cells.Clone()
	c.pages = make([][]slice, len(x.pages))
	c.held = 0
	for i, p := range x.pages {
		c.pages[i] = append([]slice(nil), p...)
		c.held += pageBytes(c.pages[i])
	}
	return &c
}
