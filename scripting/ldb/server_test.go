package ldb_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/reference"
	_ "github.com/miniserver-go/miniserver/scripting/tools" // SCRIPT DEBUG
)

// debugged is a script with what a user types into redis-cli --ldb.
type debugged struct{ name, script, typed string }

const steps = "s\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\ns\n"

var debuggedScripts = []debugged{
	{"steps", `redis.call('SET', KEYS[1], ARGV[1])
local list = redis.call('LRANGE', 'list', 0, -1)
local e = redis.pcall('INCR', 'list')
local none = redis.call('GET', 'none')
return {KEYS[1], #list, e.err}`, "s\np\nn\np list\nstep\np e\nnext\np none\np nosuch\np KEYS\np ARGV\ns\ns\n"},
	{"functions", `local function add(a, b)
  local s = a + b
  return s
end
local t = {}
function t.sum(list)
  local total = 0
  for i, v in ipairs(list) do
    total = add(total, v)
  end
  return total
end
function t:twice(x)
  return self.sum({x, x})
end
local ok = pcall(function()
  error('x')
end)
return t:twice(4)`, "s\nt\ns\ns\nt\nb 2 9\nb\nc\nt\np\np total\np list\nc\nt\nb -2\nb 0\ns\np\nt\ns\ns\nc\n"},
	{"loops", `local n = 0
for i = 1, 2 do
  n = n + i
end
for k, v in pairs({a = 1}) do
  n = n + v
end
while n > 3 do
  n = n - 1
  if n == 3 then
    break
  end
end
repeat
  n = n + 1
until n > 4
return n`, strings.Repeat("s\np\n", 26)},
	{"branches", `local a, b = 1
if a == 2 then
  b = 1
elseif a == 1 then
  b = 2
else
  b = 3
end
if a and
   b then
  if b == 3 then
    a = 2
  end
end
local none
return a`, steps},
	{"spread", `local all = {
  1,
  2,
  name = 'x'
}
redis.call(
  'HSET',
  KEYS[1],
  'field', all.name
)
local text = 'a' ..
  tostring(2) ..
  all.name
return redis.call('HGETALL',
  KEYS[1])`, steps},
	{"values", `local n1, n2, n3, n4 = 1e15, 1.5, 2^53, -1/0
local s = 'a"b\n\0\255\\'
local t, m = {}, {[1]=1,[3]=3}
local deep = {1,{2,{3,{4,{5,{6,{7,{8,{9,{10,{11,{12}}}}}}}}}}}}
local long = string.rep('x', 400)
local self = {} self.me = self
local mixed = {[true]=1, ['x y']={a=1}}
redis.debug(long, t)
redis.debug(1, 'a', s, nil)
redis.debug()
return 1`, "b 9\nc\np\np long\nm\nm 0\np long\nm 30\np deep\nm x\ns\ns\ns\n"},
	{"list", strings.Repeat("local x = 1\n", 20) + "return x\n\n",
		"l\nl 10\nl 10 1\nlist 0\nlist -3\nw\nwhole\nb 5\nb 5\nb 99\nb x\nb\nc\nl\nb -5\nb -5\nb\nfoo\nr\nc\n"},
	{"eval", `local a = 1
return a`,
		"e 1+1\ne a\ne {1,2,{3}}, 4\ne error(\"x\")\ne x x\ne local y\neval KEYS\ne string.rep(\"x\",300)\n" +
			"e for i = 1, 2 do redis.debug(i) end\ne redis.call(\"set\",\"made\",1)\n" +
			"e redis.pcall(\"incr\",\"list\")\nc\n"},
	{"redis", `redis.setresp(3)
redis.call('GET', 'none')
return redis.error_reply('MY error')`,
		"r SET foo bar\nr GET foo\nredis GET none\nr NOSUCH\nr GET\nr LRANGE foo 0 1\nr LRANGE list 0 -1\n" +
			"r MSET 1 2 3 4 5 6 7 8 9 10 11 12\nr SUBSCRIBE x\nr HGETALL hash\ns\nr HGETALL hash\nr GET none\n" +
			"r ZADD z 1.5 m\nr ZSCORE z m\nr SMEMBERS none\ns\ns\n"},
	{"breakpoints", `local a = 1
local b = redis.breakpoint()
local c = 3
redis.call('SET', 'c', c)
return {b, c}`, "c\np\nb 5\nc\nt\nrestart\nc\na\n"},
	{"error", `redis.call('SET', 'before', 1)
local t
local x = t.x
return 1`, "c\n"},
	{"abort", `redis.call('SET', 'before', 1)
redis.call('SET', 'after', 1)
return 1`, "s\nabort\n"},
	{"syntax", "x x\n", "c\n"},
	{"leaves", "redis.call('SET', 'a', 1)\nredis.call('SET', 'b', 1)\nreturn 1", "s\nquit\n"},
}

