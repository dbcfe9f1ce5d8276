package slab

import (
	"bytes"
	"fmt"
	"unsafe"
)

// What package invariants adds: freed cells are filled with a pattern, and it must be there when
// they are allocated again. A cell that was never in use has no pattern, since the write would make
// its page resident.

// pattern is what the bytes of freed cells are.
const pattern = 0xdb

var patterns = bytes.Repeat([]byte{pattern}, MaxCell)

// Poison fills memory that is being freed with the pattern.
func Poison(p unsafe.Pointer, size int) {
	copy(unsafe.Slice((*byte)(p), size), patterns[:size])
}

// IsPoisoned reports whether memory consists of the pattern.
func IsPoisoned(p unsafe.Pointer, size int) bool {
	return bytes.Equal(unsafe.Slice((*byte)(p), size), patterns[:size])
}

// poison fills cell i, which is being freed.
func (c *chunk) poison(i int) {
	Poison(unsafe.Add(c.cells, i*c.size), c.size)
	if c.poisoned == nil {
		c.poisoned = make([]uint64, len(c.free))
	}
	c.poisoned[i/64] |= 1 << (i % 64)
}

// requirePoison panics if cell i, which is about to be in use again, was written to since it was
// freed.
func (c *chunk) requirePoison(i int) {
	if c.poisoned == nil || c.poisoned[i/64]&(1<<(i%64)) == 0 {
		return
	}
	c.poisoned[i/64] &^= 1 << (i % 64)
	if p := unsafe.Add(c.cells, i*c.size); !IsPoisoned(p, c.size) {
		panic(fmt.Sprintf("slab: a freed cell was written to: %q", unsafe.Slice((*byte)(p), c.size)))
	}
}

// RequireInUse panics if a cell is free, or in a chunk that no Slab has.
func RequireInUse(p unsafe.Pointer) {
	c := chunkOf(p)
	if c.size == 0 {
		panic("slab: a cell is used whose memory was given back")
	}
	if i := c.index(p); c.free[i/64]&(1<<(i%64)) != 0 {
		panic("slab: a cell is used that was freed")
	}
}
