package scripting_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/clients"
	configcmds "github.com/miniserver-go/miniserver/internal/commands/config"
	servercmds "github.com/miniserver-go/miniserver/internal/commands/server"
	"github.com/miniserver-go/miniserver/internal/commands/shutdown"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/server"
)

// Slow scripts, over real sockets with a single event loop. No test depends on timing: a script is
// slow until the test releases it, and a test waits until a script has begun.

const (
	busy       = "(error) BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."
	killedText = "(error) ERR Script killed by user with SCRIPT KILL... script: "
	patience   = 2 * time.Minute // for each reply; a busy machine can stall
	forever    = "while true do end"
	held       = "while redis.call('HELD', 1) == 1 do end " // until the test releases it
	heldAgain  = "while redis.call('HELD', 2) == 1 do end "
)

// slowServer is a server whose scripts are slow after 20 ms.
type slowServer struct {
	t     *testing.T
	addr  string
	ended chan error
	held  atomic.Int64 // the greatest number that HELD was called with
	free  atomic.Int64 // scripts held with a number up to this one continue
}

// family returns the command that holds a script: HELD number.
func (s *slowServer) family() command.Family {
	return command.Family{Group: "test",
		Commands: []command.Line{{Name: "held", Arity: 2, Flags: command.ReadOnly, Run: func(c *engine.Call) {
			n := c.Int()
			if !c.OK() {
				return
			}
			s.held.Store(max(s.held.Load(), n))
			c.Reply.Bool(n > s.free.Load())
		}}}}
}

// awaitHeld waits until a script is held by the number n.
func (s *slowServer) awaitHeld(n int64) {
	s.t.Helper()
	for end := time.Now().Add(patience); s.held.Load() < n; time.Sleep(time.Millisecond) {
		require.True(s.t, time.Now().Before(end), "no script is held")
	}
}

// letGo releases the scripts that are held by numbers up to n.
func (s *slowServer) letGo(n int64) { s.free.Store(n) }

func newSlowServer(t *testing.T) *slowServer {
	e := engine.New(engine.Options{Clock: func() int64 { return time.Now().UnixMicro() }, Seed: 1})
	slow := &slowServer{t: t, ended: make(chan error, 1)}
	wire(e)
	e.Join(engine.Commands(servercmds.Family, slow.family()), shutdown.Part(e), configcmds.Part(e.Release))
	e.Join(clients.Parts(e)...)
	require.NoError(t, e.Params.Named("busy-reply-threshold").Set("20"))
	s := server.New(e, server.Options{Bind: []string{"127.0.0.1"}, Loops: 1})
	require.NoError(t, s.Listen())
	ctx, cancel := context.WithCancel(context.Background())
	slow.addr = s.Addrs()[0]
	go func() { slow.ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-slow.ended)
	})
	return slow
}

// client is a connection.
type client struct {
	t    *testing.T
	sock net.Conn
	in   *resp.Reader
}

func (s *slowServer) dial() *client {
	sock, err := net.Dial("tcp", s.addr)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = sock.Close() })
	return &client{s.t, sock, resp.NewReader(sock)}
}

// send sends commands in one write.
func (c *client) send(commands ...[]string) {
	w := resp.NewWriter(2)
	for _, args := range commands {
		w.Array(len(args))
		for _, arg := range args {
			w.BulkString(arg)
		}
	}
	require.NoError(c.t, c.sock.SetDeadline(time.Now().Add(patience)))
	_, err := c.sock.Write(w.Bytes())
	require.NoError(c.t, err)
}

// next returns the next reply.
func (c *client) next() string {
	c.t.Helper()
	require.NoError(c.t, c.sock.SetDeadline(time.Now().Add(patience)))
	v, err := c.in.Read()
	require.NoError(c.t, err)
	return v.String()
}

// ask sends a command of words and returns its reply.
func (c *client) ask(line string) string {
	c.t.Helper()
	c.send(strings.Fields(line))
	return c.next()
}

// eval starts a script.
func (c *client) eval(script string) { c.send([]string{"EVAL", script, "0"}) }

// awaitBusy waits until the server is busy.
func (c *client) awaitBusy() {
	c.t.Helper()
	c.await(busy, "the server did not become busy")
}

