package skiplist

import "github.com/miniserver-go/miniserver/ds/arena"

// A list that has lost many nodes is compacted, as package arena describes: Retire, then Move for
// each node, then Release.

// Sparse reports whether the list should be compacted. O(1).
func (l *List) Sparse() bool { return l.nodes.Sparse() }

// Retire begins a compaction. O(log n).
func (l *List) Retire() {
	l.nodes.Retire()
	l.head = l.move(l.head)
	if first := l.First(); first != 0 {
		*l.at(first).back() = l.head
	} else {
		l.tail = l.head
	}
}

// Compacting reports whether nodes are to be moved. O(1).
func (l *List) Compacting() bool { return l.nodes.Compacting() }

// Move moves a node if it has to, and returns its new reference, or the one that it has. O(log n).
func (l *List) Move(r Ref) Ref {
	if !l.nodes.Retired(r) {
		return r
	}
	to := l.move(r)
	n := l.at(to)
	var p path
	l.find(n.score, n.key(), &p)
	for lv := -int(n.height); lv <= bottom; lv++ {
		p.at[lv&wrap].link(lv).next = to
	}
	if next := n.link(bottom).next; next != 0 {
		*l.at(next).back() = to
	} else {
		l.tail = to
	}
	return to
}

// move copies a node to a new cell.
func (l *List) move(r Ref) Ref {
	n := l.at(r)
	start := Ref(int(n.height) * linkSize / arena.Step)
	return l.nodes.Move(r-start, n.size()) + start
}

// Release ends a compaction. All nodes must have been moved. O(blocks).
func (l *List) Release() { l.nodes.Release() }
