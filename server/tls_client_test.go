package server

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server connects to another over TLS: it shows its certificate, and refuses one that no
// authority of its own has signed.
func TestTLSToAnotherServer(t *testing.T) {
	n, stranger := newNotary(t), newNotary(t)
	n.issue(t, "server", n)
	stranger.issue(t, "server", stranger)
	master, replica, other := startTLS(t, n.settings("yes")), startTLS(t, n.settings("yes")),
		startTLS(t, stranger.settings("yes"))
	start := func(from *running) (*client, error) {
		conn, err := net.Dial("tcp", master.Addrs()[0])
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		secured, err := StartTLS(t.Context(), from.engine, conn)
		if err != nil {
			return nil, err
		}
		return newClient(t, secured), nil
	}
	c, err := start(replica)
	require.NoError(t, err)
	require.Equal(t, "+PONG", c.ask("PING"))
	_, err = start(other)
	require.ErrorContains(t, err, "certificate signed by unknown authority")
}
