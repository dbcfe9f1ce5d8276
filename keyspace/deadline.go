package keyspace

import (
	"math/bits"
	"slices"

	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
)

// The index of deadlines has one item for each entry with a deadline: the time, and a code of the key's hash. When an
// item comes up, the code leads to the entry. Two entries may have the same code; each has an item of its own.
//
// A deadline that moves later leaves its item where it is; when the item comes up, the entry gets a new one
// at its real deadline. So a limiter that renews its EXPIRE on every call writes eight
// bytes and no more. A deadline that moves earlier, or goes away, removes its item if the item is
// known to stand exactly at the old deadline (flag exact), and leaves it behind as an orphan otherwise.
// The index is rebuilt when orphans outnumber the living.

// Deadline returns when key becomes due, in milliseconds since the epoch; 0 if it never does. ok is
// false if the key is not visible.
func (db *DB) Deadline(key []byte) (deadline int64, ok bool) {
	e := db.lookup(dict.Key(key))
	if e.absent() {
		return 0, false
	}
	return e.head().deadline(), true
}

// SetDeadline sets when a visible key becomes due; 0 removes the deadline. It reports whether the
// key is visible. Renewing to a later time is O(1), anything else O(log n).
func (db *DB) SetDeadline(key []byte, deadline int64) bool {
	name := dict.Key(key)
	hash := db.table.Hash(name)
	e := db.lookupHash(hash, name)
	if e.absent() {
		return false
	}
	db.saveEntry(e.entry)
	db.setDeadline(e.entry, hash, deadline)
	return true
}

// setDeadline sets the deadline of an entry of the table, and returns the entry, which moves if it gets its first deadline or
// loses it.
func (db *DB) setDeadline(e entry, hash uint64, deadline int64) entry {
	old := e.head().deadline()
	if deadline == old {
		return e
	}
	if deadline == 0 {
		db.forgetDeadline(e, hash)
		return db.refit(e, hash, false)
	}
	if !e.head().hasFlag(dated) {
		e = db.refit(e, hash, true)
	}
	h := e.head()
	*h.deadlineRoom() = deadline
	db.deadlines.change(old, deadline)
	switch {
	case old == 0:
		db.volatile++
		db.addToIndex(h, dict.Code(hash))
	case deadline > old:
		h.clearFlag(exact)
	default:
		db.removeFromIndex(h, hash, old)
		db.addToIndex(h, dict.Code(hash))
	}
	db.reindexIfDue()
	return e
}

// deadlineSum is a sum of deadlines, of 128 bits.
type deadlineSum struct{ high, low uint64 }

// change puts one deadline in place of another; 0 is none. Neither is negative.
func (s *deadlineSum) change(old, deadline int64) {
	low, borrow := bits.Sub64(s.low, uint64(old), 0)
	low, carry := bits.Add64(low, uint64(deadline), 0)
	s.low, s.high = low, s.high+carry-borrow
}

// AverageTTL returns how long the keys with a deadline have left on average, in milliseconds; 0 if there are none. O(1).
func (db *DB) AverageTTL() int64 {
	if db.volatile == 0 {
		return 0
	}
	mean, _ := bits.Div64(db.deadlines.high, db.deadlines.low, uint64(db.volatile))
	return max(0, int64(mean)-db.ks.Now)
}

func (db *DB) hash(e entry) uint64 { return db.table.Hash(e.Key()) }

// addToIndex puts an item at the entry's deadline.
func (db *DB) addToIndex(h *header, code uint32) {
	db.index.Insert(deadlines.Item{At: h.deadline(), Code: code})
	h.setFlag(exact)
}

// removeFromIndex removes the entry's item if its place is known: exactly at the deadline that the entry had.
func (db *DB) removeFromIndex(h *header, hash uint64, deadline int64) {
	if h.hasFlag(exact) {
		db.index.Delete(deadlines.Item{At: deadline, Code: dict.Code(hash)})
		h.clearFlag(exact)
	}
}

// forgetDeadline ends the deadline of an entry.
func (db *DB) forgetDeadline(e entry, hash uint64) {
	h := e.head()
	deadline := h.deadline()
	if deadline == 0 {
		return
	}
	*h.deadlineRoom() = 0
	db.volatile--
	db.deadlines.change(deadline, 0)
	db.removeFromIndex(h, hash, deadline)
	db.reindexIfDue()
}

// orphans returns how many items have no entry.
func (db *DB) orphans() int { return db.index.Len() - db.volatile }

// reindexIfDue builds the index anew if most items are orphans.
func (db *DB) reindexIfDue() {
	if db.orphans() > db.volatile+1024 {
		db.reindex()
	}
}

func (db *DB) reindex() {
	items := make([]deadlines.Item, 0, db.volatile)
	db.table.each(func(e entry) bool {
		if h := e.head(); h.hasFlag(dated) {
			items = append(items, deadlines.Item{At: h.deadline(), Code: dict.Code(db.hash(e))})
			h.setFlag(exact)
		}
		return true
	})
	slices.SortFunc(items, deadlines.Item.Compare)
	db.index.Clear()
	for _, item := range items { // in order, which fills the leaves
		db.index.Insert(item)
	}
}

// keepsDue reports whether due keys are left where they are.
func (ks *Keyspace) keepsDue() bool { return ks.KeepExpired || ks.Replaying }

// hidesDue reports whether due keys are there and invisible.
func (ks *Keyspace) hidesDue() bool { return ks.KeepExpired && !ks.showsDue() }

// showsDue reports whether due keys are like all others.
func (ks *Keyspace) showsDue() bool { return ks.Replaying || ks.ShowExpired }

// NextDeadline returns the time at which the next key, or element of a value, may become due; 0 if
// none ever does, or none is to be removed.
func (db *DB) NextDeadline() int64 {
	if db.ks.keepsDue() {
		return 0
	}
	key, _ := db.index.Min()
	element, _ := db.elements.Min()
	if key.At == 0 || element.At != 0 && element.At < key.At {
		return element.At
	}
	return key.At
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
	for ; ; budget-- {
		first, ok := db.index.Min()
		if !ok || first.At > db.ks.Now {
			return removed, false
		}
		if budget <= 0 {
			return removed, true
		}
		db.index.DeleteMin()
		removed += db.reapItem(first)
	}
}

// reapItem handles the entry of an item that came up and was taken out of the index: it goes if it is due.
func (db *DB) reapItem(item deadlines.Item) (removed int) {
	e := db.claim(item)
	if e.absent() {
		return 0
	}
	if db.ks.isDue(e.head()) {
		e.head().clearFlag(exact)
		db.expireKey(e, db.hash(e))
		return 1
	}
	db.addToIndex(e.head(), item.Code)
	return 0
}

// claim returns the entry that an item stands for: one whose item is exactly there, or else, among those whose item
// is anywhere before the deadline, the one that is due first, so that the other items are not too late for the others.
// An orphan has none.
func (db *DB) claim(item deadlines.Item) (found entry) {
	db.table.eachWithCode(item.Code, func(e entry) bool {
		switch h := e.head(); {
		case !h.hasFlag(dated):
		case h.hasFlag(exact):
			if h.deadline() == item.At {
				found = e
				return false
			}
		case found.absent() || h.deadline() < found.head().deadline():
			found = e
		}
		return true
	})
	return found
}
