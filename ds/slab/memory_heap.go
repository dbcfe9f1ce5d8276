//go:build !unix || race

package slab

import "unsafe"

// regionSize is smaller in Go's heap, where a region takes twice that to begin at a multiple of it.
const regionSize = 256 << 10

func getRegion() unsafe.Pointer {
	p := unsafe.Pointer(unsafe.SliceData(make([]byte, 2*regionSize)))
	return unsafe.Add(p, toMultiple(p, regionSize))
}

func putRegion(unsafe.Pointer) {}

func giveBack(unsafe.Pointer, int) {}
