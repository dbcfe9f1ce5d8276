package keyspace

import (
	"unsafe"

	"github.com/google/btree"
)

// Clone returns a copy of the keyspace, for Adopt: all keys with their values, deadlines and access data. Neither sees
// changes of the other. The cells are copied chunk by chunk and the slots of the tables redirected, without a look at the
// entries; boxed values are cloned one by one. O(bytes); it ends the life of all views.
func (ks *Keyspace) Clone() *Keyspace {
	ks.Begin()
	c := ks.Twin()
	for i, db := range ks.dbs[:ks.used] {
		c.dbs[i].contents = db.contents.clone()
	}
	c.used = ks.used
	if ks.snapshot != nil {
		c.bornWith(c.snapshotBit)
	}
	return c
}

// bornWith gives all entries the bit of a keyspace whose last snapshot has none of them to save.
func (ks *Keyspace) bornWith(bit kind) {
	for _, db := range ks.dbs[:ks.used] {
		db.table.Each(func(e entry) bool {
			if h := e.head(); h.snapshotBit() != bit {
				h.flipSnapshotBit()
			}
			return true
		})
	}
}

func (c *contents) clone() contents {
	twin := *c
	cells := c.cells.Clone()
	twin.cells, twin.boxes = cells.Slab, c.boxes.clone()
	twin.table = c.table.CloneIn(cells, func(e entry) entry {
		if p, packed := cells.Cell(e.p); packed {
			return entry{p}
		}
		return entry{unsafe.Pointer(twin.boxes.list[e.head().place()])}
	})
	twin.index, twin.elements = cloneIndex(c.index), cloneIndex(c.elements)
	return twin
}

func (b *boxes) clone() *boxes {
	twin := &boxes{list: make([]*box, len(b.list)), vacant: append([]uint32(nil), b.vacant...)}
	for i, original := range b.list {
		if original != nil {
			c := *original
			c.value = c.value.Clone()
			twin.list[i] = &c
		}
	}
	return twin
}

func cloneIndex(index *btree.BTreeG[indexItem]) *btree.BTreeG[indexItem] {
	if index == nil {
		return nil
	}
	return index.Clone()
}
