package psync

import (
	"bytes"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// client sends commands to a real server.
type client struct {
	t    *testing.T
	conn net.Conn
	in   *resp.Reader
}

func (c client) do(words ...string) string {
	_, err := c.conn.Write([]byte(command(words...)))
	require.NoError(c.t, err)
	v, err := c.in.Read()
	require.NoError(c.t, err)
	require.False(c.t, v.IsError(), v.Text)
	return v.Text
}

// until reads the stream up to a command with the given last argument, and returns the offset
// behind it.
func until(t *testing.T, l *Link, last string) int64 {
	for {
		list, err := l.Next()
		require.NoError(t, err)
		for _, c := range list {
			if len(c.Args) > 0 && string(c.Args[len(c.Args)-1]) == last {
				return c.End
			}
		}
	}
}

func TestRealMasters(t *testing.T) {
	for _, release := range []reference.Release{reference.Default, reference.Redis70, reference.Redis62,
		reference.Valkey81} {
		for _, diskless := range []string{"yes", "no"} {
			t.Run(string(release)+" diskless "+diskless, func(t *testing.T) {
				s := release.Start(t, "--repl-diskless-sync", diskless, "--repl-diskless-sync-delay", "0")
				followReal(t, s, diskless == "yes")
			})
		}
	}
}

func followReal(t *testing.T, s *reference.Server, diskless bool) {
	conn := s.Dial(t)
	c := client{t, conn, resp.NewReader(conn)}
	c.do("SET", "before", "a value in the snapshot")
	o := Options{Timeout: 2 * time.Minute, Port: 7000, Version: "8.0.2"}
	l, err := Handshake(s.Dial(t), o)
	require.NoError(t, err)
	a, err := l.PSync("", 0, false)
	require.NoError(t, err)
	require.True(t, a.Full)
	size, r, err := l.Snapshot()
	require.NoError(t, err)
	require.Equal(t, diskless, size < 0)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(text, []byte("REDIS00")) && bytes.Contains(text, []byte("a value in the snapshot")))
	for !strings.Contains(c.do("INFO", "replication"), "state=online") {
		time.Sleep(10 * time.Millisecond) // a real master waits for its child
	}
	require.NoError(t, l.Ack(a.Offset, -1))

	c.do("SET", "k", "first")
	require.Equal(t, offset(t, c), until(t, l, "first"))
	require.NoError(t, l.Close())
	c.do("SET", "k", "second")
	l, err = Handshake(s.Dial(t), o)
	require.NoError(t, err)
	again, err := l.PSync(a.ID, a.Offset, false)
	require.NoError(t, err)
	require.Equal(t, Answer{ID: a.ID, Offset: a.Offset}, again)
	at := until(t, l, "second")
	require.Equal(t, offset(t, c), at)
	require.NoError(t, l.Ack(at, -1))
	c.do("WAIT", "1", "0") // ends when the master has taken the acknowledgement
}

// offset returns the master's offset.
func offset(t *testing.T, c client) int64 {
	found := regexp.MustCompile(`master_repl_offset:(\d+)`).FindStringSubmatch(c.do("INFO", "replication"))
	require.NotNil(t, found)
	n, err := strconv.ParseInt(found[1], 10, 64)
	require.NoError(t, err)
	return n
}
