package array

import (
	"math/bits"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// large is an array in slices:
//
//	pages   [ slice slice ... ] [ slice slice ... ]     in order, up to pageSlices in a page
//	            │
//	cells     words, texts                              in an arena
//
// To add an element moves no more than a page and a window, however many there are. When much of
// the arena is free, its cells move, a few with each change.
type large struct {
	pages     [][]slice
	cells     arena.Arena
	next      uint64 // the next index
	moved     uint64 // while the arena is compacted: the elements below have moved
	count     int    // elements
	slices    int
	held      int // bytes of the pages
	shift     int // the slices have 1<<shift indexes
	blocks    int // see pages.go
	blockRoom int
	text      [wordText]byte // see entry
}

// slice is the elements at some indexes that follow one another.
type slice struct {
	id    uint64    // index >> shift
	cell  arena.Ref // of the words, and if it is sparse of the offsets
	count uint32    // elements
	room  uint32    // words
	first uint16    // dense: the offset of the first word
	last  uint16    // the greatest offset of an element
	dense bool
	shape shape // in Redis
}

const leastWindow = 8

// newLarge returns an array without slices.
func newLarge(lim Limits) *large { return &large{shift: bits.TrailingZeros(uint(lim.Slice))} }

// size returns how many indexes a slice has.
func (x *large) size() uint32 { return 1 << x.shift }

// split returns the slice and the offset of an index.
func (x *large) split(index uint64) (id uint64, offset uint32) {
	return index >> x.shift, uint32(index) & (x.size() - 1)
}

// index is the inverse of split.
func (x *large) index(s *slice, offset uint32) uint64 { return s.id<<x.shift | uint64(offset) }

// cellSize returns the bytes of the cell of a slice.
func cellSize(dense bool, room uint32) int {
	if dense {
		return int(room) * 8
	}
	return int(room) * (8 + 2)
}

// words returns the words of a slice. They are valid until the next Alloc.
func (x *large) words(s *slice) []word {
	return unsafe.Slice((*word)(x.cells.At(s.cell)), s.room)
}

// offsets returns the offsets of the elements of a sparse slice, and the room behind them. They are
// valid until the next Alloc.
func (x *large) offsets(s *slice) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Add(x.cells.At(s.cell), 8*int(s.room))), s.room)
}

