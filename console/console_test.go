package console_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/console"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/server"
)

// place is a server with a console.
type place struct {
	t      testing.TB
	engine *engine.Engine
	server *server.Server
	url    string // of the console
}

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
	e := engine.New(engine.Options{Clock: server.Clock(), Seed: 1})
	member := slices.Contains(params, "group-id")
	parts := assembly.Join(e, assembly.Options{Disk: new(disk.Memory), Group: member})
	ready := make(chan struct{})
	s := server.New(e, server.Options{Bind: []string{"127.0.0.1"}, Journal: parts.Journal, Barrier: parts.Barrier(), Load: parts.Load, Ready: func() error { close(ready); return nil }})
	c := console.New(console.Options{Engine: e, Connect: s.Connect, Log: func(byte, string, ...any) {}})
	e.Join(c.Part())
	prepare(c)
	for i, name := range params {
		if i%2 == 0 {
			require.NoError(t, e.Param(name).Set(params[i+1]), name)
		}
	}
	if member {
		id, err := strconv.ParseUint(e.Param("group-id").Get(), 10, 64)
		require.NoError(t, err)
		require.NoError(t, parts.Group.Configure(id))
	}
	if e.Param("http-port").Get() == "" {
		require.NoError(t, e.Param("http-port").Set("0"))
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		require.NoError(t, s.Run(ctx))
	}()
	<-ready
	err := c.Listen()
	t.Cleanup(func() {
		stop()
		<-ended
		c.Close()
		if member {
			parts.Group.Close()
		}
		parts.Replication.Close()
		parts.Journal.Close()
	})
	return &place{t, e, s, "http://" + c.Addr()}, err
}

// visitor is a browser without a window.
type visitor struct {
	t      testing.TB
	url    string
	page   string
	client *http.Client
}

func (p *place) visit() *visitor {
	jar, _ := cookiejar.New(nil)
	return &visitor{t: p.t, url: p.url, client: &http.Client{Jar: jar, Timeout: 2 * time.Minute}}
}

// send sends a request and returns the status and the body.
func (v *visitor) send(method, path, body string, headers ...string) (int, string) {
	r, err := http.NewRequest(method, v.url+path, strings.NewReader(body))
	require.NoError(v.t, err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := v.client.Do(r)
	require.NoError(v.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	return response.StatusCode, strings.TrimSpace(string(text))
}

func (v *visitor) login(user, password string) int {
	status, _ := v.send("POST", "/api/login", fmt.Sprintf(`{"user":%q,"password":%q}`, user, password))
	return status
}

func (v *visitor) open() int {
	status, body := v.send("POST", "/api/page", "{}")
	if status == http.StatusOK {
		var opened struct{ Page string }
		require.NoError(v.t, json.Unmarshal([]byte(body), &opened))
		v.page = opened.Page
	}
	return status
}

// do runs a command of words and returns its reply as JSON.
func (v *visitor) do(words ...string) string { return v.in("main", "server", words...) }

func (v *visitor) in(session, world string, words ...string) string {
	order, _ := json.Marshal(map[string]any{"session": session, "world": world, "commands": [][]string{words}})
	status, body := v.send("POST", "/api/command?page="+v.page, string(order))
	if status != http.StatusOK {
		return body
	}
	var out struct{ Replies []json.RawMessage }
	require.NoError(v.t, json.Unmarshal([]byte(body), &out))
	return string(out.Replies[0])
}

// stream opens a stream and returns the data of its events.
func (v *visitor) stream(path string) (events <-chan string, end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	r, _ := http.NewRequestWithContext(ctx, "GET", v.url+path, nil)
	response, err := (&http.Client{Jar: v.client.Jar}).Do(r)
	require.NoError(v.t, err)
	require.Equal(v.t, http.StatusOK, response.StatusCode)
	data := make(chan string, 100)
	go func() {
		defer close(data)
		defer response.Body.Close()
		lines := bufio.NewScanner(response.Body)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				data <- text
			}
		}
	}()
	return data, cancel
}

