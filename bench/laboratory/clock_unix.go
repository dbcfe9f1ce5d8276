//go:build unix

package laboratory

import (
	"time"

	"golang.org/x/sys/unix"
)

// busy returns the CPU time that this thread has had.
func busy() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // every system has that clock
	}
	return time.Duration(t.Nano())
}
