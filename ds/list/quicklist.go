package list

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// quicklist is the encoding of a large list.
type quicklist struct {
	head, tail *node
	len        int // elements
	nodes      int
	held       int          // bytes of the nodes' blocks
	spare      *node        // removed, and kept with its block for the next node at an end; nil if there is none
	mem        value.Memory // nil until the list is settled
	strays     []*node      // nodes that may have bytes in Go's heap, which Settle moves
}

var (
	nodeSize      = sizeclass.Round(int(unsafe.Sizeof(node{})))
	quicklistSize = sizeclass.Round(int(unsafe.Sizeof(quicklist{})))
)

func (c *quicklist) bytes() int { return quicklistSize + c.nodes*nodeSize + c.held + c.spareBytes() }

// linkBefore puts a node with its elements before next, at the tail if that is nil.
func (c *quicklist) linkBefore(next, n *node) {
	n.next, n.prev = next, c.tail
	if next != nil {
		n.prev = next.prev
		next.prev = n
	} else {
		c.tail = n
	}
	if n.prev != nil {
		n.prev.next = n
	} else {
		c.head = n
	}
	c.nodes++
	c.len += n.count
	c.held += cap(n.data)
	c.note(n)
}

// unlink removes a node with its elements.
func (c *quicklist) unlink(n *node) {
	if n.prev != nil {
		n.prev.next = n.next
	} else {
		c.head = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	} else {
		c.tail = n.prev
	}
	c.nodes--
	c.len -= n.count
	c.held -= cap(n.data)
	c.keep(n)
}

// setNode gives a node other elements, or removes it if there are none.
func (c *quicklist) setNode(n *node, data ziplist.List, count int) {
	if count == 0 {
		c.unlink(n)
		return
	}
	c.held += cap(data) - cap(n.data)
	c.len += count - n.count
	n.data, n.count = data, count
	c.note(n)
	c.dropSpare()
}

// end returns the node at an end.
func (c *quicklist) end(end End) *node {
	if end == Head {
		return c.head
	}
	return c.tail
}

// neighbour returns the neighbour of a node that comes next in a walk from the given end.
func (n *node) neighbour(from End) *node {
	if from == Head {
		return n.next
	}
	return n.prev
}

// seek returns the node of element i, which may count from -1 backwards, and the element's index in
// it, from either end; nil if there is none. It goes from the nearer end.
func (c *quicklist) seek(i int) (*node, int) {
	if i < 0 {
		i += c.len
	}
	if i < 0 || i >= c.len {
		return nil, 0
	}
	if i < c.len/2 {
		n := c.head
		for ; i >= n.count; n = n.next {
			i -= n.count
		}
		return n, i
	}
	n, i := c.tail, i-c.len
	for ; i < -n.count; n = n.prev {
		i += n.count
	}
	return n, i + n.count
}

// find returns the node of the first element whose text is v, and its index there; nil if there is
// none.
func (c *quicklist) find(v []byte) (*node, int) {
	for n := c.head; n != nil; n = n.next {
		if i, ok := n.find(v); ok {
			return n, i
		}
	}
	return nil, 0
}

// push adds v at an end.
func (c *quicklist) push(end End, v []byte, lim Limits) {
	n := c.end(end)
	if c.fits(n, v, lim) {
		n.own()
		c.setNode(n, push(c.grow(n.data, len(v), lim), end, v, lim), n.count+1)
		return
	}
	next := c.endNode(n, v, lim)
	if end == Head {
		c.linkBefore(c.head, next)
	} else {
		c.linkBefore(nil, next)
	}
}

// fits reports whether a node can get v as a further element.
func (c *quicklist) fits(n *node, v []byte, lim Limits) bool {
	return n != nil && !n.plain && lim.mayAdd(n.data, n.count, len(v))
}

// newNode returns a node of the one element v.
func newNode(v []byte, lim Limits) *node {
	if lim.large(len(v)) {
		return &node{data: append(ziplist.List{}, v...), count: 1, plain: true}
	}
	return &node{data: ziplist.New().Append(v), count: 1}
}

// removeEnd removes n elements at an end.
func (c *quicklist) removeEnd(end End, n int) {
	for x := c.end(end); x != nil && n > 0; x = c.end(end) {
		if n < x.count {
			x.own()
			c.setNode(x, c.trimEnd(removeEnd(x.data, x.count, end, n)), x.count-n)
			return
		}
		n -= x.count
		c.unlink(x)
	}
}

// remove removes up to count elements whose text is v, in a walk from the given end.
func (c *quicklist) remove(v []byte, count int, from End) (removed int) {
	for n := c.end(from); n != nil && removed < count; {
		next := n.neighbour(from)
		k, data := 0, n.data
		switch {
		case n.twin != nil && !n.has(v): // no need to copy it
		case n.plain:
			if string(data) == string(v) {
				k = 1
			}
		default:
			n.own()
			data, k = removeEqual(n.data, v, count-removed, from)
		}
		if k > 0 {
			removed += k
			c.setNode(n, trimmed(data, n), n.count-k)
		}
		n = next
	}
	return removed
}

// trimmed returns the ziplist of a node in a block of its size, if it became much smaller.
func trimmed(data ziplist.List, n *node) ziplist.List {
	if n.plain {
		return data
	}
	return data.Trim()
}

func (c *quicklist) clone() *quicklist {
	copied := &quicklist{}
	for n := c.head; n != nil; n = n.next {
		copied.linkBefore(nil, &node{data: append(ziplist.List{}, n.data...), count: n.count, plain: n.plain})
	}
	return copied
}
