package server

import (
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever ends a client that does not read lets go of it: its replies, which no socket holds, are
// gone with the connection.
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
			eventually(t, "only the other is left", func() bool {
				return r.counts.clients.Load() <= 1 && r.engine.Held() < 1<<20
			})
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

// The limit of the input holds for an argument with its line break, however large the pieces are in
// which it comes. The sizes are those that Redis 8.6.3 takes and refuses.
func TestQueryLimitHoldsForEachArgument(t *testing.T) {
	const limit = 1 << 20
	for _, piece := range []int{16 << 10, 1 << 20, 8 << 20} {
		for size, fits := range map[int]bool{limit - 2: true, limit: false, 1_500_000: false, 2_500_000: false} {
			r := start(t, Options{})
			c := r.dial(t)
			require.Equal(t, "+OK", c.ask("CONFIG SET client-query-buffer-limit 1mb"))
			value := strings.Repeat("x", size)
			for command := "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$" + strconv.Itoa(size) + "\r\n" + value +
				"\r\n"; command != ""; {
				n := min(piece, len(command))
				if _, err := c.Conn.Write([]byte(command[:n])); err != nil {
					break
				}
				command = command[n:]
			}
			if fits {
				require.Equal(t, "+OK", c.line(), "%d in pieces of %d", size, piece)
				continue
			}
			_, _ = io.Copy(io.Discard, c.Conn)
			require.Equal(t, ":0", r.dial(t).ask("EXISTS k"), "%d in pieces of %d", size, piece)
		}
	}
}
