package json

import (
	"math/bits"
	"slices"
)

// Place says where a value is in its document: the index of each child on the way, from the root
// on.
type Place = []uint32

// Editor changes documents. Its memory is used again for the next change. The zero value is ready
// for use.
type Editor struct {
	builder
	heads  []int
	last   []int // of the last member, while another one is deleted
	before int   // bytes of the root of a small document before the change
}

// Set replaces the value at a place by a copy of v, which is of another document or of none.
func (e *Editor) Set(d *Doc, at Place, v Value) {
	packed := e.adopt(d, v, nil)
	s := d.find(at, e.heads)
	old := d.run(s.cell)[s.value:s.end]
	d.forget(old)
	d.splice(&s, s.value, s.end, packed, 0)
	e.end(d, &s)
}

// Insert puts a copy of v, which is of another document or of none, before element i of the array
// at a place; behind the last one if there is no element i.
func (e *Editor) Insert(d *Doc, array Place, i int, v Value) {
	packed := e.adopt(d, v, nil)
	s := d.find(array, e.heads)
	d.child(&s, i)
	d.splice(&s, s.at, s.at, packed, 1)
	e.end(d, &s)
}

// Add adds a member to the object at a place, which has none of that name, with a copy of v, which
// is of another document or of none.
func (e *Editor) Add(d *Doc, object Place, name []byte, v Value) {
	if name == nil {
		name = []byte{} // without one it would be an element
	}
	packed := e.adopt(d, v, name)
	s := d.find(object, e.heads)
	d.child(&s, endOfChildren)
	if s.inPage() {
		d.tree.note(s.box, packed, s.cell)
	}
	d.splice(&s, s.at, s.at, packed, 1)
	e.end(d, &s)
}

// endOfChildren is an index behind the last child.
const endOfChildren = 1<<31 - 1

// Delete removes the value at a place, which is not the root. The last member of an object takes
// the place of one that goes, as in RedisJSON.
func (e *Editor) Delete(d *Doc, at Place) {
	e.before = len(d.root)
	s := d.find(at, e.heads)
	d.forget(d.run(s.cell)[s.value:s.end])
	if s.value > s.at {
		e.deleteMember(d, at[:len(at)-1], s)
		return
	}
	d.splice(&s, s.at, s.end, nil, -1)
	e.end(d, &s)
}

// deleteMember is Delete for a member of the object at a place.
func (e *Editor) deleteMember(d *Doc, object Place, s spot) {
	d.table().stale = true
	last := d.find(object, e.last)
	d.child(&last, Value{d, d.run(last.cell)[last.value:]}.Len()-1)
	e.last = last.heads[:0]
	var moved []byte
	if last.cell != s.cell || last.at != s.at {
		moved = slices.Clone(d.run(last.cell)[last.at:last.end])
	}
	if s.inPage() {
		d.tree.forget(s.box, d.run(s.cell)[s.at:s.end], s.cell)
		d.tree.move(s.box, moved, last.cell, s.cell)
	}
	d.splice(&last, last.at, last.end, nil, -1)
	if last.box != nil && last.cell != s.cell {
		d.tree.merge(last.box, last.page)
	}
	if moved != nil {
		d.splice(&s, s.at, s.end, moved, 0)
	}
	e.end(d, &s)
}

// fewElements is how many elements are taken off an array one by one.
const fewElements = 16

// Keep removes the elements of the array at a place that are before from, or not before to.
func (e *Editor) Keep(d *Doc, array Place, from, to int) {
	v := d.At(array)
	n := v.Len()
	if n-(to-from) <= fewElements {
		child := append(slices.Clone(array), 0)
		for ; n > to; n-- {
			child[len(array)] = uint32(n - 1)
			e.Delete(d, child)
		}
		child[len(array)] = 0
		for range from {
			e.Delete(d, child)
		}
		return
	}
	var b builder
	kept := new(Doc)
	kept.newTree(nil)
	b.start(kept)
	b.begin(false)
	c := v.Children()
	for i := 0; i < to && c.Next(); i++ {
		if i >= from {
			b.copy(c.Value())
		}
	}
	b.end()
	b.finish(kept)
	e.Set(d, array, kept.Root())
}

// end completes a change.
func (e *Editor) end(d *Doc, s *spot) {
	e.heads = s.heads[:0]
	if d.tree == nil {
		d.note()
	} else if s.box != nil {
		d.tree.merge(s.box, s.page)
		d.tree.makeIndex(s.box)
		d.tree.weigh(s.box)
	}
	d.sweep(e.before)
	d.shrink()
}

// sweepBytes is how many bytes of the names of a large document are not worth a look for those that
// have become useless.
const sweepBytes = 1 << 10

// sweep builds the document anew after a change, before which a small document had so many bytes
// without its names, if names may be stale that are more than an eighth of it. That is each time
// that it is half as large as it was, or of a large one that the names are twice as many.
func (d *Doc) sweep(before int) {
	n := len(d.table().b)
	switch t := d.tree; {
	case !d.table().stale:
	case t == nil:
		if size := len(d.root); bits.Len(uint(size)) < bits.Len(uint(before)) && n > size/8 {
			d.rebuild(false)
		}
	case n > sweepBytes && n > t.held/8 && (n > 2*int(t.names.swept)+sweepBytes || t.held < t.swept/2):
		d.rebuild(true)
	}
}