// dataset prepares the data that the scripts read, and state returns all data that they may write.
const dataset = "FLUSHALL\nRPUSH list 1 2\nHSET hash f v\n"

const state = "DBSIZE\nMGET key foo made before after a b c 1\nHGETALL hash\nHGETALL key\nLRANGE list 0 -1\n" +
	"ZRANGE z 0 -1\n"

// cli runs redis-cli with what a user types, and returns what it writes.
func cli(t *testing.T, typed string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), reference.Require(t, "redis-cli"), args...)
	cmd.Stdin = strings.NewReader(typed)
	out, _ := cmd.CombinedOutput() // it fails if the script does
	return string(out)
}

func portOf(t *testing.T, address string) string {
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	return port
}

// forward makes a unix socket reachable by TCP: redis-cli may die of SIGPIPE when a unix socket is
// closed at the end of a session.
func forward(t *testing.T, socket string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", socket)
			if err != nil {
				_ = in.Close()
				continue
			}
			pass := func(to, from net.Conn) {
				_, _ = io.Copy(to, from)
				_ = to.Close()
			}
			go pass(in, out)
			go pass(out, in)
		}
	}()
	return l.Addr().String()
}

var addresses = regexp.MustCompile(`@0x[0-9a-f]+`)

// TestDebuggerLikeRedis: redis-cli --ldb and --ldb-sync-mode show the same with miniserver and with
// redis-server, and leave the same data.
func TestDebuggerLikeRedis(t *testing.T) {
	theirs := []string{"-p", portOf(t, forward(t, reference.Start(t).Socket))}
	ours := []string{"-p", portOf(t, miniserver.Run(t).Addr())}
	dir := t.TempDir()
	for _, mode := range []string{"--ldb", "--ldb-sync-mode"} {
		for _, d := range debuggedScripts {
			t.Run(mode[2:]+"/"+d.name, func(t *testing.T) {
				file := filepath.Join(dir, "script.lua")
				require.NoError(t, os.WriteFile(file, []byte(d.script), 0o600))
				debug := func(server []string) (shown, left string) {
					cli(t, dataset, server...)
					before := cli(t, state, server...)
					shown = cli(t, d.typed, append(server, mode, "--eval", file, "key", ",", "value")...)
					left = cli(t, state, server...)
					if mode == "--ldb" {
						require.Equal(t, before, left)
					}
					return addresses.ReplaceAllString(shown, "@0x0"), left
				}
				want, wantLeft := debug(theirs)
				have, haveLeft := debug(ours)
				require.Contains(t, want, "Lua debugging session started")
				require.Equal(t, want, have)
				require.Equal(t, wantLeft, haveLeft)
			})
		}
	}
}

// client is a connection that sends requests and reads replies as text.
type client struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func connect(t *testing.T, s *miniserver.Server) *client {
	conn, err := net.Dial("tcp", s.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return &client{t, conn, bufio.NewReader(conn)}
}

func (c *client) send(words ...string) { c.sendAll(words) }

// sendAll sends requests at once.
func (c *client) sendAll(requests ...[]string) {
	text := ""
	for _, words := range requests {
		text += fmt.Sprintf("*%d\r\n", len(words))
		for _, w := range words {
			text += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
		}
	}
	_, err := c.Write([]byte(text))
	require.NoError(c.t, err)
}

// line reads a line of a reply.
func (c *client) line() string {
	line, err := c.in.ReadString('\n')
	require.NoError(c.t, err)
	return strings.TrimRight(line, "\r\n")
}

// ask sends a request and reads a reply: an array of status replies as one text.
func (c *client) ask(words ...string) string {
	c.send(words...)
	return c.reply()
}

func (c *client) reply() string {
	line, n := c.line(), 0
	if _, err := fmt.Sscanf(line, "*%d", &n); err == nil {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = c.line()[1:]
		}
		return strings.Join(lines, "\n")
	}
	if strings.HasPrefix(line, "$") && line != "$-1" {
		return c.line()
	}
	return line
}

