package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// TestRest: a server that has nothing to do sleeps, with clients connected, a subscriber and one
// that waits, and watching its parent. One that looked five times a second whether something is due
// would be switched to dozens of times in three seconds.
func TestRest(t *testing.T) {
	t.Parallel()
	server, err := launch.Start(launch.Spec{Path: built(t), Args: []string{"--exit-with-parent", "--test-kit", "yes"}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	requests := []string{"PING", "SUBSCRIBE news", "BLPOP jobs 0", "SET lease bob", "MINI.CLOCK FREEZE"}
	for i := range 20 {
		conn, err := net.Dial(server.Network, server.Address)
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "PING\r\n%s\r\n", requests[i%len(requests)])
		require.NoError(t, err)
		_, err = bufio.NewReader(conn).ReadString('\n')
		require.NoError(t, err)
	}
	var woken int
	for range 20 { // it samples its figures for ten seconds after a command
		before := switches(t, server.PID)
		time.Sleep(3 * time.Second)
		if woken = switches(t, server.PID) - before; woken <= 3 {
			return
		}
	}
	require.LessOrEqual(t, woken, 3)
}

// switches returns how often the system has switched to the threads of a process.
func switches(t *testing.T, pid int) (n int) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			var k int
			if _, count, ok := strings.Cut(line, "ctxt_switches:"); ok {
				_, err := fmt.Sscan(count, &k)
				require.NoError(t, err)
			}
			n += k
		}
	}
	return n
}
