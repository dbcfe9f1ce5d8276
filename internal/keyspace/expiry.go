package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
)

// Expiry is what becomes due in a database, keys and elements: when, how many, and their removal.
// What is due is invisible without any call, since every lookup compares; Reap gives its memory
// back and lets its events happen in time.
type Expiry struct{ db *DB }

// Expiry returns the database's.
func (db *DB) Expiry() Expiry { return Expiry{db} }

// Volatile returns the number of keys that have a deadline.
func (x Expiry) Volatile() int { return x.db.expires.len }

// Subexpiry returns how many keys have a value whose elements have deadlines.
func (x Expiry) Subexpiry() int { return x.db.elements.index.Len() }

// AverageTTL returns how long the keys with a deadline have left on average, in milliseconds; 0 if
// there are none. O(1).
func (x Expiry) AverageTTL() int64 {
	if x.db.expires.len == 0 {
		return 0
	}
	return max(0, x.db.expires.sum.over(x.db.expires.len)-x.db.ks.Now)
}

// Next returns the time at which the next key, or element of a value, may become due; 0 if
// none ever does, or none is to be removed.
func (x Expiry) Next() int64 {
	if x.db.ks.keepsDue() {
		return 0
	}
	key, _ := x.db.expires.index.Min()
	element, _ := x.db.elements.index.Min()
	if key.At == 0 || element.At != 0 && element.At < key.At {
		return element.At
	}
	return key.At
}

// Reap removes keys that are due, at most budget index items' worth, and then elements of values
// that are, at most as many. It returns how many keys it removed for themselves and whether more is
// due.
func (x Expiry) Reap(budget int) (removed int, more bool) {
	if x.db.ks.keepsDue() {
		return 0, false
	}
	removed, more = x.reapKeys(budget)
	return removed, x.reapElements(budget) || more
}

func (x Expiry) reapKeys(budget int) (removed int, more bool) {
	for ; ; budget-- {
		first, ok := x.db.expires.index.Min()
		if !ok || first.At > x.db.ks.Now {
			return removed, false
		}
		if budget <= 0 {
			return removed, true
		}
		x.db.expires.index.DeleteMin()
		removed += x.reapItem(first)
	}
}

// reapItem handles the entry of an item that came up and was taken out of the index: it goes if it
// is due.
func (x Expiry) reapItem(item deadlines.Item) (removed int) {
	e := x.db.expires.claim(item)
	if e.absent() {
		return 0
	}
	if x.db.ks.isDue(e.head()) {
		e.head().clearFlag(exact)
		x.db.expireKey(e, x.db.table.hash(e))
		return 1
	}
	x.db.expires.insert(e.head(), item.Code)
	return 0
}

// RemoveDue removes key if it is due, also where due keys are kept, and reports whether it has no
// deadline any more.
func (x Expiry) RemoveDue(key []byte) bool {
	name := dict.Key(key)
	hash := x.db.table.Hash(name)
	s := x.db.table.find(hash, name)
	switch {
	case s.absent() || s.head().deadline() == 0:
		return true
	case !x.db.ks.isDue(s.head()):
		return false
	}
	x.db.removeExpired(name, hash)
	return true
}

// expireElements removes elements of an entry that are due, about most of them at most, or hides
// them if due elements are to be kept. It removes the entry if no element is left. It reports
// whether there is none to see.
func (x Expiry) expireElements(e entry, hash uint64, most int) (emptied bool) {
	switch {
	case x.db.ks.showsDue():
		return false
	case x.db.ks.KeepExpired:
		return x.db.ks.hideElements(e)
	}
	return x.removeDueElements(e, hash, most)
}

// hideElements makes a copy without the due elements what readers of a collection see, until any
// collection changes. It reports whether no element is left.
func (ks *Keyspace) hideElements(e entry) (emptied bool) {
	v := volatileIn(e)
	if v == nil || v.NextDeadline() > ks.Now {
		return false
	}
	alive := ks.living[v]
	if alive == nil {
		alive = v.Clone().(Collection)
		if ks.living == nil {
			ks.living = make(map[Collection]Collection)
		}
		ks.living[v] = alive
	}
	alive.Expire(ks.Now, unlimited, nil)
	return alive.Len() == 0
}

