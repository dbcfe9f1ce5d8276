package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"github.com/miniserver-go/miniserver/server"
)

// How the Go runtime is set up for this program. The environment variables GOMAXPROCS, GOGC and
// GOMEMLIMIT overrule it.

// tune gives the runtime as many processors as there are event loops, see package server, and lets the
// collector's pace follow the heap.
func tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(server.Loops())
	}
	if os.Getenv("GOGC") == "" {
		pace(new(cycle))
	}
}

// beside runs a slow script on a processor of its own, so that the event loops go on.
func beside(run func()) {
	go func() {
		addProcessors(1)
		run()
		addProcessors(-1)
	}()
}

var processors sync.Mutex

// addProcessors changes the number of processors for what runs beside the loops.
func addProcessors(n int) {
	processors.Lock()
	defer processors.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
}

// Garbage that may gather between two collections: a share of the live heap, and enough of it that a small
// heap is not collected all the time.
const (
	garbageShare = 22 // percent
	garbageLeast = 10 << 20
	heapLeast    = 4 << 20 // below it the runtime's own minimum counts

	fillingShare = 200 // percent, while data are loaded and most of what is allocated stays
)

// cycle has a finalizer, which runs at the end of each collection.
type cycle struct{ _ [16]byte }

// pacer is the garbage percentage. Collections end on a goroutine of the runtime.
type pacer struct {
	mu      sync.Mutex
	percent int64 // as it was set last; 0 if the environment says it
	live    int64 // what the last collection found alive
	filling bool  // data are being loaded
}

var pacing pacer

// pace sets the garbage percentage for the live heap, now and after each collection.
func pace(c *cycle) {
	live := liveHeap()
	pacing.follow(live)
	limit.fit(live)
	runtime.SetFinalizer(c, pace)
}

func (p *pacer) follow(live int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	percent := usualShare(live)
	if p.filling && p.stays(live) {
		percent = max(percent, fillingShare)
	}
	p.live = live
	p.set(percent)
}

// usualShare returns the garbage percentage for a live heap.
func usualShare(live int64) int64 { return max(garbageShare, garbageLeast*100/max(heapLeast, live)) }

// stays reports whether half or more of what was allocated between two collections is alive.
func (p *pacer) stays(live int64) bool { return (live-p.live)*200 >= max(heapLeast, p.live)*p.percent }

func (p *pacer) set(percent int64) {
	if p.percent != percent {
		p.percent = percent
		debug.SetGCPercent(int(percent))
	}
}

// fill runs what loads data. Nearly all that it allocates stays, and to look for garbage in it time and again
// would take as long as the loading itself.
func (p *pacer) fill(load func() error) error {
	p.mu.Lock()
	p.filling = true
	p.mu.Unlock()
	err := load()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.filling = false; p.percent != 0 {
		p.set(usualShare(liveHeap()))
	}
	return err
}

// liveHeap returns the bytes of the heap that the last collection found alive.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// memoryLimit has the runtime collect, and give memory back, in time to stay near maxmemory. Where more
// than that lives, because nothing may be evicted, the limit follows: the collector would else run all
// the time and gain nothing.
type memoryLimit struct {
	mu        sync.Mutex
	maxmemory int64 // 0 for none
	set       int64
}

var limit = memoryLimit{set: math.MaxInt64}

// Memory that the runtime may take beyond what lives: a share of it, and what the program needs by
// itself.
const (
	limitShare = 20 // percent
	limitLeast = 18 << 20
	limitStep  = 16 << 20 // of what follows the live heap
)

// bound sets the limit for a new maxmemory.
func bound(maxmemory int64) {
	limit.mu.Lock()
	limit.maxmemory = maxmemory
	limit.mu.Unlock()
	limit.fit(liveHeap())
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
	if want != l.set && os.Getenv("GOMEMLIMIT") == "" {
		l.set = want
		debug.SetMemoryLimit(want)
	}
}
