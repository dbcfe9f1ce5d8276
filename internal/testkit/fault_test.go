package testkit_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// fault adds a fault, written as one would type it.
func fault(t *testing.T, s *miniserver.Server, rule string) {
	t.Helper()
	require.Equal(t, "OK", s.Do(append([]string{"MINI.FAULT", "ADD"}, strings.Fields(rule)...)...).Text, rule)
}

// hits returns how many commands a fault has struck.
func hits(s *miniserver.Server, id string) int64 {
	for _, f := range s.Do("MINI.FAULT", "LIST").Elems {
		if f.Elems[1].Text == id {
			return f.Elems[7].Int
		}
	}
	return -1
}

// awaitHits waits until a fault has struck so many commands.
func awaitHits(t *testing.T, s *miniserver.Server, id string, n int64) {
	t.Helper()
	require.NoError(t, s.WaitFor(t.Context(), "FAULT", id, fmt.Sprint(n)))
	require.Equal(t, n, hits(s, id))
}

// rest returns the bytes that arrive until the server closes the connection.
func (c *connection) rest(t *testing.T) string {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(2*time.Minute)))
	out, err := io.ReadAll(c.Conn)
	require.NoError(t, err)
	return string(out)
}

// What came before the command in a pipeline is answered, and nothing after it runs.
func TestBrokenConnections(t *testing.T) {
	for rule, want := range map[string]struct {
		reply string
		ran   bool
	}{
		"DROP":       {"", false},
		"LOST-REPLY": {"", true},
		"HALF-REPLY": {"$5\r\nh", true},
	} {
		s := miniserver.Run(t)
		fault(t, s, "f ON COMMAND getdel DO "+rule)
		s.Do("SET", "k", "hello")
		c := connect(t, s)
		// At once: what arrived later would reset the connection.
		_, err := c.Write([]byte("ECHO before\r\nGETDEL k\r\nSET after x\r\n"))
		require.NoError(t, err)
		require.Equal(t, "$6\r\nbefore\r\n"+want.reply, c.rest(t), rule)
		require.Equal(t, want.ran, s.Do("EXISTS", "k").Int == 0, rule)
		require.Zero(t, s.Do("EXISTS", "after").Int, rule)
	}
}

// The reply of a transaction is one reply; a blocked client's comes later.
func TestHalfOfALateReply(t *testing.T) {
	s := miniserver.Run(t)
	fault(t, s, "f ON CLIENT half DO HALF-REPLY")
	whole := "*2\r\n$1\r\nl\r\n$1\r\nx\r\n"
	c := connect(t, s)
	c.ask(t, "CLIENT", "SETNAME", "half")
	c.send(t, "BLPOP", "l", "0")
	s.Do("MINI.WAITFOR", "BLOCKED", "1", "TIMEOUT", "30000")
	s.Do("RPUSH", "l", "x")
	require.Equal(t, whole[:len(whole)/2], c.rest(t))
	require.Zero(t, s.Do("EXISTS", "l").Int)

	s.Do("MINI.FAULT", "CLEAR")
	fault(t, s, "f ON COMMAND exec DO HALF-REPLY")
	c = connect(t, s)
	for _, words := range [][]string{{"MULTI"}, {"INCR", "n"}, {"CLIENT", "REPLY", "OFF"}, {"GET", "n"}} {
		c.ask(t, words...)
	}
	c.send(t, "EXEC")
	whole = "*3\r\n:1\r\n$1\r\n1\r\n" // CLIENT REPLY OFF has no reply
	require.Equal(t, whole[:len(whole)/2], c.rest(t))
	require.Equal(t, "1", s.Do("GET", "n").Text)
}

// A client that timed out, and one that asked for no replies, lose no more than the connection.
func TestLostRepliesThatAreNone(t *testing.T) {
	s := miniserver.Run(t)
	fault(t, s, "lost ON CLIENT lost DO LOST-REPLY")
	fault(t, s, "half ON CLIENT half DO HALF-REPLY")
	for _, name := range []string{"lost", "half"} {
		c := connect(t, s)
		c.send(t, "CLIENT", "REPLY", "OFF")
		c.send(t, "CLIENT", "SETNAME", name)
		c.send(t, "CLIENT", "REPLY", "ON")
		require.Empty(t, c.rest(t))
	}
	c := connect(t, s)
	c.ask(t, "CLIENT", "SETNAME", "lost")
	c.send(t, "BLPOP", "nothing", "0.01")
	require.Empty(t, c.rest(t))
}

// slow is the start of a script, which takes 30 milliseconds.
const slow = "local function now() local t = redis.call('TIME') return t[1] * 1e6 + t[2] end local t = now() repeat " +
	"until now() > t + 3e4 "

