package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The server goes on when its terminal goes away, and when the reader of its log does. It ends at
// SIGTERM.
func TestSignalsThatDoNotEndTheServer(t *testing.T) {
	binary := built(t)
	dir, err := os.MkdirTemp("", "signals") // a short path, as sockets need
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")

	log, out, err := os.Pipe()
	require.NoError(t, err)
	c := exec.Command(binary, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir)
	c.Stdout, c.Stderr = out, out
	require.NoError(t, c.Start())
	defer c.Process.Kill()
	require.NoError(t, out.Close())
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "Ready to accept connections") {
	}
	require.Contains(t, lines.Text(), "Ready")

	require.Equal(t, "+OK", ask(t, "unix", socket, "SET k v"))
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGPIPE} {
		require.NoError(t, c.Process.Signal(s))
		require.Equal(t, "$1", ask(t, "unix", socket, "GET k"), "after %s", s)
	}
	require.NoError(t, log.Close())
	for range 3 {
		require.Empty(t, ask(t, "unix", socket, "POST / HTTP/1.1"), "which is logged")
		require.Equal(t, "$1", ask(t, "unix", socket, "GET k"), "without a reader of the log")
	}
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.NoError(t, c.Wait(), "the exit status is 0")
}
