// Package goruntime adapts the Go runtime to a server: how many processors it uses, how much
// garbage may gather, and how it stays near maxmemory. Other parts of a process that the server
// does not own are not asked: see Tuner.Begin.
package goruntime

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Tuner adapts the Go runtime to a server. The environment variables GOMAXPROCS, GOGC and
// GOMEMLIMIT override it. It leaves the runtime as it is before Begin.
type Tuner struct {
	pacer
	limit memoryLimit
}

// New returns a tuner for a server that holds so many bytes for clients.
func New(held func() int64) *Tuner {
	t := new(Tuner)
	t.held = held
	return t
}

// Begin gives the runtime so many processors, and adapts the collector to the heap from now on.
func (t *Tuner) Begin(processors int) {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(processors)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		t.limit.begin()
	}
	if os.Getenv("GOGC") == "" {
		t.adjust(new(cycle))
	}
}

// Load calls a function that loads data, while the collector expects that most allocations stay.
func (t *Tuner) Load(load func() error) error { return t.pacer.load(load) }

// SetMaxmemory says how many bytes the data may take; 0 for no limit.
func (t *Tuner) SetMaxmemory(bytes int64) { t.limit.follow(bytes) }

// Spawn runs a function on a goroutine and a processor of its own, so that the event loops go on.
func Spawn(run func()) {
	go func() {
		addProcessors(1)
		run()
		addProcessors(-1)
	}()
}

var processors sync.Mutex

// addProcessors adds n processors, for work beside the loops.
func addProcessors(n int) {
	processors.Lock()
	defer processors.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
}

// Garbage that may gather between two collections: a share of the live heap, but at least so many
// bytes that a small heap is not collected all the time.
const (
	garbageShare = 22 // percent
	garbageLeast = 10 << 20
	heapLeast    = 4 << 20 // below it the runtime's own minimum counts

	// Bytes that may gather for each byte that clients make the server hold. It is mostly the input
	// of large commands: their tables of arguments and what they add to the data follow at once,
	// and a collection between the two finds nothing.
	garbagePerHeld = 4
	garbageForHeld = 128 << 20 // at most

	loadingShare = 200 // percent, while data are loaded and most allocations stay
)

// cycle has a finalizer, which runs at the end of each collection.
type cycle struct{ _ [16]byte }

// pacer sets the garbage percentage. Finalizers call it on a goroutine of the runtime.
type pacer struct {
	mu      sync.Mutex
	percent int64 // as set last; 0 before begin, and if the environment sets it
	live    int64 // bytes alive after the last collection
	loading bool
	held    func() int64 // bytes that clients make the server hold; does not change
}

// adjust sets the garbage percentage and the memory limit for the live heap, now and after each
// collection.
func (t *Tuner) adjust(c *cycle) {
	live := liveHeap()
	t.pacer.follow(live)
	t.limit.fit(live)
	runtime.SetFinalizer(c, t.adjust)
}

// follow sets the garbage percentage for a live heap.
func (p *pacer) follow(live int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	percent := p.share(live)
	if p.loading && p.stays(live) {
		percent = max(percent, loadingShare)
	}
	p.live = live
	p.set(percent)
}

// share returns the garbage percentage for a live heap.
func (p *pacer) share(live int64) int64 {
	live = max(heapLeast, live)
	return max(garbageShare, garbageLeast*100/live) + min(p.held()*garbagePerHeld, garbageForHeld)*100/live
}

// stays reports whether at least half of the bytes allocated between the last two collections are
// alive.
func (p *pacer) stays(live int64) bool { return (live-p.live)*200 >= max(heapLeast, p.live)*p.percent }

func (p *pacer) set(percent int64) {
	if p.percent != percent {
		p.percent = percent
		debug.SetGCPercent(int(percent))
	}
}

// load calls a function that loads data. Nearly all its allocations stay; at the usual percentage
// collections would take as long as the loading itself.
func (p *pacer) load(load func() error) error {
	p.mu.Lock()
	p.loading = true
	p.mu.Unlock()
	err := load()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loading = false; p.percent != 0 {
		p.set(p.share(liveHeap()))
	}
	return err
}

// liveHeap returns the bytes of the heap that the last collection found alive.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// memoryLimit sets the limit of the runtime, so that it collects and returns memory in time to stay
// near maxmemory. Where the live heap is larger, because nothing may be evicted, the limit follows
// it: otherwise the collector would run all the time and gain nothing.
type memoryLimit struct {
	mu        sync.Mutex
	maxmemory int64 // 0 for none
	set       int64 // 0 before begin, and if the environment sets it
}

// Memory that the runtime may take beyond the live heap: a share of it, and the needs of the
// program itself.
const (
	limitShare = 20 // percent
	limitLeast = 18 << 20
	limitStep  = 16 << 20 // by which the limit follows the live heap
)

// begin sets the limit from now on.
func (l *memoryLimit) begin() {
	l.mu.Lock()
	l.set = math.MaxInt64 // as the runtime begins
	l.mu.Unlock()
	l.fit(liveHeap())
}

// follow sets the limit for a new maxmemory.
func (l *memoryLimit) follow(maxmemory int64) {
	l.mu.Lock()
	l.maxmemory = maxmemory
	l.mu.Unlock()
	l.fit(liveHeap())
}

// fit sets the limit for the live heap.
func (l *memoryLimit) fit(live int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	want := int64(math.MaxInt64)
	if l.maxmemory > 0 {
		want = l.maxmemory
		if live > l.maxmemory/100*110+limitStep {
			want = (live/limitStep + 1) * limitStep
		}
		want += want/100*limitShare + limitLeast
	}
	if l.set != 0 && want != l.set {
		l.set = want
		debug.SetMemoryLimit(want)
	}
}
