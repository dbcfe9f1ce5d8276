//go:build unix

package e2e

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/resp"
)

// TestALeaderThatWasStoppedRebuilds has a leader execute commands that were sent to it while it
// stood still, and another one led.
func TestALeaderThatWasStoppedRebuilds(t *testing.T) {
	g := startGroup(t, 3)
	first := g.leader()
	var stale []*groupClient
	for range 5 {
		c, err := dialGroup(g.servers[first].Address)
		require.NoError(t, err)
		defer c.Close()
		_, err = c.ask("PING")
		require.NoError(t, err)
		stale = append(stale, c)
	}
	pid := g.servers[first].PID
	suspend(t, pid)
	stopped := g.servers[first]
	delete(g.servers, first)
	for _, c := range stale {
		w := resp.NewWriter(2)
		w.Command("SET", "stale", "yes")
		w.Command("GET", "stale")
		_, err := c.Write(w.Bytes())
		require.NoError(t, err)
	}
	second := g.leader()
	reply, err := g.ask(second, "SET", "news", "1")
	require.NoError(t, err)
	require.Equal(t, "OK", reply)
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	g.servers[first] = stopped
	for _, c := range stale {
		if v, err := c.in.Read(); err == nil {
			require.True(t, v.IsError(), "a write of a leader that was replaced is confirmed: %s", v.Raw())
		}
	}
	g.agree()
	reply, err = g.ask(first, "EXISTS", "stale")
	require.NoError(t, err)
	require.Equal(t, "0", reply)
}

// suspend stops a process that this one has started, and returns when all its threads stand still:
// kill(2) alone returns earlier.
func suspend(t *testing.T, pid int) {
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
}
