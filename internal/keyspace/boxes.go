package keyspace

import "unsafe"

// boxes keeps the boxes of a table alive, since the collector does not see the cells. A box knows
// its place in the list.
type boxes struct {
	list   []*box
	vacant []uint32
}

// bytes returns what the list takes.
func (b *boxes) bytes() int { return cap(b.list)*int(unsafe.Sizeof((*box)(nil))) + cap(b.vacant)*4 }

// add keeps a box alive.
func (b *boxes) add(one *box) {
	last := len(b.vacant) - 1
	if last < 0 {
		one.place = uint32(len(b.list))
		b.list = append(b.list, one)
		return
	}
	one.place = b.vacant[last]
	b.list[one.place] = one
	b.vacant = b.vacant[:last]
}

// remove lets the box of a boxed entry go. It must not be asked for any more.
func (b *boxes) remove(e entry) {
	place := e.box().place
	b.list[place] = nil
	if b.vacant = append(b.vacant, place); len(b.vacant) == len(b.list) {
		*b = boxes{}
	}
}

// has reports whether the box of an entry is kept alive.
func (b *boxes) has(e entry) bool {
	place := int(e.box().place)
	return place < len(b.list) && b.list[place] == e.box()
}
