package miniredis_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/miniredis"
	"github.com/miniserver-go/miniserver/miniredis/server"
	"github.com/miniserver-go/miniserver/resp"
)

// conn is a client's connection.
type conn struct {
	net.Conn
	replies *resp.Reader
}

func newConn(t *testing.T, c net.Conn, err error) *conn {
	t.Helper()
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &conn{c, resp.NewReader(c)}
}

func dial(t *testing.T, m *miniredis.Miniredis) *conn {
	t.Helper()
	c, err := net.Dial("tcp", m.Addr())
	return newConn(t, c, err)
}

// send sends a command.
func (c *conn) send(words ...string) {
	w := resp.NewWriter(2)
	w.Command(words...)
	_, _ = c.Write(w.Bytes()) // a reply that does not come tells of an error
}

// next returns the next reply, as redis-cli prints it.
func (c *conn) next() string {
	v, err := c.replies.Read()
	if err != nil {
		return "no reply: " + err.Error()
	}
	return v.String()
}

// do sends a command, words with blanks between them, and returns the reply.
func (c *conn) do(line string) string {
	c.send(strings.Fields(line)...)
	return c.next()
}

// isOver reports whether the server has ended the connection.
func (c *conn) isOver() bool {
	_, err := c.replies.Read()
	return err != nil && !errors.Is(err, net.ErrClosed)
}

// awaitBlocked waits until so many clients are blocked.
func awaitBlocked(t *testing.T, m *miniredis.Miniredis, n int) {
	t.Helper()
	c := dial(t, m)
	require.Equal(t, "OK", c.do(fmt.Sprintf("MINI.WAITFOR BLOCKED %d TIMEOUT 60000", n)))
}

// What methods write clients read, and the other way round.
func TestMethodsAndClientsShareTheData(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	require.NoError(t, m.Set("greeting", "hello"))
	require.Equal(t, `"hello"`, c.do("GET greeting"))
	require.Equal(t, "(integer) 3", c.do("RPUSH colors red green blue"))
	m.CheckList(t, "colors", "red", "green", "blue")
	require.Equal(t, "OK", c.do("SELECT 3"))
	require.Equal(t, "OK", c.do("SET only here"))
	require.False(t, m.Exists("only"))
	require.True(t, m.DB(3).Exists("only"))
	m.Select(3)
	m.CheckGet(t, "only", "here")
	require.True(t, m.SwapDB(3, 0))
	require.Equal(t, []string{"colors", "greeting"}, m.Keys())
	require.False(t, m.SwapDB(0, 16))
	require.ErrorContains(t, m.DB(16).Set("k", "v"), "out of range")
	require.Empty(t, m.DB(-1).Keys())
}

// A server need not be started for its methods, and they go on after its end.
func TestMethodsWithoutAServer(t *testing.T) {
	m := miniredis.NewMiniRedis()
	require.Empty(t, m.Addr()+m.Host()+m.Port())
	require.Nil(t, m.Server())
	require.Zero(t, m.CommandCount()+m.CurrentConnectionCount()+m.TotalConnectionCount())
	require.False(t, m.IsReadOnlyCommand("get"))
	m.RequireAuth("secret")
	m.SetError("ERR early")
	require.NoError(t, m.Set("k", "v"))
	require.NoError(t, m.Start())
	c := dial(t, m)
	require.Equal(t, "(error) ERR early", c.do("PING"))
	m.SetError("")
	require.Equal(t, "(error) NOAUTH Authentication required.", c.do("GET k"))
	m.Close()
	m.Close()
	require.Error(t, m.Ctx.Err())
	m.CheckGet(t, "k", "v")
	m.SetTTL("k", time.Second)
	m.FastForward(time.Second)
	require.False(t, m.Exists("k"))
	require.Zero(t, m.Publish("channel", "message"))
	require.Zero(t, m.CommandCount())
	_, err := net.Dial("tcp", m.Addr())
	require.Error(t, err, "it does not listen")
}