// The reply of a script that is past its time limit comes from another goroutine.
func TestLostReplyOfASlowScript(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 5")
	for rule, want := range map[string]string{"LOST-REPLY": "", "HALF-REPLY": "$4\r\nd"} {
		s.Do("MINI.WORLD", "RESET")
		fault(t, s, "f ON COMMAND eval DO "+rule)
		c := connect(t, s)
		c.send(t, "EVAL", slow+"redis.call('INCR', 'n') return 'done'", "0")
		require.Equal(t, want, c.rest(t), rule)
		require.Equal(t, "1", s.Do("GET", "n").Text, rule)
	}
}

// A delay ends when the server's clock says so. The pipeline behind the command waits with it,
// other clients do not, and the command is judged once: the fault strikes the next one again.
func TestDelayInAPipeline(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.Unix(1700000000, 0))
	fault(t, s, "slow ON COMMAND incr DO DELAY 100")
	c := connect(t, s)
	for range 3 {
		c.send(t, "INCR", "n")
	}
	c.send(t, "TIME")
	for i := range int64(3) {
		awaitHits(t, s, "slow", i+1)
		require.Contains(t, s.Do("INFO", "clients").Text, "blocked_clients:0\r\n")
		if i > 0 {
			require.Equal(t, fmt.Sprint(i), s.Do("GET", "n").Text)
		}
		s.Advance(99 * time.Millisecond)
		s.Advance(time.Millisecond)
		require.Equal(t, fmt.Sprint(i+1), s.Do("GET", "n").Text, "it has run when Advance returns")
		require.Equal(t, i+1, c.next(t).Int)
	}
	require.Equal(t, "300000", c.next(t).Elems[1].Text)
	require.Equal(t, int64(3), hits(s, "slow"))
}

// Delayed commands run at their times, in order, and wake who waits for them.
func TestDelaysEndInOrder(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.Unix(1700000000, 0))
	fault(t, s, "late ON COMMAND rpush KEY late DO DELAY 500")
	fault(t, s, "soon ON COMMAND set DO DELAY 100")
	a, b, w := connect(t, s), connect(t, s), connect(t, s)
	a.send(t, "RPUSH", "late", "x")
	awaitHits(t, s, "late", 1)
	b.send(t, "SET", "soon", "x", "PX", "100")
	awaitHits(t, s, "soon", 1)
	w.send(t, "BLPOP", "late", "0")
	s.Do("MINI.WAITFOR", "BLOCKED", "1", "TIMEOUT", "30000")
	s.Advance(time.Second)
	require.Zero(t, s.Do("EXISTS", "soon").Int, "it expired after 200 milliseconds")
	require.Equal(t, "OK", b.next(t).Text)
	require.Equal(t, int64(1), a.next(t).Int)
	require.Equal(t, "x", w.next(t).Elems[1].Text)
}

// A delayed command can block, be slow, be refused, and end its connection.
func TestWhatADelayedCommandDoes(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 5")
	fault(t, s, "f ON CLIENT c DO DELAY 5")
	c := connect(t, s)
	c.ask(t, "CLIENT", "SETNAME", "c")
	c.send(t, "BLPOP", "l", "0")
	s.Do("MINI.WAITFOR", "BLOCKED", "1", "TIMEOUT", "30000")
	s.Do("RPUSH", "l", "x")
	require.Equal(t, "x", c.next(t).Elems[1].Text)
	require.Equal(t, "done", c.ask(t, "EVAL", slow+"return 'done'", "0").Text)
	require.Equal(t, "WRONGTYPE",
		strings.Fields(func() string { s.Do("SET", "k", "v"); return c.ask(t, "LPOP", "k").Text }())[0])
	require.Equal(t, "OK", c.ask(t, "MULTI").Text)
	require.Equal(t, "QUEUED", c.ask(t, "INCR", "n").Text)
	require.Equal(t, int64(1), c.ask(t, "EXEC").Elems[0].Int)
	require.Equal(t, int64(6), hits(s, "f"))
	c.send(t, "CLIENT", "KILL", "ID", fmt.Sprint(c.ask(t, "CLIENT", "ID").Int), "SKIPME", "no")
	require.Equal(t, ":1\r\n", c.rest(t))
}

// Who hangs up during a delay sends nothing any more, and who is paused is judged when the pause is
// over.
func TestDelaysAndPauses(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.Unix(1700000000, 0))
	fault(t, s, "slow ON COMMAND incr DO DELAY 100")
	gone, c := connect(t, s), connect(t, s)
	c.ask(t, "PING") // both are accepted from here on
	gone.send(t, "INCR", "gone")
	awaitHits(t, s, "slow", 1)
	clients := len(strings.Split(s.Do("CLIENT", "LIST").Text, "\n"))
	require.NoError(t, gone.Close())
	require.Eventually(t, func() bool { return len(strings.Split(s.Do("CLIENT", "LIST").Text, "\n")) == clients-1 },
		2*time.Minute, time.Millisecond)

	s.Do("CLIENT", "PAUSE", "1000", "WRITE")
	c.send(t, "INCR", "n")
	require.Eventually(t, func() bool {
		return strings.Contains(s.Do("INFO", "clients").Text, "blocked_clients:1\r\n")
	}, 2*time.Minute, time.Millisecond)
	require.Equal(t, int64(1), hits(s, "slow"), "the pause comes first")
	s.Do("CLIENT", "UNPAUSE")
	awaitHits(t, s, "slow", 2)
	s.Do("CLIENT", "PAUSE", "1000", "WRITE")
	s.Advance(500 * time.Millisecond)
	require.Zero(t, s.Do("EXISTS", "n", "gone").Int, "a delayed command waits for the end of a pause, too")
	s.Do("CLIENT", "UNPAUSE")
	require.Equal(t, int64(1), c.next(t).Int)
	require.Zero(t, s.Do("EXISTS", "gone").Int)
	require.Equal(t, int64(2), hits(s, "slow"))
}

