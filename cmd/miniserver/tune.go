package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/miniserver-go/miniserver/server"
)

// How the Go runtime is set up for this program. The environment variables GOMAXPROCS and GOGC
// overrule it.

// tune gives the runtime as many processors as there are event loops, see package server, and has the
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
		n := runtime.GOMAXPROCS(0)
		runtime.GOMAXPROCS(n + 1)
		run()
		runtime.GOMAXPROCS(n)
	}()
}

// Garbage that is allowed to gather between two collections: a share of what lives, but not less than
// would make a small heap be collected all the time.
const (
	garbageShare = 25 // percent
	garbageLeast = 12 << 20
	heapLeast    = 4 << 20 // below it the runtime's own minimum counts
)

// cycle dies in each collection, and so tells of its end.
type cycle struct{ _ [16]byte }

// pace sets the garbage percentage for the live heap, now and after each collection.
func pace(c *cycle) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	heap := max(heapLeast, int(live[0].Value.Uint64()))
	percent := max(garbageShare, garbageLeast*100/heap)
	if percent != pacePercent {
		pacePercent = percent
		debug.SetGCPercent(percent)
	}
	runtime.SetFinalizer(c, pace)
}

var pacePercent int // touched by pace only
