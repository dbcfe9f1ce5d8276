package deadlines

import (
	"maps"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Clone returns a copy of an index whose leaves lie in cells, a copy of the slab of this one.
// O(leaves).
func (x *Index) Clone(cells *slab.Clone) *Index {
	c := New(cells.Slab)
	if x.places == nil {
		return c
	}
	x.places.Ascend(func(p place) bool {
		c.add(place{p.from, (*leaf)(cells.Cell(unsafe.Pointer(p.leaf)))})
		return true
	})
	c.copies, c.n = maps.Clone(x.copies), x.n
	return c
}
