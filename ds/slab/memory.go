package slab

// memory is the chunks of a Slab. It outlives the Slab by a moment: when the collector has found
// that one unreachable, it releases them.
type memory struct {
	chunks []*chunk
	pool   *pool
}

// add gets a chunk from the pool.
func (m *memory) add() *chunk {
	return m.append(m.pool.take())
}

// takeFrom gets a chunk of another one, with all its cells.
func (m *memory) takeFrom(other *memory) *chunk {
	c := other.chunks[len(other.chunks)-1]
	other.cut(c)
	c.empty()
	return m.append(c)
}

func (m *memory) append(c *chunk) *chunk {
	c.place = len(m.chunks)
	m.chunks = append(m.chunks, c)
	return c
}

// remove gives a chunk to the pool.
func (m *memory) remove(c *chunk) {
	m.cut(c)
	m.pool.put(c)
}

// cut takes a chunk out of the list.
func (m *memory) cut(c *chunk) {
	last := len(m.chunks) - 1
	m.chunks[c.place] = m.chunks[last]
	m.chunks[c.place].place = c.place
	m.chunks[last] = nil
	m.chunks = m.chunks[:last]
}

// empty makes a chunk one without cells.
func (c *chunk) empty() { *c = chunk{cells: c.cells, room: c.room, home: c.home, free: c.free[:0]} }

// release gives the chunks of up to n regions back, and reports whether there are more.
func (m *memory) release(n int) (more bool) {
	for ; n > 0 && len(m.chunks) > 0; n-- {
		for range min(len(m.chunks), perRegion) {
			m.remove(m.chunks[len(m.chunks)-1])
		}
	}
	return len(m.chunks) > 0
}