// A server that starts again has its port, its data, its users and its time, and nothing of Server.
func TestRestart(t *testing.T) {
	m := miniredis.RunT(t)
	addr := m.Addr()
	require.NoError(t, m.Server().Register("MINE", func(c *server.Peer, _ string, _ []string) { c.WriteOK() }))
	m.SetTime(time.Unix(1700000000, 0))
	m.RequireAuth("secret")
	m.SetError("ERR down")
	m.DB(2).HSet("h", "f", "v")
	m.DB(2).SetTTL("h", time.Minute)
	m.Close()
	require.NoError(t, m.Restart())
	require.Error(t, m.Restart(), "it runs")
	require.Equal(t, addr, m.Addr())
	c := dial(t, m)
	require.Contains(t, c.do("GET k"), "NOAUTH")
	require.Equal(t, "OK", c.do("AUTH secret"))
	require.Contains(t, c.do("MINE"), "unknown command")
	require.Equal(t, "OK", c.do("SELECT 2"))
	require.Equal(t, "(integer) 60", c.do("TTL h"))
	require.Equal(t, "1) \"1700000000\"\n2) \"0\"", c.do("TIME"))
	require.Equal(t, 1, m.TotalConnectionCount())
	m.Close()
	require.NoError(t, m.Start(), "Start is Restart")
	require.Equal(t, addr, m.Addr())
}

// The address of somebody else is an error, and harms nothing.
func TestStartWhereSomebodyListens(t *testing.T) {
	m, other := miniredis.RunT(t), miniredis.NewMiniRedis()
	require.Error(t, other.StartAddr(m.Addr()))
	require.Error(t, other.StartAddr("no address"))
	require.NoError(t, other.StartAddr("127.0.0.1:0"))
	defer other.Close()
	require.Equal(t, "PONG", dial(t, other).do("PING"))
	require.Error(t, other.StartAddr("127.0.0.1:0"), "it runs")
	require.Equal(t, "PONG", dial(t, other).do("PING"))
}

// Close ends who is connected, whatever they do.
func TestCloseEndsEverything(t *testing.T) {
	m := miniredis.RunT(t)
	idle, blocked, listening, half := dial(t, m), dial(t, m), dial(t, m), dial(t, m)
	require.Equal(t, "PONG", idle.do("PING"))
	blocked.send("BLPOP", "l", "0")
	awaitBlocked(t, m, 1)
	listening.do("SUBSCRIBE c")
	_, err := half.Write([]byte("*2\r\n$3\r\nGET\r\n$100\r\nk"))
	require.NoError(t, err)
	m.Close()
	for _, c := range []*conn{idle, blocked, listening, half} {
		require.True(t, c.isOver())
	}
	_, err = m.Push("l", "x")
	require.NoError(t, err)
	m.CheckList(t, "l", "x") // nobody has taken it
}

// A client that hangs up while it is blocked takes nothing.
func TestHangUpWhileBlocked(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	c.send("BLPOP", "l", "0")
	awaitBlocked(t, m, 1)
	require.NoError(t, c.Close())
	awaitBlocked(t, m, 0)
	require.Equal(t, "OK", dial(t, m).do("MINI.WAITFOR BLOCKED 0 TIMEOUT 60000"))
	_, err := m.Push("l", "x")
	require.NoError(t, err)
	m.CheckList(t, "l", "x")
}

// A blocked client is served by a method, and what it has sent behind runs then.
func TestPipelineBehindABlockedCommand(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	for _, line := range []string{"SET a 1", "BLPOP l 0", "INCR a", "MULTI", "INCR a", "NOPE", "EXEC", "GET a"} {
		c.send(strings.Fields(line)...)
	}
	require.Equal(t, "OK", c.next())
	awaitBlocked(t, m, 1)
	m.CheckGet(t, "a", "1")
	_, err := m.Push("l", "x")
	require.NoError(t, err)
	require.Equal(t, "1) \"l\"\n2) \"x\"", c.next())
	require.Equal(t, "(integer) 2", c.next())
	require.Equal(t, "OK", c.next())
	require.Equal(t, "QUEUED", c.next())
	require.Contains(t, c.next(), "unknown command 'NOPE'")
	require.Contains(t, c.next(), "EXECABORT")
	require.Equal(t, `"2"`, c.next())
}

