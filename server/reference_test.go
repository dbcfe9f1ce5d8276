package server

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
)

// exchanges are inputs whose whole output is compared with a redis-server's.
var exchanges = []string{
	"PING\r\n", "PING\n", "  PING  \r\n", "\r\n\r\nPING\r\n", "ping a b c\r\n", "$4\r\nPING\r\n",
	"*0\r\nPING\r\n", "*-1\r\nPING\r\n", "*-10\r\nPING\r\n", "*1\r\n$4\r\nPINGxxPING\r\n", "*1\rx$4\rxPINGxx",
	"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", "*1\r\n$0\r\n\r\nPING\r\n", "\"\"\r\nPING\r\n",
	"*3\r\n$0\r\n\r\n$1\r\na\r\n$1\r\nb\r\n", "SET a 'b\\'c'\r\nGET a\r\n",
	"SET a \"\\x41\\n\\q\"\r\nGET a\r\n", "SET a b\"c d\"\r\nGET a\r\n", "SET a \"\"\r\nGET a\r\n",
	"ECHO a\vb\r\n", "ECHO \"a\"\v\r\n", "PING\v\f\r\n", "ECHO \"a\\\r\n", "ECHO 'a\\n'\r\n", "ECHO \xff\xfe\r\n",
	"\x00\x01\x02\r\n", "foo\x00bar\r\n", "*1\x00\r\n", "*1\r\n$\x00\r\n", "*1\r\n\x00", "*1\n$4\nPING\n",
	"*1\r\n$4\nPING\n", "*100000\r\n$4\r\nPING\r\n*x", "*2147483647\r\n", "QUIT\r\nPING\r\n", "GET / HTTP/1.1\r\n\r\n",
	"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nPING\r\n*x\r\n",
	"*1\r\n$3\r\nfoo\n\nPING\r\n", "*-9223372036854775808\r\nPING\r\n", "*1\r\n$-9223372036854775809\r\n", "*\x001\r\n",
	"*1\r\n$1\x00\r\n", "PING\r\nPOST\r\n", "*1\r\n$4\r\nPING\r\nhost: a\r\nPING\r\n",
	"CLIENT REPLY SKIP\r\n\r\nPING\r\n", "CLIENT REPLY SKIP\r\n*-1\r\nPING\r\n*0\r\nPING\r\n",
	"PING\r", "*1", "*1\r", "*1\r\n", "*1\r\n$", "*1\r\n$4", "*1\r\n$4\r", "*1\r\n$4\r\nPING", "*1\r\n$4\r\nPING\r",
}

// The output for any input is that of redis-server 8.0. A malformed argument of a command that
// began in an earlier read makes 8.6 neither reply nor close the connection.
func TestBytesAreAnsweredAsByRedis(t *testing.T) {
	theirs := reference.Redis80.Start(t)
	dir, err := os.MkdirTemp("", "unix")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, "s")
	startLike(t, theirs.Release, Options{Port: -1, UnixSocket: ours}, func(*engine.Engine) {})
	for in := range broken {
		exchanges = append(exchanges, in)
	}
	compare := func(list ...string) {
		for _, in := range list {
			want, got := exchange(t, theirs.Socket, in), exchange(t, ours, in)
			require.Equal(t, want, got, "%.60q", in)
		}
	}
	compare(exchanges...)
	compare("CONFIG SET requirepass x\r\n")
	compare(exchanges...)
	eleven := "*11\r\n$4\r\nMGET\r\n" + strings.Repeat("$1\r\na\r\n", 10)
	big := "*2\r\n$4\r\nECHO\r\n$16385\r\n" + strings.Repeat("x", 16385) + "\r\n"
	compare(eleven, big, "*10\r\n", "AUTH x\r\n"+eleven, "AUTH x\r\n"+big, "AUTH y\r\n"+eleven,
		"PING\r\nAUTH x\r\nPING\r\n"+big+eleven)
	compare("AUTH x\r\nRESET\r\n"+eleven, "AUTH x\r\nPING\r\n*1\r\n$5\r\nreset\r\n"+big, "AUTH x\r\nRESET a\r\n"+eleven,
		"AUTH x\r\nMULTI\r\nRESET\r\nPING\r\n"+eleven)
}

// exchange sends bytes, closes the writing side, and returns all that the server sends.
func exchange(t *testing.T, path, in string) string {
	c, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	_, err = c.Write([]byte(in))
	require.NoError(t, err)
	require.NoError(t, c.(*net.UnixConn).CloseWrite())
	out, _ := io.ReadAll(c)
	return string(out)
}