// debug begins a session and returns the first answer.
func (c *client) debug(mode, script string) string {
	require.Equal(c.t, "+OK", c.ask("SCRIPT", "DEBUG", mode))
	return c.ask("EVAL", script, "0")
}

const twoWrites = "redis.call('SET', 'a', '1')\nredis.call('SET', 'b', '1')\nreturn redis.call('GET', 'a')"

// TestDebuggerSessionsAreApart: two sessions on copies see their own data, and other clients see
// none of it.
func TestDebuggerSessionsAreApart(t *testing.T) {
	s := miniserver.Run(t)
	a, b, other := connect(t, s), connect(t, s), connect(t, s)
	require.Equal(t, "+OK", other.ask("SET", "a", "before"))
	require.Contains(t, a.debug("YES", twoWrites), "Stopped at 1")
	require.Contains(t, b.debug("YES", twoWrites), "Stopped at 1")
	require.Contains(t, a.ask("s"), "Stopped at 2")
	require.Contains(t, b.ask("redis", "GET", "a"), `"before"`)
	require.Equal(t, "before", other.ask("GET", "a"))
	require.Equal(t, "+OK", other.ask("SET", "a", "later"))
	require.Contains(t, a.ask("redis", "GET", "a"), `"1"`)
	require.Contains(t, b.ask("redis", "GET", "a"), `"before"`)
	require.Equal(t, "-NOTBUSY No scripts in execution right now.", other.ask("SCRIPT", "KILL"))
	require.Equal(t, "<endsession>", a.ask("c"))
	require.Equal(t, "1", a.reply())
	require.Equal(t, "<endsession>", b.ask("a"))
	require.Contains(t, b.reply(), "script aborted for user request")
	require.Equal(t, "later", other.ask("GET", "a"))
	require.Equal(t, "$-1", other.ask("GET", "b"))
}

// TestDebuggerCopiesLargeData: the client waits until there is memory for a copy, and gets its
// replies in order; the copies have all data.
func TestDebuggerCopiesLargeData(t *testing.T) {
	s := miniserver.Run(t)
	a, other, gone := connect(t, s), connect(t, s), connect(t, s)
	require.Equal(t, ":0", other.ask("EVAL",
		"for i = 1, 50000 do redis.call('SET', 'key:' .. i, 'a value of some length') end return 0", "0"))
	gone.send("SCRIPT", "DEBUG", "YES")
	require.NoError(t, gone.Close())
	require.Equal(t, "+OK", a.ask("SCRIPT", "DEBUG", "YES"))
	require.Equal(t, "+OK", a.ask("SCRIPT", "DEBUG", "NO"))

	a.sendAll([]string{"SET", "a", "before"}, []string{"SCRIPT", "DEBUG", "YES"}, []string{"EVAL", twoWrites, "0"})
	require.Equal(t, "+OK", a.reply())
	require.Equal(t, "+OK", a.reply())
	require.Contains(t, a.reply(), "Stopped at 1")
	require.Contains(t, a.ask("redis", "DBSIZE"), "50001")
	require.Contains(t, a.ask("s"), "Stopped at 2")
	require.Contains(t, a.ask("redis", "GET", "a"), `"1"`)
	require.Contains(t, a.ask("back"), "Stopped at 1")
	require.Contains(t, a.ask("redis", "GET", "a"), `"before"`)
	require.Contains(t, a.ask("redis", "DBSIZE"), "50001")
	require.Equal(t, "<endsession>", a.ask("c"))
	require.Equal(t, "1", a.reply())
	require.Equal(t, "before", other.ask("GET", "a"))
	require.Equal(t, ":50001", other.ask("DBSIZE"))
}

