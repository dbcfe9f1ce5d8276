//go:build poison || race

package slab

import "unsafe"

// Poisons says whether freed cells are filled with a pattern.
const Poisons = true

// Poison fills a cell that is being freed.
func Poison(p unsafe.Pointer, size int) {
	cell := unsafe.Slice((*byte)(p), size)
	for i := range cell {
		cell[i] = 0xdb
	}
}
