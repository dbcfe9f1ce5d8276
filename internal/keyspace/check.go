package keyspace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// Check walks all databases and returns the first violated invariant; nil if all hold. O(n).
func (ks *Keyspace) Check() error {
	for _, db := range ks.dbs {
		if err := db.Check(); err != nil {
			return fmt.Errorf("database %d: %w", db.id, err)
		}
	}
	return nil
}

// Check walks the database and returns the first violated invariant; nil if all hold. O(n).
func (db *DB) Check() error {
	if err := db.table.Check(db.table); err != nil {
		return err
	}
	held, cells, volatile, withDates := 0, 0, 0, 0
	var sum deadlineSum
	tables := db.table.Held() + db.expires.index.LeafBytes() + db.elements.index.LeafBytes()
	var err error
	db.table.each(func(e entry) bool {
		held += e.bytes()
		cells += slab.Size(e.cellBytes())
		if e.head().kind() == boxed && (!db.memory.boxes.has(e) || entryAt(e.box().cell) != e) {
			err = fmt.Errorf("key %q: the collector may take its box", e.Key())
			return false
		}
		if deadline := e.head().deadline(); deadline != 0 {
			volatile++
			sum.change(0, deadline)
		}
		if e.head().hasFlag(hasElementDeadlines) {
			withDates++
		}
		err = cmp.Or(db.checkValue(e), db.checkElementIndex(e))
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case held != db.memory.bytes:
		return fmt.Errorf("database %d accounts %d bytes, its entries hold %d", db.id, db.memory.bytes, held)
	case cells+tables+db.memory.freedBytes() != db.memory.cells.Live():
		return fmt.Errorf("database %d: %d bytes of cells are in use, its entries take %d, its table and indexes %d",
			db.id, db.memory.cells.Live()-db.memory.freedBytes(), cells, tables)
	case volatile != db.expires.len:
		return fmt.Errorf("database %d counts %d deadlines, %d entries have one", db.id, db.expires.len, volatile)
	case sum != db.expires.sum:
		return fmt.Errorf("database %d has another sum of deadlines than its entries", db.id)
	case withDates != db.Expiry().Subexpiry():
		return fmt.Errorf("database %d: %d items in the index of elements, for %d keys", db.id,
			db.Expiry().Subexpiry(), withDates)
	case db.expires.orphans() < 0 || db.expires.orphans() > volatile+1024:
		return fmt.Errorf("database %d: %d items in the index, for %d deadlines", db.id,
			db.expires.index.Len(), volatile)
	}
	return cmp.Or(db.checkDeadlines(), db.expires.index.Check(), db.elements.index.Check(), db.memory.cells.Check(),
		db.checkBlocks())
}

// checkBlocks checks that the blocks of the values are all that are in use, unless some are to be
// freed.
func (db *DB) checkBlocks() error {
	used := 0
	for _, b := range db.memory.boxes.list {
		if b != nil {
			if s := asSettled(b.value); s != nil {
				used += s.BlockBytes()
			}
		}
	}
	if live := db.memory.blocks.slab.Live(); live != used && len(db.ks.freed)+len(db.ks.dropped) == 0 &&
		db.ks.snapshot == nil {
		return fmt.Errorf("database %d: %d bytes of blocks are in use, its values have %d", db.id, live, used)
	}
	return db.memory.blocks.slab.Check()
}

// freedBytes returns the bytes of cells that Begin will free.
func (m *memory) freedBytes() (n int) {
	for _, f := range m.ks.freed {
		if f.from == m.cells {
			n += slab.Size(entry{f.cell}.cellBytes())
		}
	}
	return n
}

// checkDeadlines checks that each entry with a deadline has an item of its own in the index.
func (db *DB) checkDeadlines() (err error) {
	items, late := make(map[uint32][]int64), make(map[uint32][]int64) // times, by code
	db.expires.index.Ascend(deadlines.Item{At: math.MinInt64}, func(item deadlines.Item) bool {
		items[item.Code] = append(items[item.Code], item.At)
		return true
	})
	db.table.each(func(e entry) bool {
		h, code, deadline := e.head(), dict.Code(db.table.hash(e)), e.head().deadline()
		i, found := slices.BinarySearch(items[code], deadline)
		switch {
		case h.hasFlag(dated) != (deadline != 0):
			err = fmt.Errorf("key %q is flagged as dated: %v", e.Key(), deadline == 0)
		case h.hasFlag(exact) && !found:
			err = fmt.Errorf("key %q: no item at its exact deadline %d", e.Key(), deadline)
		case h.hasFlag(exact):
			items[code] = slices.Delete(items[code], i, i+1)
		case deadline != 0:
			late[code] = append(late[code], deadline)
		}
		return err == nil
	})
	for code, times := range late {
		slices.Sort(times)
		for i, deadline := range times {
			if i == len(items[code]) || items[code][i] > deadline {
				return fmt.Errorf("a key of code %x is not announced by its deadline %d", code, deadline)
			}
		}
	}
	return err
}

// checkElementIndex checks that the entry is in the index of elements just if it has to be.
func (db *DB) checkElementIndex(e entry) error {
	v := volatileIn(e)
	switch {
	case (v != nil) != e.head().hasFlag(hasElementDeadlines):
		return fmt.Errorf("key %q is flagged as dated: %v", e.Key(), v == nil)
	case v == nil:
		return nil
	}
	if b := e.box(); b.elementItem > v.NextDeadline()+reapPause(v) ||
		!db.elements.index.Has(deadlines.Item{At: b.elementItem, Code: dict.Code(db.table.hash(e))}) {
		return fmt.Errorf("key %q: its elements are not announced at %d", e.Key(), b.elementItem)
	}
	return nil
}

// checkValue checks the value itself, and that the entry is packed or boxed as it must be.
func (db *DB) checkValue(e entry) error {
	v := db.ks.views.read(e)
	if empty(v) {
		return fmt.Errorf("key %q holds an empty %s", e.Key(), v.Type())
	}
	if h := e.head(); h.kind() == boxed {
		if b := e.box(); b.accounted != heldBytes(v) {
			return fmt.Errorf("key %q accounts %d bytes for its value, which holds %d", e.Key(),
				b.accounted, heldBytes(v))
		}
	} else if n := e.cellBytes(); n > packMax {
		return fmt.Errorf("key %q is packed in %d bytes", e.Key(), n)
	}
	if c, ok := v.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return fmt.Errorf("key %q: %w", e.Key(), err)
		}
	}
	return nil
}
