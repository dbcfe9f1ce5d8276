package skiplist

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// heights returns how many nodes there are of each height; index 0 stands for height 1. O(n).
func (l *List) heights() []int {
	heights := make([]int, l.level)
	for r := l.First(); r != 0; r = l.Next(r) {
		heights[l.at(r).height-1]++
	}
	return heights
}

// Check walks the whole list and returns the first violated invariant as an error; nil if there is
// none. O(n).
func (l *List) Check() error {
	if l.head == 0 {
		if l.n != 0 || l.tail != 0 || l.level != 0 {
			return fmt.Errorf("skiplist: no head, but %d nodes", l.n)
		}
		return nil
	}
	head := l.at(l.head)
	p := path{before: l.head} // the last node seen on each level
	for lv := range p.at {
		p.at[lv&wrap] = head
	}
	rank, top, bytes := uint32(0), 1, arena.Size(head.size())
	for r := l.First(); r != 0; r = l.Next(r) {
		rank++
		if err := l.checkNode(r, rank, &p); err != nil {
			return err
		}
		top = max(top, int(l.at(r).height))
		bytes += arena.Size(l.at(r).size())
	}
	for lv := l.top(); lv < bottom; lv++ {
		if err := p.checkLink(lv, 0, rank); err != nil {
			return err
		}
	}
	switch {
	case l.tail != p.before:
		return fmt.Errorf("skiplist: the tail is not the last node")
	case rank != l.n:
		return fmt.Errorf("skiplist: %d nodes, %d counted", l.n, rank)
	case top != int(l.level):
		return fmt.Errorf("skiplist: level %d, highest node %d", l.level, top)
	}
	return l.nodes.Check(bytes)
}

// checkNode checks that r may follow the node before it and that the links to r are right. Then it
// adds r to p.
func (l *List) checkNode(r Ref, rank uint32, p *path) error {
	n := l.at(r)
	switch before := p.at[bottom&wrap]; {
	case *n.back() != p.before:
		return fmt.Errorf("skiplist: %q has a wrong back link", n.key())
	case p.before != l.head && !before.before(n.score, n.key()):
		return fmt.Errorf("skiplist: (%g %q) follows (%g %q)", n.score, n.key(), before.score, before.key())
	case int(n.height) > int(l.level):
		return fmt.Errorf("skiplist: %q is higher than level %d", n.key(), l.level)
	}
	p.at[bottom&wrap], p.rank[bottom&wrap], p.before = n, rank, r
	for lv := -int(n.height); lv < bottom; lv++ {
		if err := p.checkLink(lv, r, rank); err != nil {
			return err
		}
		p.at[lv&wrap], p.rank[lv&wrap] = n, rank
	}
	return nil
}

// checkLink checks the link on level lv from the last node seen there to next, the span reaching to
// rank.
func (p *path) checkLink(lv int, next Ref, rank uint32) error {
	switch link := *p.at[lv&wrap].link(lv); {
	case link.next != next:
		return fmt.Errorf("skiplist: node %d on level %d links to the wrong node", p.rank[lv&wrap], lv)
	case link.span != rank-p.rank[lv&wrap]:
		return fmt.Errorf("skiplist: node %d on level %d has span %d, not %d", p.rank[lv&wrap], lv, link.span,
			rank-p.rank[lv&wrap])
	}
	return nil
}
