package script

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/cli/subcommand"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// run runs a sub-command as package cli does.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	all := []*subcommand.Subcommand{Eval(), Repl(), Debug()}
	s := all[slices.IndexFunc(all, func(s *subcommand.Subcommand) bool { return s.Name == args[0] })]
	return s.Do(ctx, args[1:], in, out)
}

// evaluated runs a script by the program and returns what it prints.
func evaluated(t *testing.T, body string, args ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script.lua")
	require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
	var out strings.Builder
	err := run(context.Background(), append([]string{"eval", path}, args...), nil, &out)
	return out.String(), err
}

func TestEvalTakesKeysAndArguments(t *testing.T) {
	const body = "return {#KEYS, #ARGV, KEYS[1], ARGV[1]}"
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "0\n0\n"},
		{[]string{"k"}, "1\n0\nk\n"},
		{[]string{"k", "l", ",", "a"}, "2\n1\nk\na\n"},
		{[]string{",", "a", ","}, "0\n2\n\na\n"},
		{[]string{"k,", "a"}, "2\n0\nk,\n"},
	} {
		got, err := evaluated(t, strings.Replace(body, "KEYS[1]", "KEYS[1] or (ARGV[1] and '')", 1), c.args...)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.args)
	}
}

func TestEvalPrintsForPeopleOnATerminal(t *testing.T) {
	t.Setenv("FAKETTY", "1")
	got, err := evaluated(t, "redis.call('SET', KEYS[1], ARGV[1]) return {redis.call('GET', KEYS[1]), 7, {1}}",
		"k", ",", "v")
	require.NoError(t, err)
	require.Equal(t, "1) \"v\"\n2) (integer) 7\n3) 1) (integer) 1\n", got)
}

// TestEvalProfiles: each line shows how often it ran, and its calls.
func TestEvalProfiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script.lua")
	body := "#!lua\n-- counts\nfor i = 1, 3 do\n  redis.call('INCR', KEYS[1])\nend\nif not KEYS[1] then\n" +
		"  return 'never'\nend\nreturn 'done'\n"
	require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"eval", "--profile", path, "k"}, nil, &out))
	figures := regexp.MustCompile(`\d+\.\d`)
	require.Equal(t, []string{
		"done", "",
		"    hits         us    calls         us",
		strings.Repeat(" ", 39) + " | #!lua",
		strings.Repeat(" ", 39) + " | -- counts",
		"1 T 0 T | for i = 1, 3 do",
		"3 T 3 T |   redis.call('INCR', KEYS[1])",
		strings.Repeat(" ", 39) + " | end",
		"1 T 0 T | if not KEYS[1] then",
		"0 T 0 T |   return 'never'",
		strings.Repeat(" ", 39) + " | end",
		"1 T 0 T | return 'done'",
	}, table(figures.ReplaceAllString(out.String(), "T")))
}

// table returns the lines of a text; the figures in front of those that have some with one space
// between.
func table(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if figures, source, ok := strings.Cut(line, " | "); ok && strings.TrimSpace(figures) != "" {
			lines[i] = strings.Join(strings.Fields(figures), " ") + " | " + source
		}
	}
	return lines
}

// counts is a script that counts a key's runs within a second.
const counts = `local n = redis.call('INCR', KEYS[1])
if n == 1 then
	redis.call('PEXPIRE', KEYS[1], 1000)
end
return {n, redis.call('TIME')[1]}`

func TestEvalRepeatsOnAClock(t *testing.T) {
	for _, c := range []struct {
		options string
		want    string
	}{
		{"--times 3 --at 60000", "[1,\"60\"]\n[2,\"60\"]\n[3,\"60\"]\ndatabase 0\n\"k\" string \"3\", ttl 1000\n"},
		{"--times 3 --at 1970-01-01T00:01:00Z --advance 600ms",
			"[1,\"60\"]\n[2,\"60\"]\n[1,\"61\"]\ndatabase 0\n\"k\" string \"1\", ttl 1000\n"},
		{"--times=2 --at=1970-01-01T01:01:00.5+01:00 --advance=1m",
			"[1,\"60\"]\n[1,\"120\"]\ndatabase 0\n\"k\" string \"1\", ttl 1000\n"},
		{"--times 0", ""},
	} {
		var out strings.Builder
		args := append(strings.Fields("eval --json --show-keys "+c.options), "-", "k")
		require.NoError(t, run(t.Context(), args, strings.NewReader(counts), &out), c.options)
		require.Equal(t, c.want, out.String(), c.options)
	}
}

