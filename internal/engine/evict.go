package engine

import (
	"math"
	"strconv"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/internal/eviction"
)

// Eviction: keys are removed when the dataset exceeds maxmemory. Before each command the gate
// evicts keys until it is within. Package eviction chooses them.
//
// A great excess, as after CONFIG SET maxmemory, does not hold up clients. When the time is up that
// maxmemory-eviction-tenacity allows, the command runs although memory is exceeded, and Tick
// continues. So maxmemory is a limit that the dataset approaches, not one that it never passes.

// evicting is the state of eviction.
type evicting struct {
	rules         eviction.Rules
	clients       clientLimit
	strict        bool  // see Options
	oom           bool  // at the last command: maxmemory is exceeded, and no key may be evicted
	unfinished    bool  // time was up before enough was free; Tick continues
	evicted       int64 // keys
	exceededSince int64 // start of the present excess, in microseconds; 0 if there is none
	exceededTime  int64 // total of the excesses before it, in microseconds
}

// evictionParams are the parameters of eviction.
func (e *Engine) evictionParams() []config.Param {
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
	forget := func() { e.each(func(w *World) { w.pool = eviction.Pool{} }) }
	return append([]config.Param{limit, e.maxMemoryClients()}, e.eviction.rules.Params(e.Release, &e.access, forget)...)
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
	start, most := e.Machine(), e.eviction.rules.TimeLimit()
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
	db, key := e.eviction.rules.Next(w.Keyspace, &w.pool)
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

// evictLater leaves the rest to the next Tick, which it asks for at once.
func (w *World) evictLater() {
	w.engine.eviction.unfinished = true
	w.TickBy(max(w.Millis(), 1))
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