// TestDebuggerCopiesCount: the copies in which scripts are debugged are in use and count for
// maxmemory, until the sessions end.
func TestDebuggerCopiesCount(t *testing.T) {
	s := miniserver.Run(t)
	other := connect(t, s)
	used := func() (n int) {
		m := regexp.MustCompile(`used_memory:(\d+)`).FindStringSubmatch(s.Do("INFO", "memory").Text)
		n, _ = strconv.Atoi(m[1])
		return n
	}
	require.Equal(t, "$-1",
		other.ask("EVAL", "for i = 1, 3000 do redis.call('SET', i, string.rep('x', 1000)) end", "0"))
	data := used()
	require.Equal(t, "+OK", other.ask("CONFIG", "SET", "maxmemory", strconv.Itoa(8*data)))
	var sessions []*client
	for {
		c := connect(t, s)
		if reply := c.ask("SCRIPT", "DEBUG", "YES"); reply != "+OK" {
			require.Equal(t, "-OOM command not allowed when used memory > 'maxmemory'.", reply)
			require.Equal(t, "+PONG", c.ask("PING"))
			break
		}
		require.Contains(t, c.ask("EVAL", twoWrites, "0"), "Stopped at 1")
		sessions = append(sessions, c)
		require.InEpsilon(t, (1+2*len(sessions))*data, used(), 0.05)
	}
	require.Len(t, sessions, 3)
	for i, c := range sessions {
		require.Contains(t, c.ask("s"), "Stopped at 2")
		require.Contains(t, c.ask("back"), "Stopped at 1")
		if i == 0 {
			require.InEpsilon(t, (1+2*len(sessions))*data, used(), 0.05, "a run that goes back takes no more")
			require.NoError(t, c.Close())
		} else {
			require.Equal(t, "<endsession>", c.ask("a"))
		}
	}
	require.Eventually(t, func() bool { return used() < data+data/10 }, time.Minute, time.Millisecond)
}

// TestDebuggerOnTheData: in sync mode the other clients wait for the end of the session.
func TestDebuggerOnTheData(t *testing.T) {
	s := miniserver.Run(t)
	a, other, third := connect(t, s), connect(t, s), connect(t, s)
	require.Contains(t, a.debug("SYNC", twoWrites), "Stopped at 1")
	other.send("MGET", "a", "b")
	third.send("SCRIPT", "KILL")
	require.Contains(t, a.ask("s"), "Stopped at 2")
	require.NoError(t, other.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := other.in.Peek(1)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, other.SetReadDeadline(time.Now().Add(time.Minute)))
	require.Equal(t, "<endsession>", a.ask("c"))
	require.Equal(t, "1", a.reply())
	require.Equal(t, []string{"*2", "$1", "1", "$1", "1"},
		[]string{other.line(), other.line(), other.line(), other.line(), other.line()})
	require.Contains(t, third.reply(), "-NOTBUSY")
}

// TestDebuggerWithoutClient: a session whose client leaves ends. On the data the script runs to its
// end, as in Redis.
func TestDebuggerWithoutClient(t *testing.T) {
	s := miniserver.Run(t)
	other := connect(t, s)
	for _, mode := range []string{"YES", "SYNC"} {
		a := connect(t, s)
		require.Contains(t, a.debug(mode, twoWrites), "Stopped at 1")
		require.Contains(t, a.ask("s"), "Stopped at 2")
		require.NoError(t, a.Close())
		want := map[string]string{"YES": "$-1", "SYNC": "1"}[mode]
		require.Equal(t, want, other.ask("GET", "b"))
	}
	a := connect(t, s)
	require.Contains(t, a.debug("YES", twoWrites), "Stopped at 1")
	require.Equal(t, ":1", other.ask("CLIENT", "KILL", "ADDR", a.LocalAddr().String()))
	_, err := a.in.ReadByte()
	require.Error(t, err)
}

