package testkit_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/resp"
)

// awaitStruck waits until the outage has struck so many connections.
func awaitStruck(t *testing.T, s *miniserver.Server, n int) {
	t.Helper()
	require.NoError(t, s.WaitFor(t.Context(), "OUTAGE", fmt.Sprint(n)))
}

// awaitClients waits until so many clients are connected, that of Do among them.
func awaitClients(t *testing.T, s *miniserver.Server, n int) {
	t.Helper()
	want := fmt.Sprintf("connected_clients:%d\r\n", n)
	require.Eventually(t, func() bool { return strings.Contains(s.Do("INFO", "clients").Text, want) },
		2*time.Minute, time.Millisecond)
}

// silent requires that nothing has been sent to a client, after all event loops had the time to.
func (c *connection) silent(t *testing.T) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err := c.Read(make([]byte, 1))
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout(), err)
}

// Whatever a client is doing when the world hangs goes on when that ends.
func TestWhatHangs(t *testing.T) {
	s := miniserver.Run(t)
	blocked, listener, tx, paused, delayed := connect(t, s), connect(t, s), connect(t, s), connect(t, s), connect(t, s)
	s.Freeze(time.Unix(1700000000, 0))
	fault(t, s, "slow ON COMMAND getdel DO DELAY 100ms")
	blocked.send(t, "BLPOP", "l", "0")
	listener.ask(t, "SUBSCRIBE", "news")
	tx.ask(t, "MULTI")
	tx.ask(t, "INCR", "n")
	delayed.send(t, "GETDEL", "k")
	paused.ask(t, "PING")
	awaitHits(t, s, "slow", 1)
	require.NoError(t, s.WaitFor(t.Context(), "BLOCKED", "1"))
	s.Do("CLIENT", "PAUSE", "1000", "WRITE")
	paused.send(t, "SET", "p", "v")
	require.NoError(t, s.WaitFor(t.Context(), "BLOCKED", "1"))
	require.NoError(t, s.BeginOutage("HANG"))
	awaitStruck(t, s, 5)
	s.Do("CLIENT", "UNPAUSE")
	s.Do("RPUSH", "l", "x")
	s.Do("SET", "k", "v")
	s.Do("PUBLISH", "news", "hello")
	s.Advance(time.Second)
	tx.send(t, "EXEC")
	blocked.send(t, "PING")
	for _, c := range []*connection{blocked, listener, tx, paused, delayed} {
		c.silent(t)
	}
	require.Zero(t, s.Do("EXISTS", "n", "p", "l").Int, "what was blocked is served, what is sent does not arrive")
	require.NoError(t, s.EndOutage())
	require.NoError(t, s.EndOutage())

	require.Equal(t, []string{"l", "x"}, blocked.next(t).Strings())
	require.Equal(t, "PONG", blocked.next(t).Text)
	require.Equal(t, "hello", listener.next(t).Elems[2].Text)
	require.Equal(t, int64(1), tx.next(t).Elems[0].Int)
	require.Equal(t, "OK", paused.next(t).Text)
	require.Equal(t, "v", delayed.next(t).Text)
}

// A script that becomes slow while its client hangs loses no reply that came before it.
func TestASlowScriptOfAClientThatHangs(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 5")
	s.Freeze(time.Unix(1700000000, 0))
	fault(t, s, "late ON COMMAND eval DO DELAY 100ms")
	c := connect(t, s)
	c.send(t, "PING")
	c.send(t, "EVAL", slow+"return 'done'", "0")
	awaitHits(t, s, "late", 1)
	require.NoError(t, s.BeginOutage("HANG"))
	s.Advance(time.Second)
	require.Eventually(t, func() bool { return s.EndOutage() == nil }, 2*time.Minute, time.Millisecond) // else BUSY
	require.Equal(t, "PONG", c.next(t).Text)
	require.Equal(t, "done", c.next(t).Text)
}

