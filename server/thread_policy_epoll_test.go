//go:build linux && !netloops

package server

import (
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The thread of a loop that only executes a stream becomes batch work, until somebody waits for the
// loop: a client, or the master for an acknowledgement.
func TestThreadPolicy(t *testing.T) {
	r := start(t, Options{OwnProcess: true, Loops: 1})
	var policy atomic.Uint32
	look := func() {
		if attr, err := unix.SchedGetAttr(0, 0); err == nil {
			policy.Store(attr.Policy)
		}
	}
	f := startFeed(t, r, look)
	after := func(pieces int) uint32 {
		for range pieces {
			f.say(t, "piece")
			require.Equal(t, "piece", <-f.pieces)
		}
		return policy.Load()
	}
	require.EqualValues(t, unix.SCHED_NORMAL, after(batchAfter-1))
	require.EqualValues(t, unix.SCHED_BATCH, after(1))
	require.EqualValues(t, unix.SCHED_BATCH, after(1))

	require.Equal(t, "+PONG", r.dial(t).ask("PING"))
	require.EqualValues(t, unix.SCHED_NORMAL, after(1))
	require.EqualValues(t, unix.SCHED_BATCH, after(batchAfter))

	_, err := f.Write([]byte("acknowledgement"))
	require.NoError(t, err)
	_, err = io.ReadFull(f.peer, make([]byte, len("acknowledgement")))
	require.NoError(t, err)
	require.EqualValues(t, unix.SCHED_NORMAL, after(1))
	require.EqualValues(t, unix.SCHED_BATCH, after(batchAfter))

	require.NoError(t, f.Close())
	require.Equal(t, net.ErrClosed, <-f.errs)
	f = startFeed(t, r, look)
	require.EqualValues(t, unix.SCHED_NORMAL, after(1))
}
