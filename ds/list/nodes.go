package list

import "github.com/miniserver-go/miniserver/ds/ziplist"

// Nodes, as snapshots write and read them.

// NodeCount returns the number of nodes; a packed list is one.
func (l *List) NodeCount() int {
	if l.quicklist != nil {
		return l.quicklist.nodes
	}
	return 1
}

// EachNode calls fn for every node from the head on: with a ziplist, or if plain with the text of
// the node's only element. They alias the list. O(nodes).
func (l *List) EachNode(fn func(data []byte, plain bool)) {
	if l.quicklist == nil {
		zl, _ := l.Packed()
		fn(zl, false)
		return
	}
	for n := l.quicklist.head; n != nil; n = n.next {
		fn(n.data, n.plain)
	}
}

// AppendNode puts a node behind the tail: a ziplist that has passed its Check, or a plain text. The
// bytes are the list's from then on. Without elements it does nothing. O(1); the first makes a
// packed list a quicklist.
func (l *List) AppendNode(data []byte, plain bool) {
	n := &node{data: data, count: 1, plain: plain}
	if !plain {
		n.count = ziplist.List(data).Len()
	}
	if n.count == 0 {
		return
	}
	if l.quicklist == nil {
		l.convert()
	}
	l.quicklist.linkBefore(nil, n)
}