// Who hangs up while the world hangs leaves nothing behind, nor does who sends or is sent too much.
func TestClientsThatEndWhileTheyHang(t *testing.T) {
	s := miniserver.Run(t, "client-query-buffer-limit 2mb", "client-output-buffer-limit pubsub 1mb 0 0")
	gone, talker, listener, killed := connect(t, s), connect(t, s), connect(t, s), connect(t, s)
	id := killed.ask(t, "CLIENT", "ID").Int
	gone.ask(t, "MULTI")
	talker.ask(t, "PING")
	listener.ask(t, "SUBSCRIBE", "news")
	s.Do("PING")
	awaitClients(t, s, 5)
	require.NoError(t, s.BeginOutage("HANG"))
	require.Equal(t, int64(1), s.Do("CLIENT", "KILL", "ID", fmt.Sprint(id)).Int)
	awaitClients(t, s, 4)
	gone.send(t, "INCR", "n")
	require.NoError(t, gone.Close())
	awaitClients(t, s, 3)
	for range 20 {
		s.Do("PUBLISH", "news", strings.Repeat("x", 100_000))
	}
	awaitClients(t, s, 2)
	for range 100 {
		if _, err := io.WriteString(talker, "ECHO "+strings.Repeat("x", 60_000)+"\r\n"); err != nil {
			break
		}
	}
	awaitClients(t, s, 1)
	require.NoError(t, s.EndOutage())
	require.Zero(t, s.Do("EXISTS", "n").Int)
	require.Empty(t, s.Do("MINI.LEAKS").Elems)
}

// requireRefused requires that the system refuses a connection.
func requireRefused(t *testing.T, network, address string) {
	t.Helper()
	_, err := net.Dial(network, address)
	require.ErrorContains(t, err, "refused")
}

// While the server is down nothing listens. Then it does at the same addresses.
func TestDown(t *testing.T) {
	for _, settings := range [][]string{nil, {"tls-self-signed yes"}, {"requirepass secret"}} {
		s := miniserver.Run(t, settings...)
		address := s.Addr()
		w := s.NewWorld(t)
		require.Equal(t, "OK", w.Do("SET", "k", "v").Text)
		c, err := dial(s)
		require.NoError(t, err)
		_, err = io.WriteString(c, "AUTH world x:secret\r\n")
		require.NoError(t, err)
		_, err = resp.NewReader(c).Read()
		require.NoError(t, err)

		require.NoError(t, w.BeginOutage("DOWN"))
		_, err = io.ReadAll(c)
		require.NoError(t, err)
		requireRefused(t, "tcp", address)
		_, err = s.Dial(t.Context(), "tcp", address)
		require.ErrorContains(t, err, "connection refused")
		require.Equal(t, address, s.Addr())
		require.Equal(t, "v", w.Do("GET", "k").Text)
		require.Equal(t, "v", w.Fork(t).Do("GET", "k").Text, "over a new connection")
		require.ErrorContains(t, s.BeginOutage("CUT"), "there is an outage already, DOWN")

		require.NoError(t, s.EndOutage(), "from any world")
		c, err = net.Dial("tcp", address)
		require.NoError(t, err)
		require.NoError(t, c.Close())
		require.NoError(t, s.Restart())
		require.Equal(t, address, s.Addr())
		require.Equal(t, "v", w.Do("GET", "k").Text)
		require.NoError(t, s.RestartEmpty())
		require.True(t, w.Do("GET", "k").IsNull())
		c, err = net.Dial("tcp", address)
		require.NoError(t, err)
		require.NoError(t, c.Close())
	}
}

// dial connects to a server as its clients do.
func dial(s *miniserver.Server) (net.Conn, error) {
	if config := s.TLSConfig(); config != nil {
		return tls.Dial("tcp", s.Addr(), config)
	}
	return net.Dial("tcp", s.Addr())
}

// A server that is down does not stay so when those are gone who could end it: the client that has
// begun it, or the owner of the world.
func TestDownEndsWithItsClient(t *testing.T) {
	s := miniserver.Run(t)
	for mark, words := range map[string]string{"a": "BEGIN DOWN", "b": "BEGIN DOWN FOR 1h"} {
		owner, client := connect(t, s), connect(t, s)
		require.Equal(t, "OK", owner.ask(t, "MINI.WORLD", "USE", "default", "OPERATOR").Text)
		require.Equal(t, "OK", owner.ask(t, "MINI.WORLD", "OWN", mark).Text)
		require.Equal(t, "OK", client.ask(t, "MINI.WORLD", "USE", mark+"-1", "OPERATOR").Text)
		require.Equal(t, "OK", client.ask(t, append([]string{"MINI.OUTAGE"}, strings.Fields(words)...)...).Text)
		requireRefused(t, "tcp", s.Addr())
		require.NoError(t, client.Close())
		if mark == "b" {
			require.NoError(t, owner.Close())
		}
		require.Eventually(t, func() bool {
			c, err := net.Dial("tcp", s.Addr())
			return err == nil && c.Close() == nil
		}, 2*time.Minute, time.Millisecond, words)
	}
}

