package json

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Settle implements value.Settler: it moves the cells of a large document. A small document stays
// where it is. O(cells) the first time and with compact.
func (d *Doc) Settle(mem value.Memory, compact bool) (done bool) {
	t := d.tree
	if t != nil {
		t.trail, t.farWays = nil, 0
	}
	if t == nil || t.mem == mem && !compact {
		return false
	}
	was := t.mem
	for i, c := range t.cells {
		if c.p == nil || was == mem && (!t.inBlock(c.room) || !mem.Retired(c.p)) {
			continue
		}
		t.mem = mem
		next := t.newCell(max(int(c.used), minCell))
		next.used = uint32(copy(next.bytes(), c.bytes()))
		t.mem = was
		t.release(c)
		t.cells[i] = next
	}
	t.mem = mem
	return false
}

// BlockBytes implements value.Settler. O(cells).
func (d *Doc) BlockBytes() (n int) {
	if d.tree == nil {
		return 0
	}
	for _, c := range d.tree.cells {
		if c.p != nil && d.tree.inBlock(c.room) {
			n += int(c.room)
		}
	}
	return n
}

// Drop implements value.Settler.
func (d *Doc) Drop(n int) (more bool) {
	t := d.tree
	if t != nil {
		t.trail, t.farWays = nil, 0
	}
	if t == nil || t.mem == nil {
		return false
	}
	for ; n > 0 && len(t.cells) > 0; n-- {
		last := len(t.cells) - 1
		if c := t.cells[last]; c.p != nil {
			t.release(c)
		}
		t.cells = t.cells[:last]
	}
	return len(t.cells) > 0
}

// Bytes implements value.Value.
func (d *Doc) Bytes() int {
	if d.tree == nil {
		return sizeclass.Round(cap(d.packed))
	}
	return d.tree.bytes()
}

// docSize is what the allocator gives for a document.
var docSize = sizeclass.RoundScanned(int(unsafe.Sizeof(Doc{})))
