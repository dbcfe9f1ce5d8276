package test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// writeFiles writes files into a new directory: name, text, name, text.
func writeFiles(t *testing.T, files ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644))
	}
	return dir
}

var passedTime = regexp.MustCompile(`\d+\.\d+s`)

// runTest runs miniserver test in a directory and returns its output without times, and its exit
// status.
func runTest(t *testing.T, dir string, args ...string) (output string, status int) {
	t.Helper()
	t.Chdir(dir)
	var out bytes.Buffer
	err := Subcommand().Do(t.Context(), args, nil, &out)
	if err != nil && !errors.Is(err, subcommand.ErrPrinted) {
		fmt.Fprintln(&out, err)
	}
	switch {
	case errors.As(err, new(subcommand.UsageError)):
		status = 2
	case err != nil:
		status = 1
	}
	return passedTime.ReplaceAllString(out.String(), "_"), status
}

func TestExampleScripts(t *testing.T) {
	output, status := runTest(t, filepath.Join("..", "..", "..", "examples"))
	require.Zero(t, status, output)
	require.Equal(t, 8, strings.Count(output, "ok  \t"), output)
}

// TestPageOfTests runs every block of docs/scripts-tests.md that is a test, beside the examples and
// the page's own script.
func TestPageOfTests(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "scripts-tests.md"))
	require.NoError(t, err)
	scripts, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*.lua"))
	require.NoError(t, err)
	var files []string
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		files = append(files, filepath.Base(path), string(text))
	}
	for i, m := range regexp.MustCompile("(?s)```(lua|text)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		name := "counter.lua"
		if m[1] == "text" {
			name = fmt.Sprintf("page%d_test.txt", i)
		}
		files = append(files, name, m[2])
	}
	output, status := runTest(t, writeFiles(t, files...))
	require.Zero(t, status, output)
	require.Equal(t, 5, strings.Count(output, "ok  \t"), output)
}

const counter = "return redis.call('INCRBY', KEYS[1], ARGV[1])"

func TestResultsLookLikeThoseOfGoTest(t *testing.T) {
	dir := writeFiles(t, "counter.lua", counter,
		"good_test.txt", "# good\n@ test by one\n> EVAL @counter.lua 1 n 1\n(integer) 1\n"+
			"@ test by two\n> EVAL @counter.lua 1 n 2\n(integer) 2\n",
		"poor_test.txt", "# poor\n> EVAL @counter.lua 1 n 3\n(integer) 4\n> PING\nPONG\n",
		"redis_test.txt", "# theirs\n@ only redis\n> PING\nPONG\n", "notes.txt", "no test")
	output, status := runTest(t, dir)
	require.Equal(t, 1, status)
	require.Equal(t, "ok  \tgood_test.txt\t_\n"+
		"--- FAIL: poor (_)\n    poor_test.txt:2: > EVAL @counter.lua 1 n 3\n        - (integer) 4\n"+
		"        + (integer) 3\n"+
		"FAIL\nFAIL\tpoor_test.txt\t_\n"+
		"ok  \tredis_test.txt\t_\nFAIL\n", output)

	output, status = runTest(t, dir, "-v", "-run", "by two", "good_test.txt")
	require.Zero(t, status)
	require.Equal(t, "=== RUN   good/by_two\n--- PASS: good/by_two (_)\nPASS\nok  \tgood_test.txt\t_\n", output)

	output, status = runTest(t, dir, "--run=nothing", "good_test.txt")
	require.Zero(t, status)
	require.Equal(t, "ok  \tgood_test.txt\t_ [no tests to run]\n", output)

	output, _ = runTest(t, dir, "-v", "redis_test.txt")
	require.Contains(t, output, "--- SKIP: redis (_)\n    1 of 1 steps do not apply to this server\n")
}

