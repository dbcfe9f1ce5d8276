//go:build (!unix && !windows) || race

package slab

import "unsafe"

// regionSize is smaller in Go's heap, where a region takes twice that to begin at a multiple of it.
const regionSize = 256 << 10

func getRegion() unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(make([]byte, 2*regionSize)))
	return unsafe.Add(p, toMultiple(p, regionSize))
}

// keepsRegions says whether the pool keeps a region of which no Slab has a chunk.
const keepsRegions = false

const pageSize = 4 << 10

func giveBack(unsafe.Pointer, int) {}

func provide(unsafe.Pointer, int) {}
