// Package list is the list value: elements in the order in which they were added, packed in one
// ziplist while small and in a linked list of ziplists from then on.
//
//	packed     one ziplist        element element ...
//	quicklist  head               nodes, linked both ways                      tail
//	           [ziplist] <-> [ziplist] <-> [one large element] <-> [ziplist]
//
// Invariants, all verified by Check:
//
//  1. A list is packed or a quicklist, never both; the zero List is an empty packed one.
//  2. No node is empty, and each knows its number of elements.
//  3. A plain node holds the bytes of one element, without a ziplist around them.
//  4. A quicklist's running sums are the number of its elements and the bytes of its nodes.
//  5. Only a long quicklist keeps a removed node for the next (see block.go).
//
// Limits.Node bounds a ziplist, as list-max-ziplist-size does in Redis: in bytes, or in elements.
// An element too large for any ziplist gets a plain node. A list whose one ziplist is full becomes
// a quicklist with the ziplist as its first node; a quicklist of one node becomes packed again when
// the node takes at most half of the limit. Both happen exactly where they do in Redis since 7.2,
// which counts the bytes of a listpack. Full nodes are split where an element comes between their
// elements, and what is left is joined with its neighbours where it fits.
//
// Elements come out as ziplist.Entry: text, or an integer not yet rendered. They alias the list's
// own memory and are valid until the list is next changed. What goes in is copied and must not be
// such an alias. Indexes count from 0 at the head, or from -1 at the tail backwards.
//
// Elements may have deadlines (see expiry.go and package expiry), kept in an array beside the list,
// one place for each element; a list whose elements never had any has no array.
//
// Non-goals: compression of inner nodes (list-compress-depth), which trades time for bytes that a
// local server has; and the removal of empty lists, which is the keyspace's.
//
// Unlike Redis, where a small list is a node in a quicklist too, a packed list is the plain bytes
// of its ziplist, which the keyspace can keep beside the key; and an element that is overwritten
// with a longer one does not make its node exceed the limit.
package list

