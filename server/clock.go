package server

import (
	"sync/atomic"
	"time"
)

// Clock returns the time in microseconds since the epoch, for engine.Options. It reads the monotonic
// clock, which costs a third of reading the time of day on some machines, and looks at the latter ten
// times a second. It may be called from any goroutine.
func Clock() func() int64 {
	start := time.Now()
	var offset, again atomic.Int64 // microseconds: of the epoch to start, and when to look again
	offset.Store(start.UnixMicro())
	return func() int64 {
		passed := time.Since(start).Microseconds()
		if passed >= again.Load() {
			offset.Store(time.Now().UnixMicro() - passed)
			again.Store(passed + 100_000)
		}
		return offset.Load() + passed
	}
}
