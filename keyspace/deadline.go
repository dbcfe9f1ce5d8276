package keyspace

import (
	"unsafe"

	"github.com/google/btree"
	"github.com/miniserver-go/miniserver/ds/dict"
)

// The deadline index holds items (deadline, hash of the key) and no pointers: 16 bytes an item,
// nothing for the collector. When an item comes up, the hash leads to its entries.
//
// A deadline that moves later leaves its item where it is; when the item comes up, a new one is added
// at the entry's real deadline. So a limiter that renews its EXPIRE on every call writes eight
// bytes and no more. A deadline that moves earlier, or goes away, removes its item if the item is
// known to stand exactly at the old deadline (flag exact) and orphans it otherwise. Orphans are
// counted and the index is rebuilt when they outnumber the living.
type indexItem struct {
	deadline int64 // milliseconds since the epoch
	hash     uint64
}

const indexDegree = 32

func (a indexItem) before(b indexItem) bool {
	return a.deadline < b.deadline || a.deadline == b.deadline && a.hash < b.hash
}

// Deadline returns when key becomes due, in milliseconds since the epoch; 0 if it never does. ok is
// false if the key is not visible.
func (db *DB) Deadline(key []byte) (deadline int64, ok bool) {
	e := db.lookup(dict.Key(key))
	if e == nil {
		return 0, false
	}
	return e.head().deadline, true
}

// SetDeadline sets when a visible key becomes due; 0 removes the deadline. It reports whether the
// key is visible. Renewing to a later time is O(1), anything else O(log n).
func (db *DB) SetDeadline(key []byte, deadline int64) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	slot := db.lookupHash(hash, name)
	if slot == nil {
		return false
	}
	db.saveEntry(*slot)
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
		db.removeFromIndex(h, hash, old)
	case old != 0 && deadline > old && h.hasFlag(indexed):
		h.clearFlag(exact)
	default:
		db.removeFromIndex(h, hash, old)
		db.addToIndex(h, hash)
	}
}

func (db *DB) hash(e entry) uint64 { return db.table.Hash(e.Key()) }

// addToIndex puts an item at the entry's deadline.
func (db *DB) addToIndex(h *header, hash uint64) {
	if db.index == nil {
		db.index = btree.NewG(indexDegree, indexItem.before)
	}
	db.index.ReplaceOrInsert(indexItem{h.deadline, hash})
	h.setFlag(indexed | exact)
}

// removeFromIndex removes the entry's item, or counts it as an orphan if its place is not known.
func (db *DB) removeFromIndex(h *header, hash uint64, deadline int64) {
	switch {
	case h.hasFlag(exact):
		db.index.Delete(indexItem{deadline, hash})
	case h.hasFlag(indexed):
		db.orphans++
	}
	h.clearFlag(indexed | exact)
	if db.orphans > db.volatile+1024 {
		db.reindex()
	}
}

// forgetDeadline ends the deadline of an entry that left the table.
func (db *DB) forgetDeadline(e entry, hash uint64) {
	h := e.head()
	if h.deadline == 0 {
		return
	}
	db.volatile--
	db.removeFromIndex(h, hash, h.deadline)
}

// reindex builds the index anew without orphans.
func (db *DB) reindex() {
	db.index.Clear(true)
	db.orphans = 0
	db.table.Each(func(e entry) bool {
		if h := e.head(); h.deadline != 0 {
			db.addToIndex(h, db.hash(e))
		}
		return true
	})
}

// keepsDue reports whether due keys are left where they are.
func (ks *Keyspace) keepsDue() bool { return ks.KeepExpired || ks.Replaying }

// NextDeadline returns the time at which the next key, or element of a value, may become due; 0 if
// none ever does, or none is to be removed.
func (db *DB) NextDeadline() int64 {
	if db.ks.keepsDue() {
		return 0
	}
	key, element := firstDeadline(db.index), firstDeadline(db.elements)
	if key == 0 || element != 0 && element < key {
		return element
	}
	return key
}

// firstDeadline returns the time of an index's first item, 0 if there is none.
func firstDeadline(index *btree.BTreeG[indexItem]) int64 {
	if index == nil {
		return 0
	}
	first, _ := index.Min()
	return first.deadline
}

// Reap removes keys that are due, at most budget index items' worth, and then elements of values that
// are, at most as many. It returns how many keys it removed for themselves and whether more is due.
func (db *DB) Reap(budget int) (removed int, more bool) {
	if db.ks.keepsDue() {
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
		removed += db.reapItem(first)
	}
}

// reapItem handles the entries of an item that came up: those that are due go, those whose deadline
// has moved later get a new item.
func (db *DB) reapItem(item indexItem) (removed int) {
	expired, known := db.ks.expired[:0], false
	db.table.EachHash(item.hash, func(e *entry) bool {
		switch h := e.head(); {
		case db.ks.isDue(h):
			h.clearFlag(indexed | exact)
			expired = append(expired, *e)
		case h.deadline != 0 && !h.hasFlag(exact):
			db.addToIndex(h, item.hash)
			known = true
		}
		return true
	})
	if len(expired) == 0 && !known && db.orphans > 0 {
		db.orphans--
	}
	for _, e := range expired {
		db.expireKey(e, item.hash)
	}
	db.ks.expired = expired
	return len(expired)
}

// readdToIndex adds items at the real deadlines of the entries of an item that was removed.
func (db *DB) readdToIndex(item indexItem) {
	known := false
	db.table.EachHash(item.hash, func(e *entry) bool {
		if h := e.head(); h.deadline != 0 && !h.hasFlag(exact) {
			db.addToIndex(h, item.hash)
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
func indexBytes(index *btree.BTreeG[indexItem]) int {
	if index == nil {
		return 0
	}
	return index.Len() * int(unsafe.Sizeof(indexItem{})) * 4 / 3
}
