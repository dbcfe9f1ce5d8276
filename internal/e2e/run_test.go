package e2e

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// launched runs the program until the test ends and returns the address in its ready line.
func launched(t *testing.T, args ...string) (addr string, ended chan error, stop context.CancelFunc) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- run(ctx, args, strings.NewReader(""), in) }()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	require.Contains(t, lines.Text(), "data are kept in memory only")
	for range 3 { // of which redis-server also has the first two
		require.True(t, lines.Scan())
	}
	ready := regexp.MustCompile(`Ready to accept connections (?:tcp|unix) (\S+)$`).FindStringSubmatch(lines.Text())
	require.NotNil(t, ready, lines.Text())
	go io.Copy(io.Discard, out)
	t.Cleanup(stop)
	return ready[1], ended, stop
}

func ask(t *testing.T, network, addr, command string) string {
	t.Helper()
	c, err := net.Dial(network, addr)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(2*time.Minute)))
	_, err = c.Write([]byte(command + "\r\n"))
	require.NoError(t, err)
	line, _ := bufio.NewReader(c).ReadString('\n')
	return strings.TrimSpace(line)
}

func TestRunServesUntilTheContextEnds(t *testing.T) {
	addr, ended, stop := launched(t, "--port", "0", "--bind", "127.0.0.1", "--requirepass", "a b")
	require.Equal(t, "-NOAUTH Authentication required.", ask(t, "tcp", addr, "PING"))
	require.Equal(t, "+OK", ask(t, "tcp", addr, `AUTH "a b"`))
	stop()
	require.NoError(t, <-ended)
}

func TestRunOnAUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "run")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path, pid := filepath.Join(dir, "s"), filepath.Join(dir, "pid")
	addr, ended, _ := launched(t, "--port", "0", "--unixsocket", path, "--pidfile", pid)
	require.Equal(t, path, addr)
	require.FileExists(t, pid)
	require.Equal(t, "+PONG", ask(t, "unix", path, "PING"))
	require.Empty(t, ask(t, "unix", path, "SHUTDOWN"))
	require.NoError(t, <-ended)
	require.NoFileExists(t, path)
	require.NoFileExists(t, pid)
}

func TestRunWritesItsLogToAFile(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"--port", "0", "--logfile", log}, nil, io.Discard) }()
	for text := ""; !strings.Contains(text,
		"Ready to accept connections tcp 127.0.0.1:"); time.Sleep(time.Millisecond) {
		b, _ := os.ReadFile(log)
		text = string(b)
		require.Empty(t, ended)
	}
	stop()
	require.NoError(t, <-ended)
}

func TestRunCannotListen(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	err = run(context.Background(), []string{"--port", port, "--bind", "127.0.0.1"}, nil, io.Discard)
	require.ErrorContains(t, err, "Address already in use by ")
	require.ErrorContains(t, err, strconv.Itoa(os.Getpid()))
}