func TestCommandsKeepTheTypesOfTheirReplies(t *testing.T) {
	v := start(t).visit()
	require.Equal(t, http.StatusOK, v.open())
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
		require.Equal(t, c.reply, v.do(strings.Fields(c.command)...), c.command)
	}
	require.Equal(t, `"v"`, v.in("other", "server", "GET", "k"), "a session has its own database")
	require.Equal(t, `{"status":"OK"}`, v.do("SET", "html", "<script>"))
	require.Equal(t, `"\u003cscript\u003e"`, v.do("GET", "html"))
	status, body := v.send("POST", "/api/command?page="+v.page, `{"commands":[["SET",{"base64":"/wA="},"x"],["KEYS","*"],["GET",{"base64":"/wA="}]]}`)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `{"base64":"/wA="}`)
	require.Contains(t, body, `"x"]}`)
}

// TestRequestEndsBeforeItsCommandIsSent: a browser may leave while a long command is still being written.
func TestRequestEndsBeforeItsCommandIsSent(t *testing.T) {
	var c *console.Console
	_, err := beginWith(t, func(one *console.Console) { c = one })
	require.NoError(t, err)
	require.ErrorContains(t, c.RunCancelled("SET", "k", strings.Repeat("v", 32<<20)), "cancelled")
}

func TestUsersHaveTheirRights(t *testing.T) {
	p := start(t, "requirepass", "secret")
	v := p.visit()
	require.Equal(t, 401, v.open(), "without a password there is no page")
	require.Equal(t, 401, v.login("default", "wrong"))
	require.Equal(t, 200, v.login("default", "secret"))
	require.Equal(t, 200, v.open())
	require.Equal(t, `"default"`, v.do("ACL", "WHOAMI"))
	require.Equal(t, `{"status":"OK"}`, v.do("ACL", "SETUSER", "reader", "on", ">pw", "+get", "+ping", "~public:*"))

	reader := p.visit()
	require.Equal(t, 200, reader.login("reader", "pw"))
	require.Equal(t, 200, reader.open())
	require.Equal(t, `null`, reader.do("GET", "public:a"))
	require.Contains(t, reader.do("GET", "private:a"), "NOPERM")
	require.Contains(t, reader.do("SET", "public:a", "1"), "NOPERM")
	require.Contains(t, reader.in("x", "sandbox", "PING"), "EVAL")
	status, _ := reader.send("GET", "/api/events?topics=info&page="+reader.page, "")
	require.Equal(t, 403, status)
	status, _ = reader.send("GET", "/metrics", "")
	require.Equal(t, 401, status)

	reader.page = v.page
	require.Contains(t, reader.do("PING"), "not open", "the page of another user")
	status, _ = v.send("POST", "/api/logout", "{}")
	require.Equal(t, 200, status)
	require.Contains(t, v.do("PING"), "not open")
	require.Equal(t, 401, v.open())
}

func TestCookieIsForThisSiteOnly(t *testing.T) {
	v := start(t, "requirepass", "secret").visit()
	r, _ := http.NewRequest("POST", v.url+"/api/login", strings.NewReader(`{"password":"secret"}`))
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
	v := p.visit()
	require.Equal(t, 200, v.open())
	for _, line := range []string{"SET k v", "DEL k", "EVAL return(1) 0", "CONFIG SET maxmemory 1", "FLUSHALL", "SHUTDOWN", "CLIENT KILL ID 1",
		"ACL SETUSER x", "PUBLISH c m", "SCRIPT FLUSH", "REPLICAOF NO ONE", "SORT k STORE l", "MIGRATE h 1 k 0 1", "CLIENT PAUSE 1000", "SLOWLOG RESET",
		"ACL LOG RESET", "EVAL_RO return(redis.call('SLOWLOG','RESET')) 0"} {
		require.Contains(t, v.do(strings.Fields(line)...), "read-only", line)
	}
	for _, line := range []string{"GET k", "TYPE k", "SCAN 0", "INFO", "CONFIG GET maxmemory", "EVAL_RO return(1) 0", "COMMAND DOCS get", "MEMORY USAGE k",
		"OBJECT ENCODING k", "CLIENT LIST", "SLOWLOG GET", "SELECT 1", "SORT_RO k", "MEMORY EXPLAIN k", "ACL LOG", "ACL LOG 1", "ACL HELP"} {
		require.NotContains(t, v.do(strings.Fields(line)...), "read-only", line)
	}
	for _, line := range []string{"EVAL", "EVALSHA", "FCALL", "EVAL_RO", "EVALSHA_RO", "FCALL_RO"} {
		require.Contains(t, v.do(line), "wrong number of arguments", line)
	}
	require.Equal(t, `{"status":"OK"}`, v.in("x", "sandbox", "SET", "k", "v"))
}

