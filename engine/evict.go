package engine

import (
	"math"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Eviction: which keys are removed when the dataset exceeds maxmemory.
//
// Before each command the gate evicts keys until the dataset is within maxmemory. maxmemory-policy
// chooses:
//
//	allkeys, volatile   among all keys, or among those with a deadline
//	-lru, -lfu          about the least recently used, or about the least frequently used
//	-lrm                the one that has not changed for longest
//	-random             a random one
//	volatile-ttl        the one with the earliest deadline
//	noeviction          no key: commands that need memory are refused
//
// LRU and LFU are approximate, because an exact order would cost memory for each key and time for
// each access. As in Redis a few keys are sampled (maxmemory-samples), and the best candidates of
// all samples stay in a small pool, from which the best is evicted. Unlike Redis, a candidate that
// was used since it was sampled leaves the pool, and volatile-ttl is exact, since the keyspace
// keeps deadlines in order anyway.
//
// A great excess, as after CONFIG SET maxmemory, does not hold up clients. When the time is up that
// maxmemory-eviction-tenacity allows, the command runs although memory is exceeded, and Tick
// continues. So maxmemory is a limit that the dataset approaches, not one that it never passes.

// evictionParams are the parameters of eviction.
func (e *Engine) evictionParams() []config.Param {
	v := &e.eviction
	// beyond is a limit of more than 63 bits, which is as good as the greatest of 63
	limit, beyond := config.Param{Name: "maxmemory"}, uint64(0)
	limit.Get = func() string { return strconv.FormatUint(max(beyond, uint64(e.Config.MaxMemory)), 10) }
	limit.Set = func(value string) error {
		n, ok := config.ParseMemory(value)
		if !ok {
			return config.ErrMemory
		}
		if e.Config.MaxMemory, beyond = int64(min(n, math.MaxInt64)), 0; n > math.MaxInt64 {
			beyond = n
		}
		e.limitClients()
		if e.Parts.Host.Limit != nil {
			e.Parts.Host.Limit(e.Config.MaxMemory)
		}
		if e.home.memoryExcess() > 0 {
			e.home.evictLater()
		}
		return nil
	}
	samples := int64(math.MaxInt32)
	if e.Release.Has(fewSamples) {
		samples = 64
	}
	return []config.Param{
		limit,
		e.maxMemoryClients(),
		{Name: "maxmemory-policy", Get: func() string { return v.policy.name }, Set: e.setPolicy},
		config.Int("maxmemory-samples", &v.samples, 1, samples),
		config.Int("maxmemory-eviction-tenacity", &v.tenacity, 0, 100),
	}
}

// fewSamples is when maxmemory-samples was bounded.
var fewSamples = release.From("7.4.0 valkey:8.0.0")

// evictsByChange is when the policies came that evict the keys that have not changed for longest.
var evictsByChange = release.From("8.6.0")

func (e *Engine) setPolicy(value string) error {
	var names []string
	for _, p := range policies {
		isNew := p.strategy == evictLRM
		if p.name == strings.ToLower(value) && (!isNew || e.Release.Offers(evictsByChange)) {
			e.eviction.policy = p
			e.each(func(w *World) { w.pool = evictionPool{} })
			access := &e.access
			access.LFU, access.OnChange = p.strategy == evictLFU, isNew
			return nil
		}
		if !isNew || e.Release.Has(evictsByChange) {
			names = append(names, p.name)
		}
	}
	return config.NotOneOf(names...)
}

// ensureMemory evicts keys until the memory in use is within maxmemory, or time is up. It returns
// false if it is not and no further key may be evicted. It evicts nothing while data are loaded, a
// slow script runs or clients are paused: these must not see keys disappear.
func (w *World) ensureMemory() bool {
	e := w.engine
	if w.isMidScript() || e.persistence.loading > 0 || w.pause.deadline != 0 {
		return !e.eviction.oom
	}
	v := &e.eviction
	v.oom, v.unfinished = false, false
	if w.leavesMemoryToMaster() {
		return true
	}
	if surplus := w.memoryExcess(); surplus > 0 {
		v.oom = !w.evict(surplus)
	}
	w.trackExceededTime(v.oom || v.unfinished)
	return !v.oom
}

// OutOfMemory reports whether maxmemory was still exceeded when the running command began, after
// all possible evictions.
func (e *Engine) OutOfMemory() bool { return e.Config.MaxMemory > 0 && e.eviction.oom }

// memoryExcess returns by how many bytes the memory in use that counts exceeds maxmemory; 0 or less
// if it does not.
func (w *World) memoryExcess() int {
	e := w.engine
	if e.Config.MaxMemory == 0 {
		return 0
	}
	return w.usedMemory() - e.uncountedMemory() - int(e.Config.MaxMemory)
}

// Room returns how many bytes something may take whose size is known before it is filled, such as a
// copy of data: what maxmemory leaves; without maxmemory half of the memory that the process may
// have, less all other worlds and accounts. There is no bound while data are loaded.
func (w *World) Room() int {
	e := w.engine
	switch {
	case w.Keyspace.Replaying:
	case e.Config.MaxMemory > 0:
		return max(0, -w.memoryExcess())
	case e.Parts.Host.Machine > 0:
		return max(0, int(e.Parts.Host.Machine)/2-w.accountBytes())
	}
	return math.MaxInt
}

// CheckRoom returns ErrOOM if there is no room for n bytes more: see Room.
func (w *World) CheckRoom(n int) error {
	if n > w.Room() {
		return ErrOOM
	}
	return nil
}

// evict evicts keys until surplus bytes are free or time is up, and returns false if no key is left
// that may be evicted. The clock is read only once for 16 keys, because it costs as much as an
// eviction.
func (w *World) evict(surplus int) bool {
	e := w.engine
	start, most := e.Machine(), e.eviction.timeLimit()
	defer w.sampleLatency("eviction-cycle", e.startLatency())
	for n := 1; surplus > 0; n++ {
		freed, ok := w.evictOne()
		if !ok {
			return false
		}
		surplus -= freed
		if n%16 == 0 && surplus > 0 && e.Machine()-start > most {
			w.evictLater()
			return true
		}
	}
	return true
}

// evictOne evicts a key and returns the bytes that this freed; ok is false if there is no key that
// may be evicted.
func (w *World) evictOne() (freed int, ok bool) {
	e := w.engine
	if e.Config.ImportMode {
		return 0, false // what is imported stays
	}
	w.Keyspace.Begin()
	var db int
	var key []byte
	switch e.eviction.policy.strategy {
	case evictLRU, evictLRM, evictLFU:
		db, key = w.bestEvictable()
	case evictRandom:
		db, key = w.randomEvictable()
	case evictTTL:
		db, key = w.earliestDeadline()
	}
	if key == nil {
		return 0, false
	}
	d := w.Keyspace.DB(db)
	before, start := d.Usage().Bytes(), e.startLatency()
	deleted := false
	w.Keyspace.RemoveLazily(e.Config.LazyFree.Eviction, func() { deleted = d.Delete(key) })
	w.sampleLatency("eviction-del", start)
	if deleted { // or it was due, and has gone already
		w.keyEvicted(d, string(key))
	}
	return before - d.Usage().Bytes(), true
}

// bestEvictable samples some keys of each database and returns the best candidate of the pool; a
// nil key if there is none. A candidate that was used since it was sampled is dropped: its
// staleness has decreased.
func (w *World) bestEvictable() (db int, key []byte) {
	v := &w.engine.eviction
	for {
		candidates := 0
		for i := range w.Keyspace.Len() {
			d := w.Keyspace.DB(i)
			n := d.Len()
			if v.policy.volatile {
				n = d.Expiry().Volatile()
			}
			if n > 0 {
				candidates += n
				d.Eviction().Sample(v.samples, v.policy.volatile, w.pool.minStaleness(),
					func(key string, staleness uint32) { w.pool.insert(i, key, staleness) })
			}
		}
		if candidates == 0 {
			return 0, nil
		}
		for w.pool.n > 0 {
			best := w.pool.pop()
			now, ok := w.Keyspace.DB(best.db).Eviction().Staleness(best.key, v.policy.volatile)
			if ok && now >= best.staleness {
				return best.db, best.key
			}
		}
	}
}

// randomEvictable returns a random key that may be evicted. It takes the databases in turn.
func (w *World) randomEvictable() (db int, key []byte) {
	v := &w.engine.eviction
	for range w.Keyspace.Len() {
		v.lastDB = (v.lastDB + 1) % w.Keyspace.Len()
		if key, ok := w.Keyspace.DB(v.lastDB).Eviction().Any(v.policy.volatile); ok {
			return v.lastDB, []byte(key)
		}
	}
	return 0, nil
}

// earliestDeadline returns the key with the earliest deadline.
func (w *World) earliestDeadline() (db int, key []byte) {
	first := int64(math.MaxInt64)
	for i := range w.Keyspace.Len() {
		if k, deadline, ok := w.Keyspace.DB(i).Eviction().FirstDue(); ok && deadline < first {
			db, key, first = i, []byte(k), deadline
		}
	}
	return db, key
}

// evictLater leaves the rest to the next Tick, which it asks for at once.
func (w *World) evictLater() {
	w.engine.eviction.unfinished = true
	w.TickBy(max(w.Keyspace.Now, 1))
}

// continueEviction is Tick's part, and reports whether more is to be done.
func (w *World) continueEviction() (more bool) {
	if w.engine.eviction.unfinished {
		w.ensureMemory()
	}
	return w.engine.eviction.unfinished
}

// trackExceededTime adds up the time for which maxmemory is exceeded, for INFO.
func (w *World) trackExceededTime(exceeded bool) {
	v := &w.engine.eviction
	switch {
	case exceeded && v.exceededSince == 0:
		v.exceededSince = w.time.micros
	case !exceeded && v.exceededSince != 0:
		v.exceededTime += w.time.micros - v.exceededSince
		v.exceededSince = 0
	}
}

// currentExceededTime returns for how many microseconds maxmemory has been exceeded now.
func (w *World) currentExceededTime() int64 {
	if w.engine.eviction.exceededSince == 0 {
		return 0
	}
	return w.time.micros - w.engine.eviction.exceededSince
}
