package list

import "fmt"

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. It never panics, whatever bytes the list was made of. O(n).
func (l *List) Check() error {
	if l.deadlines != nil {
		if err := l.deadlines.Check(l.Len()); err != nil {
			return err
		}
	}
	switch {
	case l.quicklist != nil && l.packed != nil:
		return fmt.Errorf("list: both packed and a chain")
	case l.quicklist != nil:
		return l.quicklist.check()
	case l.packed != nil:
		return l.packed.Check()
	}
	return nil
}

func (c *quicklist) check() error {
	var before *node
	elements, nodes, held := 0, 0, 0
	for n := c.head; n != nil; before, n = n, n.next {
		if n.prev != before {
			return fmt.Errorf("list: node %d is not linked back to the one before", nodes)
		}
		if err := n.check(); err != nil {
			return fmt.Errorf("list: node %d: %w", nodes, err)
		}
		nodes++
		elements += n.count
		held += cap(n.data)
	}
	switch {
	case c.tail != before:
		return fmt.Errorf("list: the tail is not the last of %d nodes", nodes)
	case c.len != elements || c.nodes != nodes:
		return fmt.Errorf("list: %d elements in %d nodes, sums say %d in %d", elements, nodes, c.len, c.nodes)
	case c.held != held:
		return fmt.Errorf("list: %d bytes in blocks, sum says %d", held, c.held)
	case c.spare != nil && !c.isLong(cap(c.spare.data)):
		return fmt.Errorf("list: keeps a block of %d bytes beside %d", cap(c.spare.data), held)
	}
	return nil
}

func (n *node) check() error {
	if n.plain {
		if n.count != 1 {
			return fmt.Errorf("plain, but counts %d elements", n.count)
		}
		return nil
	}
	if err := n.data.Check(); err != nil {
		return err
	}
	if n.count == 0 || n.count != n.data.Len() {
		return fmt.Errorf("counts %d elements, the ziplist has %d", n.count, n.data.Len())
	}
	return nil
}