// If another program has taken the port, the end of the outage says so, and can be tried again.
func TestThePortIsTakenMeanwhile(t *testing.T) {
	s := miniserver.Run(t)
	require.NoError(t, s.BeginOutage("DOWN", "FOR", "1h"))
	taken, err := net.Listen("tcp", s.Addr())
	require.NoError(t, err)
	require.ErrorContains(t, s.EndOutage(), "Address already in use")
	s.Advance(time.Hour)
	require.Equal(t, "DOWN", s.Do("MINI.OUTAGE", "STATUS").StringMap()["outage"])
	require.NoError(t, taken.Close())
	require.NoError(t, s.EndOutage())
	require.Equal(t, "PONG", connect(t, s).ask(t, "PING").Text)
}

// An outage ends with its world, and with the server.
func TestAWorldEndsDuringItsOutage(t *testing.T) {
	s := miniserver.Run(t)
	for _, mishap := range []string{"CUT", "HANG", "DOWN"} {
		c, w := connect(t, s), s.NewWorld(t)
		c.ask(t, "AUTH", "world", w.Name())
		require.NoError(t, w.BeginOutage(mishap))
		if mishap == "HANG" {
			c.send(t, "PING")
			require.ErrorContains(t, errOf(s.DoContext(t.Context(), "MINI.WORLD", "DROP", w.Name())), "has 1 clients")
			require.NoError(t, errOf(s.DoContext(t.Context(), "MINI.WORLD", "RESET", w.Name())))
			require.Equal(t, "PONG", c.next(t).Text)
			continue
		}
		require.NoError(t, errOf(s.DoContext(t.Context(), "MINI.WORLD", "DROP", w.Name())))
		c = connect(t, s)
		require.Equal(t, "OK", c.ask(t, "AUTH", "world", w.Name()).Text)
		require.Equal(t, "PONG", c.ask(t, "PING").Text)
	}
	require.NoError(t, s.BeginOutage("DOWN"))
	require.NoError(t, s.Close())
}

func errOf(_ resp.Value, err error) error { return err }

// Also a server without a network is down.
func TestDownInProcess(t *testing.T) {
	s := miniserver.RunInProcess(t)
	client, err := s.Dial(t.Context(), "", "")
	require.NoError(t, err)
	c := &connection{client, resp.NewReader(client)}
	require.Equal(t, "PONG", c.ask(t, "PING").Text)
	require.NoError(t, s.BeginOutage("DOWN", "FOR", "1s"))
	_, err = io.ReadAll(client)
	require.NoError(t, err)
	_, err = s.Dial(t.Context(), "", "")
	require.ErrorContains(t, err, "connection refused")
	require.Equal(t, "PONG", s.Do("PING").Text)
	s.Advance(time.Second)
	client, err = s.Dial(t.Context(), "", "")
	require.NoError(t, err)
	require.NoError(t, client.Close())
}

// Outages of all kinds come and go while clients work, and in the end nothing is left.
func TestOutagesUnderLoad(t *testing.T) {
	s := miniserver.Run(t)
	var all sync.WaitGroup
	ended := make(chan struct{})
	for i := range 8 {
		all.Go(func() {
			for n := 0; n < 30; n++ {
				c, err := net.Dial("tcp", s.Addr())
				if err != nil {
					continue // the server is down
				}
				_, _ = fmt.Fprintf(c, "AUTH world w%d\r\nSUBSCRIBE x\r\nUNSUBSCRIBE\r\nMULTI\r\nRPUSH l x\r\nEXEC\r\n"+
					"BLPOP l 0.01\r\nEVAL 'return 1' 0\r\nQUIT\r\n", i%3)
				_ = c.SetReadDeadline(time.Now().Add(time.Duration(n) * time.Millisecond)) // some go while they hang
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}
		})
	}
	go func() { all.Wait(); close(ended) }()
	for n := 0; ; n++ {
		select {
		case <-ended:
			for i := range 3 {
				s.Do("MINI.WORLD", "RESET", fmt.Sprint("w", i))
			}
			require.NoError(t, s.EndOutage())
			awaitClients(t, s, 1)
			require.Empty(t, s.Do("MINI.LEAKS").Elems)
			return
		default:
		}
		w := connectTo(t, s, fmt.Sprint("w", n%3))
		w.ask(t, "MINI.OUTAGE", "BEGIN", []string{"HANG", "CUT", "REFUSE", "DOWN"}[n%4], "FOR", "1ms")
		w.ask(t, "MINI.CLOCK", "ADVANCE", "1")
		w.ask(t, "MINI.OUTAGE", "END")
		require.NoError(t, w.Close())
	}
}

// connectTo returns a client that steers a world.
func connectTo(t *testing.T, s *miniserver.Server, world string) *connection {
	t.Helper()
	c := connect(t, s)
	require.Equal(t, "OK", c.ask(t, "MINI.WORLD", "USE", world, "OPERATOR").Text)
	return c
}
