package keyspace

import "unsafe"

// boxes keeps the boxes of a table alive, since the collector does not see the table. A box knows its place in the list.
type boxes struct {
	list   []*box
	vacant []uint32
}

// bytes returns what the list takes.
func (b *boxes) bytes() int { return cap(b.list)*int(unsafe.Sizeof((*box)(nil))) + cap(b.vacant)*4 }

// add keeps an entry alive that comes into the table, if it is boxed.
func (b *boxes) add(e entry) {
	if e.head().kind() != boxed {
		return
	}
	last := len(b.vacant) - 1
	if last < 0 {
		e.head().setPlace(uint32(len(b.list)))
		b.list = append(b.list, e.box())
		return
	}
	e.head().setPlace(b.vacant[last])
	b.list[b.vacant[last]] = e.box()
	b.vacant = b.vacant[:last]
}

// remove lets an entry go that left the table, if it is boxed.
func (b *boxes) remove(e entry) {
	if e.head().kind() != boxed {
		return
	}
	place := e.head().place()
	b.list[place] = nil
	if b.vacant = append(b.vacant, place); len(b.vacant) == len(b.list) {
		*b = boxes{}
	}
}

// has reports whether the entry, which is boxed, is kept alive.
func (b *boxes) has(e entry) bool {
	place := int(e.head().place())
	return place < len(b.list) && b.list[place] == e.box()
}

// setPlace and place are the number of a box in the list, in place of the lengths of a packed entry.
func (h *header) setPlace(n uint32) { h.klen, h.vlen = uint16(n), uint16(n>>16) }
func (h *header) place() uint32     { return uint32(h.klen) | uint32(h.vlen)<<16 }
