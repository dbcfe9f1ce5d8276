package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// What eviction needs: random keys with their staleness, and the key that expires next.
//
// Sampling costs few cache misses: the elements of a bucket or two are read together, from a random place
// on, since chains are walked from one end. Where few keys have a deadline, those that have one are found
// by a walk through the index instead, which goes on where it stopped, and skips some by lot: neighbours
// in time resemble each other.

const (
	// sparse is how many keys there may be for each that has a deadline, so that looking for it among
	// all of them is worth while.
	sparse = 8
	// stride is how many items of the index are passed for one that is looked at.
	stride = 8
	// perChain is about how many elements there are in a long chain of the table.
	perChain = 20
	// perBatch is how many entries are gathered before any is looked at.
	perBatch = 16
)

// Sample looks at up to n keys picked at random, among those with a deadline if volatile; some may be due,
// or the same one. It calls fn for those whose staleness is least or more: the seconds since the last
// access under LRU, and 255 less the counter under LFU. The key aliases the entry; fn must not change
// the database. It records no access. O(n).
func (db *DB) Sample(n int, volatile bool, least uint32, fn func(key string, staleness uint32)) {
	if volatile && db.volatile*sparse < db.table.Len() {
		db.sampleIndex(n, least, fn)
		return
	}
	var room [perBatch]entry
	for n > 0 {
		batch := db.sampleBatch(room[:0:min(n, perBatch)], volatile)
		if len(batch) == 0 {
			return
		}
		n -= len(batch)
		for _, e := range batch { // so their cache misses overlap
			if staleness := db.ks.staleness(e.head()); staleness >= least {
				fn(e.Key(), staleness)
			}
		}
	}
}

// sampleBatch fills batch with entries that lie near each other, or with as many as it finds soon.
func (db *DB) sampleBatch(batch []entry, volatile bool) []entry {
	skip := db.ks.dice(perChain)
	db.table.EachFrom(db.ks.dice, 10*cap(batch)+perChain, func(r slab.Ref) bool {
		e := entryAt(r)
		switch {
		case volatile && e.head().deadline() == 0:
		case skip > 0:
			skip--
		default:
			batch = append(batch, e)
		}
		return len(batch) < cap(batch)
	})
	return batch
}

// sampleIndex is Sample for those few keys that have a deadline.
func (db *DB) sampleIndex(n int, least uint32, fn func(key string, staleness uint32)) {
	one := min(stride, 1+uint64(db.volatile)/16)
	for rounds := 0; db.volatile > 0 && n > 0 && rounds < 4; rounds++ {
		db.index.Ascend(db.sampled, func(item deadlines.Item) bool {
			if n == 0 {
				db.sampled = item
				return false
			}
			if db.ks.dice(one) == 0 {
				n -= db.sampleItem(item, least, fn)
			}
			return true
		})
		if n > 0 {
			db.sampled = deadlines.Item{} // from the beginning
		}
	}
}

// sampleItem looks at a key that an item of the index stands for, and returns 1, or 0 if there is none.
func (db *DB) sampleItem(item deadlines.Item, least uint32, fn func(key string, staleness uint32)) (seen int) {
	db.table.eachWithCode(item.Code, func(e entry) bool {
		h := e.head()
		if h.deadline() == 0 {
			return true
		}
		seen = 1
		if staleness := db.ks.staleness(h); staleness >= least {
			fn(e.Key(), staleness)
		}
		return false
	})
	return seen
}

// staleness returns how long ago, or how seldom, an entry was accessed.
func (ks *Keyspace) staleness(h *header) uint32 {
	if ks.Access.LFU {
		return 255 - ks.lfuDecayed(h)
	}
	return (ks.lruClock() - h.clock()) & accessMask
}

// Staleness returns the staleness of a key as Sample does; ok is false if the key is not visible, or if
// volatile is set and it has no deadline.
func (db *DB) Staleness(key []byte, volatile bool) (staleness uint32, ok bool) {
	e := db.lookup(dict.Key(key))
	if e.absent() || volatile && e.head().deadline() == 0 {
		return 0, false
	}
	return db.ks.staleness(e.head()), true
}

// FirstDue returns the key whose deadline is the first of all, aliasing its entry, and the deadline; ok is
// false if no key has one. Deadlines that moved later are put in their place on the way. O(log n),
// amortized.
func (db *DB) FirstDue() (key string, deadline int64, ok bool) {
	for db.volatile > 0 {
		first, _ := db.index.Min()
		db.table.eachWithCode(first.Code, func(e entry) bool {
			if e.head().deadline() == first.At {
				key, ok = e.Key(), true
			}
			return !ok
		})
		if ok {
			return key, first.At, true
		}
		db.index.DeleteMin()
		if e := db.claim(first); !e.absent() {
			db.addToIndex(e.head(), first.Code)
		}
	}
	return "", 0, false
}

// Any returns a key, one that has a deadline if volatile, picked as Sample does: less evenly than Random
// does it, at a third of the cost. The key aliases its entry; ok is false if there is none.
func (db *DB) Any(volatile bool) (key string, ok bool) {
	for tries := 0; db.table.Len() > 0 && (!volatile || db.volatile > 0) && tries < 100 && !ok; tries++ {
		db.Sample(1, volatile, 0, func(k string, _ uint32) { key, ok = k, true })
	}
	if !ok && !volatile {
		return db.Random()
	}
	return key, ok
}
