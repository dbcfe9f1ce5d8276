package keyspace

import (
	"github.com/miniserver-go/miniserver/ds/deadlines"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/slab"
)

// Eviction is what eviction needs to know of a database: random keys with their staleness, and the
// key that expires next.
//
// Sampling costs few cache misses: the elements of a bucket or two are read together, from a random
// place on, since chains are walked from one end. Where few keys have a deadline, those that have
// one are found by a walk through the index instead, which goes on where it stopped, and skips some
// by lot: neighbours in time resemble each other.
type Eviction struct{ db *DB }

// Eviction returns the database's.
func (db *DB) Eviction() Eviction { return Eviction{db} }

const (
	// sparse is how many keys there may be for each that has a deadline, so that looking for it
	// among all of them is worth while.
	sparse = 8
	// stride is how many items of the index are passed for one that is looked at.
	stride = 8
	// perChain is about how many elements there are in a long chain of the table.
	perChain = 20
	// perBatch is how many entries are gathered before any is looked at.
	perBatch = 16
)

// Sample looks at up to n keys picked at random, among those with a deadline if volatile; some may
// be due, or the same one. It calls fn for those whose staleness is least or more: the seconds
// since the last access under LRU, and 255 less the counter under LFU. The key aliases the entry;
// fn must not change the database. It records no access. O(n).
func (x Eviction) Sample(n int, volatile bool, least uint32, fn func(key string, staleness uint32)) {
	if volatile && x.db.expires.len*sparse < x.db.table.Len() {
		x.sampleIndex(n, least, fn)
		return
	}
	var room [perBatch]entry
	for n > 0 {
		batch := x.sampleBatch(room[:0:min(n, perBatch)], volatile)
		if len(batch) == 0 {
			return
		}
		n -= len(batch)
		for _, e := range batch { // so their cache misses overlap
			if staleness := x.db.ks.staleness(e.head()); staleness >= least {
				fn(e.Key(), staleness)
			}
		}
	}
}

// sampleBatch fills batch with entries that lie near each other, or with as many as it finds soon.
func (x Eviction) sampleBatch(batch []entry, volatile bool) []entry {
	skip := x.db.ks.dice(perChain)
	x.db.table.EachFrom(x.db.ks.dice, 10*cap(batch)+perChain, func(r slab.Ref) bool {
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
func (x Eviction) sampleIndex(n int, least uint32, fn func(key string, staleness uint32)) {
	one := min(stride, 1+uint64(x.db.expires.len)/16)
	for rounds := 0; x.db.expires.len > 0 && n > 0 && rounds < 4; rounds++ {
		x.db.expires.index.Ascend(x.db.expires.sampled, func(item deadlines.Item) bool {
			if n == 0 {
				x.db.expires.sampled = item
				return false
			}
			if x.db.ks.dice(one) == 0 {
				n -= x.sampleItem(item, least, fn)
			}
			return true
		})
		if n > 0 {
			x.db.expires.sampled = deadlines.Item{} // from the beginning
		}
	}
}

// sampleItem looks at a key that an item of the index stands for, and returns 1, or 0 if there is
// none.
func (x Eviction) sampleItem(item deadlines.Item, least uint32, fn func(key string, staleness uint32)) (seen int) {
	x.db.table.eachWithCode(item.Code, func(e entry) bool {
		h := e.head()
		if h.deadline() == 0 {
			return true
		}
		seen = 1
		if staleness := x.db.ks.staleness(h); staleness >= least {
			fn(e.Key(), staleness)
		}
		return false
	})
	return seen
}

// Any returns a key, one that has a deadline if volatile, picked as Sample does: less evenly than
// Random does it, at a third of the cost. The key aliases its entry; ok is false if there is none.
func (x Eviction) Any(volatile bool) (key string, ok bool) {
	for tries := 0; x.db.table.Len() > 0 && (!volatile || x.db.expires.len > 0) && tries < 100 && !ok; tries++ {
		x.Sample(1, volatile, 0, func(k string, _ uint32) { key, ok = k, true })
	}
	if !ok && !volatile {
		return x.db.Keys().Random()
	}
	return key, ok
}

// FirstDue returns the key whose deadline is the first of all, aliasing its entry, and the
// deadline; ok is false if no key has one. Deadlines that moved later are put in their place on the
// way. O(log n), amortized.
func (x Eviction) FirstDue() (key string, deadline int64, ok bool) {
	for x.db.expires.len > 0 {
		first, _ := x.db.expires.index.Min()
		x.db.table.eachWithCode(first.Code, func(e entry) bool {
			if e.head().deadline() == first.At {
				key, ok = e.Key(), true
			}
			return !ok
		})
		if ok {
			return key, first.At, true
		}
		x.db.expires.index.DeleteMin()
		if e := x.db.expires.claim(first); !e.absent() {
			x.db.expires.insert(e.head(), first.Code)
		}
	}
	return "", 0, false
}

// Staleness returns the staleness of a key as Sample does; ok is false if the key is not visible,
// or if volatile is set and it has no deadline.
func (x Eviction) Staleness(key []byte, volatile bool) (staleness uint32, ok bool) {
	e := x.db.lookup(dict.Key(key))
	if e.absent() || volatile && e.head().deadline() == 0 {
		return 0, false
	}
	return x.db.ks.staleness(e.head()), true
}

// staleness returns how long ago, or how seldom, an entry was accessed.
func (ks *Keyspace) staleness(h *header) uint32 {
	if ks.Access.LFU {
		return 255 - ks.lfuDecayed(h)
	}
	return (ks.lruClock() - h.clock()) & accessMask
}
