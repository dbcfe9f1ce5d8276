package slab

import "unsafe"

// memory is the chunks and blocks of a Slab. It outlives the Slab by a moment: when the collector has found that one unreachable, it
// releases them.
type memory struct {
	chunks []*chunk
	blocks map[unsafe.Pointer]block
}

// block is the size of a block, and how much of it was not given back.
type block struct{ size, left int }

// add gets a chunk from the pool.
func (m *memory) add() *chunk {
	c := shared.take()
	c.place = len(m.chunks)
	m.chunks = append(m.chunks, c)
	return c
}

// remove gives a chunk to the pool.
func (m *memory) remove(c *chunk) {
	last := len(m.chunks) - 1
	m.chunks[c.place] = m.chunks[last]
	m.chunks[c.place].place = c.place
	m.chunks[last] = nil
	m.chunks = m.chunks[:last]
	shared.put(c)
}

// release gives the chunks of up to n regions back, or as much of blocks, and reports whether there are more.
func (m *memory) release(n int) (more bool) {
	for ; n > 0 && len(m.chunks) > 0; n-- {
		for range min(len(m.chunks), perRegion) {
			m.remove(m.chunks[len(m.chunks)-1])
		}
	}
	for p, b := range m.blocks {
		if n > 0 {
			n -= m.releasePart(p, b, n)
		}
	}
	return len(m.chunks)+len(m.blocks) > 0
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
