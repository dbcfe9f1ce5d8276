package value

import "unsafe"

// Memory is where the blocks of large values lie that are kept outside of Go's heap. Whoever has a
// block frees it.
type Memory interface {
	// Block returns n bytes that are zero, and how many it takes for them.
	Block(n int) (p unsafe.Pointer, held int)
	// FreeBlock frees a block of n bytes, and returns how many it took. Until the end of the
	// command the block can be read.
	FreeBlock(p unsafe.Pointer, n int) (held int)
	// Retired reports whether a block is in memory that is being emptied, and so is to be moved.
	Retired(p unsafe.Pointer) bool
}