// Clients can be paused, delayed, killed and unblocked by others, as in the whole server.
func TestWhatOthersDoToAClient(t *testing.T) {
	m := miniredis.RunT(t)
	boss, c := dial(t, m), dial(t, m)
	require.Equal(t, "OK", c.do("CLIENT SETNAME victim"))
	id := strings.TrimPrefix(c.do("CLIENT ID"), "(integer) ")
	require.Equal(t, "OK", boss.do("CLIENT PAUSE 100000 WRITE"))
	c.send("INCR", "n")
	require.Equal(t, "OK", boss.do("MINI.WAITFOR BLOCKED 0 TIMEOUT 60000"))
	require.Equal(t, "OK", boss.do("CLIENT UNPAUSE"))
	require.Equal(t, "(integer) 1", c.next())
	require.Equal(t, "OK", boss.do("MINI.FAULT ADD slow ON COMMAND incr DO DELAY 1"))
	require.Equal(t, "(integer) 2", c.do("INCR n"))
	c.send("BLPOP", "l", "0")
	awaitBlocked(t, m, 1)
	require.Equal(t, "(integer) 1", boss.do("CLIENT UNBLOCK "+id))
	require.Equal(t, "(nil)", c.next())
	c.send("BLPOP", "l", "0")
	awaitBlocked(t, m, 1)
	require.Equal(t, "(integer) 1", boss.do("CLIENT KILL ID "+id))
	require.True(t, c.isOver())
	c = dial(t, m)
	id = strings.TrimPrefix(c.do("CLIENT ID"), "(integer) ")
	require.Equal(t, "(integer) 1", boss.do("CLIENT KILL ID "+id))
	require.True(t, c.isOver(), "an idle one")
	require.Equal(t, "OK", boss.do("QUIT"))
	require.True(t, boss.isOver())
}

// What others do to clients does not reach the methods.
func TestNothingHoldsMethodsUp(t *testing.T) {
	m := miniredis.RunT(t)
	boss, sub := dial(t, m), m.NewSubscriber()
	defer sub.Close()
	require.Equal(t, "OK", boss.do("MINI.WORLD USE default OPERATOR"))
	for _, trouble := range [][2]string{
		{"CLIENT PAUSE 100000 WRITE", "CLIENT UNPAUSE"},
		{"MINI.OUTAGE BEGIN CUT", "MINI.OUTAGE END"},
		{"MINI.OUTAGE BEGIN HANG", "MINI.OUTAGE END"},
		{"MINI.OUTAGE BEGIN DOWN", "MINI.OUTAGE END"},
		{"MINI.FAULT ADD f ON ANY DO DROP", "MINI.FAULT CLEAR"},
		{"MINI.FAULT ADD f ON ANY DO DELAY 1h", "MINI.FAULT CLEAR"},
		{"MINI.FAULT ADD f ON ANY DO HALF-REPLY", "MINI.FAULT CLEAR"},
	} {
		require.Equal(t, "OK", boss.do(trouble[0]))
		require.NoError(t, m.Set("k", trouble[0]))
		m.CheckGet(t, "k", trouble[0])
		require.Equal(t, []string{"k"}, m.Keys())
		require.Equal(t, 1, sub.Subscribe("c"))
		require.Equal(t, 1, m.Publish("c", trouble[0]))
		require.Equal(t, trouble[0], (<-sub.Messages()).Message)
		require.Zero(t, sub.Unsubscribe("c"))
		require.Equal(t, "OK", boss.do(trouble[1]))
	}
}

// RESP3 is the client's choice, also for the commands of a test.
func TestProtocols(t *testing.T) {
	m := miniredis.RunT(t)
	require.NoError(t, m.Server().Register("PAIR", func(c *server.Peer, _ string, _ []string) {
		c.WriteMapLen(1)
		c.WriteBulk(c.ClientName)
		c.WriteNull()
	}))
	c := dial(t, m)
	require.Equal(t, "OK", c.do("CLIENT SETNAME ann"))
	c.send("PAIR")
	v, err := c.replies.Read()
	require.NoError(t, err)
	require.Equal(t, resp.Array, v.Kind)
	c.do("HELLO 3")
	c.send("PAIR")
	v, err = c.replies.Read()
	require.NoError(t, err)
	require.Equal(t, resp.Map, v.Kind)
	require.Equal(t, "ann", v.Elems[0].Text)
	c.do("HGETALL nothing")
	c.send("RESET")
	require.Equal(t, "RESET", c.next())
	c.send("PAIR")
	v, err = c.replies.Read()
	require.NoError(t, err)
	require.Equal(t, resp.Array, v.Kind)
}

