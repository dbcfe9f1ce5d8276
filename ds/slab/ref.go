package slab

import "unsafe"

// Ref stands for a cell of any Slab of the process; 0 for none.
type Ref = uint32

const (
	regionCells = regionSize / step       // places of cells in a region
	maxRegions  = (1 << 32) / regionCells // that a Ref can name
)

// regions are where they begin, by number. A reader has a cell in the region that it looks up, so
// it was written before.
var regions [maxRegions]unsafe.Pointer

// At returns the cell that r stands for. O(1).
func At(r Ref) unsafe.Pointer {
	return unsafe.Add(regions[r/regionCells], uintptr(r%regionCells)*step)
}

// RefOf returns what stands for a cell. O(1).
func RefOf(p unsafe.Pointer) Ref {
	r, at := regionOf(p)
	return r.number*regionCells + uint32(at/step)
}
