package server

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Clock returns a function that returns the time in microseconds since the epoch, for
// engine.Options. It reads the monotonic clock, which on some machines costs a third of the wall
// clock, and adjusts it to the wall clock ten times a second. The function may be called from any
// goroutine.
func Clock() func() int64 {
	start := time.Now()
	var offset, again atomic.Int64 // microseconds: wall clock at start, and time of the next adjustment since start
	offset.Store(start.UnixMicro())
	return func() int64 {
		passed := time.Since(start).Microseconds()
		if passed >= again.Load() {
			offset.Store(time.Now().Add(shift()).UnixMicro() - passed)
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

// ShiftFile is the environment variable that names a file with the number of seconds by which the
// wall clock of this process is wrong: for tests of what happens when it jumps, because a program
// cannot change the machine's. Without it the clock is right.
const ShiftFile = "MINISERVER_CLOCK_SHIFT_FILE"

var shiftFile = os.Getenv(ShiftFile)

// shift returns by how much the wall clock of this process is wrong.
func shift() time.Duration {
	if shiftFile == "" {
		return 0
	}
	text, _ := os.ReadFile(shiftFile)
	seconds, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return time.Duration(seconds) * time.Second
}

// times is processor time.
type times struct{ user, system time.Duration }
