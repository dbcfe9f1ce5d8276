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

// Marks are what is recorded of the accesses of a database's keys.
type Marks struct{ db *DB }

// Marks returns the database's.
func (db *DB) Marks() Marks { return Marks{db} }

// Idle returns the seconds since key was last accessed under LRU marks.
func (m Marks) Idle(key []byte) int64 {
	e := m.db.lookup(dict.Key(key))
	if e.absent() {
		return 0
	}
	return int64((m.db.ks.lruClock() - e.head().clock()) & accessMask)
}

// Frequency returns the decayed LFU counter of key.
func (m Marks) Frequency(key []byte) int64 {
	e := m.db.lookup(dict.Key(key))
	if e.absent() {
		return 0
	}
	return int64(m.db.ks.lfuDecayed(e.head()))
}

// Set sets the access mark of a visible key to what is known of it: the seconds since its last
// access, or its LFU counter, either -1 if unknown. Only the one that is in use counts.
func (m Marks) Set(key []byte, idle int64, freq int) {
	if e := m.db.lookup(dict.Key(key)); !e.absent() {
		m.db.ks.setAccess(e.head(), idle, freq)
	}
}

func (ks *Keyspace) setAccess(h *header, idle int64, freq int) {
	switch {
	case ks.Access.LFU && freq >= 0:
		h.setClock(ks.minutes()<<8 | uint32(freq&0xff))
	case !ks.Access.LFU && idle >= 0:
		h.setClock((ks.lruClock() - uint32(min(idle, accessMask))) & accessMask)
	}
}
