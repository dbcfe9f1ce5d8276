package list

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// The blocks of a quicklist lie outside of Go's heap from the first Settle on. A change may leave a
// node with bytes in Go's heap, as append does: such a node is a stray, which the next Settle
// moves.
//
//	node  data ──▶ block           settled
//	node  data ──▶ Go's heap       a stray, whose block is to be freed
//
// A block that a frozen node shares belongs to the node of the list. When their ways part it goes
// to the frozen one, whose Thaw frees it.

// Settle moves the blocks of a quicklist to mem, or with compact those that are in memory which is
// being emptied. A packed list stays where it is. Each change asks for it again: done is false.
// O(nodes that have changed), the first time and with compact O(bytes).
func (l *List) Settle(mem value.Memory, compact bool) (done bool) {
	c := l.quicklist
	if c == nil {
		return false
	}
	strays, was := c.strays, c.mem
	c.strays, c.mem = nil, mem
	if was == mem && !compact {
		for _, n := range strays {
			c.settle(n, mem, false)
		}
		return false
	}
	for n := c.head; n != nil; n = n.next {
		c.settle(n, was, compact)
	}
	c.dropSpare()
	if c.spare != nil {
		c.settle(c.spare, was, compact)
	}
	return false
}

// settle moves the bytes of a node, which has them in Go's heap or in a block of was, if it has to.
func (c *quicklist) settle(n *node, was value.Memory, compact bool) {
	settled := n.block != nil && !n.strays()
	if n.data == nil || settled && was == c.mem && !(compact && c.mem.Retired(unsafe.Pointer(n.block))) {
		return
	}
	data, block := n.data, (*byte)(nil)
	if room := slab.Size(cap(data)); cap(data) <= slab.MaxCell {
		p, _ := c.mem.Block(room)
		block = (*byte)(p)
		data = unsafe.Slice(block, room)[:len(data)]
		copy(data, n.data)
	}
	c.release(n, was)
	if n != c.spare {
		c.held += cap(data) - cap(n.data)
	}
	n.data, n.block, n.size = data, block, cap(data)
}

// strays reports whether the bytes of a node are not in its block.
func (n *node) strays() bool { return unsafe.SliceData(n.data) != n.block }

// note remembers a node that is a stray.
func (c *quicklist) note(n *node) {
	if c.mem != nil && n.strays() {
		c.strays = append(c.strays, n)
	}
}

// release frees the block of a node, or leaves it to the frozen node that shares it.
func (c *quicklist) release(n *node, mem value.Memory) {
	if n.twin != nil {
		n.twin.block, n.twin.size = n.block, n.size
		n.part()
	} else if n.block != nil {
		mem.FreeBlock(unsafe.Pointer(n.block), n.size)
	}
	n.block = nil
}

// BlockBytes returns the bytes of the blocks that are in use. O(nodes).
func (l *List) BlockBytes() (bytes int) {
	c := l.quicklist
	if c == nil {
		return 0
	}
	for n := c.head; n != nil; n = n.next {
		bytes += n.blockBytes()
	}
	if c.spare != nil {
		bytes += c.spare.blockBytes()
	}
	return bytes
}

func (n *node) blockBytes() int {
	if n.block == nil {
		return 0
	}
	return n.size
}

// Drop frees about n blocks of a list that is not used for anything else any more, and reports
// whether there are more.
func (l *List) Drop(n int) (more bool) {
	c := l.quicklist
	if c == nil || c.mem == nil {
		return false
	}
	if c.spare != nil {
		c.release(c.spare, c.mem)
		c.spare = nil
	}
	for ; n > 0 && c.head != nil; n-- {
		c.release(c.head, c.mem)
		c.head = c.head.next
	}
	return c.head != nil
}

// unwrap makes a quicklist of one node a packed list, in Go's heap.
func (l *List) unwrap(n *node) {
	c := l.quicklist
	l.packed, l.quicklist = n.data, nil
	if n.block != nil || n.twin != nil {
		l.packed = append(ziplist.List(nil), n.data...)
	}
	c.release(n, c.mem)
	if c.spare != nil {
		c.release(c.spare, c.mem)
	}
}
