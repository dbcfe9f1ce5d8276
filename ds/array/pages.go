package array

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// pageSlices is how many slices a page has at most.
const pageSlices = 256

// pageBytes returns what a page takes.
func pageBytes(page []slice) int { return sizeclass.Round(cap(page) * int(unsafe.Sizeof(slice{}))) }

// locate returns where the slice of an id is; ok is false if there is none, and it belongs there.
func (x *large) locate(id uint64) (page, i int, ok bool) {
	page = max(0, sort.Search(len(x.pages), func(p int) bool { return x.pages[p][0].id > id })-1)
	if page == len(x.pages) {
		return page, 0, false
	}
	p := x.pages[page]
	i = sort.Search(len(p), func(i int) bool { return p[i].id >= id })
	return page, i, i < len(p) && p[i].id == id
}

// find returns the slice of an id; nil if there is none.
func (x *large) find(id uint64) *slice {
	page, i, ok := x.locate(id)
	if !ok {
		return nil
	}
	return &x.pages[page][i]
}

// lastSlice returns the last slice, which there must be.
func (x *large) lastSlice() *slice {
	p := x.pages[len(x.pages)-1]
	return &p[len(p)-1]
}

// insert puts a slice where locate says that it belongs, and returns it.
func (x *large) insert(page, i int, s slice) *slice {
	x.noteBlock(page, i, s.id)
	x.slices++
	switch {
	case len(x.pages) == 0:
		x.pages = append(x.pages, nil)
	case len(x.pages[page]) == pageSlices:
		page, i = x.splitPage(page, i)
	}
	p := x.pages[page]
	x.held -= pageBytes(p)
	p = slices.Insert(p, i, s)
	x.held += pageBytes(p)
	x.pages[page] = p
	return &p[i]
}

// splitPage makes two pages of a full one, and returns where place i of it is then. Behind the last
// slice it begins another page.
func (x *large) splitPage(page, i int) (_, _ int) {
	if i == pageSlices {
		x.pages = slices.Insert(x.pages, page+1, nil)
		return page + 1, 0
	}
	p := x.pages[page]
	x.held -= pageBytes(p)
	left, right := slices.Clone(p[:pageSlices/2]), slices.Clone(p[pageSlices/2:])
	x.held += pageBytes(left) + pageBytes(right)
	x.pages[page] = left
	x.pages = slices.Insert(x.pages, page+1, right)
	if i > len(left) {
		return page + 1, i - len(left)
	}
	return page, i
}

// remove removes a slice, and reports whether its page went with it.
func (x *large) remove(page, i int) (emptied bool) {
	p := x.pages[page]
	id := p[i].id
	x.slices--
	if p = slices.Delete(p, i, i+1); len(p) == 0 {
		x.held -= pageBytes(p)
		x.pages = slices.Delete(x.pages, page, page+1)
		emptied = true
	} else {
		x.pages[page] = p
	}
	if x.blockRoom > 0 && !x.inBlock(page, i-1, id) && !x.inBlock(page, i, id) {
		x.blocks--
	}
	return emptied
}

// From the index on that needs the slice blockSlices, Redis has two directories: slices are in
// blocks of so many, and a list has room for some blocks, which it doubles and never gives back.
// Nothing here depends on it, but ARINFO tells of it.
const (
	blockSlices = 2048
	leastBlocks = 4
)

// noteBlock counts the block of a slice that is to be inserted at a place.
func (x *large) noteBlock(page, i int, id uint64) {
	if x.blockRoom == 0 {
		if id < blockSlices {
			return
		}
		x.blocks, x.blockRoom = min(1, x.slices), leastBlocks
	}
	if x.inBlock(page, i-1, id) || x.inBlock(page, i, id) {
		return
	}
	if x.blocks == x.blockRoom {
		x.blockRoom *= 2
	}
	x.blocks++
}

// inBlock reports whether a place, from behind the last slice of the page before to behind that of
// this page, is the one of a slice in the block of an id.
func (x *large) inBlock(page, i int, id uint64) bool {
	switch {
	case i < 0 && page > 0:
		page--
		i = len(x.pages[page]) - 1
	case page < len(x.pages) && i == len(x.pages[page]):
		page, i = page+1, 0
	}
	return i >= 0 && page < len(x.pages) && i < len(x.pages[page]) && x.pages[page][i].id/blockSlices == id/blockSlices
}
