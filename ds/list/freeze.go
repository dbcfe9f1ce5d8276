package list

import (
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Freeze implements value.Freezer. A packed list is not frozen. O(nodes), and O(n) if there are
// deadlines.
func (l *List) Freeze() (value.Value, func()) {
	if l.quicklist == nil {
		return nil, nil
	}
	f := l.freeze()
	return f, f.thaw
}

// freeze returns a list with the elements that l has now, until thaw. It shares the blocks of the
// nodes; l copies one before it changes it for the first time.
func (l *List) freeze() *List {
	f := &List{quicklist: l.quicklist.freeze()}
	if l.deadlines != nil {
		f.deadlines = l.deadlines.Clone()
	}
	return f
}

// thaw ends the life of a list that freeze returned: nothing need be copied for it any more.
// O(nodes).
func (l *List) thaw() {
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

// own gives the node a block that it does not share with a frozen one. It is called before the
// bytes of the block change.
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
