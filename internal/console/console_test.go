package console_test

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/console"
	"github.com/miniserver-go/miniserver/internal/console/consoletest"
	"github.com/miniserver-go/miniserver/resp"
)

type place struct{ *consoletest.Place }

// start starts a server with a console and these parameters, name and value in turn.
func start(t testing.TB, params ...string) *place {
	p, err := begin(t, params...)
	require.NoError(t, err)
	return p
}

func begin(t testing.TB, params ...string) (*place, error) {
	return beginWith(t, func(*console.Console) {}, params...)
}

// beginWith begins with a console that a test has prepared.
func beginWith(t testing.TB, prepare func(*console.Console), params ...string) (*place, error) {
	p, err := consoletest.Start(t, prepare, params...)
	return &place{p}, err
}

func TestCommandsKeepTheTypesOfTheirReplies(t *testing.T) {
	v := start(t).Visit()
	require.Equal(t, http.StatusOK, v.Open())
	for _, c := range []struct{ command, reply string }{
		{"SET k v", `{"status":"OK"}`},
		{"GET k", `"v"`},
		{"GET none", `null`},
		{"INCRBY n 9007199254740993", `{"integer":"9007199254740993"}`},
		{"DECRBY n 9007199254740900", `93`},
		{"LPOP k", `{"error":"WRONGTYPE Operation against a key holding the wrong kind of value"}`},
		{"HSET h f v", `1`},
		{"HGETALL h", `{"map":[["f","v"]]}`},
		{"SADD s a", `1`},
		{"SMEMBERS s", `{"set":["a"]}`},
		{"ZADD z 1.5 m", `1`},
		{"ZSCORE z m", `{"double":"1.5"}`},
		{"RPUSH l a b", `2`},
		{"LRANGE l 0 -1", `["a","b"]`},
		{"NOSUCH a", `{"error":"ERR unknown command 'NOSUCH', with args beginning with: 'a' "}`},
		{"SELECT 3", `{"status":"OK"}`},
		{"GET k", `null`},
		{"SUBSCRIBE x", `{"error":"ERR the console shows what is pushed elsewhere: a stream of the page must run this command"}`},
		{"EVAL return(true) 0", `1`},
	} {
		require.Equal(t, c.reply, v.Do(strings.Fields(c.command)...), c.command)
	}
	require.Equal(t, `"v"`, v.In("other", "server", "GET", "k"), "a session has its own database")
	require.Equal(t, `{"status":"OK"}`, v.Do("SET", "html", "<script>"))
	require.Equal(t, `"\u003cscript\u003e"`, v.Do("GET", "html"))
	status, body := v.Send("POST", "/api/command?page="+v.Page,
		`{"commands":[["SET",{"base64":"/wA="},"x"],["KEYS","*"],["GET",{"base64":"/wA="}]]}`)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `{"base64":"/wA="}`)
	require.Contains(t, body, `"x"]}`)
}

// TestRequestEndsBeforeItsCommandIsSent: a browser may leave while a long command is still being
// written.
func TestRequestEndsBeforeItsCommandIsSent(t *testing.T) {
	var c *console.Console
	_, err := beginWith(t, func(one *console.Console) { c = one })
	require.NoError(t, err)
	require.ErrorContains(t, c.RunCancelled("SET", "k", strings.Repeat("v", 32<<20)), "cancelled")
}

