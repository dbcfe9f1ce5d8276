package server

import (
	"sync/atomic"
	"time"
)

// Clock returns a function that returns the time in microseconds since the epoch, for engine.Options. It reads the
// monotonic clock, which on some machines costs a third of the wall clock, and adjusts it to the wall clock ten times
// a second. The function may be called from any goroutine.
func Clock() func() int64 {
	start := time.Now()
	var offset, again atomic.Int64 // microseconds: wall clock at start, and time of the next adjustment since start
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

// Nanos returns a function that returns the nanoseconds since it was made, by the monotonic clock.
func Nanos() func() int64 {
	start := time.Now()
	return func() int64 { return int64(time.Since(start)) }
}
