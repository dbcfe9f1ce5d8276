package skiplist

// Layout lists what a list consists of; all but the first two in bytes.
type Layout struct {
	Heights []int // Heights[h-1] nodes are of height h
	Far     int   // nodes whose member is an allocation of its own
	Head    int   // the head, which holds links only
	Fixed   int   // of the nodes: score, link back, link forward, size
	Levels  int   // of the nodes: links and spans above level 0
	Members int   // the members' bytes, stored nowhere else
	Waste   int   // what the allocator gave beyond that, and the pointers to far members
}

// Layout walks the nodes and returns what they consist of. Head, Fixed, Levels, Members and Waste
// add up to Bytes. O(n).
func (l *List) Layout() Layout {
	if l.head == nil {
		return Layout{}
	}
	d := Layout{Heights: l.Heights(), Head: headBytes(int(l.head.height)), Fixed: l.n * int(nodeSize)}
	for n := l.First(); n != nil; n = n.next {
		d.Levels += (int(n.height) - 1) * int(levelSize)
		d.Members += int(n.size)
		if n.external {
			d.Far++
		}
	}
	d.Waste = l.bytes - d.Head - d.Fixed - d.Levels - d.Members
	return d
}
