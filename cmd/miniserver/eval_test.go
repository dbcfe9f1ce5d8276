package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/reference"
)

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
	got, err := evaluated(t, "redis.call('SET', KEYS[1], ARGV[1]) return {redis.call('GET', KEYS[1]), 7, {1}}", "k", ",", "v")
	require.NoError(t, err)
	require.Equal(t, "1) \"v\"\n2) (integer) 7\n3) 1) (integer) 1\n", got)
}

// TestEvalProfiles: each line shows how often it ran, and its calls.
func TestEvalProfiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script.lua")
	body := "#!lua\n-- counts\nfor i = 1, 3 do\n  redis.call('INCR', KEYS[1])\nend\nif not KEYS[1] then\n  return 'never'\nend\nreturn 'done'\n"
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

// table returns the lines of a text; the figures in front of those that have some with one space between.
func table(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if figures, source, ok := strings.Cut(line, " | "); ok && strings.TrimSpace(figures) != "" {
			lines[i] = strings.Join(strings.Fields(figures), " ") + " | " + source
		}
	}
	return lines
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
		script := "for i, name in ipairs{'DEBUG', 'VERBOSE', 'NOTICE', 'WARNING'} do redis.log(redis['LOG_' .. name], '" + level + "', i) end"
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
