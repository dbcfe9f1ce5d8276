package replication

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// host is what newFollower gives its engine.
var host engine.Host

// bothWays runs a test with links that read the stream themselves, and with links whose stream
// something like an event loop reads.
func bothWays(t *testing.T, test func(t *testing.T)) {
	t.Run("a goroutine reads", test)
	t.Run("a loop reads", func(t *testing.T) {
		host.Feed = func(conn net.Conn, receive engine.Receive) (engine.Feed, error) {
			go feed(conn, receive)
			return conn, nil
		}
		defer func() { host = engine.Host{} }()
		test(t)
	})
}

// feed passes what arrives on, a few bytes at a time.
func feed(conn net.Conn, receive engine.Receive) {
	await := func(more bool) {
		for ; !more; more = receive(nil, nil) {
			time.Sleep(time.Millisecond)
		}
	}
	await(receive(nil, nil))
	for b := make([]byte, 10); ; {
		n, err := conn.Read(b)
		if await(receive(b[:n], nil)); err != nil {
			receive(nil, err)
			return
		}
	}
}

// Commands of the master wait while clients are paused, and run in their order afterwards.
func TestThePauseOfAStream(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		f := newFollowed(t)
		conn := f.play(map[string]string{"PSYNC": "+FULLRESYNC " + history + " 7\r\n" + snapshotOf(t)}, true)
		defer conn.Close()
		f.requireState("connected")
		require.Equal(t, "+OK\r\n", f.do("CLIENT PAUSE 60000 WRITE"))
		_, err := conn.Write([]byte(strings.Repeat(wire("APPEND", "k", "x"), 100) + wire("SET", "last", "1")))
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond)
		require.Equal(t, "$1\r\nv\r\n", f.do("GET k"))
		require.Equal(t, "+OK\r\n", f.do("CLIENT UNPAUSE"))
		require.Eventually(t, func() bool { return f.do("GET last") == "$1\r\n1\r\n" }, 2*time.Minute, time.Millisecond)
		require.Equal(t, "$101\r\nv"+strings.Repeat("x", 100)+"\r\n", f.do("GET k"))
	})
}

// A master that says nothing for repl-timeout is given up, and so is one whose session is killed.
// The link comes back.
func TestTheEndOfASession(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		f := newFollowed(t, "CONFIG SET repl-timeout 1")
		answers := map[string]string{"PSYNC": "+FULLRESYNC " + history + " 7\r\n" + snapshotOf(t)}
		conn := f.play(answers, true)
		defer conn.Close()
		f.requireState("connected")
		answers["PSYNC"] = "+CONTINUE\r\n"
		next := f.play(answers, true)
		defer next.Close()
		require.Contains(t, f.log(), "MASTER timeout: no data nor PING received...")
		f.requireState("connected")
		require.Equal(t, ":1\r\n", f.do("CLIENT KILL TYPE master"))
		last := f.play(answers, true)
		defer last.Close()
		f.requireState("connected")
		require.Equal(t, 1, strings.Count(f.log(), "MASTER timeout"))
	})
}

// The master gets the offset when it asks.
func TestTheAcknowledgement(t *testing.T) {
	bothWays(t, func(t *testing.T) {
		f := newFollowed(t)
		conn := f.play(map[string]string{"PSYNC": "+FULLRESYNC " + history + " 7\r\n" + snapshotOf(t)}, true)
		defer conn.Close()
		asks := wire("REPLCONF", "GETACK", "*")
		_, err := conn.Write([]byte(asks))
		require.NoError(t, err)
		var got strings.Builder
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(2*time.Minute)))
		for b := make([]byte, 100); !strings.Contains(got.String(), wire("REPLCONF", "ACK", "44")); {
			n, err := conn.Read(b)
			require.NoError(t, err, got.String())
			got.Write(b[:n])
		}
	})
}
