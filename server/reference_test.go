package server

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
)

// exchanges are inputs whose whole output is compared with a redis-server's.
var exchanges = []string{
	"PING\r\n", "PING\n", "  PING  \r\n", "\r\n\r\nPING\r\n", "ping a b c\r\n", "$4\r\nPING\r\n",
	"*0\r\nPING\r\n", "*-1\r\nPING\r\n", "*-10\r\nPING\r\n", "*1\r\n$4\r\nPINGxxPING\r\n", "*1\rx$4\rxPINGxx",
	"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", "*1\r\n$0\r\n\r\nPING\r\n", "\"\"\r\nPING\r\n", "*3\r\n$0\r\n\r\n$1\r\na\r\n$1\r\nb\r\n",
	"SET a 'b\\'c'\r\nGET a\r\n", "SET a \"\\x41\\n\\q\"\r\nGET a\r\n", "SET a b\"c d\"\r\nGET a\r\n", "SET a \"\"\r\nGET a\r\n",
	"ECHO a\vb\r\n", "ECHO \"a\"\v\r\n", "PING\v\f\r\n", "ECHO \"a\\\r\n", "ECHO 'a\\n'\r\n", "ECHO \xff\xfe\r\n",
	"\x00\x01\x02\r\n", "foo\x00bar\r\n", "*1\x00\r\n", "*1\r\n$\x00\r\n", "*1\r\n\x00", "*1\n$4\nPING\n", "*1\r\n$4\nPING\n",
	"*100000\r\n$4\r\nPING\r\n*x", "*2147483647\r\n", "QUIT\r\nPING\r\n", "GET / HTTP/1.1\r\n\r\n",
	"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\nPING\r\n*x\r\n",
	"*1\r\n$3\r\nfoo\n\nPING\r\n", "*-9223372036854775808\r\nPING\r\n", "*1\r\n$-9223372036854775809\r\n", "*\x001\r\n", "*1\r\n$1\x00\r\n",
	"PING\r", "*1", "*1\r", "*1\r\n", "*1\r\n$", "*1\r\n$4", "*1\r\n$4\r", "*1\r\n$4\r\nPING", "*1\r\n$4\r\nPING\r",
}

// The output for any input is that of redis-server.
func TestBytesAreAnsweredAsByRedis(t *testing.T) {
	theirs := reference.Start(t)
	dir, err := os.MkdirTemp("", "unix")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	ours := filepath.Join(dir, "s")
	start(t, Options{Port: -1, UnixSocket: ours})
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
	compare(eleven, big, "*10\r\n", "AUTH x\r\n"+eleven, "AUTH x\r\n"+big, "AUTH y\r\n"+eleven, "PING\r\nAUTH x\r\nPING\r\n"+big+eleven)
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
