package deadlines

import "fmt"

// Check returns the first violated invariant; nil if all hold. O(n).
func (x *Index) Check() (err error) {
	if x.leaves() == 0 {
		return x.checkEmpty()
	}
	n, before := 0, place{}
	x.places.Ascend(func(p place) bool {
		if err = p.check(before); err != nil {
			return false
		}
		n, before = n+p.leaf.n, p
		return true
	})
	if err != nil {
		return err
	}
	for item, more := range x.copies {
		if n += more; more < 1 {
			return fmt.Errorf("%d copies of %v", more, item)
		}
	}
	first, _ := x.places.Min()
	switch {
	case x.first != first || x.last != before:
		return fmt.Errorf("the ends are %v and %v, not %v and %v", x.first.from, x.last.from, first.from, before.from)
	case x.n != n:
		return fmt.Errorf("%d items, not %d", n, x.n)
	}
	return nil
}

func (x *Index) checkEmpty() error {
	if x.n != 0 || x.first.leaf != nil || x.last.leaf != nil || len(x.copies) > 0 {
		return fmt.Errorf("%d items without a leaf", x.n)
	}
	return nil
}

// check checks the leaf at p, and that it is behind the one before it.
func (p place) check(before place) error {
	l := p.leaf
	if l.n < 1 || l.n > perLeaf {
		return fmt.Errorf("a leaf with %d items", l.n)
	}
	if l.at(0).before(p.from) {
		return fmt.Errorf("item %v is before its leaf, at %v", l.at(0), p.from)
	}
	if b := before.leaf; b != nil && !b.at(b.n-1).before(p.from) {
		return fmt.Errorf("item %v is in the leaf before %v", b.at(b.n-1), p.from)
	}
	for i := range l.n - 1 {
		if l.items[i] >= l.items[i+1] {
			return fmt.Errorf("item %v is before %v", l.at(i), l.at(i+1))
		}
	}
	return nil
}
