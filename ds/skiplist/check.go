package skiplist

import (
	"fmt"
	"unsafe"
)

// The links of all levels are evenly spaced only if next ends both structs.
var _ [0]struct{} = [nodeSize - unsafe.Offsetof(Node{}.next) - (levelSize - unsafe.Offsetof(level{}.next))]struct{}{}

// Heights returns how many nodes there are of each height; index 0 stands for height 1. O(n).
func (l *List) Heights() []int {
	heights := make([]int, l.level)
	for n := l.First(); n != nil; n = n.next {
		heights[n.height-1]++
	}
	return heights
}

// Check walks the whole list and returns the first violated invariant as an error; nil if there is none. O(n).
func (l *List) Check() error {
	if l.head == nil {
		if *l != (List{}) {
			return fmt.Errorf("skiplist: no head, but %+v", *l)
		}
		return nil
	}
	var p path // the last node seen on each level
	for lv := range p.at {
		p.at[lv] = l.head
	}
	rank, top, bytes := 0, 1, headBytes(int(l.head.height))
	for n := l.head.next; n != nil; n = n.next {
		rank++
		if err := l.checkNode(n, rank, &p); err != nil {
			return err
		}
		top = max(top, int(n.height))
		bytes += n.bytes()
	}
	for lv := 1; lv < l.level; lv++ {
		if err := p.checkLink(lv, nil, rank); err != nil {
			return err
		}
	}
	switch {
	case l.tail != l.backOf(p.at[0]):
		return fmt.Errorf("skiplist: the tail is not the last node")
	case rank != l.n:
		return fmt.Errorf("skiplist: %d nodes, %d counted", l.n, rank)
	case top != l.level:
		return fmt.Errorf("skiplist: level %d, highest node %d", l.level, top)
	case bytes != l.bytes:
		return fmt.Errorf("skiplist: %d bytes, %d counted", l.bytes, bytes)
	}
	return nil
}

// checkNode checks that n may follow the node before it and that the links to n are right. Then it adds n to p.
func (l *List) checkNode(n *Node, rank int, p *path) error {
	switch before := p.at[0]; {
	case n.back != l.backOf(before):
		return fmt.Errorf("skiplist: %q has a wrong back link", n.Key())
	case before != l.head && !before.before(n.score, n.Key()):
		return fmt.Errorf("skiplist: (%g %q) follows (%g %q)", n.score, n.Key(), before.score, before.Key())
	case int(n.height) > l.level:
		return fmt.Errorf("skiplist: %q is higher than level %d", n.Key(), l.level)
	}
	p.at[0], p.rank[0] = n, rank
	for lv := 1; lv < int(n.height); lv++ {
		if err := p.checkLink(lv, n, rank); err != nil {
			return err
		}
		p.at[lv], p.rank[lv] = n, rank
	}
	return nil
}

// checkLink checks the link on level lv from the last node seen there to next, the span reaching to
// rank.
func (p *path) checkLink(lv int, next *Node, rank int) error {
	switch link := p.at[lv].level(lv); {
	case link.next != next:
		return fmt.Errorf("skiplist: node %d on level %d links to the wrong node", p.rank[lv], lv)
	case link.span != rank-p.rank[lv]:
		return fmt.Errorf("skiplist: node %d on level %d has span %d, not %d", p.rank[lv], lv, link.span, rank-p.rank[lv])
	}
	return nil
}