// TestDebuggerStopsEndlessLoops: a run that takes long stops, and other clients are served
// meanwhile, also while another script is slow and is killed.
func TestDebuggerStopsEndlessLoops(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 100")
	a, slow, other := connect(t, s), connect(t, s), connect(t, s)
	require.Contains(t, a.debug("YES", "while true do\n  local x = redis.call('INCR', 'n')\nend"), "Stopped at 2")
	slow.send("EVAL", "while true do end", "0")
	require.Contains(t, a.ask("c"), "timeout reached, infinite loop?")
	for !strings.HasPrefix(other.ask("GET", "n"), "-BUSY") {
		time.Sleep(time.Millisecond)
	}
	require.Contains(t, a.ask("c"), "timeout reached, infinite loop?")
	require.Equal(t, "+OK", other.ask("SCRIPT", "KILL"))
	require.Contains(t, slow.reply(), "-ERR Script killed by user")
	require.Equal(t, "$-1", other.ask("GET", "n"))
	require.Equal(t, "<endsession>", a.ask("a"))
	require.Contains(t, a.reply(), "script aborted")
}

// TestDebuggerEndsWithTheServer: sessions that are open when the server closes end.
func TestDebuggerEndsWithTheServer(t *testing.T) {
	before := runtime.NumGoroutine()
	s, err := miniserver.Start()
	require.NoError(t, err)
	a, b := connect(t, s), connect(t, s)
	require.Contains(t, a.debug("YES", twoWrites), "Stopped at 1")
	require.Contains(t, b.debug("SYNC", twoWrites), "Stopped at 1")
	require.NoError(t, s.Close())
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}

// TestDebuggerFinishesFunctions: finish runs to the line behind a call, or to the end of the
// script.
func TestDebuggerFinishesFunctions(t *testing.T) {
	c := connect(t, miniserver.Run(t))
	require.Contains(t, c.debug("YES", `local function down(n)
  if n == 0 then return 0 end
  local below = down(n - 1)
  return below + 1
end
local x = down(2)
return x`), "Stopped at 5")
	require.Contains(t, c.ask("b", "2"), "#2")
	for range 3 {
		require.Contains(t, c.ask("c"), "Stopped at 2, stop reason = break point")
	}
	require.Equal(t, "* Stopped at 4, stop reason = function finished\n-> 4     return below + 1", c.ask("finish"))
	require.Equal(t, "<value> 1", c.ask("p", "n"))
	require.Contains(t, c.ask("f"), "Stopped at 4")
	require.Equal(t, "<value> 2", c.ask("p", "n"))
	require.Contains(t, c.ask("f"), "Stopped at 7")
	require.Equal(t, "<endsession>", c.ask("f"))
	require.Equal(t, ":2", c.reply())
}

const addTwice = `#!lua name=mylib
local function add(key, n)
  redis.call('INCRBY', key, n)
end
redis.register_function('twice', function(keys, args)
  add(keys[1], args[1])
  add(keys[1], args[1])
  return redis.call('GET', keys[1])
end)
redis.register_function{function_name = 'peek', callback = function(keys) return redis.call('GET', keys[1]) end, flags = {'no-writes'}}`

// TestDebuggerOfFunctions: FCALL, FCALL_RO and EVALSHA are debugged as EVAL is, and only once for
// each SCRIPT DEBUG.
func TestDebuggerOfFunctions(t *testing.T) {
	s := miniserver.Run(t)
	other := connect(t, s)
	require.Equal(t, "mylib", other.ask("FUNCTION", "LOAD", addTwice))
	// In this order, as SYNC leaves its data.
	for _, one := range []struct{ mode, left string }{{"YES", "$-1"}, {"SYNC", "6"}} {
		c := connect(t, s)
		require.Equal(t, "+OK", c.ask("SCRIPT", "DEBUG", one.mode))
		require.Contains(t, c.ask("FCALL", "nosuch", "0"), "Function not found")
		require.Equal(t, "* Stopped at 6, stop reason = step over\n-> 6     add(keys[1], args[1])",
			c.ask("FCALL", "twice", "1", "n", "3"))
		require.Contains(t, c.ask("s"), "Stopped at 3")
		require.Equal(t, "<value> 3", strings.ReplaceAll(c.ask("p", "n"), `"`, ""))
		require.Contains(t, c.ask("finish"), "Stopped at 7")
		require.Equal(t, "<endsession>", c.ask("c"))
		require.Equal(t, "6", c.reply())
		require.Equal(t, one.left, other.ask("GET", "n"))
	}
	c := connect(t, s)
	require.Equal(t, "+OK", c.ask("SCRIPT", "DEBUG", "YES"))
	require.Contains(t, c.ask("FCALL_RO", "peek", "1", "n"), "Stopped at 10")
	require.Equal(t, "<endsession>", c.ask("c"))
	require.Equal(t, "6", c.reply())

	c = connect(t, s)
	require.Equal(t, "+OK", c.ask("SCRIPT", "DEBUG", "YES"))
	require.Contains(t, c.ask("FCALL_RO", "twice", "1", "n", "1"), "<endsession>")
	require.Contains(t, c.reply(), "-ERR Can not execute a script with write flag using *_ro command.")

	sha := other.ask("SCRIPT", "LOAD", twoWrites)
	c = connect(t, s)
	require.Equal(t, "+OK", c.ask("SCRIPT", "DEBUG", "YES"))
	require.Contains(t, c.ask("EVALSHA", "ffffffffffffffffffffffffffffffffffffffff", "0"), "NOSCRIPT")
	require.Contains(t, c.ask("EVALSHA", sha, "0"), "Stopped at 1")
	require.Equal(t, "<endsession>", c.ask("a"))
}

