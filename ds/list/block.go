package list

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Blocks at the ends of a quicklist. In a long one they have the full size from the beginning, are
// not cut down while elements are removed, and the last one that became empty is kept for the next.
// So neither a list that grows nor a queue leaves garbage, which would stay resident until it is
// collected.

// isLong reports whether the blocks are so many that the room left over in one more, of so many
// bytes, does not matter.
func (c *quicklist) isLong(bytes int) bool { return c.held >= longQuicklist*bytes }

// grow returns the ziplist at an end. If it has no room for an element of n bytes, and the list is
// long, it is in a block of the full size, so that it need not grow step by step.
func (c *quicklist) grow(zl ziplist.List, n int, lim Limits) ziplist.List {
	if len(zl)+n+overhead <= cap(zl) || cap(zl) >= lim.bytes() || lim.Node >= 0 || !c.isLong(lim.bytes()) {
		return zl
	}
	return append(make(ziplist.List, 0, lim.bytes()), zl...)
}

// endNode returns a node of the one element v, which comes beside a full one at an end. It has room
// for more elements.
func (c *quicklist) endNode(full *node, v []byte, lim Limits) *node {
	switch {
	case lim.large(len(v)) || lim.Node >= 0:
		return newNode(v, lim)
	case !c.isLong(lim.bytes()):
		return &node{data: ziplist.AppendEmpty(make([]byte, firstBlock)).Append(v), count: 1}
	}
	n := c.takeSpare()
	room := c.fullBlock(full, n, lim)
	if n.block != nil && unsafe.SliceData(full.data) == n.block ||
		full.block != nil && unsafe.SliceData(room) == full.block {
		n.block, n.size, full.block, full.size = full.block, full.size, n.block, n.size
		c.note(full)
	}
	n.data, n.count = ziplist.AppendEmpty(room).Append(v), 1
	return n
}

// fullBlock returns a block of the full size for n: that of a node which is full but does not need
// all of it, or the one that n has, or a new one.
func (c *quicklist) fullBlock(full, n *node, lim Limits) []byte {
	old := n.data
	switch room := full.data; {
	case !full.plain && full.twin == nil && cap(room) == lim.bytes() && len(room) <= cap(room)/8*7:
		if len(room) > cap(old) || len(room) <= cap(old)/8*7 {
			old = nil
		}
		c.setNode(full, append(old[:0], room...), full.count)
		return room
	case cap(old) == lim.bytes():
		return old
	}
	return c.newBlock(n, lim.bytes())
}

// newBlock returns a block of so many bytes for n. If the list is settled, the block need not be
// moved by the next Settle, which would leave as much garbage.
func (c *quicklist) newBlock(n *node, bytes int) []byte {
	if c.mem == nil || bytes > slab.MaxCell {
		return make([]byte, bytes)
	}
	c.release(n, c.mem)
	p, _ := c.mem.Block(bytes)
	n.block, n.size = (*byte)(p), bytes
	return unsafe.Slice(n.block, bytes)
}

// trimEnd is ziplist.Trim for a node at an end, which is likely to be removed or filled soon: in a
// long list it keeps its block.
func (c *quicklist) trimEnd(zl ziplist.List) ziplist.List {
	if c.isLong(cap(zl)) {
		return zl
	}
	return zl.Trim()
}

// keep keeps a node that was removed, if the list is long and has no other.
func (c *quicklist) keep(n *node) {
	c.dropSpare()
	if c.spare == nil && !n.plain && n.twin == nil && cap(n.data) >= leastSpare && c.isLong(cap(n.data)) {
		n.prev, n.next = nil, nil
		c.spare = n
		return
	}
	c.release(n, c.mem)
	n.data = nil
}

// dropSpare forgets the node that is kept if the list is not long any more.
func (c *quicklist) dropSpare() {
	if c.spare != nil && !c.isLong(cap(c.spare.data)) {
		c.release(c.spare, c.mem)
		c.spare.data, c.spare = nil, nil
	}
}

// takeSpare returns the node that is kept, with its block, or a new one without.
func (c *quicklist) takeSpare() *node {
	n := c.spare
	if c.spare = nil; n == nil {
		n = &node{}
	}
	return n
}

// spareBytes returns the bytes of the node that is kept.
func (c *quicklist) spareBytes() int {
	if c.spare == nil {
		return 0
	}
	return nodeSize + cap(c.spare.data)
}