// awaitIdle waits until the server is not busy any more.
func (c *client) awaitIdle() {
	c.t.Helper()
	c.await("PONG", "the server remained busy")
}

// await waits until the reply to PING is the given one.
func (c *client) await(reply, otherwise string) {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if c.ask("PING") == reply {
			return
		}
	}
	c.t.Fatal(otherwise)
}

func TestOthersAreToldBusyAndMayKill(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	require.Equal(t, "(error) NOTBUSY No scripts in execution right now.", b.ask("SCRIPT KILL"))
	a.eval(forever)
	b.awaitBusy()
	for _, line := range []string{"GET k", "SET k v", "EVAL return 0", "SCRIPT LOAD return", "SELECT 1", "SHUTDOWN",
		"SHUTDOWN SAVE"} {
		require.Equal(t, busy, b.ask(line), line)
	}
	require.Equal(t, "(error) ERR wrong number of arguments for 'get' command", b.ask("GET"))
	require.Equal(t, "(error) ERR unknown command 'NOSUCH'", b.ask("NOSUCH"))
	require.Equal(t, "OK", b.ask("MULTI"))
	require.Equal(t, busy, b.ask("GET k"))
	require.Equal(t, "(error) EXECABORT Transaction discarded because of: "+strings.TrimPrefix(busy, "(error) "),
		b.ask("EXEC"))
	require.Equal(t, "OK", b.ask("WATCH k"))
	require.Equal(t, "PONG", func() string {
		require.Equal(t, "OK", b.ask("SCRIPT KILL"))
		require.Contains(t, a.next(), killedText)
		return a.ask("PING")
	}())
	require.Equal(t, "(error) NOTBUSY No scripts in execution right now.", b.ask("SCRIPT KILL"))
	require.Equal(t, "(nil)", b.ask("GET k"))
}

// SCRIPT KILL ends a script at any point.
func TestKillReachesEverywhere(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	for name, script := range map[string]string{
		"loop":        forever,
		"numeric for": "for i = 1, 1e18 do end",
		"repeat":      "repeat until false",
		"pcall":       "while true do pcall(function() while true do end end) end",
		"xpcall": "while true do xpcall(function() while true do end end, " +
			"function() while true do end end) end",
		"handler":        "xpcall(error, function() while true do end end)",
		"coroutine":      "local co = coroutine.wrap(function() while true do end end) co()",
		"coroutines":     "while true do coroutine.wrap(function() coroutine.yield() end)() end",
		"deep coroutine": `local function f(n) if n == 0 then while true do end end return coroutine.wrap(f)(n - 1) end f(100)`,
		"tail calls":     "local function f() return f() end f()",
		"recursion":      "local function f(n) if n > 0 then f(n - 1) f(n - 1) end end f(1000)",
		"metamethod":     "local t = setmetatable({}, {__index = function(t, k) while true do end end}) return t.x",
		"comparison": "local m = {__lt = function() while true do end end} return setmetatable({}, " +
			"m) < setmetatable({}, m)",
		"sort": "local t = {} for i = 1, 1000 do t[i] = i end table.sort(t, function(a, " +
			"b) while true do end end)",
		"sorting": "local t = {} for i = 1, 1000 do t[i] = i end while true do table.sort(t, function(a, " +
			"b) return a < b end) end",
		"gsub":              "string.gsub('x', 'x', function() while true do end end)",
		"pattern":           "string.find(string.rep('a', 100), string.rep('a*', 40) .. 'b')",
		"optional items":    "string.find(string.rep('a', 1000), string.rep('a?', 1000) .. 'b')",
		"patterns":          "local s = string.rep('a', 50000) while true do s:find('.-.-.-b') end",
		"text":              "while true do local s = string.rep('x', 1000000):reverse():upper() end",
		"concat":            "local t = {} for i = 1, 1000 do t[i] = 'x' end while true do table.concat(t) end",
		"growing arguments": "local function f(...) return f(1, ...) end f()",
		"iterator":          "for x in function() return 1 end do end",
		"json": "local t = {} for i = 1, " +
			"1000 do t[i] = i end while true do cjson.decode(cjson.encode(t)) end",
		"msgpack": "local t = {} for i = 1, " +
			"1000 do t[i] = i end while true do cmsgpack.unpack(cmsgpack.pack(t)) end",
		"loadstring": "while true do loadstring('return 1')() end",
		"load":       "load(function() return ' ' end)",
		"calls":      "while true do redis.call('GET', 'k') end",
		"pcalls":     "while true do redis.pcall('NOSUCH') end",
	} {
		t.Run(name, func(t *testing.T) {
			a.t, b.t = t, t
			a.eval(script)
			b.awaitBusy()
			require.Equal(t, "OK", b.ask("SCRIPT KILL"))
			require.Contains(t, a.next(), killedText)
			b.awaitIdle()
		})
	}
}

