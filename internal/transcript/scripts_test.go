package transcript

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// limiter lets LIMIT requests pass in any WINDOW milliseconds.
const limiter = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now, redis.call('INCR', 'number'))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`

// scripts are what the files of these tests can name.
var scripts = map[string]string{
	"limiter.lua":  limiter,
	"generous.lua": strings.Replace(limiter, "tonumber(ARGV[1])", "tonumber(ARGV[1]) + 1", 1),
	"hasty.lua":    strings.Replace(limiter, "now - ARGV[2]", "now - ARGV[2] + 1", 1),
	"late.lua":     strings.Replace(limiter, "now - ARGV[2])", "'(' .. now - ARGV[2])", 1),
	"eternal.lua":  strings.Replace(limiter, "redis.call('PEXPIRE', KEYS[1], ARGV[2])", "", 1),
	"picky.lua":    "if ARGV[1] == '7' then return redis.error_reply('ERR I do not like 7') end return 1",
	"one.lua":      "return 1",
	"lib.lua":      "#!lua name=lib\nredis.register_function('f', function() return 'from f' end)",
}

func readFake(path string) (string, error) {
	text, found := scripts[path]
	if !found {
		return "", errors.New(path + " is not there")
	}
	return text, nil
}

// wholeWorld is an engine in process with all parts.
func wholeWorld() *Memory {
	return NewMemory(Traits{Name: "miniserver"}, func(e *engine.Engine) {
		assembly.Join(e, assembly.Options{Volatile: true})
	})
}

// parseFake parses lines that name scripts of this test.
func parseFake(t *testing.T, lines ...string) *File {
	t.Helper()
	f, err := parseWith("test.txt", strings.Join(lines, "\n")+"\n", readFake)
	require.NoError(t, err)
	return f
}

// mismatches runs lines in a world and returns what differs.
func mismatches(t *testing.T, lines ...string) string {
	t.Helper()
	out, err := parseFake(t, lines...).Run(wholeWorld())
	require.NoError(t, err)
	text := ""
	for _, m := range out.Mismatches {
		text += m.String() + "\n"
	}
	return text
}

func TestScriptsAreNamedByPath(t *testing.T) {
	require.Empty(t, mismatches(t,
		"> EVALSHA @one.lua 0", "(error) /NOSCRIPT/",
		"> EVAL @one.lua 0", "(integer) 1",
		"> EVALSHA @one.lua 0", "(integer) 1",
		"> EVAL_RO @one.lua 0", "(integer) 1",
		"> SCRIPT EXISTS @one.lua @limiter.lua", "1) (integer) 1", "2) (integer) 0",
		"> SCRIPT LOAD @limiter.lua", `"<hex>"`,
		"> FUNCTION LOAD REPLACE @lib.lua", `"lib"`,
		"> FCALL f 0", `"from f"`,
		"> SET @one.lua @one.lua", "OK", "> GET @one.lua", `"@one.lua"`,
		"> EVAL 'return ARGV[1]' 0 @one.lua", `"@one.lua"`,
	))
}

func TestScriptsLieBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.lua"), []byte("return 7"), 0o644))
	path := filepath.Join(dir, "x_test.txt")
	require.NoError(t, os.WriteFile(path, []byte("> EVAL @x.lua 0\n(integer) 7\n"), 0o644))
	f, err := Load(path)
	require.NoError(t, err)
	out, err := f.Run(wholeWorld())
	require.NoError(t, err)
	require.Empty(t, out.Mismatches)
	require.Equal(t, map[string]string{filepath.Join(dir, "x.lua"): "return 7"}, f.Scripts())
}

func TestEachTestBeginsWithTheSetup(t *testing.T) {
	f := parseFake(t, "@ freeze at 2024-01-01T00:00:00Z", "> SET k 5", "OK",
		"@ test one", "> INCR k", "(integer) 6", "@ advance 1s", "> TIME", `1) "1704067201"`, `2) "0"`,
		"@ test two", "@ only redis", "> INCR k", "(integer) 7",
		"@ test three", "> INCR k", "(integer) 6")
	require.Equal(t, []string{"one", "two", "three"}, []string{f.Tests()[0].Name, f.Tests()[1].Name, f.Tests()[2].Name})
	out, err := f.Run(wholeWorld())
	require.NoError(t, err)
	require.Empty(t, out.Mismatches)
	require.Equal(t, 1, out.LeftOut)
}

func TestTables(t *testing.T) {
	table := []string{"@ table", "| key | n | reply |", "|-----|---|-------|", "| a | 2 | 3 |", `| "b c" | 7 | 8 |`,
		"> SET {key} {n}", "OK", "> INCR {key}", "(integer) {reply}", "@ advance {n}s", "@ only miniserver",
		"> GET {key}", `"{reply}"`, "@ end", "@ end"}
	require.Empty(t, mismatches(t, append(table, "> GET 'b c'", `"8"`)...))
	table[4] = `| "b c" | 7 | 9 |`
	require.Equal(t, "test.txt:8: > INCR {key}\n  in the row | \"b c\" | 7 | 9 |\n  expected\n    (integer) 9\n"+
		"  got\n    (integer) 8\n"+
		"test.txt:12: > GET {key}\n  in the row | \"b c\" | 7 | 9 |\n  expected\n    \"9\"\n  got\n    \"8\"\n",
		mismatches(t, table...))
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		expected, command string
		fits              bool
	}{
		{"<any>", "EVAL 'return {1,{2,3}}' 0", true},
		{"1) <any>", "EVAL 'return {1}' 0", true},
		{"1) <any>", "EVAL 'return {1,2}' 0", false},
		{"/^[a-f]+$/", "ECHO abc", true},
		{"/^[a-f]+$/", "ECHO abg", false},
		{`/^"abc"$/`, "ECHO abc", true},
		{"1) /^[0-9]+-0$/\n2) (integer) 2", `EVAL "return {'17-0', 2}" 0`, true},
		{"1) /^[0-9]+-0$/\n2) (integer) 3", `EVAL "return {'17-0', 2}" 0`, false},
		{"<lines>\n3) /3/", `EVAL "return {1,2,3}" 0`, true},
		{"(error) /^ERR usage/", `EVAL "return redis.error_reply('ERR usage: x')" 0`, true},
		{"1) (integer) /^[0-9]{3}$/", `EVAL "return {123}" 0`, true},
		{"1) (integer) /^[0-9]{3}$/", `EVAL "return {1234}" 0`, false},
		{"/usage/", `EVAL "return redis.error_reply('ERR usage: x')" 0`, true},
		{"<first 1>", "EVAL 'return {1,2}' 0", true},
		{"<first 0 | 1>", "EVAL 'return 1' 0", true},
		{"<first 2>", "EVAL 'return {1,2}' 0", false},
		{"<not first 1>", "EVAL 'return {1,2}' 0", false},
		{"<not first 1>", "EVAL 'return {2,1}' 0", true},
		{"<first nil>", "GET nothing", true},
		{"<first OK>", "SET k v", true},
		{"<at most 3>", "EVAL 'return 3' 0", true},
		{"<at most 3>", "EVAL 'return 4' 0", false},
		{"<at least 3>", "EVAL 'return {3}' 0", true},
		{"<at least 3>", "ECHO many", false},
	} {
		require.Equal(t, c.fits, mismatches(t, "> "+c.command, c.expected) == "", "%s %s", c.command, c.expected)
	}
}

func TestErrorReplies(t *testing.T) {
	require.Empty(t, mismatches(t, "> GET", "(error) ERR wrong number of arguments for 'get' command", "> GET",
		"/wrong number/"))
}

func TestErrorsInTestsNameTheLine(t *testing.T) {
	random := func(lines string) string { return "@ random\n> EVAL @one.lua 0\n" + lines + "\n@ end\n" }
	for text, want := range map[string]string{
		"> EVAL @no.lua 0":               ":1: cannot read the script: no.lua is not there",
		"advance 1s":                     `:1: a reply without a command: advance 1s (a command begins with "> "`,
		"@ advance 1 minute":             ":1: bad directive: @ advance 1 minute (@ advance 1m30s",
		"@ advance -1s":                  ":1: bad directive",
		"@ advance 99999999d":            ":1: bad directive",
		"@ freeze at noon":               ":1: bad directive: @ freeze at noon (@ freeze at 2024-",
		"@ advence 1s":                   ":1: bad directive: @ advence 1s (the directives are test, advance",
		"@ for i = 1..9999999\n> INCR k": ":1: bad directive",
		"@ for i = -9223372036854775807..9223372036854775807\n> INCR k": ":1: bad directive",
		"@ let a = 999999999999 * a":                                    ":1: bad directive",
		"@ test":                                                        ":1: the test has no name",
		"@ test a\n@ test a":                                            `:2: the test "a" already exists in line 1`,
		"@ table\n| a |\n| 1 |\n> PING":                                 ":1: the table has no @ end",
		"@ table\n| a |\n@ end":                                         ":1: the table has no rows",
		"@ table\n> PING":                                               ":1: the table has no rows",
		"@ table\n| a | a |\n| 1 | 2 |\n@ end":                          ":2: two columns are named a",
		"@ table\n| a b |\n| 1 |\n@ end":                                `:2: "a b" is not a valid name`,
		"@ table\n| a |\n| 1 | 2 |\n@ end": ":3: the row has 2 columns, " +
			"but the table has 1",
		"@ table\n| a |\n| 1 |\n@ test b\n@ end":       ":4: a table cannot contain a test",
		"@ table\n| a |\n| 1 |\n@ table\n@ end\n@ end": ":4: a table cannot contain another table",
		"@ table\n| a |\n| x |\n@ advance {a}\n@ end": ":4: bad directive: @ advance x (@ advance 1m30s; " +
			"units are d h m s ms), in the row | x |",
		"| a |":                                  ":1: a row without a table",
		"> PING\n/(/":                            ":2: bad regular expression",
		"> PING\n<at most three>":                ":2: at most needs a number",
		"> PING\n\x00":                           ":2: not a text file",
		"> PING\n\xff\xfe":                       ":2: not a text file",
		"@ random\n> EVAL @one.lua 0":            ":1: the random load has no @ end",
		"@ random\ninvariant: reply is 1\n@ end": ":1: the random load has no command",
		random(""):                               ":1: the random load has no invariant",
		random("invariant: at most 3 pass in any 60s"):             ":3: which reply means that a request passed?",
		random("invariant: at most three pass"):                    ":3: bad invariant: at most three pass (forms are",
		random("pass: 1\ninvariant: at most 3 pass per user"):      ":4: the load has no variable user",
		random("pass: 1\nuser: a\ninvariant: at most 3 user pass"): ":5: the load has no variable user with numbers",
		random("pass: 1\ninvariant: at least 3 pass in any 60s"):   `:4: "at least" counts the whole load`,
		random("invariant: TTL k at most many"):                    ":3: bad invariant",
		random("commands: 0"):                                      ":3: bad line in a random load: commands: 0",
		random("commands: 99999999"):                               ":3: bad line in a random load",
		random("over: never"):                                      ":3: bad line in a random load",
		random("n: 5..1"):                                          ":3: bad line in a random load",
		random("n: 1\nn: 2"):                                       ":4: bad line in a random load",
		random("nonsense"): ":3: bad line in a random load: nonsense " +
			"(expected: commands",
		random("> EVAL @no.lua 0"): ":3: cannot read the script",
	} {
		_, err := parseWith("test.txt", text, readFake)
		require.ErrorContains(t, err, "test.txt"+want, "%q", text)
	}
}

func TestVariablesHaveAnEnd(t *testing.T) {
	line := "> ECHO {a}\n"
	_, err := parseWith("test.txt", "@ let a = 16000000 * a\n"+strings.Repeat(line, 20), readFake)
	require.ErrorContains(t, err, "test.txt:18: the variables of the file expand to more than 256 MB")
	rows, body := strings.Repeat("| 1 |\n", 300), strings.Repeat("> PING\n", 1000)
	_, err = parseWith("test.txt", "@ table\n| a |\n"+rows+body+"@ end\n", readFake)
	require.ErrorContains(t, err, "more than 200000 commands")
	f := parseFake(t, "@ let a = 16000000 * a", "> ECHO {a}{a}{a}")
	require.Equal(t, "{a}{a}{a}", f.steps[0].args[1])
}

func TestUpdateIsIdempotent(t *testing.T) {
	const text = "# header\r\n> SET k v\r\n\r\n@ test one\r\n> GET k\r\nold\r\n> INCR n\r\n(integer) <int>\r\n" +
		"@ table\r\n| key |\r\n| a |\r\n| b |\r\n> SET {key} {key}\r\n> GET {key}\r\n\"{key}\"\r\n@ end\r\n" +
		"@ test two\r\n> ECHO x\r\n@ random\r\n> EVAL @one.lua 0\r\ninvariant: reply is 1\r\n@ end\r\n"
	f, err := parseWith("test.txt", text, readFake)
	require.NoError(t, err)
	once, err := f.Update(wholeWorld(), nil)
	require.NoError(t, err)
	require.Equal(t, strings.NewReplacer("> SET k v\r\n", "> SET k v\r\nOK\r\n", "old", `"v"`, "> SET {key} {key}\r\n",
		"> SET {key} {key}\r\nOK\r\n", "> ECHO x\r\n", "> ECHO x\r\n\"x\"\r\n").Replace(text), once)
	f, err = parseWith("test.txt", once, readFake)
	require.NoError(t, err)
	twice, err := f.Update(wholeWorld(), nil)
	require.NoError(t, err)
	require.Equal(t, once, twice)
}

func TestUpdateChangesTheChosenTestsOnly(t *testing.T) {
	f := parseFake(t, "@ test one", "> ECHO 1", "@ test two", "> ECHO 2")
	text, err := f.UpdateTests(wholeWorld(), nil, f.Tests()[1:])
	require.NoError(t, err)
	require.Equal(t, "@ test one\n> ECHO 1\n@ test two\n> ECHO 2\n\"2\"\n", text)
}

func TestUpdateCannotWriteOneReplyForManyRows(t *testing.T) {
	f := parseFake(t, "@ table", "| n |", "| 1 |", "| 2 |", "> ECHO {n}", "@ end")
	_, err := f.Update(wholeWorld(), nil)
	require.EqualError(t, err, "test.txt:5: the rows of the table have different replies: make the reply a column")
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ expected, got, diff string }{
		{"a\nb\nc", "a\nc", "  a\n- b\n  c"},
		{"a\n<int>", "a\n7\n8", "  a\n  7\n+ 8"},
		{"", "OK", "- (no reply)\n+ OK"},
		{"x", "y", "- x\n+ y"},
	} {
		require.Equal(t, c.diff, Diff(c.expected, c.got))
	}
	long := strings.Repeat("a\n", longest)
	require.Equal(t, 2*longest+2, strings.Count(Diff(long, long), "\n")+1)
}

func TestEndlessScriptsAreKilled(t *testing.T) {
	for _, script := range []string{"while true do end",
		"while true do pcall(function() while true do redis.pcall('PING') end end) end"} {
		w := wholeWorld()
		w.Patience = 50e6
		_, err := parseFake(t, "> PING", "PONG", fmt.Sprintf("> EVAL %q 0", script)).Run(w)
		require.EqualError(t, err, "test.txt:3: the script ran for 50ms and was killed: does it end?")
		out, err := parseFake(t, "> EVAL @one.lua 0", "(integer) 1").Run(w)
		require.NoError(t, err)
		require.Empty(t, out.Mismatches)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# header\n@ test a\n> EVAL @one.lua 1 k\n(integer) 1\na> BLPOP q 0\n@ advance 1s\na<\n/x/\n")
	f.Add("@ table\n| a | b |\n|---|---|\n| 1 | \"x y\" |\n> SET {a} {b}\n<first OK>\n@ end\n")
	f.Add("@ random\ncommands: 9\nover: 1m\nuser: a | b\nn: 1..3\nid: counter\n" +
		"> EVAL @limiter.lua 1 {user} 3 60\npass: 1\n" +
		"invariant: at most 3 n pass in any 60s per user\ninvariant: TTL {user} never -1\n@ end\n")
	f.Add("@ let a =\n| x\n@ for i = 1..3\n@ only redis\n@ freeze at 2024-01-01\n@ config a b\n@ resp 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseWith("test.txt", text, readFake)
		if err != nil {
			require.Regexp(t, `^test\.txt:\d+: `, err.Error())
			return
		}
		for _, test := range file.Tests() {
			for _, s := range test.steps() {
				require.LessOrEqual(t, s.replyEnd, len(file.lines))
				if s.kind == stepRandom {
					require.Len(t, s.load.draw(1), s.load.count)
				}
				file.reply(s)
			}
			test.Sent()
		}
		again, err := file.rewritten(nil) // nothing was seen, so nothing changes
		require.NoError(t, err)
		if file.crlf {
			again = strings.ReplaceAll(again, "\r\n", "\n")
		}
		require.Equal(t, strings.Join(file.lines, "\n")+"\n", again)
	})
}
