package server

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
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
	for _, near := range []net.Addr{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 5)}, &net.TCPAddr{IP: net.IPv6loopback},
		&net.UnixAddr{Name: "s"}} {
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

// A guarded server stays on this machine until the default user has a password, with protected-mode
// off too.
func TestGuardedServer(t *testing.T) {
	r := start(t, Options{Guarded: "danger yes"})
	c := r.dial(t)
	require.Equal(t, "+OK", c.ask("CONFIG SET protected-mode no"))
	far := &caller{from: &net.TCPAddr{IP: net.IPv4(192, 0, 2, 9)}}
	require.True(t, r.refuses(far))
	require.Regexp(t, "^-ERR CONFIG SET failed", c.ask("CONFIG SET bind *"))
	require.Equal(t, "+OK", c.ask("CONFIG SET requirepass x"))
	require.False(t, r.refuses(far))
	require.Equal(t, "+OK", c.ask("CONFIG SET bind *"))

	s := New(engine.New(engine.Options{Clock: Clock()}), Options{Bind: []string{"0.0.0.0"}, Guarded: "danger yes"})
	require.ErrorContains(t, s.Listen(),
		"danger yes: set a password, as by requirepass, to listen beyond loopback, on ")
	beyond, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	s = New(engine.New(engine.Options{Clock: Clock()}),
		Options{Listeners: []net.Listener{beyond}, Port: -1, Guarded: "danger yes"})
	require.ErrorContains(t, s.Listen(), "danger yes")
}