import (
	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// List is one list. The zero value is an empty one.
//
// A List made by Of works on the bytes it was given and allocates only when they do not suffice, so
// it may be a short-lived view of bytes kept elsewhere. Assigning a List shares its memory; Clone
// copies it.
type List struct {
	packed    ziplist.List // nil if a quicklist, or nothing was ever pushed
	quicklist *quicklist
	deadlines *expiry.Array // nil if no element ever had a deadline
}

// End is one of a list's two ends.
type End uint8

// The ends. Walks from the head go by ascending index, walks from the tail by descending.
const (
	Head End = iota
	Tail
)

// Of returns the packed list of the entries of zl. It works on zl itself. Bytes from outside must
// pass Check.
func Of(zl ziplist.List) List { return List{packed: zl} }

// Packed returns the ziplist of a packed list, which stays the list's own; false if the list is a
// quicklist, or if there are deadlines as well.
func (l *List) Packed() ([]byte, bool) {
	return l.ziplist(), l.quicklist == nil && l.deadlines == nil
}

// Ziplist returns the ziplist, which stays the list's own, also if elements have deadlines; false
// if the list is encoded otherwise.
func (l *List) Ziplist() (ziplist.List, bool) { return l.ziplist(), l.quicklist == nil }

// ziplist returns the ziplist of a packed list.
func (l *List) ziplist() ziplist.List {
	if l.packed == nil && l.quicklist == nil {
		l.packed = ziplist.New()
	}
	return l.packed
}

// Len returns the number of elements. O(1); O(n) for a packed one of more than 65534 elements.
func (l *List) Len() int {
	switch {
	case l.quicklist != nil:
		return l.quicklist.len
	case l.packed == nil:
		return 0
	}
	return l.packed.Len()
}

// Encoding returns the encoding as OBJECT ENCODING says it: ziplist or quicklist.
func (l *List) Encoding() string {
	if l.quicklist == nil {
		return "ziplist"
	}
	return "quicklist"
}

// Bytes returns the bytes held beyond the List itself: the ziplist's block, or the nodes with their
// blocks as the allocator rounds them, and the deadlines. O(1).
func (l *List) Bytes() int {
	n := cap(l.packed)
	if l.quicklist != nil {
		n = l.quicklist.bytes()
	}
	return n + l.deadlines.Bytes()
}

// Push adds v at an end. O(bytes of a node).
func (l *List) Push(end End, v []byte, lim Limits) {
	l.expect(1, len(v), lim)
	l.push(end, v, lim)
}

// PushAll adds elements at an end, one after the other. O(bytes of a node) for each.
func (l *List) PushAll(end End, elements [][]byte, lim Limits) {
	size := 0
	for _, v := range elements {
		size += len(v)
	}
	l.expect(len(elements), size, lim)
	for _, v := range elements {
		l.push(end, v, lim)
	}
}

// push is Push without a look at the encoding.
func (l *List) push(end End, v []byte, lim Limits) {
	if l.deadlines != nil {
		l.insertDeadlines(int(end)*l.deadlines.Len(), 1)
	}
	if l.quicklist != nil {
		l.quicklist.push(end, v, lim)
		return
	}
	l.packed = push(l.ziplist(), end, v, lim)
}

// Index returns element i; false if there is none.
// O(n) in a packed list, O(nodes + elements of a node) in a quicklist, from the nearer end.
func (l *List) Index(i int) (e ziplist.Entry, ok bool) {
	if l.quicklist != nil {
		n, i := l.quicklist.seek(i)
		if n == nil {
			return e, false
		}
		return n.at(i), true
	}
	if l.packed == nil {
		return e, false
	}
	p := l.packed.Index(i)
	if p == ziplist.None {
		return e, false
	}
	e, _ = l.packed.Get(p)
	return e, true
}

// End returns the element at an end; false if the list is empty. O(1).
func (l *List) End(end End) (ziplist.Entry, bool) {
	if end == Head {
		return l.Index(0)
	}
	return l.Index(-1)
}

// Set overwrites element i with v, which has no deadline, and reports whether there is one. It may
// change the encoding in either case, as in Redis: for one more element. O(nodes + bytes of a
// node).
func (l *List) Set(i int, v []byte, lim Limits) bool {
	if l.deadlines != nil {
		l.clearDeadline(i)
	}
	l.expect(1, len(v), lim)
	if l.quicklist == nil {
		zl := l.ziplist()
		p := zl.Index(i)
		if p == ziplist.None {
			return false
		}
		l.packed = zl.Replace(p, v)
		return true
	}
	n, at := l.quicklist.seek(i)
	if n == nil {
		return false
	}
	l.quicklist.set(n, at, v, lim)
	l.Shrink(lim)
	return true
}

// Insert adds v beside the first element, from the head on, whose text is pivot: behind it, or
// before it. It reports whether there is one, and may change the encoding in either case. O(n).
func (l *List) Insert(pivot, v []byte, behind bool, lim Limits) bool {
	if l.deadlines != nil {
		l.insertDeadlineBeside(pivot, behind)
	}
	l.expect(1, len(v), lim)
	if l.quicklist == nil {
		zl := l.ziplist()
		p := zl.Find(pivot, zl.First(), 0)
		if p == ziplist.None {
			return false
		}
		if behind {
			p = zl.Next(p)
		}
		l.packed = reserve(zl, len(v), lim).Insert(p, v)
		return true
	}
	n, i := l.quicklist.find(pivot)
	if n == nil {
		return false
	}
	l.quicklist.insert(n, i, v, behind, lim)
	return true
}

// Remove removes up to count elements whose text is v, the first that a walk from the given end
// meets, and returns their number. O(n).
func (l *List) Remove(v []byte, count int, from End) (removed int) {
	if l.deadlines != nil {
		l.removeDeadlines(v, count, from)
	}
	if l.quicklist != nil {
		removed = l.quicklist.remove(v, count, from)
	} else if l.packed != nil {
		l.packed, removed = removeEqual(l.packed, v, count, from)
		l.packed = l.packed.Trim()
	}
	return removed
}

// RemoveEnd removes n elements at an end, all if there are no more. O(nodes removed + bytes of a
// node).
func (l *List) RemoveEnd(end End, n int) {
	if l.deadlines != nil {
		l.removeDeadlinesAtEnd(end, n)
	}
	l.removeEnd(end, n)
}

func (l *List) removeEnd(end End, n int) {
	if l.quicklist != nil {
		l.quicklist.removeEnd(end, n)
	} else if l.packed != nil && n > 0 {
		l.packed = removeEnd(l.packed, l.packed.Len(), end, n).Trim()
	}
}

// expect prepares for n more elements that have so many bytes together: if they are too many for
// one ziplist, a packed list becomes a quicklist. It reports whether it did. O(1), but O(bytes of
// the ziplist) near the limit.
func (l *List) expect(n, size int, lim Limits) (changed bool) {
	if l.quicklist != nil || !lim.exceeded(l.ziplist(), l.packed.Len()+n, size) {
		return false
	}
	l.convert()
	return true
}

// Shrink makes a quicklist packed again whose only node takes at most half of the limit: half, so
// that a list which grows and shrinks is not converted all the time. It is for commands that remove
// elements. O(bytes of the node).
func (l *List) Shrink(lim Limits) {
	if n := l.only(); n != nil && lim.half(n.data, n.count) {
		l.unwrap(n)
	}
}

// Fit makes a packed list that exceeds the limit a quicklist of one node, and the other way round.
// It is for lists that were loaded or built at once. O(bytes of a node).
func (l *List) Fit(lim Limits) {
	l.expect(0, 0, lim)
	if n := l.only(); n != nil && !lim.exceeded(n.data, n.count, 0) {
		l.unwrap(n)
	}
}

// only returns the only node of a quicklist; nil if there are more or none, or if it is plain.
func (l *List) only() *node {
	if l.quicklist == nil || l.quicklist.nodes != 1 || l.quicklist.head.plain {
		return nil
	}
	return l.quicklist.head
}

// Clone returns a copy that shares nothing with l. O(bytes).
func (l *List) Clone() value.Value {
	c := new(List)
	if l.quicklist != nil {
		c.quicklist = l.quicklist.clone()
	} else {
		c.packed = append(ziplist.List(nil), l.packed...)
	}
	if l.deadlines != nil {
		c.deadlines = l.deadlines.Clone()
	}
	return c
}

// convert makes a packed list a quicklist. The bytes are copied: those of a view are borrowed.
func (l *List) convert() {
	c := &quicklist{}
	if l.packed != nil && !l.packed.Empty() {
		n := &node{data: append(ziplist.List(nil), l.packed...), count: l.packed.Len()}
		c.linkBefore(nil, n)
	}
	l.packed, l.quicklist = nil, c
}