func TestMisuseOfTest(t *testing.T) {
	dir := writeFiles(t, "good_test.txt", "> PING\nPONG\n", "bad_test.txt", "@ advence 1s\n", "huge.txt",
		"> EVAL @/dev/zero 0\n")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"good_test.txt", 0, "ok  \tgood_test.txt"},
		{"bad_test.txt good_test.txt", 2, "bad_test.txt:1: bad directive: @ advence 1s"},
		{"bad_test.txt good_test.txt", 2, "FAIL\tbad_test.txt [cannot run]\nok  \tgood_test.txt"},
		{"nothing_test.txt", 2, "miniserver test: stat nothing_test.txt"},
		{"-nonsense", 2, "usage: miniserver test"},
		{"-run ( good_test.txt", 2, "missing closing"},
		{"-parallel 0 good_test.txt", 2, "--parallel must be at least 1"},
		{"-timeout 0s good_test.txt", 2, "--timeout must be more than 0"},
		{"-flush good_test.txt", 2, "--flush needs --against"},
		{"-cover x -against 127.0.0.1:1 good_test.txt", 2, "--cover needs the engine in this process"},
		{"-cover no/such/file good_test.txt", 2, "no such file or directory"},
		{"-update -watch good_test.txt", 2, "use one of them"},
		{"-against nonsense://x good_test.txt", 2, `"nonsense://x" is not an address`},
		{"-against 127.0.0.1:1 good_test.txt", 2, "connection refused"},
		{"-junit no/such/file good_test.txt", 2, "no such file or directory"},
		{"huge.txt", 2, "huge.txt:1: cannot read the script:"},
		{"-h", 0, "Usage: miniserver test [options] [directory|file ...]"},
	} {
		output, status := runTest(t, dir, strings.Fields(c.args)...)
		require.Equal(t, c.status, status, "%s: %s", c.args, output)
		require.Contains(t, output, c.says, c.args)
	}
	output, status := runTest(t, t.TempDir())
	require.Equal(t, 2, status)
	require.Contains(t, output, "no files *_test.txt in . or below")
}

func TestEndlessScriptsFail(t *testing.T) {
	dir := writeFiles(t, "x_test.txt", "> EVAL 'while true do end' 0\n(nil)\n")
	output, status := runTest(t, dir, "-timeout", "50ms")
	require.Equal(t, 1, status)
	require.Contains(t, output, "x_test.txt:1: the script ran for 50ms and was killed")
}

func TestUpdateRewritesFiles(t *testing.T) {
	dir := writeFiles(t, "counter.lua", counter, "x_test.txt",
		"# x\n@ test one\n> EVAL @counter.lua 1 n 1\n(integer) <int>\n> EVAL @counter.lua 1 n 1\n\n"+
			"@ test two\n> GET n\nold\n")
	output, status := runTest(t, dir, "-update", "-run", "one")
	require.Zero(t, status)
	require.Equal(t, "ok  \tx_test.txt\t_ [updated]\n", output)
	read := func() string {
		text, err := os.ReadFile(filepath.Join(dir, "x_test.txt"))
		require.NoError(t, err)
		return string(text)
	}
	require.Contains(t, read(), "> EVAL @counter.lua 1 n 1\n(integer) <int>\n> EVAL @counter.lua 1 n 1\n(integer) 2\n"+
		"\n@ test two\n> GET n\nold\n")
	runTest(t, dir, "-update")
	once := read()
	require.True(t, strings.HasSuffix(once, "> GET n\n(nil)\n"))
	output, _ = runTest(t, dir, "-update")
	require.Equal(t, "ok  \tx_test.txt\t_\n", output)
	require.Equal(t, once, read())
}

func TestCoverAddsUpAllTests(t *testing.T) {
	const script = "if ARGV[1] == 'a' then\n  return 1\nend\nif ARGV[1] == 'b' then\n  return 2\nend\nreturn 3"
	call := func(arg string) string { return "> EVAL @x.lua 0 " + arg + "\n<any>\n" }
	dir := writeFiles(t, "x.lua", script, "other.lua", "return 'never called'",
		"one_test.txt", "@ test a\n"+call("a")+"@ test c\n"+call("c")+"> EVAL 'return 1' 0\n(integer) 1\n",
		"two_test.txt", call("a")+"> SCRIPT EXISTS @other.lua\n1) (integer) 0\n")
	output, status := runTest(t, dir, "-cover", "cover.info")
	require.Zero(t, status, output)
	require.Contains(t, output, "coverage: 80.0% of the lines of 1 scripts\n")
	tracefile, err := os.ReadFile(filepath.Join(dir, "cover.info"))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(tracefile), "SF:"))
	require.Contains(t, string(tracefile), "SF:x.lua\n")
	require.Contains(t, string(tracefile), "DA:1,3\nDA:2,2\nDA:4,1\nDA:5,0\nDA:7,1\nLF:5\nLH:4\n")

	_, status = runTest(t, dir, "-cover", "cover.txt")
	require.Zero(t, status)
	text, err := os.ReadFile(filepath.Join(dir, "cover.txt"))
	require.NoError(t, err)
	require.Contains(t, string(text), "     0 |   return 2\n")
}

