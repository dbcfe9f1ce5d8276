package dict

import "unsafe"

// Memory is where a table lies, if not in Go's heap.
type Memory interface {
	// Block returns n bytes that are zero, and how many it takes for them.
	Block(n int) (p unsafe.Pointer, held int)
	// FreeBlock frees a block of n bytes, and returns how many it took.
	FreeBlock(p unsafe.Pointer, n int) (held int)
}