// search returns the place of an offset in a sparse slice; ok is false if it is not there, and
// belongs there.
func (x *large) search(s *slice, offset uint32) (place uint32, ok bool) {
	offsets := x.offsets(s)
	low, high := uint32(0), s.count
	for low < high {
		if middle := (low + high) / 2; uint32(offsets[middle]) < offset {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < s.count && uint32(offsets[low]) == offset
}

// get returns the element at an index; ok is false if there is none.
func (x *large) get(index uint64) (e ziplist.Entry, ok bool) {
	id, offset := x.split(index)
	s := x.find(id)
	if s == nil {
		return e, false
	}
	place, ok := x.seek(s, offset)
	if !ok {
		return e, false
	}
	return x.entry(x.words(s)[place]), true
}

// set sets an element, and reports whether it is new.
func (x *large) set(index uint64, text []byte, lim Limits) (added bool) {
	w := x.store(text)
	id, offset := x.split(index)
	page, i, ok := x.locate(id)
	var s *slice
	if ok {
		s = &x.pages[page][i]
	} else {
		s = x.add(page, i, id)
	}
	place, found := x.seek(s, offset)
	if found {
		slot := &x.words(s)[place]
		old := *slot
		*slot = w
		x.release(old)
		return false
	}
	x.reshape(s, offset, lim)
	place = x.makeRoom(s, place, offset)
	x.words(s)[place] = w
	s.last = max(s.last, uint16(offset))
	s.count++
	x.count++
	return true
}

// add puts a slice without elements where locate says that it belongs.
func (x *large) add(page, i int, id uint64) *slice {
	return x.insert(page, i, slice{id: id, room: 1, cell: x.cells.Alloc(cellSize(false, 1))})
}

// seek returns the place of the word of an element; ok is false if there is no such element, and
// the place is where its word belongs, if there is room.
func (x *large) seek(s *slice, offset uint32) (place uint32, ok bool) {
	if !s.dense {
		return x.search(s, offset)
	}
	place = offset - uint32(s.first)
	return place, place < s.room && x.words(s)[place] != 0
}

// A slice is dense if that takes at most twice what it takes as a sparse one: a window of at most
// 2.5 words for each element. It becomes sparse again at 5.
func isDense(room, count uint32) bool { return 2*room <= 5*count }
func wasDense(room, count uint32) bool {
	return room == leastWindow || room <= 5*count
}

// makeRoom makes room for the word of a new element, for which seek returned a place, and returns
// its place.
func (x *large) makeRoom(s *slice, place, offset uint32) uint32 {
	if s.dense {
		first, room := x.reach(uint32(s.first), s.room, offset)
		switch {
		case room == s.room:
			return place
		case isDense(room, s.count+1):
			x.move(s, first, room)
			return offset - first
		}
		x.makeSparse(s)
		place, _ = x.search(s, offset)
	}
	low, high := offset, offset
	if s.count > 0 {
		low, high = min(offset, uint32(x.offsets(s)[0])), max(offset, uint32(s.last))
	}
	if first, room := x.window(low, high, 0); isDense(room, s.count+1) {
		x.makeDense(s, first, room)
		return offset - first
	}
	if s.count == s.room {
		x.resize(s, s.room+max(1, s.room/2))
	}
	words, offsets := x.words(s), x.offsets(s)
	copy(words[place+1:s.count+1], words[place:])
	copy(offsets[place+1:s.count+1], offsets[place:])
	offsets[place] = uint16(offset)
	return place
}

// resize gives a sparse slice another room.
func (x *large) resize(s *slice, room uint32) {
	old := *s
	s.cell, s.room = x.cells.Alloc(cellSize(false, room)), room
	copy(x.words(s), x.words(&old)[:s.count])
	copy(x.offsets(s), x.offsets(&old)[:s.count])
	x.free(&old)
}

// free frees the cell of a slice.
func (x *large) free(s *slice) { x.cells.Free(s.cell, cellSize(s.dense, s.room)) }

// open gives a slice a window without elements.
func (x *large) open(s *slice, first, room uint32) {
	s.dense, s.first, s.room = true, uint16(first), room
	s.cell = x.cells.Alloc(cellSize(true, room))
	clear(x.words(s))
}

// makeDense makes a sparse slice dense.
func (x *large) makeDense(s *slice, first, room uint32) {
	old := *s
	x.open(s, first, room)
	words, from, offsets := x.words(s), x.words(&old), x.offsets(&old)
	for i := range s.count {
		words[uint32(offsets[i])-first] = from[i]
	}
	x.free(&old)
}

// move gives a dense slice a larger window.
func (x *large) move(s *slice, first, room uint32) {
	old := *s
	x.open(s, first, room)
	copy(x.words(s)[uint32(old.first)-first:], x.words(&old))
	x.free(&old)
}

// makeSparse makes a dense slice sparse, with room for one element more.
func (x *large) makeSparse(s *slice) {
	old := *s
	s.dense, s.first, s.room = false, 0, s.count+1
	s.cell = x.cells.Alloc(cellSize(false, s.room))
	words, offsets, n := x.words(s), x.offsets(s), 0
	for i, w := range x.words(&old) {
		if w != 0 {
			words[n], offsets[n] = w, old.first+uint16(i)
			n++
		}
	}
	x.free(&old)
}

// --- deleting ---

// deleteRange deletes the elements from one index to another, and returns how many there were.
func (x *large) deleteRange(from, to uint64, lim Limits) (deleted int) {
	first, start := x.split(from)
	last, end := x.split(to)
	page, i, _ := x.locate(first)
	for {
		if page < len(x.pages) && i == len(x.pages[page]) {
			page, i = page+1, 0
		}
		if page >= len(x.pages) || x.pages[page][i].id > last {
			return deleted
		}
		s := &x.pages[page][i]
		low, high := uint32(0), x.size()-1
		if s.id == first {
			low = start
		}
		if s.id == last {
			high = end
		}
		n := x.deleteIn(s, low, high)
		deleted += n
		x.count -= n
		if s.count > 0 {
			s.shape.shrink(s.count, lim)
			if s.dense && !wasDense(s.room, s.count) {
				x.makeSparse(s)
			}
			i++
			continue
		}
		x.free(s)
		if x.remove(page, i) {
			i = 0
		}
	}
}

// deleteIn deletes the elements of a slice from one offset to another, and returns how many there
// were.
func (x *large) deleteIn(s *slice, low, high uint32) (deleted int) {
	words := x.words(s)
	if s.dense {
		low, high = max(low, uint32(s.first)), min(high, uint32(s.first)+s.room-1)
		for offset := low; offset <= high && s.count > 0; offset++ {
			if at := &words[offset-uint32(s.first)]; *at != 0 {
				x.release(*at)
				*at = 0
				s.count--
				deleted++
			}
		}
		for s.count > 0 && words[s.last-s.first] == 0 {
			s.last--
		}
		return deleted
	}
	from, _ := x.search(s, low)
	to, _ := x.search(s, high+1)
	for _, w := range words[from:to] {
		x.release(w)
	}
	offsets := x.offsets(s)
	copy(words[from:], words[to:s.count])
	copy(offsets[from:], offsets[to:s.count])
	if s.count -= to - from; s.count > 0 {
		s.last = offsets[s.count-1]
	}
	return int(to - from)
}