func TestSandboxTouchesNothing(t *testing.T) {
	v := start(t).visit()
	require.Equal(t, 200, v.open())
	v.do("SET", "k", "data")
	require.Equal(t, `null`, v.in("a", "sandbox", "GET", "k"))
	v.in("a", "sandbox", "SET", "k", "experiment", "PX", "1000")
	require.Equal(t, `"experiment"`, v.in("b", "sandbox", "GET", "k"), "sessions of a page share its sandbox")
	require.NotContains(t, v.in("a", "sandbox", "MINI.CLOCK", "ADVANCE", "1000"), "error")
	require.Equal(t, `null`, v.in("a", "sandbox", "GET", "k"))
	require.Equal(t, `"data"`, v.do("GET", "k"))
	for _, line := range []string{"CONFIG SET dir /", "CONFIG SET appendonly yes", "REPLICAOF localhost 1", "MIGRATE h 1 k 0 1", "SHUTDOWN", "SAVE",
		"ACL SETUSER default on", "BGREWRITEAOF"} {
		require.Contains(t, v.in("a", "sandbox", strings.Fields(line)...), "NOPERM", line)
	}
	require.Contains(t, v.in("a", "sandbox", "DEBUG", "SEGFAULT"), "not allowed")
	require.Contains(t, v.in("a", "sandbox", "EVAL", "return redis.call('CONFIG', 'SET', 'dir', '/')", "0"), "error")
}

