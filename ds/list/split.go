package list

import "github.com/miniserver-go/miniserver/ds/ziplist"

// insert adds v beside element i of a node: behind it, or before it.
func (c *quicklist) insert(n *node, i int, v []byte, behind bool, lim Limits) {
	if behind {
		i++
	}
	first, last := i == 0, i == n.count
	switch {
	case c.fits(n, v, lim):
		c.insertInto(n, i, v, lim)
	case first && c.fits(n.prev, v, lim):
		c.insertInto(n.prev, n.prev.count, v, lim)
	case last && c.fits(n.next, v, lim):
		c.insertInto(n.next, 0, v, lim)
	case first:
		c.linkBefore(n, newNode(v, lim))
	case last:
		c.linkBefore(n.next, newNode(v, lim))
	default:
		c.insertBetween(n, i, v, behind, lim)
	}
}

// insertBetween splits a full node before element i and adds v to the half that does not hold the
// element beside which it comes.
func (c *quicklist) insertBetween(n *node, i int, v []byte, behind bool, lim Limits) {
	c.split(n, i)
	left, right := n, n.next
	switch {
	case lim.large(len(v)):
		c.linkBefore(right, newNode(v, lim))
	case behind:
		c.insertInto(right, 0, v, lim)
		c.join(left, lim)
	default:
		c.insertInto(left, left.count, v, lim)
		c.join(right, lim)
	}
}

// insertInto adds v before element i of a ziplist's node that admits it, at its end if i is its
// count.
func (c *quicklist) insertInto(n *node, i int, v []byte, lim Limits) {
	n.own()
	zl := reserve(n.data, len(v), lim)
	c.setNode(n, zl.Insert(zl.Index(i), v), n.count+1)
}

// set overwrites element i of a node.
func (c *quicklist) set(n *node, i int, v []byte, lim Limits) {
	old := n.at(i).Len()
	switch {
	case n.plain && lim.large(len(v)):
		c.setNode(n, append(ziplist.List{}, v...), 1)
	case !n.plain && lim.mayReplace(n.data, old, len(v)):
		n.own()
		c.setNode(n, n.data.Replace(n.data.Index(i), v), n.count)
	case n.count == 1:
		c.insert(n, 0, v, false, lim) // into the node before, or one of its own
		c.unlink(n)
	default:
		n.own()
		c.setNode(n, n.data.DeleteRange(i, 1), n.count-1)
		c.insert(n, max(i-1, 0), v, i > 0, lim)
	}
}

// split cuts a ziplist's node before element i, which is not its first: the node keeps what is
// before, and a new one behind it has the rest.
func (c *quicklist) split(n *node, i int) {
	n.own()
	rest := append(ziplist.List{}, n.data...)
	right := &node{data: rest.Delete(rest.First(), i).Trim(), count: n.count - i}
	c.setNode(n, n.data.DeleteRange(i, n.count-i).Trim(), i)
	c.linkBefore(n.next, right)
}

// join joins nodes that fit into one, after a split: the two before n, the two behind it, then n
// with its neighbours.
func (c *quicklist) join(n *node, lim Limits) {
	if n.prev != nil {
		c.merge(n.prev.prev, n.prev, lim)
	}
	if n.next != nil {
		c.merge(n.next, n.next.next, lim)
	}
	n = c.merge(n.prev, n, lim)
	c.merge(n, n.next, lim)
}

// mergeable reports whether the elements of two neighbours fit into one ziplist.
func (c *quicklist) mergeable(a, b *node, lim Limits) bool {
	return !a.plain && !b.plain && asListpack(a.data)+asListpack(b.data)-emptyListpack <= lim.bytes() &&
		(lim.Node < 0 || a.count+b.count <= lim.Node)
}

// merge moves the elements of b to the end of its left neighbour a, if both exist and fit into one
// node. It returns the node where those of b are.
func (c *quicklist) merge(a, b *node, lim Limits) *node {
	if a == nil || b == nil || !c.mergeable(a, b, lim) {
		return b
	}
	a.own()
	zl := a.data
	walk(b.data, Head, 0, func(e ziplist.Entry) bool {
		if e.IsInt() {
			zl = zl.AppendInt(e.Int)
		} else {
			zl = zl.Append(e.Str)
		}
		return true
	})
	count := a.count + b.count
	c.unlink(b)
	c.setNode(a, zl, count)
	return a
}