func TestSeedReplacesThatOfTheFile(t *testing.T) {
	dir := writeFiles(t, "x_test.txt", "@ random\nseed: 7\nn: 1..9\n> ECHO {n}\ninvariant: reply is 0\n@ end\n")
	output, _ := runTest(t, dir)
	require.Contains(t, output, "(seed 7)")
	output, _ = runTest(t, dir, "-seed", "8")
	require.Contains(t, output, "(seed 8)")
}

// TestJUnit checks what the schema of JUnit's Ant task demands: the elements in this order, the
// attributes that are required, and counts.
func TestJUnit(t *testing.T) {
	dir := writeFiles(t, "good_test.txt", "@ test a < b\n> PING\nPONG\n", "poor_test.txt", "> ECHO \"<&\\x01\\xff\"\n"+
		"\"x\"\n", "bad_test.txt", "@ nonsense\n", "other_test.txt", "@ only redis\n> PING\nPONG\n")
	_, status := runTest(t, dir, "-junit", "out.xml")
	require.Equal(t, 2, status)
	text, err := os.ReadFile(filepath.Join(dir, "out.xml"))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), `<?xml version="1.0" encoding="UTF-8"?>`))

	required := map[string]string{"testsuites": "", "properties": "", "system-out": "", "system-err": "", "skipped": "",
		"testsuite": "name package id timestamp hostname tests failures errors skipped time",
		"testcase":  "name classname time", "error": "message type", "failure": "message type"}
	order := []string{"properties", "testcase", "system-out", "system-err"}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	var path []string
	last, elements := 0, map[string]int{}
	for {
		token, err := decoder.Token()
		if token == nil {
			require.ErrorContains(t, err, "EOF")
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			attributes, known := required[e.Name.Local]
			require.True(t, known, e.Name.Local)
			var names []string
			for _, a := range e.Attr {
				names = append(names, a.Name.Local)
			}
			require.Equal(t, attributes, strings.Join(names, " "))
			elements[e.Name.Local]++
			if len(path) == 2 {
				at := strings.Index(strings.Join(order, " "), e.Name.Local)
				require.GreaterOrEqual(t, at, last)
				last = at
			} else if len(path) == 1 {
				last = 0
				require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`, e.Attr[3].Value)
			}
			path = append(path, e.Name.Local)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
	require.Equal(t, map[string]int{"testsuites": 1, "testsuite": 4, "properties": 4, "system-out": 4, "system-err": 4,
		"testcase": 4, "error": 1, "failure": 1, "skipped": 1}, elements)
	require.Contains(t, string(text), `<testcase name="good/a_&lt;_b" classname="good_test.txt"`)
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestWatchRunsAgainWhenAScriptChanges(t *testing.T) {
	dir := writeFiles(t, "x.lua", "return 1", "x_test.txt", "> EVAL @x.lua 0\n(integer) 2\n")
	t.Chdir(dir)
	ctx, stop := context.WithCancel(t.Context())
	var out safeBuffer
	ended := make(chan error)
	go func() { ended <- Subcommand().Do(ctx, []string{"--watch"}, nil, &out) }()
	says := func(text string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(out.String(), text) }, 2*time.Minute,
			10*time.Millisecond, text)
	}
	says("waiting for changes")
	require.NotContains(t, out.String(), "ok  \t")
	require.NoError(t, os.WriteFile("x.lua", []byte("return 2 -- now right"), 0o644))
	says(": x.lua has changed")
	says("ok  \tx_test.txt")
	require.NoError(t, os.WriteFile("y_test.txt", []byte("> EVAL @y.lua 0\n(integer) 3\n"), 0o644))
	says("y_test.txt:1: cannot read the script")
	require.NoError(t, os.WriteFile("y.lua", []byte("return 3"), 0o644))
	says("ok  \ty_test.txt")
	stop()
	require.NoError(t, <-ended)
}

// realServer starts a redis-server and returns its address, and a function that sends it a command.
func realServer(t *testing.T) (address string, ask func(words ...string) resp.Value) {
	server := reference.Start(t)
	conn := server.Dial(t)
	replies := resp.NewReader(conn)
	return server.Socket, func(words ...string) resp.Value {
		w := resp.NewWriter(2)
		w.Command(words...)
		_, err := conn.Write(w.Bytes())
		require.NoError(t, err)
		v, err := replies.Read()
		require.NoError(t, err)
		return v
	}
}

func TestAgainstARealServer(t *testing.T) {
	dir := writeFiles(t, "counter.lua", counter, "lib.lua",
		"#!lua name=lib\nredis.register_function('f', function() return 1 end)",
		"good_test.txt",
		"> SET k v PX 30\nOK\n> EVAL @counter.lua 1 n 2\n(integer) 2\n@ advance 40ms\n> GET k\n(nil)\n"+
			"a> BLPOP q 0\n> RPUSH q x\n(integer) 1\na<\n1) \"q\"\n2) \"x\"\n> FUNCTION LOAD @lib.lua\n\"lib\"\n"+
			"> FCALL f 0\n(integer) 1\n",
		"random_test.txt",
		"@ random\ncommands: 20\nover: 50ms\n> EVAL @counter.lua 1 n 2\ninvariant: reply at most 6\n@ end\n")
	address, ask := realServer(t)
	ask("SELECT", "1") // a client elsewhere is none of the tests' business
	ask("SET", "other", "data")
	output, status := runTest(t, dir, "-against", address, "good_test.txt")
	require.Zero(t, status, output)
	output, status = runTest(t, dir, "-against", address, "random_test.txt")
	require.Equal(t, 1, status, output)
	require.Contains(t, output, "broken by request 4 of 20")
	require.Equal(t, 4, strings.Count(output, "> EVAL @counter.lua 1 n 2\n"))
	require.Equal(t, "data", ask("GET", "other").Text)
	require.Empty(t, ask("FUNCTION", "LIST").Elems, "what the test has loaded is removed")
	ask("SELECT", "0")
	require.Zero(t, ask("DBSIZE").Int)
}

func TestAgainstARealServerNothingIsLost(t *testing.T) {
	address, ask := realServer(t)
	ask("SET", "mine", "data")
	ask("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 'mine' end)")
	dir := writeFiles(t, "good_test.txt", "> PING\nPONG\n")
	refused := func(why string, lines ...string) {
		t.Helper()
		args := []string{"-against", address}
		if len(lines) > 0 {
			require.NoError(t,
				os.WriteFile(filepath.Join(dir, "good_test.txt"), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
			args = append(args, "-flush")
		}
		output, status := runTest(t, dir, args...)
		require.NotZero(t, status, output)
		require.Contains(t, output, why)
	}
	refused("has 1 keys, and tests delete all keys")
	require.Equal(t, "data", ask("GET", "mine").Text)
	ask("DEL", "mine")
	refused("is in use by another client, and tests delete all keys")
	ask("SELECT", "1")
	ask("SET", "mine", "data")

	refused("good_test.txt:1: FLUSHALL affects more than the database", "> FLUSHALL", "OK")
	refused("good_test.txt:2: SELECT 1 affects more", "> PING", "> SELECT 1", "OK")
	refused("good_test.txt:1: SWAPDB 0 affects more", "> SWAPDB 0 1", "OK")
	refused("good_test.txt:1: CONFIG SET affects more", "> CONFIG SET maxmemory 1", "OK")
	refused("good_test.txt:1: SHUTDOWN", "> SHUTDOWN NOSAVE")
	refused("good_test.txt:1: RESET", "> RESET", "RESET")
	refused("good_test.txt:1: COPY with DB", "> COPY a b DB 1 REPLACE", "(integer) 1")
	refused("good_test.txt:1: FUNCTION FLUSH", "> FUNCTION FLUSH", "OK")
	refused("good_test.txt:1: the server at", "> FUNCTION LOAD REPLACE '#!lua name=lib'", "OK")
	refused("the script contains the word 'flushall'", `> EVAL "redis.call('flushall')" 0`, "(nil)")
	refused("the script contains the word [[SELECT]]", `> EVAL "redis.call([[SELECT]], 1)" 0`, "(nil)")
	refused("cannot be changed", "@ config maxmemory 1mb")
	refused("cannot be set; @ advance waits", "@ freeze at 2024-01-01")
	refused("has no command SPEXPIRE", "> SPEXPIRE k 10 MEMBERS 1 a", "1) (integer) 1")
	refused("has no command MINI.CLOCK", "> MINI.CLOCK FREEZE", "OK")
	refused("FLUSHALL affects more", "@ random", "> FLUSHALL", "invariant: reply is OK", "@ end")
	require.Equal(t, "data", ask("GET", "mine").Text)
	require.Equal(t, "mine", ask("FCALL", "f", "0").Text)

	ask("SELECT", "0")
	ask("SET", "mine", "data")
	_, status := runTest(t, writeFiles(t, "good_test.txt", "> GET mine\n(nil)\n"), "-against", address, "-flush")
	require.Zero(t, status, "with -flush the database is emptied")
}
