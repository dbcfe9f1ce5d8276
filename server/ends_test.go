package server

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever ends a client that does not read lets go of it: its replies, which no socket holds, are gone with the connection.
func TestAnEndedClientIsLetGo(t *testing.T) {
	const unread, sockets = 64 << 20, 16 << 20 // bytes; sockets is more than those of the system take
	for name, end := range map[string]func(admin *client, id string){
		"CLIENT KILL": func(admin *client, id string) { require.Equal(t, ":1", admin.ask("CLIENT KILL ID "+id)) },
		"maxmemory-clients": func(admin *client, id string) {
			require.Equal(t, "+OK", admin.ask("CONFIG SET maxmemory-clients 10mb"))
		},
		"timeout": func(admin *client, id string) {
			require.Equal(t, "+OK", admin.ask("CONFIG SET timeout 1"))
		},
		"KILL of one that has said QUIT": func(admin *client, id string) {
			require.Equal(t, ":1", admin.ask("CLIENT KILL ID "+id))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, Options{})
			admin, c := r.dial(t), r.dial(t)
			require.Equal(t, "+OK", admin.ask("CLIENT NO-EVICT ON"))
			require.Equal(t, ":1048576", c.ask("SETRANGE k 1048575 x"))
			id := strings.TrimPrefix(c.ask("CLIENT ID"), ":")
			c.send(strings.Repeat("GET k\r\n", unread>>20))
			if strings.Contains(name, "QUIT") {
				c.send("QUIT\r\n")
			}
			eventually(t, "the replies wait", func() bool { return r.unsent() > unread-sockets })
			end(admin, id)
			eventually(t, "only the other is left", func() bool { return r.counts.clients.Load() <= 1 })
			require.Less(t, r.engine.Held(), int64(1<<20))
			n, _ := io.Copy(io.Discard, c.Conn)
			require.Less(t, n, int64(sockets))
		})
	}
}

// A client that does not read its last replies keeps them for closeTimeout and not for ever.
func TestLastRepliesThatNobodyReads(t *testing.T) {
	s := stall{}
	require.False(t, s.exceeds(10))
	s.since = s.since.Add(-closeTimeout)
	require.False(t, s.exceeds(9), "it has read something")
	s.since = s.since.Add(-closeTimeout)
	require.True(t, s.exceeds(9))
}