func TestEvalLoadsData(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data.txt")
	require.NoError(t, os.WriteFile(data, []byte("SET k 41\nSELECT 1\nSET other x\n"), 0o600))
	var out strings.Builder
	require.NoError(t, run(t.Context(), []string{"eval", "--load", data, "-", "k"}, strings.NewReader(counts), &out))
	require.True(t, strings.HasPrefix(out.String(), "42\n"), out.String())
	require.Error(t, run(t.Context(), []string{"eval", "--load", data + "x", "-"}, strings.NewReader(""), &out))
}

func TestEvalSeeds(t *testing.T) {
	random := func(options ...string) string {
		var out strings.Builder
		args := append(append([]string{"eval"}, options...), "-", "k")
		body := "redis.call('SADD', KEYS[1], 1, 2, 3, 4, 5, 6, 7, 8, 9) return {math.random(1e6), " +
			"redis.call('SRANDMEMBER', KEYS[1], -9)}"
		require.NoError(t, run(t.Context(), args, strings.NewReader(body), &out))
		return out.String()
	}
	require.Equal(t, random("--seed", "7"), random("--seed", "7"))
	require.NotEqual(t, random("--seed", "7"), random("--seed", "8"))
	require.NotEqual(t, random(), random())
}

func TestRepliesAsJSON(t *testing.T) {
	for body, want := range map[string]string{
		`return {1, "a", {}, false, {ok="fine"}, {err="XX no"}, "a<b", "\255"}`: `[1,"a",[],null,"fine",{"error":"XX no"},"a<b",{"base64":"/w=="}]`,
		"return nil":       `null`,
		"return {{{'a'}}}": `[[["a"]]]`,
	} {
		var out strings.Builder
		require.NoError(t, run(t.Context(), []string{"eval", "--json", "-"}, strings.NewReader(body), &out))
		require.Equal(t, want+"\n", out.String(), body)
	}
}

func TestErrorsShowTheirLine(t *testing.T) {
	for _, c := range []struct{ source, message, want string }{
		{"local a = 1\n\treturn a + state[1]\n",
			"ERR user_script:2: attempt to index global 'state' (a nil value) script: 12ab, on @user_script:2.",
			"f.lua:2: attempt to index global 'state' (a nil value)\n  2 | \treturn a + state[1]\n" +
				"    | \t           ^\n"},
		{"  return )", "ERR Error compiling script (new function): user_script:1: unexpected symbol near ')'",
			"f.lua:1: unexpected symbol near ')'\n  1 |   return )\n    |   ^\n"},
		{"é = id; x = d", "ERR user_script:1: bad 'd'", "f.lua:1: bad 'd'\n  1 | é = id; x = d\n    |             ^\n"},
		{"return 1", "ERR user_script:7: no such line", ""},
		{"return 1", "WRONGTYPE no line", ""},
		{"return 1", "ERR user_script:99999999999999999999: no number", ""},
	} {
		var out strings.Builder
		explain(&out, "f.lua", c.source, c.message)
		require.Equal(t, c.want, out.String())
	}
}

func TestEvalRefusesOptions(t *testing.T) {
	for args, want := range map[string]string{
		"--nosuch - k":               "unknown option '--nosuch'",
		"--seed x -":                 "--seed \"x\": must be",
		"--seed":                     "--seed needs a value",
		"--at noon -":                "invalid time \"noon\"",
		"--at -5 -":                  "invalid time \"-5\"",
		"--at 1e30 -":                "invalid time \"1e30\"",
		"--at 9223372036854775807 -": "invalid time \"9223372036854775807\"",
		"--times -1 -":               "must not be negative",
		"--advance -1s -":            "must not be negative",
		"--advance 5 -":              "--advance \"5\": must be",
		"":                           "usage: miniserver eval",
		"--json --show-keys ":        "usage: miniserver eval",
	} {
		err := run(t.Context(), append([]string{"eval"}, strings.Fields(args)...),
			strings.NewReader("return 1"), io.Discard)
		require.ErrorContains(t, err, want, args)
		require.ErrorContains(t, err, "usage: miniserver eval", args)
		require.ErrorAs(t, err, new(subcommand.UsageError), args)
	}
}

func TestEvalFails(t *testing.T) {
	got, err := evaluated(t, "return redis.call('INCR')", "k")
	require.ErrorIs(t, err, errReply)
	require.Contains(t, got, "Wrong number of args calling Redis command from script")
	require.ErrorContains(t, run(context.Background(), []string{"eval"}, nil, nil), "usage: ")
	require.ErrorContains(t, run(context.Background(), []string{"eval", "no.lua"}, nil, nil), "no such file")
}

func TestEvalIsEndedByTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop.lua")
	require.NoError(t, os.WriteFile(path, []byte("while true do end"), 0o600))
	for _, when := range []time.Duration{0, 50 * time.Millisecond} { // before it begins, and while it runs
		ctx, stop := context.WithTimeout(context.Background(), when)
		defer stop()
		var out strings.Builder
		require.ErrorIs(t, run(ctx, []string{"eval", path}, nil, &out), errReply)
		require.Contains(t, out.String(), "Script killed by user")
	}
}

// TestEvalPrintsWhatRedisCLIPrints gives the same scripts to both, with a terminal and without.
func TestEvalPrintsWhatRedisCLIPrints(t *testing.T) {
	cli := reference.Require(t, "redis-cli")
	redis := reference.Start(t)
	for _, body := range []string{
		"return 1", "return 'a\\nb'", "return nil", "return {}", "return {ok='fine'}", "return {err='ERR no'}",
		"return {1, {2, {}, 'x'}, false}", "return redis.call('SET', 'k', 1)", "return error('x')", "return nosuch",
		"return {KEYS[1], ARGV[1]}",
	} {
		for _, env := range []string{"FAKETTY=1", "NOTTY=1"} {
			name, value, _ := strings.Cut(env, "=")
			t.Run(body, func(t *testing.T) {
				t.Setenv(name, value)
				path := filepath.Join(t.TempDir(), "script.lua")
				require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
				want, err := exec.Command(cli, "-s", redis.Socket, "--eval", path, "k", ",", "a").Output()
				require.NoError(t, err)
				got, _ := evaluated(t, body, "k", ",", "a")
				require.Equal(t, string(want), got)
			})
		}
	}
}

// TestScriptsLog looks for what scripts log, from the level on that loglevel names.
func TestScriptsLog(t *testing.T) {
	var log strings.Builder
	e := engine.New(engine.Options{Clock: func() int64 { return 1 }})
	assembly.Join(e, assembly.Options{Log: &log, Volatile: true})
	session := e.NewSession(nil)
	for _, level := range []string{"notice", "debug", "nothing"} {
		script := "for i, name in ipairs{'DEBUG', 'VERBOSE', 'NOTICE', 'WARNING'} do redis.log(redis['LOG_' .. " +
			"name], '" + level + "', i) end"
		o := e.Do(session, [][][]byte{
			{[]byte("CONFIG"), []byte("SET"), []byte("loglevel"), []byte(level)},
			{[]byte("EVAL"), []byte(script), []byte("0")},
		})
		require.Equal(t, "+OK\r\n$-1\r\n", string(o.Out))
	}
	var lines []string
	for line := range strings.Lines(log.String()) {
		fields := strings.Fields(line)
		lines = append(lines, strings.Join(fields[len(fields)-3:], " "))
	}
	require.Equal(t, []string{"* notice 3", "# notice 4", ". debug 1", "- debug 2", "* debug 3", "# debug 4"}, lines)
}

// TestEvalWritesReports: coverage and profiles go to files, whose names say in which format.
func TestEvalWritesReports(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "script.lua")
	require.NoError(t,
		os.WriteFile(path, []byte("if KEYS[1] then\n  return redis.call('INCR', KEYS[1])\nend\nreturn 0"), 0o600))
	for option, want := range map[string]string{
		"--cover=lines.info":    "^TN:\nSF:.*/script.lua\nFN:1,main chunk\nFNDA:3,main chunk\n(?s:.*)\nDA:4,0\n",
		"--cover=lines.txt":     `^.*/script.lua: 2 of 3 lines \(66\.7 %\), 1 of 2 branches \(50\.0 %\)`,
		"--profile=times.svg":   "^<svg (?s:.*)redis.call INCR",
		"--profile=times.pb.gz": "^\x1f.",
		"--profile=times.txt":   `^\d+\.\d+ ms in scripts\n(?s:.*) 3  redis\.call INCR\n`,
	} {
		name, file, _ := strings.Cut(option, "=")
		var out strings.Builder
		require.NoError(t, run(t.Context(),
			[]string{"eval", "--times", "3", name + "=" + filepath.Join(folder, file), path, "k"}, nil, &out))
		require.Equal(t, "1\n2\n3\n", out.String())
		report, err := os.ReadFile(filepath.Join(folder, file))
		require.NoError(t, err)
		require.Regexp(t, want, string(report), option)
	}
	require.Error(t, run(t.Context(), []string{"eval", "--cover", filepath.Join(folder, "missing", "x"), path},
		nil, io.Discard))
}