func TestAScriptThatWroteIsNotKilled(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	a.eval("redis.call('SET', 'k', 'v') " + held + "redis.call('SET', 'k', 'w') return 'done'")
	b.awaitBusy()
	require.Contains(t, b.ask("SCRIPT KILL"),
		"(error) UNKILLABLE Sorry the script already executed write commands against the dataset.")
	require.Equal(t, busy, b.ask("GET k"))
	s.letGo(1)
	require.Equal(t, `"done"`, a.next())
	require.Equal(t, `"w"`, b.ask("GET k"))
}

// TIME stands still in a script, but not past the limit: scripts wait for it.
func TestTimePassesForASlowScript(t *testing.T) {
	s := newSlowServer(t)
	a := s.dial()
	a.eval("local first, now = redis.call('TIME'), " +
		"nil repeat now = redis.call('TIME') until now[1] > first[1] return 'later'")
	require.Equal(t, `"later"`, a.next())
}

// TestRefusedCallsOfASlowScript: refused commands of the script and of other clients are counted at
// the same time.
func TestRefusedCallsOfASlowScript(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	a.eval("local n = 0 while redis.call('HELD', 1) == 1 do redis.pcall('GET') n = n + 1 end return n")
	b.awaitBusy()
	for range 100 {
		require.Equal(t, "(error) ERR wrong number of arguments for 'get' command", b.ask("GET"))
	}
	s.letGo(1)
	ran, err := strconv.Atoi(strings.TrimPrefix(a.next(), "(integer) "))
	require.NoError(t, err)
	require.Contains(t, b.ask("INFO commandstats"),
		fmt.Sprintf("cmdstat_get:calls=0,usec=0,usec_per_call=0.00,rejected_calls=%d,", ran+100))
}

func TestSlowScriptInATransaction(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	const incr = "return redis.call('INCR', 'n')"
	a.send([]string{"MULTI"}, []string{"SET", "n", "1"}, []string{"EVAL", held + incr, "0"}, []string{"INCR", "n"},
		[]string{"EVAL", heldAgain + incr, "0"}, []string{"EVAL", "return {1, {2}}", "0"}, []string{"EXEC"},
		[]string{"GET", "n"})
	for n := range int64(2) {
		s.awaitHeld(n + 1)
		b.awaitBusy()
		require.Equal(t, busy, b.ask("GET n"))
		s.letGo(n + 1)
	}
	require.Equal(t, "OK", a.next())
	for range 5 {
		require.Equal(t, "QUEUED", a.next())
	}
	require.Equal(t, "1) OK\n2) (integer) 2\n3) (integer) 3\n4) (integer) 4\n5) 1) (integer) 1\n   2) 1) (integer) 2",
		a.next())
	require.Equal(t, `"4"`, a.next())
	require.Equal(t, `"4"`, b.ask("GET n"))

	a.send([]string{"MULTI"}, []string{"SET", "n", "9"}, []string{"EVAL", forever, "0"}, []string{"INCR", "n"},
		[]string{"EXEC"})
	b.awaitBusy()
	require.Equal(t, "OK", b.ask("SCRIPT KILL"), "this script has not written")
	for range 4 {
		a.next()
	}
	last := a.next()
	require.Contains(t, last, "1) OK\n2) "+killedText)
	require.Contains(t, last, "\n3) (integer) 10")
}

