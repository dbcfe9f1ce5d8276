package slab

import "unsafe"

// memory is the regions of a Slab. It outlives the Slab by a moment: when the collector has found that one unreachable, it
// releases them.
type memory struct{ regions []unsafe.Pointer }

// add gets a region from the system. Its address is a multiple of its size.
func (m *memory) add() unsafe.Pointer {
	p := getRegion()
	m.regions = append(m.regions, p)
	return p
}

// release gives up to n regions back, and reports whether there are more.
func (m *memory) release(n int) (more bool) {
	for ; n > 0 && len(m.regions) > 0; n-- {
		last := len(m.regions) - 1
		putRegion(m.regions[last])
		m.regions = m.regions[:last]
	}
	return len(m.regions) > 0
}

// toMultiple returns how many bytes there are from p to the next multiple of n, a power of two.
func toMultiple(p unsafe.Pointer, n int) int { return -int(uintptr(p)) & (n - 1) }
