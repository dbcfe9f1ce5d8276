package keyspace

import "github.com/miniserver-go/miniserver/ds/dict"

// Access says what lookups record in an entry: the LRU clock, or an LFU counter.
//
// The LRU clock is in seconds, 24 bits, as in Redis with its resolution of one second. LFU data are
// 16 bits of minutes and a logarithmic counter of 8 bits, as in Redis since 4.0.
type Access struct {
	LFU       bool
	OnChange  bool   // the LRU clock is when an entry last changed: LRM
	NoTouch   bool   // record nothing: CLIENT NO-TOUCH
	LogFactor uint64 // lfu-log-factor: the larger, the slower the counter saturates
	DecayTime int64  // lfu-decay-time: minutes for the counter to fall by one; 0 never
}

// lfuInit is the counter of a new key, so that it is not the first to be evicted.
const lfuInit = 5

func (ks *Keyspace) lruClock() uint32 { return uint32(ks.Now/1000) & accessMask }
func (ks *Keyspace) minutes() uint32  { return uint32(ks.Now/60000) & 0xffff }

// initAccess sets the access data of a new entry.
func (ks *Keyspace) initAccess(h *header) {
	if ks.Access.LFU {
		h.setClock(ks.minutes()<<8 | lfuInit)
		return
	}
	h.setClock(ks.lruClock())
}

// read records an access that changes nothing.
func (ks *Keyspace) read(h *header) {
	if !ks.Access.OnChange {
		ks.touch(h)
	}
}

// touch records an access.
func (ks *Keyspace) touch(h *header) {
	if ks.Access.NoTouch {
		return
	}
	if ks.Access.LFU {
		h.setClock(ks.minutes()<<8 | ks.lfuIncrement(ks.lfuDecayed(h)))
		return
	}
	h.setClock(ks.lruClock())
}

// lfuDecayed returns the counter, less what it lost in the minutes since the last access.
func (ks *Keyspace) lfuDecayed(h *header) uint32 {
	counter, since := h.clock()&0xff, (ks.minutes()-h.clock()>>8)&0xffff
	if ks.Access.DecayTime == 0 {
		return counter
	}
	periods := uint32(int64(since) / ks.Access.DecayTime)
	return counter - min(counter, periods)
}

// lfuIncrement raises the counter with probability 1/((counter-lfuInit)*LogFactor+1).
func (ks *Keyspace) lfuIncrement(counter uint32) uint32 {
	if counter == 255 {
		return counter
	}
	base := uint64(counter) - min(uint64(counter), lfuInit)
	if ks.dice(base*ks.Access.LogFactor+1) == 0 {
		counter++
	}
	return counter
}

// Idle returns the seconds since key was last accessed under LRU marks.
func (db *DB) Idle(key []byte) int64 {
	e := db.lookup(dict.Key(key))
	if e.absent() {
		return 0
	}
	return int64((db.ks.lruClock() - e.head().clock()) & accessMask)
}

// Frequency returns the decayed LFU counter of key.
func (db *DB) Frequency(key []byte) int64 {
	e := db.lookup(dict.Key(key))
	if e.absent() {
		return 0
	}
	return int64(db.ks.lfuDecayed(e.head()))
}