// TestDebuggerGoesBackWhileOthersWrite: a run goes back to the data of its own beginning.
func TestDebuggerGoesBackWhileOthersWrite(t *testing.T) {
	s := miniserver.Run(t)
	a, b, other := connect(t, s), connect(t, s), connect(t, s)
	require.Equal(t, "+OK", other.ask("SET", "a", "0"))
	const script = "local n = redis.call('INCR', 'a')\nn = redis.call('INCR', 'a')\nreturn n"
	require.Contains(t, a.debug("YES", script), "Stopped at 1")
	require.Equal(t, "+OK", other.ask("SET", "a", "100"))
	require.Contains(t, b.debug("YES", script), "Stopped at 1")
	for range 3 {
		require.Contains(t, a.ask("s"), "Stopped at 2")
		require.Contains(t, b.ask("s"), "Stopped at 2")
		require.Contains(t, a.ask("s"), "Stopped at 3")
		require.Contains(t, a.ask("redis", "GET", "a"), `"2"`)
		require.Contains(t, a.ask("back"), "Stopped at 2")
		require.Contains(t, a.ask("redis", "GET", "a"), `"1"`)
		require.Contains(t, a.ask("reverse-continue"), "Stopped at 1")
		require.Contains(t, a.ask("redis", "GET", "a"), `"0"`)
		require.Contains(t, b.ask("back"), "Stopped at 1")
		require.Contains(t, b.ask("redis", "GET", "a"), `"100"`)
		require.Equal(t, "100", other.ask("GET", "a"))
	}
	require.Equal(t, "<endsession>", a.ask("c"))
	require.Equal(t, ":2", a.reply())
	require.Equal(t, "<endsession>", b.ask("c"))
	require.Equal(t, ":102", b.reply())
	require.Equal(t, "100", other.ask("GET", "a"))
}

// TestDebuggerClientsLeave: a client that leaves, or is killed, while its run waits, evaluates an
// endless loop, repeats a long run or runs, leaves nothing behind.
func TestDebuggerClientsLeave(t *testing.T) {
	const script = "local n = 0\nredis.call('SET', 'x', 1)\nfor i = 1, 300000 do\n  n = n + i\nend\nreturn n"
	s := miniserver.Run(t)
	before := runtime.NumGoroutine()
	other := connect(t, s)
	for _, mode := range []string{"YES", "SYNC"} {
		for _, typed := range [][]string{nil, {"e", "while true do end"}, {"p", "(function() while true do end end)()"},
			{"b", "4", "if", "false"}, {"c"}, {"watch", "n"},
			{"b", "6"}} {
			for _, kills := range []bool{false, true} {
				c := connect(t, s)
				require.Contains(t, c.debug(mode, script), "Stopped at 1")
				if typed != nil {
					c.send(typed...)
					c.send("c")
					c.send("back")
				}
				if kills && mode == "YES" {
					require.Equal(t, ":1", other.ask("CLIENT", "KILL", "ADDR", c.LocalAddr().String()))
				}
				require.NoError(t, c.Close())
			}
		}
	}
	require.Equal(t, "+PONG", other.ask("PING"))
	require.NoError(t, other.Close())
	for runtime.NumGoroutine() > before {
		time.Sleep(time.Millisecond)
	}
}