func TestUsersHaveTheirRights(t *testing.T) {
	p := start(t, "requirepass", "secret")
	v := p.Visit()
	require.Equal(t, 401, v.Open(), "without a password there is no page")
	require.Equal(t, 401, v.Login("default", "wrong"))
	require.Equal(t, 200, v.Login("default", "secret"))
	require.Equal(t, 200, v.Open())
	require.Equal(t, `"default"`, v.Do("ACL", "WHOAMI"))
	require.Equal(t, `{"status":"OK"}`, v.Do("ACL", "SETUSER", "reader", "on", ">pw", "+get", "+ping", "~public:*"))

	reader := p.Visit()
	require.Equal(t, 200, reader.Login("reader", "pw"))
	require.Equal(t, 200, reader.Open())
	require.Equal(t, `null`, reader.Do("GET", "public:a"))
	require.Contains(t, reader.Do("GET", "private:a"), "NOPERM")
	require.Contains(t, reader.Do("SET", "public:a", "1"), "NOPERM")
	require.Contains(t, reader.In("x", "sandbox", "PING"), "EVAL")
	status, _ := reader.Send("GET", "/api/events?topics=info&page="+reader.Page, "")
	require.Equal(t, 403, status)
	status, _ = reader.Send("GET", "/metrics", "")
	require.Equal(t, 401, status)

	reader.Page = v.Page
	require.Contains(t, reader.Do("PING"), "not open", "the page of another user")
	status, _ = v.Send("POST", "/api/logout", "{}")
	require.Equal(t, 200, status)
	require.Contains(t, v.Do("PING"), "not open")
	require.Equal(t, 401, v.Open())
}

func TestCookieIsForThisSiteOnly(t *testing.T) {
	v := start(t, "requirepass", "secret").Visit()
	r, _ := http.NewRequest("POST", v.URL+"/api/login", strings.NewReader(`{"password":"secret"}`))
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	response.Body.Close()
	cookie := response.Header.Get("Set-Cookie")
	require.Contains(t, cookie, "HttpOnly")
	require.Contains(t, cookie, "SameSite=Strict")
	require.NotContains(t, cookie, "secret")
	require.Contains(t, response.Header.Get("Content-Security-Policy"), "script-src 'self';")
}

func TestReadOnlyConsoleChangesNothing(t *testing.T) {
	p := start(t, "http-readonly", "yes")
	v := p.Visit()
	require.Equal(t, 200, v.Open())
	for _, line := range []string{"SET k v", "DEL k", "EVAL return(1) 0", "CONFIG SET maxmemory 1",
		"FLUSHALL", "SHUTDOWN", "CLIENT KILL ID 1", "ACL SETUSER x", "PUBLISH c m",
		"SCRIPT FLUSH", "REPLICAOF NO ONE", "SORT k STORE l", "MIGRATE h 1 k 0 1", "CLIENT PAUSE 1000", "SLOWLOG RESET",
		"ACL LOG RESET", "EVAL_RO return(redis.call('SLOWLOG','RESET')) 0"} {
		require.Contains(t, v.Do(strings.Fields(line)...), "read-only", line)
	}
	for _, line := range []string{"GET k", "TYPE k", "SCAN 0", "INFO", "CONFIG GET maxmemory", "EVAL_RO return(1) 0",
		"COMMAND DOCS get", "MEMORY USAGE k",
		"OBJECT ENCODING k", "CLIENT LIST", "SLOWLOG GET", "SELECT 1", "SORT_RO k", "MEMORY EXPLAIN k", "ACL LOG",
		"ACL LOG 1", "ACL HELP"} {
		require.NotContains(t, v.Do(strings.Fields(line)...), "read-only", line)
	}
	for _, line := range []string{"EVAL", "EVALSHA", "FCALL", "EVAL_RO", "EVALSHA_RO", "FCALL_RO"} {
		require.Contains(t, v.Do(line), "wrong number of arguments", line)
	}
	require.Equal(t, `{"status":"OK"}`, v.In("x", "sandbox", "SET", "k", "v"))
}