// adopt packs a value for d, which may become a large document thereby. It is a member if name is
// not nil.
func (e *Editor) adopt(d *Doc, v Value, name []byte) (packed []byte) {
	e.start(d)
	e.fresh, e.before = false, len(d.root)
	before, stale := len(d.table().b), d.table().stale
	room := smallBytes - len(d.packed)
	if d.tree == nil {
		e.most = max(room, 1) // 0 would be no bound
	}
	if name != nil {
		e.member(name)
	}
	e.copy(v)
	added := len(d.table().b) - before
	switch {
	case d.tree == nil && len(e.b)+added > room:
		d.table().b = d.table().b[:before]
		d.grow()
		return e.adopt(d, v, name)
	case d.tree != nil || added == 0:
		return e.b
	case stale && bits.Len(uint(before+added)) > bits.Len(uint(before)):
		d.table().b = d.table().b[:before]
		d.rebuild(false)
		return e.adopt(d, v, name)
	}
	d.addNames(before)
	return e.b
}

// forget frees what lies elsewhere of a packed value that goes, and notes that its names may be
// stale.
func (d *Doc) forget(b []byte) {
	if k := kindOf(b[0]); k == Array || k == Object {
		d.table().stale = true
	}
	if d.tree != nil {
		d.tree.freeValue(b)
	}
}

// A spot is where a child is packed: in a page, in the root of a tree, or in a small document.
type spot struct {
	cell  uint32 // of the page or root
	at    int    // where the child begins: of a member its name
	value int    // where its value begins
	end   int    // where it ends; of no child, all three are where one would be added
	heads []int  // where the containers around it begin that are in the same page
	box   *box   // whose page it is; nil in the root and in a small document
	page  int    // of the box
}

// inPage reports whether the child is one of a large container.
func (s *spot) inPage() bool { return s.box != nil && len(s.heads) == 0 }

// run returns the bytes among which a spot is.
func (d *Doc) run(cell uint32) []byte {
	if d.tree == nil {
		return d.root
	}
	return d.tree.cells[cell].bytes()
}

// find returns the spot of a value. The place must be one.
func (d *Doc) find(at Place, heads []int) spot {
	s := spot{end: len(d.run(0)), heads: heads[:0]}
	for _, i := range at {
		d.child(&s, int(i))
	}
	return s
}

// child goes from a container to child i, or behind the last one.
func (d *Doc) child(s *spot, i int) {
	b := d.run(s.cell)
	tag := b[s.value]
	if isFar(tag) {
		i = d.enter(s, i)
		b = d.run(s.cell)
	} else {
		s.heads = append(s.heads, s.value)
		s.at = s.value + headOf(tag)
		s.end = s.at + lengthOf(b[s.value:])
		if tag == tagArray && i >= countOf(b[s.value:]) {
			s.value, s.at = s.end, s.end
			return
		}
	}
	end := s.end
	skipped, i := d.walk(b[s.at:end], tag == tagObject || tag == tagFarObject, i)
	for s.at += skipped; ; i-- {
		if s.value = s.at; s.at == end {
			return
		}
		if tag == tagObject || tag == tagFarObject {
			_, n := nameOf(b[s.at:])
			s.value += n
		}
		if s.end = s.value + sizeOf(b[s.value:]); i == 0 {
			return
		}
		s.at = s.end
	}
}

// enter goes from a large container to the page of child i, and returns the child's index there.
func (d *Doc) enter(s *spot, i int) int {
	s.box, s.heads, s.page = d.tree.boxes[place(d.run(s.cell)[s.value:])], s.heads[:0], 0
	if len(s.box.pages) == 0 {
		s.box.pages = append(s.box.pages, page{cell: d.tree.add(nil)})
	}
	s.page, i = s.box.seek(i)
	s.cell = s.box.pages[s.page].cell
	s.at, s.end = 0, len(d.run(s.cell))
	return i
}

// splice replaces bytes where a spot is, by which the container around it gets so many children
// more. The spot must not be used any more then, but for what lies before.
func (d *Doc) splice(s *spot, from, to int, with []byte, children int) {
	if s.inPage() {
		s.box.grown(s.page, children)
	}
	if d.tree == nil {
		at := len(d.packed) - len(d.root)
		d.trail.cut(d.root, from)
		if len(with) == to-from {
			copy(d.root[from:], with)
		} else {
			d.packed = slices.Replace(d.packed, at+from, at+to, with...)
		}
		d.root = d.packed[at:]
		d.names.b = d.packed[lengthBytes:at:at]
	} else {
		d.tree.splice(s.cell, from, to, with)
	}
	b := d.run(s.cell)
	for _, at := range s.heads {
		setLength(b[at:], lengthOf(b[at:])+len(with)-(to-from))
	}
	if last := len(s.heads) - 1; last >= 0 && b[s.heads[last]] == tagArray {
		setCount(b[s.heads[last]:], countOf(b[s.heads[last]:])+children)
	}
	switch {
	case d.tree == nil:
	case s.box != nil:
		d.tree.relieve(s.box, s.page)
	case len(b) > pageBytes:
		packed := d.tree.far(b)
		d.tree.splice(0, 0, len(b), packed)
	}
}
