package skiplist

import "github.com/miniserver-go/miniserver/ds/arena"

// Layout lists what a list consists of; all but the first in bytes.
type Layout struct {
	Heights []int // Heights[h-1] nodes are of height h
	Head    int   // the head, which holds links only
	Fixed   int   // of the nodes: score, height, link forward, link back
	Levels  int   // of the nodes: links and spans above level 0
	Members int   // the members' bytes, stored nowhere else
	Waste   int   // lengths and rounding, cells not in use, and what finds the blocks
}

// Layout walks the nodes and returns what they consist of. Head, Fixed, Levels, Members and Waste
// add up to Bytes. O(n).
func (l *List) Layout() Layout {
	if l.head == 0 {
		return Layout{}
	}
	d := Layout{Heights: l.heights(), Head: arena.Size(l.at(l.head).size()), Fixed: l.Len() * fixedBytes}
	for r := l.First(); r != 0; r = l.Next(r) {
		d.Levels += (int(l.at(r).height) - 1) * linkSize
		d.Members += len(l.Member(r))
	}
	d.Waste = l.Bytes() - d.Head - d.Fixed - d.Levels - d.Members
	return d
}

// Spans returns the spans of the links of a node, from level 1 upward: none for a node of height 1.
// 0 stands for the head, which has a link on each level of the list. O(1).
func (l *List) Spans(r Ref) (spans []int) {
	if l.head == 0 {
		return nil
	}
	n, height := l.at(l.head), int(l.level)
	if r != 0 {
		n = l.at(r)
		height = int(n.height)
	}
	for lv := bottom - 1; lv >= -height; lv-- {
		spans = append(spans, int(n.link(lv).span))
	}
	return spans
}