// The replies to commands before a slow script in a pipeline arrive at once, those to commands
// behind it after its end.
func TestPipelineAroundASlowScript(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	long := strings.Repeat("x", 100_000)
	a.send([]string{"PING"}, []string{"SET", "k", long}, []string{"EVAL", forever, "0"},
		[]string{"GET", "k"}, []string{"EVAL", held + "return 5", "0"}, []string{"PING"})
	b.awaitBusy()
	require.Equal(t, "PONG", a.next())
	require.Equal(t, "OK", a.next())
	a.send([]string{"ECHO", "late"})
	require.Equal(t, "OK", b.ask("SCRIPT KILL"))
	require.Contains(t, a.next(), killedText)
	require.Equal(t, `"`+long+`"`, a.next())
	b.awaitBusy()
	s.letGo(1)
	require.Equal(t, "(integer) 5", a.next())
	require.Equal(t, "PONG", a.next())
	require.Equal(t, `"late"`, a.next())
}

func TestClientLeavesDuringItsScript(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	require.Equal(t, "PONG", b.ask("PING"), "both are connected")
	const untilAlone = "while not redis.call('INFO', 'clients'):find('connected_clients:1\\r') do end "
	a.send([]string{"EVAL", untilAlone + "redis.call('SET', 'after', 'yes') return 1", "0"},
		[]string{"SET", "next", "no"})
	b.awaitBusy()
	require.NoError(t, a.sock.Close())
	b.awaitIdle()
	require.Equal(t, `"yes"`, b.ask("GET after"), "a script runs to its end")
	require.Equal(t, "(nil)", b.ask("GET next"), "what was not begun is not")
}

// A blocked client does not see intermediate states of a slow script.
func TestWaitersAreServedAfterASlowScript(t *testing.T) {
	s := newSlowServer(t)
	a, b, waiter := s.dial(), s.dial(), s.dial()
	waiter.send([]string{"BZPOPMIN", "q", "0"})
	for b.ask("INFO clients"); !strings.Contains(b.ask("INFO clients"), "blocked_clients:1"); {
		time.Sleep(time.Millisecond)
	}
	a.eval("redis.call('ZADD', 'q', 1, 'early') " + held +
		"redis.call('ZREM', 'q', 'early') redis.call('ZADD', 'q', 2, 'late') return 'done'")
	b.awaitBusy()
	require.Equal(t, busy, b.ask("GET k"))
	s.letGo(1)
	require.Equal(t, `"done"`, a.next())
	require.Equal(t, "1) \"q\"\n2) \"late\"\n3) \"2\"", waiter.next())
}

func TestSilencedClientsSlowScript(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	a.send([]string{"CLIENT", "REPLY", "OFF"}, []string{"EVAL", forever, "0"}, []string{"CLIENT", "REPLY", "ON"},
		[]string{"PING"})
	b.awaitBusy()
	require.Equal(t, "OK", b.ask("SCRIPT KILL"))
	require.Equal(t, "OK", a.next())
	require.Equal(t, "PONG", a.next())
}

// A script is inside a coroutine when it becomes slow, and again when it calls commands.
func TestSlowCoroutine(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	a.eval(`local step = coroutine.wrap(function()
		for i = 1, 3 do
			while i == 2 and redis.call('HELD', 1) == 1 do end
			coroutine.yield(redis.call('INCR', 'n'))
		end
	end)
	return {step(), step(), step(), redis.call('GET', 'n')}`)
	b.awaitBusy()
	s.letGo(1)
	require.Equal(t, "1) (integer) 1\n2) (integer) 2\n3) (integer) 3\n4) \"3\"", a.next())
	require.Equal(t, `"3"`, b.ask("GET n"))
}

func TestThresholdZeroIsNever(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	require.Equal(t, "OK", b.ask("CONFIG SET busy-reply-threshold 0"))
	a.eval(held + "redis.call('SET', 'k', 'v') return 'done'")
	s.awaitHeld(1)
	b.send([]string{"GET", "k"})
	time.Sleep(50 * time.Millisecond) // more than the threshold of the other tests
	s.letGo(1)
	require.Equal(t, `"v"`, b.next(), "afterwards, never BUSY")
	require.Equal(t, `"done"`, a.next())
}

func TestShutdownDuringASlowScript(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	a.eval("redis.call('SET', 'k', 'v') " + forever)
	b.awaitBusy()
	require.Equal(t, busy, b.ask("SHUTDOWN"))
	b.send([]string{"SHUTDOWN", "NOSAVE"})
	select {
	case err := <-s.ended:
		s.ended <- err // for the end of the test
	case <-time.After(patience):
		t.Fatal("the server did not end")
	}
}
