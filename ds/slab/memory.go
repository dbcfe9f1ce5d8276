package slab

import "unsafe"

// memory is the regions and blocks of a Slab. It outlives the Slab by a moment: when the collector has found that one unreachable, it
// releases them.
type memory struct {
	regions []unsafe.Pointer
	blocks  map[unsafe.Pointer]int // and their sizes
}

// add gets a region from the system. Its address is a multiple of its size.
func (m *memory) add() unsafe.Pointer {
	p := getRegion()
	m.regions = append(m.regions, p)
	return p
}

// release gives up to n regions back, then all blocks, and reports whether there are more.
func (m *memory) release(n int) (more bool) {
	for ; n > 0 && len(m.regions) > 0; n-- {
		last := len(m.regions) - 1
		putRegion(m.regions[last])
		m.regions = m.regions[:last]
	}
	if len(m.regions) > 0 {
		return true
	}
	for p, size := range m.blocks {
		putBlock(p, size)
	}
	clear(m.blocks)
	return false
}

// toMultiple returns how many bytes there are from p to the next multiple of n, a power of two.
func toMultiple(p unsafe.Pointer, n int) int { return -int(uintptr(p)) & (n - 1) }