func TestSandboxTouchesNothing(t *testing.T) {
	v := start(t).Visit()
	require.Equal(t, 200, v.Open())
	v.Do("SET", "k", "data")
	require.Equal(t, `null`, v.In("a", "sandbox", "GET", "k"))
	v.In("a", "sandbox", "SET", "k", "experiment", "PX", "1000")
	require.Equal(t, `"experiment"`, v.In("b", "sandbox", "GET", "k"), "sessions of a page share its sandbox")
	require.NotContains(t, v.In("a", "sandbox", "MINI.CLOCK", "ADVANCE", "1000"), "error")
	require.Equal(t, `null`, v.In("a", "sandbox", "GET", "k"))
	require.Equal(t, `"data"`, v.Do("GET", "k"))
	for _, line := range []string{"CONFIG SET dir /", "CONFIG SET appendonly yes", "REPLICAOF localhost 1",
		"MIGRATE h 1 k 0 1", "SHUTDOWN", "SAVE", "ACL SETUSER default on", "BGREWRITEAOF"} {
		require.Contains(t, v.In("a", "sandbox", strings.Fields(line)...), "NOPERM", line)
	}
	require.Contains(t, v.In("a", "sandbox", "DEBUG", "SEGFAULT"), "not allowed")
	require.Contains(t, v.In("a", "sandbox", "EVAL", "return redis.call('CONFIG', 'SET', 'dir', '/')", "0"), "error")
}

func TestPagesShareOneSampler(t *testing.T) {
	t.Parallel()
	p := start(t)
	var ends []func()
	var streams []<-chan string
	for range 20 {
		v := p.Visit()
		require.Equal(t, 200, v.Open())
		events, end := v.Stream("/api/events?topics=info&page=" + v.Page)
		streams, ends = append(streams, events), append(ends, end)
	}
	for _, events := range streams {
		require.Contains(t, <-events, "# Server")
	}
	calls := func() int64 {
		v := p.Visit()
		require.Equal(t, 200, v.Open())
		var n int64
		for line := range strings.SplitSeq(v.Do("INFO", "commandstats"), `\r\n`) {
			_, _ = fmt.Sscanf(line, "cmdstat_info:calls=%d", &n)
		}
		return n
	}
	first := calls()
	for range 2 {
		<-streams[0]
	}
	require.Less(t, calls()-first, int64(10), "twenty pages cost as many commands as one")
	for _, end := range ends {
		end()
	}
}

func TestWatchedMessages(t *testing.T) {
	t.Parallel()
	v := start(t).Visit()
	require.Equal(t, 200, v.Open())
	monitor, end := v.Stream("/api/watch?command=" + `%5B"MONITOR"%5D&page=` + v.Page)
	require.Contains(t, <-monitor, `"OK"`)
	v.Do("SET", "k", "<b>")
	require.Contains(t, <-monitor, `\"SET\" \"k\" \"\u003cb\u003e\"`)
	end()
	news, end := v.Stream("/api/watch?command=" + `%5B"SUBSCRIBE","news"%5D&page=` + v.Page)
	defer end()
	require.Contains(t, <-news, `{"push":["subscribe","news",1]}`)
	v.Do("PUBLISH", "news", "hello")
	require.Contains(t, <-news, `{"push":["message","news","hello"]}`)
	status, _ := v.Send("GET", "/api/watch?command="+`%5B"FLUSHALL"%5D&page=`+v.Page, "")
	require.Equal(t, 400, status)
}

func TestHealth(t *testing.T) {
	p := start(t, "requirepass", "secret")
	v := p.Visit()
	for _, path := range []string{"/health", "/health/live", "/health/ready"} {
		status, _ := v.Send("GET", path, "")
		require.Equal(t, 200, status, path)
	}
	p.Engine.StartLoading()
	status, body := v.Send("GET", "/health/ready", "")
	require.Equal(t, 503, status)
	require.Contains(t, body, "loading")
	status, _ = v.Send("GET", "/health/live", "")
	require.Equal(t, 200, status)
	p.Engine.StopLoading()
}