// After CLEAR and a new fault, the client that was delayed is struck as any other.
func TestNoImmunityAfterADelay(t *testing.T) {
	s := miniserver.Run(t)
	s.Freeze(time.Unix(1700000000, 0))
	fault(t, s, "slow ON COMMAND incr DO DELAY 100")
	c := connect(t, s)
	c.send(t, "INCR", "n")
	awaitHits(t, s, "slow", 1)
	s.Do("MINI.FAULT", "CLEAR", "slow")
	require.Equal(t, "1", s.Do("GET", "n").Text, "it has run when CLEAR replies")
	require.Equal(t, int64(1), c.next(t).Int)
	fault(t, s, "refused ON COMMAND incr DO OOM")
	require.Regexp(t, "^OOM", c.ask(t, "INCR", "n").Text)
}

// A slow world's clients do not slow others, and a dropped world takes its faults along.
func TestFaultsOfAWorld(t *testing.T) {
	s := miniserver.Run(t)
	a, b := connect(t, s), connect(t, s)
	a.ask(t, "MINI.WORLD", "USE", "a")
	b.ask(t, "MINI.WORLD", "USE", "b")
	a.ask(t, "MINI.CLOCK", "FREEZE")
	require.Equal(t, "OK", a.ask(t, "MINI.FAULT", "ADD", "f", "ON", "COMMAND", "set", "DO", "DELAY", "1000").Text)
	c := connect(t, s)
	c.ask(t, "MINI.WORLD", "USE", "a")
	c.send(t, "SET", "k", "v")
	require.Equal(t, "OK", b.ask(t, "SET", "k", "b").Text)
	require.Equal(t, "OK", a.ask(t, "MINI.WAITFOR", "FAULT", "f", "1", "TIMEOUT", "30000").Text)
	require.Equal(t, "OK", b.ask(t, "MINI.WORLD", "RESET", "a").Text)
	require.Equal(t, "OK", c.next(t).Text)
	require.Equal(t, "b", b.ask(t, "GET", "k").Text)
}

// A client is known by its address.
func TestFaultOnAnAddress(t *testing.T) {
	s := miniserver.Run(t)
	a, b := connect(t, s), connect(t, s)
	fault(t, s, "f ON ADDR "+a.LocalAddr().String()+" DO DROP")
	require.Equal(t, "PONG", b.ask(t, "PING").Text)
	a.send(t, "PING")
	require.Empty(t, a.rest(t))
}

// Clients whose connections break all the time connect again, while others add and remove faults,
// and nothing is left behind.
func TestFaultsUnderLoad(t *testing.T) {
	s := miniserver.Run(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			name := fmt.Sprint("c", i%4)
			for range 30 {
				c, err := net.Dial("tcp", s.Addr())
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = fmt.Fprintf(c, "CLIENT SETNAME %s\r\nMULTI\r\nRPUSH l x\r\nEXEC\r\nBLPOP l 0.01\r\n"+
					"EVAL 'return 1' 0\r\nQUIT\r\n", name)
				_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
				if _, err = io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("the connection stays open")
				}
				_ = c.Close()
			}
		})
	}
	ended := make(chan struct{})
	go func() { all.Wait(); close(ended) }()
	for n := 0; ; n++ {
		select {
		case <-ended:
			s.Do("MINI.FAULT", "CLEAR")
			require.Eventually(t, func() bool {
				return strings.Contains(s.Do("INFO", "clients").Text, "connected_clients:1\r\n")
			}, 2*time.Minute, time.Millisecond)
			require.Contains(t, s.Do("INFO", "clients").Text, "blocked_clients:0\r\n")
			s.Do("DEL", "l")
			require.Empty(t, s.Do("MINI.LEAKS").Elems)
			return
		default:
		}
		what := []string{"DELAY 3", "DROP", "LOST-REPLY", "HALF-REPLY", "OOM"}[n%5]
		s.Do(strings.Fields(fmt.Sprintf("MINI.FAULT ADD f ON CLIENT c%d DO %s PROB 0.3", n%4, what))...)
		s.Do("MINI.CLOCK", "ADVANCE", "1")
		s.Do("DEL", "l")
		if n%20 == 19 {
			s.Do("MINI.WORLD", "RESET")
		} else {
			s.Do("MINI.FAULT", "CLEAR", "f")
		}
	}
}