// Commands and hooks of a test may call methods, wait, and answer later.
func TestCommandsOfATest(t *testing.T) {
	m := miniredis.RunT(t)
	s := m.Server()
	require.NoError(t, s.Register("copyall", func(c *server.Peer, cmd string, args []string) {
		for _, key := range m.Keys() {
			m.DB(1).FlushDB()
			if err := m.Copy(0, key, 1, key); err != nil {
				c.WriteError(err.Error())
				return
			}
		}
		c.WriteInt(len(args))
	}, server.ReadOnlyOption()))
	require.NoError(t, s.Register("LATER", func(c *server.Peer, _ string, _ []string) {
		go func() {
			_, _ = m.Push("woken", "x")
			c.Block(func(w *server.Writer) {
				w.WriteInline("LATE")
				w.Flush()
			})
		}()
	}))
	require.EqualError(t, s.Register("Get", nil), "command already registered: GET")
	require.EqualError(t, s.Register("COPYALL", nil), "command already registered: COPYALL")
	require.True(t, m.IsReadOnlyCommand("CopyAll"))
	require.True(t, s.IsRegisteredCommand("later"))
	require.NoError(t, m.Set("k", "v"))
	c := dial(t, m)
	require.Equal(t, "(integer) 2", c.do("COPYALL a b"))
	v, err := m.DB(1).Get("k")
	require.NoError(t, err)
	require.Equal(t, "v", v)
	require.Equal(t, "LATE", c.do("later"))
	var seen []string
	s.SetPreHook(func(c *server.Peer, cmd string, args ...string) bool {
		seen = append(seen, cmd+" "+strings.Join(args, " "))
		if cmd == "SET" && len(args) > 1 {
			_ = m.Set(args[0], "hooked")
			c.WriteInline("HOOKED")
			return true
		}
		return false
	})
	before := m.CommandCount()
	require.Equal(t, "HOOKED", c.do("set k w"))
	require.Equal(t, `"hooked"`, c.do("get k"))
	require.Contains(t, c.do("Nope x"), "unknown command 'Nope', with args beginning with: 'x'")
	require.Equal(t, []string{"SET k w", "GET k", "NOPE x"}, seen)
	require.Equal(t, 1, m.CommandCount()-before, "neither what a hook did nor what there is not")
	s.SetPreHook(nil)
	require.Equal(t, "OK", c.do("SET k w"))
}

