package slab

import "unsafe"

// memory is the regions and blocks of a Slab. It outlives the Slab by a moment: when the collector has found that one unreachable, it
// releases them.
type memory struct {
	regions []unsafe.Pointer
	blocks  map[unsafe.Pointer]block
}

// block is the size of a block, and how much of it was not given back.
type block struct{ size, left int }

// add gets a region from the system. Its address is a multiple of its size.
func (m *memory) add() unsafe.Pointer {
	p := getRegion()
	m.regions = append(m.regions, p)
	return p
}

// release gives up to n regions back, or as much of blocks, and reports whether there are more.
func (m *memory) release(n int) (more bool) {
	for ; n > 0 && len(m.regions) > 0; n-- {
		last := len(m.regions) - 1
		putRegion(m.regions[last])
		m.regions = m.regions[:last]
	}
	for p, b := range m.blocks {
		if n > 0 {
			n -= m.releasePart(p, b, n)
		}
	}
	return len(m.regions)+len(m.blocks) > 0
}

// releasePart gives back as much of a block as n regions have, from its end on, and returns how many regions that was.
func (m *memory) releasePart(p unsafe.Pointer, b block, n int) (done int) {
	done = min(n, (b.left+regionSize-1)/regionSize)
	if b.left -= done * regionSize; b.left <= 0 {
		putBlock(p, b.size)
		delete(m.blocks, p)
		return done
	}
	giveBack(unsafe.Add(p, b.left), done*regionSize)
	m.blocks[p] = b
	return done
}

// toMultiple returns how many bytes there are from p to the next multiple of n, a power of two.
func toMultiple(p unsafe.Pointer, n int) int { return -int(uintptr(p)) & (n - 1) }