func TestMetrics(t *testing.T) {
	p := start(t, "requirepass", "secret")
	v := p.Visit()
	status, _ := v.Send("GET", "/metrics", "")
	require.Equal(t, 401, status)
	require.Equal(t, 200, v.Login("default", "secret"))
	require.Equal(t, 200, v.Open())
	v.Do("SET", "k", "v", "EX", "100")
	v.Do("GET", "k")
	v.Do("LPOP", "k")
	status, text := v.Send("GET", "/metrics", "")
	require.Equal(t, 200, status)
	for _, line := range []string{`redis_up 1`, `redis_db_keys{db="db0"} 1`, `redis_db_keys_expiring{db="db0"} 1`, `redis_commands_total{cmd="get"} 1`, `redis_connected_slaves 0`, `redis_keyspace_hits_total 1`, `redis_errors_total{err="WRONGTYPE"} 1`, `redis_memory_max_bytes 0`} {
		require.Contains(t, text, line+"\n")
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(text) {
		sample := line[:max(0, strings.LastIndexByte(line, ' '))]
		require.False(t, seen[sample] && !strings.HasPrefix(line, "#"), "twice: %s", line)
		seen[sample] = true
	}
	require.NotContains(t, text, "redis_instantaneous_ops_per_sec ")
	_, all := v.Send("GET", "/metrics?names=exporter", "")
	require.Contains(t, all, "redis_instantaneous_ops_per_sec ")
	require.Contains(t, all, "redis_instantaneous_ops_per_second ")
	other := p.Visit()
	r, _ := http.NewRequest("GET", p.URL+"/metrics", nil)
	r.SetBasicAuth("default", "secret")
	response, err := other.Client.Do(r)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 200, response.StatusCode)
}

