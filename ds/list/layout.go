package list

import "github.com/miniserver-go/miniserver/ds/ziplist"

// Node describes one node of a quicklist.
type Node struct {
	List  ziplist.List // the node's own, to be read only; nil if it is plain
	Len   int          // elements
	Bytes int          // of the block, as the allocator gave it
	Used  int          // of those, what the elements take
	Plain bool         // one element that is too large for a ziplist
}

// NodeBytes is what a node takes beside its block.
var NodeBytes = nodeSize

// Nodes calls fn for the nodes from head to tail until fn returns false, and reports whether there
// are any: a packed list has none. O(nodes).
func (l *List) Nodes(fn func(n Node) bool) bool {
	if l.quicklist == nil {
		return false
	}
	for n := l.quicklist.head; n != nil; n = n.next {
		d := Node{List: n.data, Len: n.count, Bytes: cap(n.data), Used: len(n.data), Plain: n.plain}
		if n.plain {
			d.List = nil
		}
		if !fn(d) {
			break
		}
	}
	return true
}

// SpareBytes returns what a removed node takes that is kept for the next one, part of Bytes. O(1).
func (l *List) SpareBytes() int {
	if l.quicklist == nil {
		return 0
	}
	return l.quicklist.spareBytes()
}

// DeadlineBytes returns the bytes that the deadlines of elements take, part of Bytes. O(1).
func (l *List) DeadlineBytes() int { return l.deadlines.Bytes() }
