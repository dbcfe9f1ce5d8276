package json

import (
	"sort"
	"unsafe"
)

// A trail is what the changes of a command leave for those that follow, so that a change finds its
// way though there are thousands of children before its own: $[*] changes them one by one. A
// document has one from the fourth way on that goes far, until it is settled or opened.
type trail struct {
	runs  [2]run   // of children: those in a page, or those of a small container
	used  int      // which of runs was used last
	pages []uint32 // by cell: about which page of its object it is
}

// run is where some children in a run are: each markStep-th, from where the first one is.
type run struct {
	first unsafe.Pointer // nil if there is none
	at    []uint16
}

// fewWays is how many ways that go far make a trail.
const fewWays = 4

// markStep is how many children a change passes over in any case.
const markStep = 32

// trailOf returns the trail of the document; nil if it has none.
func (d *Doc) trailOf() *trail {
	if d.tree != nil {
		return d.tree.trail
	}
	return d.trail
}

// leave returns the trail for a way that goes far; nil as long as there were few.
func (d *Doc) leave() *trail {
	l, ways := &d.trail, &d.farWays
	if d.tree != nil {
		l, ways = &d.tree.trail, &d.tree.farWays
	}
	if *ways++; *l == nil && *ways >= fewWays {
		*l = new(trail)
	}
	return *l
}

// skip returns where child i-left of the children in b begins. There are no more than left
// children from there on that were not looked at, or i is not behind the last one.
func (l *trail) skip(b []byte, i int) (at, left int) {
	if l == nil || i < markStep {
		return 0, i
	}
	r := l.runOf(b)
	if r == nil || len(r.at) == 0 {
		return 0, i
	}
	n := min(len(r.at), i/markStep)
	return int(r.at[n-1]), i - n*markStep
}

// runOf returns the run whose children are b; nil if there is none.
func (l *trail) runOf(b []byte) *run {
	for n := range l.runs {
		if l.runs[n].first == unsafe.Pointer(unsafe.SliceData(b)) {
			l.used = n
			return &l.runs[n]
		}
	}
	return nil
}

// walk is skip that leaves fewer than markStep children, if there are as many, and marks what it
// passes.
func (d *Doc) walk(b []byte, object bool, i int) (at, left int) {
	if i < markStep || len(b) == 0 {
		return 0, i
	}
	l := d.leave()
	r := l.mark(b)
	for at, left = l.skip(b, i); left >= markStep; left -= markStep {
		for range markStep {
			if at == len(b) {
				return at, left
			}
			if object {
				_, n := nameOf(b[at:])
				at += n
			}
			at += sizeOf(b[at:])
		}
		if r != nil {
			r.at = append(r.at, uint16(at))
		}
	}
	return at, left
}

// mark returns the run whose children are b, which it begins if there is none.
func (l *trail) mark(b []byte) *run {
	if l == nil {
		return nil
	}
	r := l.runOf(b)
	if r == nil {
		l.used = 1 - l.used
		r = &l.runs[l.used]
		r.first, r.at = unsafe.Pointer(unsafe.SliceData(b)), r.at[:0]
	}
	return r
}

// cut forgets what is behind a change at one place of a piece of memory.
func (l *trail) cut(memory []byte, from int) {
	if l == nil {
		return
	}
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	for n := range l.runs {
		r := &l.runs[n]
		first := uintptr(r.first)
		switch {
		case r.first == nil || first < begin || first > begin+uintptr(len(memory)):
		case first > begin+uintptr(from):
			r.first = nil
		default:
			for len(r.at) > 0 && first+uintptr(r.at[len(r.at)-1]) > begin+uintptr(from) {
				r.at = r.at[:len(r.at)-1]
			}
		}
	}
}

// hand is the page that was looked for last, and the index of its first child.
type hand struct{ page, first int }

// groupPages is how many pages are looked through one by one.
const groupPages = 64

// groups is the indexes of the first children of each groupPages-th page.
type groups []uint32

// moved notes that pages were added or removed.
func (x *box) moved() { x.hand, x.groups = hand{}, nil }

// grown notes that a page has got some more children.
func (x *box) grown(page, children int) {
	x.count += children
	x.pages[page].count = uint32(int(x.pages[page].count) + children)
	if x.hand.page > page {
		x.hand.first += children
	}
	for g := page/groupPages + 1; g < len(x.groups); g++ {
		x.groups[g] = uint32(int(x.groups[g]) + children)
	}
}

// group returns the first page of group g of pages.
func (x *box) group(g int) hand {
	if len(x.groups) == 0 && len(x.pages) > groupPages {
		first := 0
		for i, p := range x.pages {
			if i%groupPages == 0 {
				x.groups = append(x.groups, uint32(first))
			}
			first += int(p.count)
		}
	}
	if g == 0 {
		return hand{}
	}
	return hand{g * groupPages, int(x.groups[g])}
}

// seek returns the page of child i, and the child's index there; the last page and what is behind
// it, if there is no such child. O(1) from where it was last, else O(log pages).
func (x *box) seek(i int) (page, at int) {
	h := x.hand
	for n := 0; i < h.first || h.page < len(x.pages)-1 && i-h.first >= int(x.pages[h.page].count); n++ {
		if i >= h.first && n < groupPages {
			h.first += int(x.pages[h.page].count)
			h.page++
			continue
		}
		x.group(0)
		behind := sort.Search(len(x.groups), func(g int) bool { return int(x.groups[g]) > i })
		h, n = x.group(max(0, behind-1)), -groupPages
	}
	x.hand = h
	return h.page, i - h.first
}

// pageOf returns which page of an object a cell is, and the index of the first member in it. O(1)
// near where it was last, and for the next change; else O(pages).
func (t *tree) pageOf(x *box, cell uint32) (page, first int) {
	is := func(p int) bool { return p >= 0 && p < len(x.pages) && x.pages[p].cell == cell }
	if h := x.hand; is(h.page) {
		return h.page, h.first
	} else if is(h.page + 1) {
		x.hand = hand{h.page + 1, h.first + int(x.pages[h.page].count)}
		return x.hand.page, x.hand.first
	}
	page = t.search(x, cell, is)
	h := x.group(page / groupPages)
	for ; h.page < page; h.page++ {
		h.first += int(x.pages[h.page].count)
	}
	x.hand = h
	return h.page, h.first
}

// search returns which page of an object a cell is.
func (t *tree) search(x *box, cell uint32, is func(page int) bool) (page int) {
	if t.trail == nil || len(x.pages) <= groupPages {
		for !is(page) {
			page++
		}
		return page
	}
	if int(cell) < len(t.trail.pages) {
		about := int(t.trail.pages[cell])
		for d := range groupPages {
			if is(about + d) {
				return about + d
			} else if is(about - d) {
				return about - d
			}
		}
	}
	if len(t.trail.pages) < len(t.cells) {
		t.trail.pages = append(t.trail.pages, make([]uint32, len(t.cells)-len(t.trail.pages))...)
	}
	for i, p := range x.pages {
		t.trail.pages[p.cell] = uint32(i)
	}
	return int(t.trail.pages[cell])
}