func TestExpositionEscapes(t *testing.T) {
	require.Equal(t, "# HELP m a\\nb \\\\ \"c\"\n# TYPE m gauge\nm 1e+21\n",
		console.Exposition("m", "a\nb \\ \"c\"", 1e21))
	require.Equal(t, "# HELP m h\n# TYPE m gauge\nm{a=\"x\\\"y\\\\z\\n\",b=\"?\"} -0.5\n",
		console.Exposition("m", "h", -0.5, "a", "x\"y\\z\n", "b", "\xff"))
	require.Contains(t, console.Exposition("m", "h", math.Inf(1), "a", `"\`), `m{a="\"\\"} +Inf`+"\n")
	require.Contains(t, console.Exposition("n", "h", math.NaN()), "n NaN\n")
}

func TestBeyondLoopbackNeedsAPassword(t *testing.T) {
	_, err := begin(t, "http-bind", "0.0.0.0")
	require.ErrorContains(t, err, "set a password")
	p := start(t, "http-bind", "0.0.0.0", "requirepass", "secret")
	require.Equal(t, 200,
		func() int { v := p.Visit(); status, _ := v.Send("GET", "/health/live", ""); return status }())
}

func TestReplyOfAnyKind(t *testing.T) {
	require.Equal(t, `[{"bignumber":"12345678901234567890"},true,{"verbatim":"text","format":"txt"},{"base64":"/w=="},null]`, string(console.AppendReply(nil,
		resp.Value{Kind: resp.Array, Elems: []resp.Value{{Kind: resp.BigNumber, Text: "12345678901234567890"},
			{Kind: resp.Boolean, Int: 1}, {Kind: resp.Verbatim, Text: "text", Format: "txt"},
			{Kind: resp.Bulk, Text: "\xff"}, {Kind: resp.Null, Nil: true}}})))
}

// Messages of an event are bounded by their bytes, too: of those that are too many the number is
// told.
func TestWatchedBytesAreBounded(t *testing.T) {
	t.Parallel()
	v := start(t).Visit()
	require.Equal(t, 200, v.Open())
	news, end := v.Stream("/api/watch?command=" + `%5B"SUBSCRIBE","news"%5D&page=` + v.Page)
	defer end()
	require.Contains(t, <-news, `{"push":["subscribe","news",1]}`)
	const size, count = 200_000, 40
	v.Do("EVAL", "for i = 1, ARGV[1] do redis.call('PUBLISH', 'news', string.rep('x', ARGV[2])) end", "0",
		strconv.Itoa(count), strconv.Itoa(size))
	shown, missed := 0, 0
	for shown+missed < count {
		event := <-news
		require.Less(t, len(event), 3*size)
		n, err := strconv.Atoi(regexp.MustCompile(`"missed":(\d+)`).FindStringSubmatch(event)[1])
		require.NoError(t, err)
		shown, missed = shown+strings.Count(event, `"message","news"`), missed+n
	}
	require.Equal(t, count, shown+missed)
	require.Positive(t, shown)
}

// What is in sandboxes is in use until their pages are left. One may grow by a part of what
// maxmemory leaves, and so may its scripts.
func TestSandboxesAreInUse(t *testing.T) {
	t.Parallel()
	p := start(t)
	v, admin := p.Visit(), p.Visit()
	require.Equal(t, 200, v.Open())
	require.Equal(t, 200, admin.Open())
	used := func() (bytes int) {
		p.Engine.With(func() { bytes = p.Engine.Home().MemoryUsage().Used })
		return bytes
	}
	before := used()
	fill := func(from, to int) string {
		return v.In("main", "sandbox", "EVAL", "for i = ARGV[1], ARGV[2] do redis.call('SET', i, string.rep('x', "+
			"1000000)) end", "0", strconv.Itoa(from), strconv.Itoa(to))
	}
	require.Equal(t, "null", fill(1, 20))
	require.InDelta(t, before+20_000_000, used(), 2_500_000)
	require.Contains(t, v.In("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "a"), "OK")
	require.InDelta(t, before+40_000_000, used(), 2_500_000)
	require.Contains(t, admin.Do("CONFIG", "SET", "maxmemory", "60mb"), "OK")
	require.Contains(t, fill(21, 40), "OOM command not allowed when used memory")
	require.InDelta(t, before+45_000_000, used(), 2_500_000)
	status, text := v.Send("POST", "/api/command?page="+v.Page, `{"world":"sandbox","commands":[["DEL","1","2"],["MULTI"],["SETRANGE","a","8000000","x"],["SETRANGE","b","8000000","x"],["SETRANGE","c","8000000","x"],["EXEC"]]}`)
	require.Equal(t, 200, status)
	require.Contains(t, text, `"OOM command not allowed when used memory`)
	require.InDelta(t, before+50_000_000, used(), 5_000_000)
	require.Contains(t, v.In("main", "sandbox", "SETRANGE", "large", "33554432", "x"),
		"string exceeds maximum allowed size")
	require.Contains(t, v.In("main", "sandbox", "EVAL", "return #string.rep('x', 20000000)", "0"), "not enough memory")
	require.Contains(t, admin.Do("CONFIG", "SET", "maxmemory", "0"), "OK")
	require.Equal(t, "20000000", v.In("main", "sandbox", "EVAL", "return #string.rep('x', 20000000)", "0"))
	status, _ = v.Send("POST", "/api/leave?page="+v.Page, "{}")
	require.Equal(t, 200, status)
	require.InDelta(t, before, used(), 100_000)
}

// Copies in a sandbox count for its limit, so that they cannot take the memory of the process.
func TestSandboxCountsCopies(t *testing.T) {
	t.Parallel()
	v := start(t).Visit()
	require.Equal(t, 200, v.Open())
	v.In("main", "sandbox", "EVAL", "for i = 1, 50 do redis.call('SET', i, string.rep('x', 1000000)) end", "0")
	require.Contains(t, v.In("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "a"), "OK")
	require.Contains(t, v.In("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "b"),
		"OOM command not allowed when used memory")
	require.Contains(t, v.In("main", "sandbox", "MINI.WORLD", "FORGET", "a"), "OK")
	require.Contains(t, v.In("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "b"), "OK")
}
