//go:build linux && !netloops

package server

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// courtesy says how a loop's thread gets a processor. While the loop only executes the stream of a master, and nobody waits for it, its thread is one for
// batch work (SCHED_BATCH of sched(7)): it waits for a processor that has time, instead of interrupting another thread, such as that of the master or of a
// client on the same machine.
type courtesy struct {
	pieces int             // of the stream, since somebody waited for the loop
	normal *unix.SchedAttr // how the thread was before, to which the loop is locked meanwhile; nil if it is so now
}

// courtesyAfter is the number of pieces after which the thread is one for batch work. A busy master sends one in a pace.
const courtesyAfter = 50

// add counts a piece of the stream.
func (c *courtesy) add() {
	if c.pieces++; c.pieces == courtesyAfter {
		c.begin()
	}
}

// begin makes the thread one for batch work, if the system allows it and the user has not chosen another policy.
func (c *courtesy) begin() {
	runtime.LockOSThread()
	if attr, err := unix.SchedGetAttr(0, 0); err == nil && attr.Policy == unix.SCHED_NORMAL {
		changed := *attr
		changed.Policy = unix.SCHED_BATCH
		if unix.SchedSetAttr(0, &changed, 0) == nil {
			c.normal = attr
			return
		}
	}
	runtime.UnlockOSThread()
}

// end makes the thread one like any other: somebody waits for the loop.
func (c *courtesy) end() {
	c.pieces = 0
	if c.normal != nil {
		_ = unix.SchedSetAttr(0, c.normal, 0)
		c.normal = nil
		runtime.UnlockOSThread()
	}
}
