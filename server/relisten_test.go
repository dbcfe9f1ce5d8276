package server

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// CONFIG SET moves the listeners. Connections stay; if a new address fails, the old listeners stay
// as well.
func TestListensElsewhere(t *testing.T) {
	r := start(t, Options{})
	c := r.dial(t)
	first := r.Addrs()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	const refusal = "-ERR CONFIG SET failed (possibly related to argument '%s') - %s"
	badPort, badBind := fmt.Sprintf(refusal, "port", "Unable to listen on this port. Check server logs."),
		fmt.Sprintf(refusal, "bind", "Failed to bind to specified addresses.")
	setPort := fmt.Sprintf("CONFIG SET port %d", taken.Addr().(*net.TCPAddr).Port)

	require.Equal(t, badPort, c.ask(setPort))
	require.Equal(t, badBind, c.ask("CONFIG SET bind 192.0.2.1"))
	require.Equal(t, badBind, c.ask(`CONFIG SET bind "127.0.0.1 192.0.2.1"`))
	require.Equal(t, first, r.Addrs())
	require.Equal(t, "+PONG", r.dial(t).ask("PING"))
	require.Equal(t, "+OK", c.ask(`CONFIG SET bind "127.0.0.1 -192.0.2.1"`))
	require.Equal(t, first, r.Addrs())

	for free := false; !free; { // another program may take the port first
		require.NoError(t, taken.Close())
		if free = c.ask(setPort) == "+OK"; !free {
			taken, err = net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			setPort = fmt.Sprintf("CONFIG SET port %d", taken.Addr().(*net.TCPAddr).Port)
		}
	}
	require.Equal(t, []string{taken.Addr().String()}, r.Addrs())
	require.Equal(t, "+PONG", r.dial(t).ask("PING"))
	require.Equal(t, "+OK", c.ask("CONFIG SET port 0"))
	require.Empty(t, r.Addrs())
	require.Equal(t, "+PONG", c.ask("PING"))
}

// The address of all addresses is of its own family.
func TestListensOnBothFamilies(t *testing.T) {
	if ln, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skipf("there is no IPv6: %v", err)
	} else {
		require.NoError(t, ln.Close())
	}
	r := start(t, Options{Bind: []string{"::", "0.0.0.0"}})
	_, port, err := net.SplitHostPort(r.Addrs()[0])
	require.NoError(t, err)
	require.Equal(t, []string{"[::]:" + port, "0.0.0.0:" + port}, r.Addrs())
}