// forgetLiving is called before a collection changes.
func (ks *Keyspace) forgetLiving() {
	if ks.living != nil {
		ks.living = nil
	}
}

// removeDueElements is expireElements where nothing is kept.
func (x Expiry) removeDueElements(e entry, hash uint64, most int) (emptied bool) {
	v := volatileIn(e)
	if v == nil || v.NextDeadline() > x.db.ks.Now {
		return false
	}
	x.db.ks.forgetLiving()
	x.db.saveValue(e)
	what := ExpiredElements{Type: x.db.ks.typeOf(e)}
	var name func(element []byte)
	if x.db.ks.NameExpired {
		name = func(element []byte) { what.Names = append(what.Names, append([]byte(nil), element...)) }
	}
	what.Count = v.Expire(x.db.ks.Now, most, name)
	x.db.memory.settle(e.box())
	key := e.Key()
	if what.Emptied = v.Len() == 0; what.Emptied {
		x.db.remove(hash, key)
	} else {
		x.db.elements.update(e, hash)
	}
	if what.Count > 0 && x.db.ks.OnExpireElements != nil {
		x.db.ks.OnExpireElements(x.db, key, what)
	}
	return what.Emptied
}

// reapElements removes at most about budget elements that are due, and reports whether more are.
func (x Expiry) reapElements(budget int) (more bool) {
	for first, ok := x.db.elements.index.Min(); ok && first.At <= x.db.ks.Now; first, ok = x.db.elements.index.Min() {
		if budget <= 0 {
			return true
		}
		budget -= x.expireFirst(first, budget)
	}
	return false
}

// expireFirst removes at most about most due elements of the entry that the first item in the index
// of elements stands for, and announces the entry anew. It returns what that cost, in elements.
func (x Expiry) expireFirst(first deadlines.Item, most int) (cost int) {
	var found entry
	x.db.table.eachWithCode(first.Code, func(e entry) bool {
		if e.head().hasFlag(hasElementDeadlines) && e.box().elementItem == first.At {
			found = e
		}
		return found.absent()
	})
	if found.absent() {
		x.db.elements.index.DeleteMin()
		return 1
	}
	v, hash := volatileIn(found), x.db.table.hash(found)
	before := v.Len()
	if !x.expireElements(found, hash, most) && found.head().hasFlag(hasElementDeadlines) {
		x.db.elements.remove(found, hash)
		x.db.elements.put(found, first.Code, max(v.NextDeadline(), x.db.ks.Now+reapPause(v)))
	}
	return before - v.Len() + 1
}

// expireAllElements removes all elements that are due, before the keys are walked.
func (x Expiry) expireAllElements() {
	if !x.db.ks.keepsDue() {
		x.reapElements(unlimited)
	}
}

// AsStored runs fn while no deadline counts, so that it sees keys that are due and were not removed
// yet.
func (ks *Keyspace) AsStored(fn func()) {
	defer func(was bool) { ks.Replaying = was }(ks.Replaying)
	ks.Replaying = true
	fn()
}

// isDue reports whether an entry's deadline has passed.
func (ks *Keyspace) isDue(h *header) bool {
	deadline := h.deadline()
	return deadline != 0 && deadline <= ks.Now && !ks.showsDue()
}

// keepsDue reports whether due keys are left where they are.
func (ks *Keyspace) keepsDue() bool { return ks.KeepExpired || ks.Replaying }

// hidesDue reports whether due keys are there and invisible.
func (ks *Keyspace) hidesDue() bool { return ks.KeepExpired && !ks.showsDue() }

// showsDue reports whether due keys are like all others.
func (ks *Keyspace) showsDue() bool { return ks.Replaying || ks.ShowExpired }
