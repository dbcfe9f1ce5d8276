package server

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// caller is a connection from an address, which keeps what it is sent.
type caller struct {
	net.Conn
	from net.Addr
	got  string
}

func (c *caller) RemoteAddr() net.Addr { return c.from }
func (c *caller) Close() error         { return nil }
func (c *caller) Write(p []byte) (int, error) {
	c.got += string(p)
	return len(p), nil
}

// Without a password only clients on this machine are served, until protected-mode is off.
func TestProtectedMode(t *testing.T) {
	r := start(t, Options{})
	answer := func(from net.Addr) string {
		c := &caller{from: from}
		if !r.refuses(c) {
			r.counts.clients.Add(-1)
		}
		return c.got
	}
	far := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 9)}
	for _, near := range []net.Addr{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 5)}, &net.TCPAddr{IP: net.IPv6loopback}, &net.UnixAddr{Name: "s"}} {
		require.Empty(t, answer(near))
	}
	require.Equal(t, "-"+string(errProtected)+"\r\n", answer(far))
	require.Equal(t, int64(1), r.counts.rejected.Load())
	require.Zero(t, r.counts.clients.Load())
	c := r.dial(t)
	require.Equal(t, "+OK", c.ask("CONFIG SET requirepass x"))
	require.Empty(t, answer(far), "AUTH protects the server")
	require.Equal(t, "+OK", c.ask("CONFIG SET requirepass \"\""))
	require.NotEmpty(t, answer(far))
	require.Equal(t, "+OK", c.ask("CONFIG SET protected-mode no"))
	require.Empty(t, answer(far))
}
