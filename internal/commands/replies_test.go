package commands_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands/clients"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/commands/transactions"
)

// TestRepliesByteForByte runs sessions whose output is not a sequence of replies, and compares it
// with what redis-server 7.0.15 and 8.0.2 send.
func TestRepliesByteForByte(t *testing.T) {
	const ok, queued, pong = "+OK\r\n", "+QUEUED\r\n", "+PONG\r\n"
	for _, c := range []struct{ commands, out string }{
		// EXEC announces all replies and sends only those that CLIENT REPLY does not silence.
		{"MULTI|SET a 1|CLIENT REPLY OFF|SET b 1|EXEC|PING", ok + queued + queued + queued + "*3\r\n" + ok},
		{"MULTI|CLIENT REPLY OFF|SET b 1|CLIENT REPLY ON|SET c 1|EXEC",
			ok + strings.Repeat(queued, 4) + "*4\r\n" + ok + ok},
		{"CLIENT REPLY OFF|MULTI|GET a|CLIENT REPLY ON|EXEC|PING", ok + pong},
		{"MULTI|CLIENT REPLY SKIP|PING|EXEC|PING|PING", ok + queued + queued + "*2\r\n" + pong + pong},
		// A connection may redirect its invalidations to itself, which RESP2 delivers to
		// subscribers.
		{"CLIENT TRACKING ON REDIRECT %d|GET k|SUBSCRIBE __redis__:invalidate|other SET k 1",
			ok + "$-1\r\n*3\r\n$9\r\nsubscribe\r\n$20\r\n__redis__:invalidate\r\n:1\r\n" +
				"*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n*1\r\n$1\r\nk\r\n"},
	} {
		e, other := stringEngine()
		e.Join(transactions.Part(), pubsub.Part())
		e.Join(clients.Parts(e)...)
		s := e.NewSession(sleeper{})
		var out strings.Builder
		for _, line := range strings.Split(c.commands, "|") {
			if strings.Contains(line, "%d") {
				line = fmt.Sprintf(line, s.ID)
			}
			if line, ok := strings.CutPrefix(line, "other "); ok {
				e.Do(other, commands(line))
				out.Write(e.Collect(s).Out)
				continue
			}
			out.Write(e.Do(s, commands(line)).Out)
		}
		require.Equal(t, c.out, out.String(), c.commands)
	}
}
