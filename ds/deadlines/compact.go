package deadlines

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Compact moves those of the next leaves that lie in retired chunks of the slab, most leaves at
// most, from the one on that begins at an item or behind it. It returns where to go on, how many
// leaves it moved of how many that it looked at, and whether there are more. O(most + log n).
func (x *Index) Compact(from Item, most int) (next Item, moved, seen int, more bool) {
	if x.places == nil {
		return from, 0, 0, false
	}
	var sparse []place
	x.places.AscendGreaterOrEqual(place{from: from}, func(p place) bool {
		if seen == most {
			next, more = p.from, true
			return false
		}
		seen++
		if slab.Retired(unsafe.Pointer(p.leaf)) {
			sparse = append(sparse, p)
		}
		return true
	})
	for _, p := range sparse {
		p.leaf = (*leaf)(x.cells.Move(unsafe.Pointer(p.leaf)))
		x.places.ReplaceOrInsert(p)
	}
	if len(sparse) > 0 {
		x.findEnds()
	}
	return next, len(sparse), seen, more
}