func TestPagesShareOneSampler(t *testing.T) {
	t.Parallel()
	p := start(t)
	var ends []func()
	var streams []<-chan string
	for range 20 {
		v := p.visit()
		require.Equal(t, 200, v.open())
		events, end := v.stream("/api/events?topics=info&page=" + v.page)
		streams, ends = append(streams, events), append(ends, end)
	}
	for _, events := range streams {
		require.Contains(t, <-events, "# Server")
	}
	calls := func() int64 {
		v := p.visit()
		require.Equal(t, 200, v.open())
		var n int64
		for line := range strings.SplitSeq(v.do("INFO", "commandstats"), `\r\n`) {
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
	v := start(t).visit()
	require.Equal(t, 200, v.open())
	monitor, end := v.stream("/api/watch?command=" + `%5B"MONITOR"%5D&page=` + v.page)
	require.Contains(t, <-monitor, `"OK"`)
	v.do("SET", "k", "<b>")
	require.Contains(t, <-monitor, `\"SET\" \"k\" \"\u003cb\u003e\"`)
	end()
	news, end := v.stream("/api/watch?command=" + `%5B"SUBSCRIBE","news"%5D&page=` + v.page)
	defer end()
	require.Contains(t, <-news, `{"push":["subscribe","news",1]}`)
	v.do("PUBLISH", "news", "hello")
	require.Contains(t, <-news, `{"push":["message","news","hello"]}`)
	status, _ := v.send("GET", "/api/watch?command="+`%5B"FLUSHALL"%5D&page=`+v.page, "")
	require.Equal(t, 400, status)
}

func TestHealth(t *testing.T) {
	p := start(t, "requirepass", "secret")
	v := p.visit()
	for _, path := range []string{"/health", "/health/live", "/health/ready"} {
		status, _ := v.send("GET", path, "")
		require.Equal(t, 200, status, path)
	}
	p.engine.StartLoading()
	status, body := v.send("GET", "/health/ready", "")
	require.Equal(t, 503, status)
	require.Contains(t, body, "loading")
	status, _ = v.send("GET", "/health/live", "")
	require.Equal(t, 200, status)
	p.engine.StopLoading()
}

func TestMetrics(t *testing.T) {
	p := start(t, "requirepass", "secret")
	v := p.visit()
	status, _ := v.send("GET", "/metrics", "")
	require.Equal(t, 401, status)
	require.Equal(t, 200, v.login("default", "secret"))
	require.Equal(t, 200, v.open())
	v.do("SET", "k", "v", "EX", "100")
	v.do("GET", "k")
	v.do("LPOP", "k")
	status, text := v.send("GET", "/metrics", "")
	require.Equal(t, 200, status)
	for _, line := range []string{`redis_up 1`, `redis_db_keys{db="db0"} 1`, `redis_db_keys_expiring{db="db0"} 1`, `redis_commands_total{cmd="get"} 1`,
		`redis_connected_slaves 0`, `redis_keyspace_hits_total 1`, `redis_errors_total{err="WRONGTYPE"} 1`, `redis_memory_max_bytes 0`} {
		require.Contains(t, text, line+"\n")
	}
	seen := make(map[string]bool)
	for line := range strings.Lines(text) {
		sample := line[:max(0, strings.LastIndexByte(line, ' '))]
		require.False(t, seen[sample] && !strings.HasPrefix(line, "#"), "twice: %s", line)
		seen[sample] = true
	}
	lintMetrics(t, text)
	require.NotContains(t, text, "redis_instantaneous_ops_per_sec ")
	_, all := v.send("GET", "/metrics?names=exporter", "")
	require.Contains(t, all, "redis_instantaneous_ops_per_sec ")
	require.Contains(t, all, "redis_instantaneous_ops_per_second ")
	other := p.visit()
	r, _ := http.NewRequest("GET", p.url+"/metrics", nil)
	r.SetBasicAuth("default", "secret")
	response, err := other.client.Do(r)
	require.NoError(t, err)
	response.Body.Close()
	require.Equal(t, 200, response.StatusCode)
}

// lintMetrics checks names and kinds by the rules of Prometheus, as promtool does.
func lintMetrics(t *testing.T, text string) {
	problems, err := promlint.New(strings.NewReader(text + "\n")).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestExpositionEscapes(t *testing.T) {
	require.Equal(t, "# HELP m a\\nb \\\\ \"c\"\n# TYPE m gauge\nm 1e+21\n", console.Exposition("m", "a\nb \\ \"c\"", 1e21))
	require.Equal(t, "# HELP m h\n# TYPE m gauge\nm{a=\"x\\\"y\\\\z\\n\",b=\"?\"} -0.5\n", console.Exposition("m", "h", -0.5, "a", "x\"y\\z\n", "b", "\xff"))
	text := console.Exposition("m", "h", math.Inf(1), "a", `"\`) + console.Exposition("n", "h", math.NaN())
	_, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
}

func TestBeyondLoopbackNeedsAPassword(t *testing.T) {
	_, err := begin(t, "http-bind", "0.0.0.0")
	require.ErrorContains(t, err, "set a password")
	p := start(t, "http-bind", "0.0.0.0", "requirepass", "secret")
	require.Equal(t, 200, func() int { v := p.visit(); status, _ := v.send("GET", "/health/live", ""); return status }())
}

func TestReplyOfAnyKind(t *testing.T) {
	require.Equal(t, `[{"bignumber":"12345678901234567890"},true,{"verbatim":"text","format":"txt"},{"base64":"/w=="},null]`,
		string(console.AppendReply(nil, resp.Value{Kind: resp.Array, Elems: []resp.Value{{Kind: resp.BigNumber, Text: "12345678901234567890"},
			{Kind: resp.Boolean, Int: 1}, {Kind: resp.Verbatim, Text: "text", Format: "txt"}, {Kind: resp.Bulk, Text: "\xff"}, {Kind: resp.Null, Nil: true}}})))
}

// somewhere is where a client comes from that is no browser.
func (p *place) somewhere() engine.Endpoint {
	return engine.Endpoint{Addr: "127.0.0.1:1234", LocalAddr: "127.0.0.1:6379"}
}

// Messages of an event are bounded by their bytes, too: of those that are too many the number is told.
func TestWatchedBytesAreBounded(t *testing.T) {
	t.Parallel()
	v := start(t).visit()
	require.Equal(t, 200, v.open())
	news, end := v.stream("/api/watch?command=" + `%5B"SUBSCRIBE","news"%5D&page=` + v.page)
	defer end()
	require.Contains(t, <-news, `{"push":["subscribe","news",1]}`)
	const size, count = 200_000, 40
	v.do("EVAL", "for i = 1, ARGV[1] do redis.call('PUBLISH', 'news', string.rep('x', ARGV[2])) end", "0", strconv.Itoa(count), strconv.Itoa(size))
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

// What is in sandboxes is in use until their pages are left. One may grow by a part of what maxmemory leaves,
// and so may its scripts.
func TestSandboxesAreInUse(t *testing.T) {
	t.Parallel()
	p := start(t)
	v, admin := p.visit(), p.visit()
	require.Equal(t, 200, v.open())
	require.Equal(t, 200, admin.open())
	used := func() (bytes int) {
		p.engine.With(func() { bytes = p.engine.Home().MemoryUsage().Used })
		return bytes
	}
	before := used()
	fill := func(from, to int) string {
		return v.in("main", "sandbox", "EVAL", "for i = ARGV[1], ARGV[2] do redis.call('SET', i, string.rep('x', 1000000)) end", "0", strconv.Itoa(from), strconv.Itoa(to))
	}
	require.Equal(t, "null", fill(1, 20))
	require.InDelta(t, before+20_000_000, used(), 2_500_000)
	require.Contains(t, v.in("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "a"), "OK")
	require.InDelta(t, before+40_000_000, used(), 2_500_000)
	require.Contains(t, admin.do("CONFIG", "SET", "maxmemory", "60mb"), "OK")
	require.Contains(t, fill(21, 40), "OOM command not allowed when used memory")
	require.InDelta(t, before+45_000_000, used(), 2_500_000)
	status, text := v.send("POST", "/api/command?page="+v.page, `{"world":"sandbox","commands":[["DEL","1","2"],["MULTI"],["SETRANGE","a","8000000","x"],["SETRANGE","b","8000000","x"],["SETRANGE","c","8000000","x"],["EXEC"]]}`)
	require.Equal(t, 200, status)
	require.Contains(t, text, `"OOM command not allowed when used memory`)
	require.InDelta(t, before+50_000_000, used(), 5_000_000)
	require.Contains(t, v.in("main", "sandbox", "SETRANGE", "large", "33554432", "x"), "string exceeds maximum allowed size")
	require.Contains(t, v.in("main", "sandbox", "EVAL", "return #string.rep('x', 20000000)", "0"), "not enough memory")
	require.Contains(t, admin.do("CONFIG", "SET", "maxmemory", "0"), "OK")
	require.Equal(t, "20000000", v.in("main", "sandbox", "EVAL", "return #string.rep('x', 20000000)", "0"))
	status, _ = v.send("POST", "/api/leave?page="+v.page, "{}")
	require.Equal(t, 200, status)
	require.InDelta(t, before, used(), 100_000)
}

// Copies in a sandbox count for its limit, so that they cannot take the memory of the process.
func TestSandboxCountsCopies(t *testing.T) {
	t.Parallel()
	v := start(t).visit()
	require.Equal(t, 200, v.open())
	v.in("main", "sandbox", "EVAL", "for i = 1, 50 do redis.call('SET', i, string.rep('x', 1000000)) end", "0")
	require.Contains(t, v.in("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "a"), "OK")
	require.Contains(t, v.in("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "b"), "OOM command not allowed when used memory")
	require.Contains(t, v.in("main", "sandbox", "MINI.WORLD", "FORGET", "a"), "OK")
	require.Contains(t, v.in("main", "sandbox", "MINI.WORLD", "SNAPSHOT", "b"), "OK")
}
