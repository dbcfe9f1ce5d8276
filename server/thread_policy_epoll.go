//go:build linux && !netloops

package server

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// threadPolicy is the scheduling policy of an event loop's thread. In a replica, a loop that only
// follows the master, with no client and no acknowledgement to answer, runs as batch work
// (SCHED_BATCH, see sched(7)). A batch thread does not preempt the thread that is running when it
// wakes, such as the master's or a client's on the same machine.
type threadPolicy struct {
	pieces int // of the stream, since somebody last waited for the loop
	// What the thread had before it became batch work and was locked to the loop; nil if it is not.
	normal   *unix.SchedAttr
	expected atomic.Bool // awaited is to be called before the next piece
}

// batchAfter is the number of pieces after which the thread becomes batch work. A busy master sends
// one each millisecond, see pace.
const batchAfter = 50

// followed notes that the loop has received a piece of the stream.
func (p *threadPolicy) followed() {
	if p.expected.Swap(false) {
		p.awaited()
	}
	if p.pieces++; p.pieces == batchAfter {
		p.makeBatch()
	}
}

// makeBatch makes the thread batch work, unless the system refuses or the user has chosen another
// policy.
func (p *threadPolicy) makeBatch() {
	runtime.LockOSThread()
	if attr, err := unix.SchedGetAttr(0, 0); err == nil && attr.Policy == unix.SCHED_NORMAL {
		changed := *attr
		changed.Policy = unix.SCHED_BATCH
		if unix.SchedSetAttr(0, &changed, 0) == nil {
			p.normal = attr
			return
		}
	}
	runtime.UnlockOSThread()
}

// batch says whether the thread is batch work.
func (p *threadPolicy) batch() bool { return p.normal != nil }

// awaited makes the thread a normal one again, because somebody is waiting for the loop.
func (p *threadPolicy) awaited() {
	p.pieces = 0
	if p.batch() {
		_ = unix.SchedSetAttr(0, p.normal, 0)
		p.normal = nil
		runtime.UnlockOSThread()
	}
}
