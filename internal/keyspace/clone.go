package keyspace

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Clone returns a copy of the keyspace, for Adopt: all keys with their values, deadlines and access
// data. Neither sees changes of the other. The cells are copied chunk by chunk and the references
// in the tables redirected, without a look at the entries; boxed values are cloned one by one.
// O(bytes); it ends the life of all views.
func (ks *Keyspace) Clone() *Keyspace { return ks.cloneOver(nil) }

// Reserve is memory that the system has provided, for CloneIn. The collector gives back what is not
// used of it.
type Reserve struct{ cells *slab.Slab }

// LeastReserve is the size in bytes of the smallest reserve. Below that none gains anything.
const LeastReserve = 1 << 20

// NewReserve returns memory for n bytes of cells, as CloneBytes returns them; nil for fewer than
// LeastReserve. O(n), about a third of the time of Clone. It concerns no keyspace: all can be used
// meanwhile.
func NewReserve(n int) *Reserve {
	if n < LeastReserve {
		return nil
	}
	return &Reserve{slab.Reserve(n)}
}

// CloneBytes returns how many bytes the cells of a clone take.
func (ks *Keyspace) CloneBytes() (n int) {
	for _, db := range ks.dbs[:ks.used] {
		n += db.memory.cells.Held()
	}
	return n
}

// CloneIn is Clone in the memory of a reserve, which is used up; nil is none.
func (ks *Keyspace) CloneIn(r *Reserve) *Keyspace {
	if r == nil {
		return ks.Clone()
	}
	return ks.cloneOver([]*slab.Slab{r.cells})
}

// AdoptClone is Adopt of a clone, which lies where the keys lie that it replaces. So the system
// need not provide memory for it.
func (ks *Keyspace) AdoptClone(of *Keyspace) {
	ks.Begin()
	for _, db := range ks.dbs {
		db.Flush()
	}
	var dead []*slab.Slab
	for _, s := range ks.flushed {
		if ks.snapshot == nil && s.Named() {
			dead = append(dead, s)
		}
	}
	ks.Adopt(of.cloneOver(dead))
}

// cloneOver is Clone in the memory of slabs that are not in use any more.
func (ks *Keyspace) cloneOver(dead []*slab.Slab) *Keyspace {
	ks.Begin()
	c := ks.Twin(ks.dice)
	for i, db := range ks.dbs[:ks.used] {
		c.dbs[i].contents = db.contents.clone(c, dead)
	}
	c.used = ks.used
	if ks.snapshot != nil {
		c.bornWith(c.snapshotBit)
	}
	return c
}

func (c *contents) clone(ks *Keyspace, dead []*slab.Slab) contents {
	twin := *c
	twin.compaction = compaction{}
	cells := c.memory.cells.Clone(dead...)
	index := c.table.CloneIn(cells.Slab,
		func(p unsafe.Pointer, _ int) unsafe.Pointer { return cells.Cell(p) }, cells.Ref)
	twin.table = &table{index, c.table.seed}
	twin.memory = c.memory.clone(ks, cells)
	twin.expires.keys, twin.expires.index = twin.table, c.expires.index.Clone(cells)
	twin.elements.index = c.elements.index.Clone(cells)
	if twin.indexes = nil; len(c.indexes) > 0 {
		twin.memory.bytes += twin.indexes.fill(twin.memory.boxes)
	}
	return twin
}

// clone returns the memory of ks in which the cells were copied, with copies of the boxes.
func (m *memory) clone(ks *Keyspace, cells *slab.Clone) memory {
	twin := memory{ks: ks, cells: cells.Slab, blocks: newBlocks(ks)}
	grown := 0
	twin.boxes, grown = m.boxes.clone(cells, twin.blocks)
	twin.bytes = m.bytes + grown
	return twin
}

// clone returns copies of the boxes for the copies of their cells. The blocks of their values are
// in mem. grown is how many bytes more the copies take; they may take fewer, having no room to
// grow.
func (b *boxes) clone(cells *slab.Clone, mem *blocks) (twin *boxes, grown int) {
	twin = &boxes{list: make([]*box, len(b.list)), vacant: append([]uint32(nil), b.vacant...)}
	for i, original := range b.list {
		if original != nil {
			twin.list[i] = original.clone()
			mem.settleNew(twin.list[i])
			grown += twin.list[i].accounted - original.accounted
			entryAt(cells.Ref(original.cell)).setBox(twin.list[i])
		}
	}
	return twin, grown
}

// clone returns a copy with a copy of the value.
func (b *box) clone() (twin *box) {
	if entryAt(b.cell).head().klen == longKey {
		long := *(*longBox)(unsafe.Pointer(b))
		twin = &long.box
	} else {
		short := *b
		twin = &short
	}
	twin.value = b.value.Clone()
	return twin
}
