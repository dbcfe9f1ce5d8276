package array

import (
	"fmt"
	"math/bits"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Check returns the first violated invariant; nil if all hold. O(elements).
func (a *Array) Check() error {
	if a.large != nil {
		return a.large.check()
	}
	if a.packed == nil {
		return nil
	}
	if err := a.packed.Check(); err != nil {
		return err
	}
	before, n := uint64(0), 0
	for pos := a.packed.First(); pos != ziplist.None; n++ {
		e, text := a.packed.Get(pos)
		switch index := uint64(e.Int); {
		case !e.IsInt():
			return fmt.Errorf("array: %q in place of an index", e.Str)
		case n == 0:
			pos = text
			continue
		case n > 1 && index <= before, index > MaxIndex, text == ziplist.None:
			return fmt.Errorf("array: the index %d behind %d", index, before)
		default:
			before = index
		}
		_, pos = a.packed.Get(text)
	}
	if n == 0 || n-1 > packedMost {
		return fmt.Errorf("array: %d elements are packed", n-1)
	}
	return nil
}

func (x *large) check() error {
	count, n, held, cells, blocks := 0, 0, 0, 0, make(map[uint64]bool)
	var before *slice
	for _, p := range x.pages {
		if len(p) == 0 || len(p) > pageSlices {
			return fmt.Errorf("array: a page of %d slices", len(p))
		}
		held += pageBytes(p)
		for i := range p {
			s := &p[i]
			if before != nil && s.id <= before.id {
				return fmt.Errorf("array: slice %d behind %d", s.id, before.id)
			}
			bytes, err := x.checkSlice(s)
			if err != nil {
				return fmt.Errorf("array: slice %d: %w", s.id, err)
			}
			before, n, count, cells = s, n+1, count+int(s.count), cells+bytes
			blocks[s.id/blockSlices] = true
		}
	}
	switch {
	case count != x.count || n != x.slices || held != x.held:
		return fmt.Errorf("array: %d elements in %d slices, pages of %d bytes; counted are %d, %d, %d",
			count, n, held, x.count, x.slices, x.held)
	case x.blockRoom > 0 && len(blocks) != x.blocks, x.blocks > x.blockRoom:
		return fmt.Errorf("array: %d blocks, counted are %d of %d", len(blocks), x.blocks, x.blockRoom)
	}
	return x.cells.Check(cells)
}

// checkSlice returns what the cells of a slice and of its texts take.
func (x *large) checkSlice(s *slice) (cells int, err error) {
	count, last, before := uint32(0), uint32(0), -1
	cells = arena.Size(cellSize(s.dense, s.room))
	for place := range x.end(s) {
		w := x.words(s)[place]
		if w == 0 && s.dense {
			continue
		}
		last = x.offset(s, place)
		if int(last) <= before || last >= x.size() || w == 0 {
			return 0, fmt.Errorf("offset %d behind %d, word %x", last, before, w)
		}
		count, before = count+1, int(last)
		_, size, far := x.cellOf(w)
		text := x.entry(w).Text(nil)
		if again, ok := wordOf(text); ok == far || ok && again != w {
			return 0, fmt.Errorf("the word %x of %q, for which there is %x", w, text, again)
		}
		if far {
			cells += arena.Size(size)
		}
	}
	switch {
	case count != s.count || count == 0 || last != uint32(s.last):
		return 0, fmt.Errorf("%d elements up to %d, counted are %d up to %d", count, last, s.count, s.last)
	case s.dense && (bits.OnesCount32(s.room) != 1 || s.room < leastWindow || uint32(s.first)+s.room > x.size()):
		return 0, fmt.Errorf("a window of %d from %d", s.room, s.first)
	case !s.dense && s.count > s.room, s.dense && !wasDense(s.room, s.count):
		return 0, fmt.Errorf("%d elements in room for %d", s.count, s.room)
	case s.shape.dense && (x.lowest(s) < uint32(s.shape.first) || last >= uint32(s.shape.first)+1<<s.shape.log):
		return 0, fmt.Errorf("elements from %d to %d in a window of %d from %d", x.lowest(s), last,
			1<<s.shape.log, s.shape.first)
	}
	return cells, nil
}