// What is beyond client-query-buffer-limit ends the connection as in Redis, also where an argument
// has a buffer of its own.
func TestQueryBufferLimitIsThatOfRedis(t *testing.T) {
	dir, err := os.MkdirTemp("", "unix")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, "s")
	start(t, Options{Port: -1, UnixSocket: ours})
	for _, path := range []string{reference.Default.Start(t).Socket, ours} {
		require.Equal(t, "+OK\r\n", exchange(t, path, "CONFIG SET client-query-buffer-limit 1mb\r\n"))
		for size, reply := range map[int]string{500_000: "+OK\r\n", 1_000_000: "+OK\r\n", 1_100_000: "", 1_500_000: "",
			2_000_000: "", 2_500_000: ""} {
			c, err := net.Dial("unix", path)
			require.NoError(t, err)
			go fmt.Fprintf(c, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s\r\n", size, strings.Repeat("x", size))
			require.NoError(t, c.SetReadDeadline(time.Now().Add(patience)))
			got := make([]byte, 100)
			n, err := c.Read(got)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
			require.Equal(t, reply, string(got[:n]), "%s: %d bytes", path, size)
			require.NoError(t, c.Close())
		}
	}
}

// Releases differ in what ends CLIENT REPLY SKIP, and in when a client that was blocked gets a
// protocol error.
func TestBytesAreAnsweredAsByEachRelease(t *testing.T) {
	for _, like := range []reference.Release{"redis:6.2", "redis:7.0", "redis:7.4", "redis:8.0", "redis:8.6",
		"valkey:8.1", "valkey:9.1"} {
		t.Run(string(like), func(t *testing.T) {
			theirs := like.Start(t)
			dir, err := os.MkdirTemp("", "unix")
			require.NoError(t, err)
			defer os.RemoveAll(dir)
			ours := filepath.Join(dir, "s")
			startLike(t, theirs.Release, Options{Port: -1, UnixSocket: ours}, func(*engine.Engine) {})
			for _, in := range []string{"CLIENT REPLY SKIP\r\n\r\nPING\r\n",
				"CLIENT REPLY SKIP\r\n*0\r\nPING\r\nPING\r\n", "CLIENT REPLY SKIP\r\n*x\r\n"} {
				require.Equal(t, exchange(t, theirs.Socket, in), exchange(t, ours, in), "%q", in)
			}
			withMore := like == "redis:8.0" || like == "redis:8.6"
			requireErrorAfterWait(t, ours, withMore)
			if like != "redis:8.6" { // which never says it
				requireErrorAfterWait(t, theirs.Socket, withMore)
			}
			for _, hello := range []string{"HELLO 2", "HELLO 3"} {
				require.Equal(t, redirected(t, theirs.Socket, hello), redirected(t, ours, hello), hello)
			}
		})
	}
}

// requireErrorAfterWait sends a malformed request behind a command that blocks, and unblocks the
// client. Its connection ends with the error, which comes at once, or only with more bytes.
func requireErrorAfterWait(t *testing.T, path string, withMore bool) {
	waiting, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer waiting.Close()
	_, err = waiting.Write([]byte("BZPOPMIN z 0\r\nPING\r\n*x\r\n"))
	require.NoError(t, err)
	eventually(t, "it is blocked",
		func() bool { return strings.Contains(exchange(t, path, "INFO clients\r\n"), "blocked_clients:1") })
	require.Equal(t, ":1\r\n", exchange(t, path, "ZADD z 1 a\r\n"))
	received := ""
	for !strings.Contains(received, "PONG\r\n") {
		received += receive(t, waiting, patience)
	}
	if withMore {
		received += receive(t, waiting, 100*time.Millisecond)
		require.NotContains(t, received, "ERR", path)
		_, err = waiting.Write([]byte("PING\r\n"))
		require.NoError(t, err)
	}
	require.NoError(t, waiting.SetReadDeadline(time.Now().Add(patience)))
	rest, _ := io.ReadAll(waiting)
	require.Equal(t, "*3\r\n$1\r\nz\r\n$1\r\na\r\n$1\r\n1\r\n+PONG\r\n"+
		"-ERR Protocol error: invalid multibulk length\r\n", received+string(rest), path)
}

// redirected returns the invalidation of FLUSHALL that a client receives for another one, which
// sent hello.
func redirected(t *testing.T, path, hello string) string {
	receiver, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer receiver.Close()
	ask := func(c net.Conn, command string) string {
		_, err := c.Write([]byte(command + "\r\n"))
		require.NoError(t, err)
		return receive(t, c, patience)
	}
	id := strings.Trim(ask(receiver, "CLIENT ID"), ":\r\n")
	ask(receiver, "SUBSCRIBE __redis__:invalidate")
	tracking, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer tracking.Close()
	ask(tracking, hello)
	require.Equal(t, "+OK\r\n", ask(tracking, "CLIENT TRACKING ON REDIRECT "+id))
	require.Equal(t, "+OK\r\n", ask(tracking, "FLUSHALL"))
	return receive(t, receiver, patience)
}

// receive returns what comes next within the time, or nothing.
func receive(t *testing.T, c net.Conn, within time.Duration) string {
	require.NoError(t, c.SetReadDeadline(time.Now().Add(within)))
	buf := make([]byte, 1024)
	n, _ := c.Read(buf)
	return string(buf[:n])
}
