package array

import "math/bits"

// shape is how Redis keeps a slice. What is kept here differs, so that a few elements with many
// empty indexes between them take no window. But ARINFO tells of the shapes.
//
//	sparse   room for 4 elements, 8, or up to Limits.Most
//	dense    a window of 8 offsets, 16, or up to all
type shape struct {
	dense bool
	log   uint8  // dense: of the size of the window
	first uint16 // dense: its first offset
	room  uint16 // sparse: elements
}

const leastSparse = 4

// window returns the smallest window, but at least of one size, that begins at an offset if it can,
// and has another offset.
func (x *large) window(first, offset, least uint32) (from, room uint32) {
	for room = max(least, leastWindow); first+room <= offset && room < x.size(); room *= 2 {
	}
	return min(first, x.size()-room), room
}

// reach returns a window that has an offset, as it is or enlarged towards the offset.
func (x *large) reach(first, room, offset uint32) (_, _ uint32) {
	end := first + room
	switch {
	case offset >= end:
		return x.window(first, offset, room)
	case offset < first:
		for room = leastWindow; room < end-offset; room *= 2 {
		}
		return end - min(room, end), room
	}
	return first, room
}

// setWindow makes a shape dense.
func (h *shape) setWindow(first, room uint32) {
	*h = shape{dense: true, first: uint16(first), log: uint8(bits.TrailingZeros32(room))}
}

// reshape changes the shape of a slice for a new element.
func (x *large) reshape(s *slice, offset uint32, lim Limits) {
	h := &s.shape
	switch {
	case h.dense:
	case s.count == 0 && lim.Most > 0:
		*h = shape{room: uint16(min(leastSparse, lim.Most))}
	case s.count == 0:
		h.setWindow(min(offset, x.size()-leastWindow), leastWindow)
	case int(s.count) >= lim.Most:
		h.setWindow(x.window(x.lowest(s), uint32(s.last), 0))
	case s.count >= uint32(h.room):
		h.room = uint16(min(2*int(h.room), lim.Most))
	}
	if h.dense {
		h.setWindow(x.reach(uint32(h.first), 1<<h.log, offset))
	}
}

// expectAll prepares the shape of a slice for n elements from an index on, of which the first one
// is set next. It returns how many of them are in the slice.
func (x *large) expectAll(index uint64, n int, lim Limits) int {
	id, low := x.split(index)
	n = min(n, int(x.size()-low))
	high := low + uint32(n-1)
	page, i, ok := x.locate(id)
	switch {
	case ok:
		x.expect(&x.pages[page][i], low, high, lim)
	case n > lim.Most && lim.Most > 0:
		s := x.add(page, i, id)
		s.shape.setWindow(x.window(low, high, 0))
	}
	return n
}

// expect changes the shape of a slice that will get elements at all offsets from one to another:
// one that will have many becomes dense at once.
func (x *large) expect(s *slice, low, high uint32, lim Limits) {
	there := 0
	if s.dense {
		for offset := low; offset <= high; offset++ {
			if _, ok := x.seek(s, offset); ok {
				there++
			}
		}
	} else {
		behind, _ := x.search(s, high+1)
		first, _ := x.search(s, low)
		there = int(behind - first)
	}
	if !s.shape.dense && lim.Most > 0 && int(s.count)-there+int(high-low+1) > lim.Most {
		s.shape.setWindow(x.window(x.lowest(s), uint32(s.last), 0))
	}
}

// lowest returns the least offset of an element.
func (x *large) lowest(s *slice) uint32 {
	if !s.dense {
		return uint32(x.offsets(s)[0])
	}
	for place, w := range x.words(s) {
		if w != 0 {
			return uint32(s.first) + uint32(place)
		}
	}
	return 0
}

// shrink changes the shape of a slice from which elements went: a dense one with few elements
// becomes sparse if its window is not small.
func (h *shape) shrink(count uint32, lim Limits) {
	if h.dense && int(count) <= min(lim.Least, lim.Most) && h.log > 3 && 1<<h.log >= 4*lim.Least {
		*h = shape{room: uint16(lim.Least)}
	}
}