// Scripts count with what they call; methods do not count.
func TestCounts(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	c.send("EVAL", "redis.call('INCR', 'n') return redis.call('INCR', 'n')", "0")
	require.Equal(t, "(integer) 2", c.next())
	require.Equal(t, 3, m.CommandCount())
	for _, line := range []string{"MULTI", "INCR n", "EXEC", "GET"} {
		c.do(line)
	}
	require.Equal(t, 7, m.CommandCount())
	m.CheckGet(t, "n", "3")
	require.Equal(t, 7, m.CommandCount())
	require.Equal(t, 1, m.CurrentConnectionCount())
	other := dial(t, m)
	other.do("PING")
	require.Equal(t, 2, m.TotalConnectionCount())
	require.Equal(t, "OK", other.do("QUIT"))
	require.True(t, other.isOver())
	require.Eventually(t, func() bool { return m.CurrentConnectionCount() == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, 2, m.TotalConnectionCount())
}

func TestSetError(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	m.SetError("LOADING Redis is loading the dataset in memory")
	for _, line := range []string{"PING", "GET k", "AUTH x", "HELLO 3", "MULTI", "NOPE"} {
		require.Equal(t, "(error) LOADING Redis is loading the dataset in memory", c.do(line))
	}
	require.NoError(t, m.Set("k", "v"))
	m.SetError("ERR two\r\nlines")
	require.Equal(t, "(error) ERR two  lines", c.do("PING"))
	m.SetError("")
	require.Equal(t, `"v"`, c.do("GET k"))
}

// Passwords are asked of those, too, who are connected already, unless they have logged in.
func TestLogins(t *testing.T) {
	const denied, wrong = "(error) NOAUTH Authentication required.",
		"(error) WRONGPASS invalid username-password pair or user is disabled."
	m := miniredis.RunT(t)
	early := dial(t, m)
	require.Equal(t, "PONG", early.do("PING"))
	m.RequireAuth("secret")
	require.Equal(t, denied, early.do("GET k"))
	require.Equal(t, wrong, early.do("AUTH guess"))
	require.Equal(t, "OK", early.do("AUTH secret"))
	m.RequireUserAuth("ann", "her's")
	c := dial(t, m)
	require.Equal(t, denied, c.do("GET k"))
	require.Equal(t, wrong, c.do("AUTH ann secret"))
	require.Equal(t, "OK", c.do("AUTH ann her's"))
	require.Equal(t, "OK", c.do("SET k v"))
	require.Equal(t, "(nil)", early.do("GET none"), "has logged in")
	m.RequireAuth("")
	c = dial(t, m)
	require.Equal(t, denied, c.do("GET k"), "ann's password is needed")
	require.Equal(t, wrong, c.do("AUTH secret"))
	m.RequireUserAuth("ann", "")
	require.Equal(t, `"v"`, c.do("GET k"))
	require.Equal(t, wrong, c.do("AUTH ann her's"))
}

// In a bubble of testing/synctest time passes when everything waits.
func TestInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := miniredis.NewMiniRedis()
		defer m.Close()
		m.ClockTTL(true)
		raw, err := m.Dial()
		c := newConn(t, raw, err)
		require.Empty(t, m.Addr())
		began := time.Now()
		require.Equal(t, "OK", c.do("SET session ann EX 3600"))
		require.Equal(t, "(nil)", c.do("BLPOP l 10"))
		require.Equal(t, 10*time.Second, time.Since(began))
		time.Sleep(time.Hour - 10*time.Second - time.Millisecond)
		require.True(t, m.Exists("session"))
		time.Sleep(time.Millisecond)
		require.Equal(t, "(nil)", c.do("GET session"))
	})
}

// A pipe holds nothing: a client that writes everything before it reads must not be stuck.
func TestLongPipelineInAPipe(t *testing.T) {
	m := miniredis.NewMiniRedis()
	defer m.Close()
	raw, err := m.Dial()
	c := newConn(t, raw, err)
	const n = 10000
	for range n {
		c.send("INCR", "n")
	}
	for i := range n {
		require.Equal(t, fmt.Sprintf("(integer) %d", i+1), c.next())
	}
	require.NoError(t, m.Start())
	require.Equal(t, fmt.Sprintf("%q", fmt.Sprint(n)), dial(t, m).do("GET n"), "Dial has started it without a listener")
}

// A server speaks TLS, also after a restart.
func TestTLS(t *testing.T) {
	certificate, trusted := certificate(t)
	m, err := miniredis.RunTLS(&tls.Config{Certificates: []tls.Certificate{certificate}})
	require.NoError(t, err)
	defer m.Close()
	for range 2 {
		raw, err := tls.Dial("tcp", m.Addr(), &tls.Config{RootCAs: trusted, ServerName: "localhost"})
		require.NoError(t, err)
		require.Equal(t, "PONG", newConn(t, raw, err).do("PING"))
		m.Close()
		require.NoError(t, m.Restart())
	}
	plain := dial(t, m)
	plain.send("PING")
	_, _ = io.Copy(io.Discard, plain)
	require.Equal(t, "OK", func() string {
		raw, err := tls.Dial("tcp", m.Addr(), &tls.Config{RootCAs: trusted, ServerName: "localhost"})
		return newConn(t, raw, err).do("SET k v")
	}())
}

// certificate returns that of a server which makes its own, and who trusts it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key := newKey(t)
	cert, err := tls.X509KeyPair(key.certificate, key.private)
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	require.True(t, trusted.AppendCertsFromPEM(key.certificate))
	return cert, trusted
}

