package testkit_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/resp"
)

// connection is a client over a socket.
type connection struct {
	net.Conn
	replies *resp.Reader
}

func connect(t testing.TB, s *miniserver.Server) *connection {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &connection{conn, resp.NewReader(conn)}
}

func (c *connection) send(t testing.TB, words ...string) {
	t.Helper()
	w := resp.NewWriter(2)
	w.Command(words...)
	_, err := c.Write(w.Bytes())
	require.NoError(t, err)
}

// next returns the next reply. It fails the test if none comes in time.
func (c *connection) next(t testing.TB) resp.Value {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(2*time.Minute)))
	v, err := c.replies.Read()
	require.NoError(t, err)
	return v
}

func (c *connection) ask(t testing.TB, words ...string) resp.Value {
	t.Helper()
	c.send(t, words...)
	return c.next(t)
}
