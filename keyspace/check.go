package keyspace

import (
	"fmt"
	"math"
)

// Check walks the database and returns the first violated invariant; nil if all hold. O(n).
func (db *DB) Check() error {
	if err := db.table.Check(); err != nil {
		return err
	}
	announced := db.firstDeadlines()
	held, packed, volatile, withDates := 0, 0, 0, 0
	var err error
	db.table.Each(func(e entry) bool {
		held += e.bytes()
		switch {
		case e.head().kind() != boxed:
			packed += e.bytes()
		case !db.boxes.has(e):
			err = fmt.Errorf("key %q: the collector may take its box", e.Key())
			return false
		}
		if e.head().deadline != 0 {
			volatile++
		}
		if e.head().hasFlag(hasElementDeadlines) {
			withDates++
		}
		if err = db.checkDeadline(e, announced); err == nil {
			err = db.checkValue(e)
		}
		if err == nil {
			err = db.checkElementIndex(e)
		}
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case held != db.entryBytes:
		return fmt.Errorf("database %d accounts %d bytes, its entries hold %d", db.id, db.entryBytes, held)
	case packed+db.freedBytes()+db.table.Bytes() != db.cells.Live():
		return fmt.Errorf("database %d: %d bytes of cells are in use, its entries and its table take %d", db.id, db.cells.Live()-db.freedBytes(), packed+db.table.Bytes())
	case volatile != db.volatile:
		return fmt.Errorf("database %d counts %d deadlines, %d entries have one", db.id, db.volatile, volatile)
	case withDates != db.Subexpiry():
		return fmt.Errorf("database %d: %d items in the index of elements, for %d keys", db.id, db.Subexpiry(), withDates)
	case db.index != nil && db.index.Len() > volatile+db.orphans:
		return fmt.Errorf("database %d: %d items in the index, for %d deadlines and %d orphans", db.id, db.index.Len(), volatile, db.orphans)
	}
	return db.cells.Check()
}

// freedBytes returns the bytes of cells that Begin will free.
func (db *DB) freedBytes() (n int) {
	for _, f := range db.ks.freed {
		if f.from == db.cells {
			n += entry{f.cell}.bytes()
		}
	}
	return n
}

// firstDeadlines returns the earliest deadline in the index for each hash.
func (db *DB) firstDeadlines() map[uint64]int64 {
	first := make(map[uint64]int64)
	if db.index == nil {
		return first
	}
	db.index.Descend(func(item indexItem) bool {
		first[item.hash] = item.deadline
		return true
	})
	return first
}

// checkDeadline checks the entry's flags against the index.
func (db *DB) checkDeadline(e entry, announced map[uint64]int64) error {
	h, hash := e.head(), db.hash(e)
	if h.deadline == 0 {
		if h.hasFlag(indexed | exact) {
			return fmt.Errorf("key %q is flagged as indexed without a deadline", e.Key())
		}
		return nil
	}
	first, ok := announced[hash]
	if !ok {
		first = math.MaxInt64
	}
	switch {
	case !h.hasFlag(indexed):
		return fmt.Errorf("key %q has a deadline but is not flagged as indexed", e.Key())
	case first > h.deadline:
		return fmt.Errorf("key %q is not announced by its deadline %d", e.Key(), h.deadline)
	case h.hasFlag(exact) && !db.index.Has(indexItem{h.deadline, hash}):
		return fmt.Errorf("key %q: no item at its exact deadline %d", e.Key(), h.deadline)
	}
	return nil
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
	if b := e.box(); b.elementItem > v.NextDeadline()+reapPause(v) || !db.elements.Has(indexItem{b.elementItem, db.hash(e)}) {
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
			return fmt.Errorf("key %q accounts %d bytes for its value, which holds %d", e.Key(), b.accounted, heldBytes(v))
		}
	} else if n := headerSize + int(h.klen) + int(h.vlen); n > packMax {
		return fmt.Errorf("key %q is packed in %d bytes", e.Key(), n)
	}
	if c, ok := v.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return fmt.Errorf("key %q: %w", e.Key(), err)
		}
	}
	return nil
}
