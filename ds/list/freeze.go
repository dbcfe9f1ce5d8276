package list

import (
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Freeze returns a list with the elements that l has now, to be read while l changes; nil if l is packed. It shares the
// blocks of the nodes; l copies one before it changes it for the first time. l is frozen once at a time, until Thaw.
// O(nodes), and O(n) if there are deadlines.
func (l *List) Freeze() *List {
	if l.quicklist == nil {
		return nil
	}
	f := &List{quicklist: l.quicklist.freeze()}
	if l.deadlines != nil {
		f.deadlines = l.deadlines.Clone()
	}
	return f
}

// Thaw ends the life of a list that Freeze returned: nothing need be copied for it any more. O(nodes).
func (l *List) Thaw() {
	c := l.quicklist
	for n := c.head; n != nil; n = n.next {
		if n.twin != nil {
			n.part()
		} else {
			c.release(n, c.mem)
		}
	}
}

func (c *quicklist) freeze() *quicklist {
	f, nodes := &quicklist{mem: c.mem}, make([]node, c.nodes)
	for n, i := c.head, 0; n != nil; n, i = n.next, i+1 {
		nodes[i] = node{data: n.data, count: n.count, plain: n.plain, twin: n}
		n.twin = &nodes[i]
		f.linkBefore(nil, n.twin)
	}
	return f
}

// own gives the node a block that it does not share with a frozen one. It is called before the bytes of the block change.
func (n *node) own() {
	if n.twin != nil {
		n.data = append(make(ziplist.List, 0, cap(n.data)), n.data...)
		n.twin.block, n.twin.size, n.block = n.block, n.size, nil
		n.part()
	}
}

// part separates a node from its twin.
func (n *node) part() {
	if n.twin != nil {
		n.twin.twin, n.twin = nil, nil
	}
}