// A hundred servers side by side know nothing of one another, and leave nothing running.
func TestHundredServers(t *testing.T) {
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			m, err := miniredis.Run()
			if err != nil {
				t.Error(err)
				return
			}
			raw, err := net.Dial("tcp", m.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			c := &conn{raw, resp.NewReader(raw)}
			name := fmt.Sprint("server-", i)
			if got := c.do("SET name " + name + " EX 10"); got != "OK" {
				t.Error(got)
			}
			sub := m.NewSubscriber()
			sub.Subscribe("c")
			m.Publish("c", "unread")
			m.FastForward(9 * time.Second)
			m.CheckGet(t, "name", name)
			m.FastForward(time.Second)
			if m.Exists("name") || m.CommandCount() != 1 {
				t.Error("the key lives, or somebody else's commands count")
			}
			sub.Close()
			_ = raw.Close()
			m.Close()
		})
	}
	all.Wait()
	before++ // that of Eventually
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before }, time.Minute, 10*time.Millisecond,
		"goroutines are left")
}

// Methods, clients, hooks and time at once; the race detector looks on.
func TestEverythingAtOnce(t *testing.T) {
	m := miniredis.RunT(t)
	sub := m.NewSubscriber()
	defer sub.Close()
	sub.Psubscribe("*")
	go func() {
		for range sub.Pmessages() {
		}
	}()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			raw, err := net.Dial("tcp", m.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			defer raw.Close()
			c := &conn{raw, resp.NewReader(raw)}
			for n := range 50 {
				c.do(fmt.Sprintf("SET k%d v PX 50", n%7))
				c.do("PUBLISH c m")
				c.do("BLPOP jobs 0.001")
				_, _ = m.Push("jobs", "x")
				m.FastForward(time.Millisecond)
				m.SetTime(time.Unix(int64(n), 0))
				m.HSetEX("h", time.Second, fmt.Sprint(i), "v")
				m.SetError("")
				m.RequireUserAuth("ann", "x")
				m.RequireUserAuth("ann", "")
				_ = m.Dump()
				_ = m.CommandCount() + m.CurrentConnectionCount()
				_, _ = m.Incr("n", 1)
			}
		})
	}
	all.Wait()
	m.CheckGet(t, "n", "400")
}

// Clients of a cluster from before Redis 7.0 expect of a node its host, its port and its ID, and
// refuse more.
func TestClusterForOlderClients(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	c.send("CLUSTER", "SLOTS")
	slots, err := c.replies.Read()
	require.NoError(t, err)
	require.Len(t, slots.Elems, 1)
	node := slots.Elems[0].Elems[2]
	require.Len(t, node.Elems, 3)
	require.Equal(t, m.Addr(), net.JoinHostPort(node.Elems[0].Text, fmt.Sprint(node.Elems[1].Int)))
}

func TestSentinelMode(t *testing.T) {
	m := miniredis.RunT(t)
	want := fmt.Sprintf("1) %q\n2) %q", m.Host(), m.Port())
	require.Equal(t, want, dial(t, m).do("SENTINEL GET-MASTER-ADDR-BY-NAME mymaster"))
}

// A scene that needs the whole server, such as the original does not have.
func TestTheWholeServerIsThere(t *testing.T) {
	m := miniredis.RunT(t)
	c := dial(t, m)
	for line, want := range map[string]string{
		"CL.THROTTLE user 0 1 60": "1) (integer) 0\n2) (integer) 1\n3) (integer) 0\n" +
			"4) (integer) -1\n5) (integer) 60",
		"OBJECT ENCODING k":                 "(nil)",
		"CONFIG SET maxmemory 100mb":        "OK",
		"FUNCTION LIST":                     "(empty array)",
		"BF.ADD filter x":                   "(integer) 1",
		"ACL WHOAMI":                        `"default"`,
		"SHUTDOWN NOSAVE":                   "(error) ERR Errors trying to SHUTDOWN. Check logs.",
		"MINI.WORLD NAME":                   `"default"`,
		"GEOADD places 13.36 38.11 Palermo": "(integer) 1",
		"SETRANGE s 3 x":                    "(integer) 4",
		"LATENCY RESET":                     "(integer) 0",
		"CLIENT NO-EVICT on":                "OK",
		"MEMORY USAGE none":                 "(nil)",
	} {
		require.Equal(t, want, c.do(line), line)
	}
}
