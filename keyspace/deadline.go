package keyspace

import (
	"unsafe"

	"github.com/google/btree"
)

// The deadline index holds items (deadline, hash of the key) and no pointers: 16 bytes an item,
// nothing for the collector. An item that surfaces finds its entries by hash.
//
// A deadline that moves later leaves its item where it is; when the item surfaces, a new one is put
// at the entry's real deadline. So a limiter that renews its EXPIRE on every call writes eight
// bytes and no more. A deadline that moves earlier, or goes away, removes its item if the item is
// known to stand exactly at the old deadline (flag exact) and orphans it otherwise. Orphans are
// counted and the index is rebuilt when they outnumber the living.
type due struct {
	deadline int64 // milliseconds since the epoch
	hash     uint64
}

const indexDegree = 32

func (a due) before(b due) bool {
	return a.deadline < b.deadline || a.deadline == b.deadline && a.hash < b.hash
}

// Deadline returns when key becomes due, in milliseconds since the epoch; 0 if it never does. ok is
// false if the key is not visible.
func (db *DB) Deadline(key []byte) (deadline int64, ok bool) {
	e := db.lookup(view(key))
	if e == nil {
		return 0, false
	}
	return e.head().deadline, true
}

// SetDeadline sets when a visible key becomes due; 0 removes the deadline. It reports whether the
// key is visible. Renewing to a later time is O(1), anything else O(log n).
func (db *DB) SetDeadline(key []byte, deadline int64) bool {
	name := view(key)
	hash := db.table.Hash(name)
	slot := db.lookupHash(hash, name)
	if slot == nil {
		return false
	}
	db.preserve(*slot)
	db.setDeadline(slot.head(), hash, deadline)
	return true
}

func (db *DB) setDeadline(h *header, hash uint64, deadline int64) {
	if h.deadline == deadline {
		return
	}
	old := h.deadline
	switch {
	case old == 0:
		db.volatile++
	case deadline == 0:
		db.volatile--
	}
	h.deadline = deadline
	switch {
	case deadline == 0:
		db.unindex(h, hash, old)
	case old != 0 && deadline > old && h.has(indexed):
		h.clear(exact)
	default:
		db.unindex(h, hash, old)
		db.announce(h, hash)
	}
}

func (db *DB) hash(e entry) uint64 { return db.table.Hash(e.Key()) }

// announce puts an item at the entry's deadline.
func (db *DB) announce(h *header, hash uint64) {
	if db.index == nil {
		db.index = btree.NewG(indexDegree, due.before)
	}
	db.index.ReplaceOrInsert(due{h.deadline, hash})
	h.set(indexed | exact)
}

// unindex takes the entry's item out, or counts it as an orphan if its place is not known.
func (db *DB) unindex(h *header, hash uint64, deadline int64) {
	switch {
	case h.has(exact):
		db.index.Delete(due{deadline, hash})
	case h.has(indexed):
		db.orphans++
	}
	h.clear(indexed | exact)
	if db.orphans > db.volatile+1024 {
		db.reindex()
	}
}

// retire ends the deadline of an entry that left the table.
func (db *DB) retire(e entry, hash uint64) {
	h := e.head()
	if h.deadline == 0 {
		return
	}
	db.volatile--
	db.unindex(h, hash, h.deadline)
}

// reindex builds the index anew without orphans.
func (db *DB) reindex() {
	db.index.Clear(true)
	db.orphans = 0
	db.table.Each(func(e entry) bool {
		if h := e.head(); h.deadline != 0 {
			db.announce(h, db.hash(e))
		}
		return true
	})
}

// reapsNothing reports whether due keys are left where they are.
func (ks *Keyspace) reapsNothing() bool { return ks.KeepExpired || ks.Replaying }

// NextDeadline returns the time at which the next key, or element of a value, may become due; 0 if
// none ever does, or none is to be removed.
func (db *DB) NextDeadline() int64 {
	if db.ks.reapsNothing() {
		return 0
	}
	key, element := soonest(db.index), soonest(db.elements)
	if key == 0 || element != 0 && element < key {
		return element
	}
	return key
}

// soonest returns the time of an index's first item, 0 if there is none.
func soonest(index *btree.BTreeG[due]) int64 {
	if index == nil {
		return 0
	}
	first, _ := index.Min()
	return first.deadline
}

// Reap removes keys that are due, at most budget index items' worth, and then elements of values that
// are, at most as many. It returns how many keys it removed for themselves and whether more is due.
func (db *DB) Reap(budget int) (removed int, more bool) {
	if db.ks.reapsNothing() {
		return 0, false
	}
	removed, more = db.reapKeys(budget)
	return removed, db.reapElements(budget) || more
}

func (db *DB) reapKeys(budget int) (removed int, more bool) {
	if db.index == nil {
		return 0, false
	}
	for ; ; budget-- {
		first, ok := db.index.Min()
		if !ok || first.deadline > db.ks.Now {
			return removed, false
		}
		if budget <= 0 {
			return removed, true
		}
		db.index.DeleteMin()
		removed += db.surface(first)
	}
}

// surface settles the entries that an item from the index may stand for: those that are due go, one
// whose deadline has moved is announced anew.
func (db *DB) surface(item due) (removed int) {
	lapsed, known := db.ks.lapsed[:0], false
	db.table.EachHash(item.hash, func(e *entry) bool {
		switch h := e.head(); {
		case db.ks.due(h):
			h.clear(indexed | exact)
			lapsed = append(lapsed, *e)
		case h.deadline != 0 && !h.has(exact):
			db.announce(h, item.hash)
			known = true
		}
		return true
	})
	if len(lapsed) == 0 && !known && db.orphans > 0 {
		db.orphans--
	}
	for _, e := range lapsed {
		db.expire(e, item.hash)
	}
	db.ks.lapsed = lapsed
	return len(lapsed)
}

// reannounce puts items at the real deadlines of the entries that an item taken out of the index stood
// for.
func (db *DB) reannounce(item due) {
	known := false
	db.table.EachHash(item.hash, func(e *entry) bool {
		if h := e.head(); h.deadline != 0 && !h.has(exact) {
			db.announce(h, item.hash)
			known = true
		}
		return true
	})
	if !known && db.orphans > 0 {
		db.orphans--
	}
}

// indexBytes estimates the bytes of an index from its items: a b-tree's nodes are between half full
// and full, three quarters on average.
func indexBytes(index *btree.BTreeG[due]) int {
	if index == nil {
		return 0
	}
	return index.Len() * int(unsafe.Sizeof(due{})) * 4 / 3
}
