package e2e

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
)

// Libraries of functions are kept as data are, in files that redis-server reads too.

// libraries are sources of all kinds: short, long enough to be packed, with bytes that are no text.
var libraries = []string{
	"#!lua name=a\nredis.register_function('fa', function() return 'a' end)",
	"#!lua name=b\n" + strings.Repeat("-- the same again\n", 100) +
		"redis.register_function('fb', function() return 'b' end)",
	"#!lua name=c\n-- \xff\x01\r\n" +
		"redis.register_function{function_name='fc', callback=function() return 'c' end, description='\xfe'}",
}

// host executes commands: a server of ours or redis-server.
type host struct {
	t   *testing.T
	ask func(args ...string) resp.Value
}

// ours returns an engine that has loaded the files in dir, with settings as options of the program,
// and its host.
func ours(t *testing.T, dir string, args ...string) (*assembly.Assembly, host) {
	made := assembly.New(assembly.Options{})
	var fixtures []string
	for i := 0; i < len(args); i += 2 {
		if args[i] == "--load" {
			fixtures = append(fixtures, args[i+1])
			continue
		}
		param := made.Engine.Params.Named(strings.TrimPrefix(args[i], "--"))
		require.NoError(t, param.SetWords(strings.Fields(args[i+1])))
	}
	require.NoError(t, made.Engine.Params.Named("enable-debug-command").Set("yes"))
	require.NoError(t, made.Engine.Params.Named("dir").Set(dir))
	require.NoError(t, made.Load(fixtures...))
	return made, hostOf(t, made.Engine)
}

func hostOf(t *testing.T, e *engine.Engine) host {
	s := e.NewSession(nil)
	return host{t, func(args ...string) resp.Value {
		command := make([][]byte, len(args))
		for i, arg := range args {
			command[i] = []byte(arg)
		}
		v, err := resp.NewReader(bytes.NewReader(e.Do(s, [][][]byte{command}).Out)).Read()
		require.NoError(t, err)
		return v
	}}
}

// theirs returns a redis-server as a host.
func theirs(t *testing.T) (*reference.Server, host) {
	server := reference.Start(t)
	conn := server.Dial(t)
	in := resp.NewReader(conn)
	return server, host{t, func(args ...string) resp.Value {
		out := resp.NewWriter(2)
		out.Command(args...)
		_, err := conn.Write(out.Bytes())
		require.NoError(t, err)
		v, err := in.Read()
		require.NoError(t, err)
		return v
	}}
}

// ok runs a command, which must not fail.
func (h host) ok(args ...string) resp.Value {
	h.t.Helper()
	v := h.ask(args...)
	require.False(h.t, v.IsError(), "%.60q: %s", args, v)
	return v
}

// run runs lines of commands, none of which may fail.
func (h host) run(lines ...string) {
	h.t.Helper()
	for _, line := range lines {
		words, _ := resp.Words([]byte(line), nil)
		args := make([]string, len(words))
		for i, w := range words {
			args[i] = string(w)
		}
		h.ok(args...)
	}
}

// load loads libraries.
func (h host) load(sources []string) {
	h.t.Helper()
	for _, source := range sources {
		h.ok("FUNCTION", "LOAD", source)
	}
}

// has checks that the host has these libraries, and that their functions run.
func (h host) has(sources []string) {
	h.t.Helper()
	var got []string
	for _, l := range h.ok("FUNCTION", "LIST", "WITHCODE").Elems {
		got = append(got, l.Elems[len(l.Elems)-1].Text)
		name := l.Elems[1].Text
		require.Equal(h.t, name, h.ask("FCALL", "f"+name, "0").Text)
	}
	slices.Sort(got)
	require.Equal(h.t, slices.Sorted(slices.Values(sources)), got)
}

func TestSnapshotsHoldLibraries(t *testing.T) {
	dir := t.TempDir()
	_, a := ours(t, dir)
	a.load(libraries)
	a.ok("SET", "k", "v")
	a.ok("SAVE")
	_, b := ours(t, dir)
	b.has(libraries)

	server, redis := theirs(t)
	mine, yours := filepath.Join(dir, "dump.rdb"), filepath.Join(server.Dir, "dump.rdb")
	snapshot, err := os.ReadFile(mine)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(yours, snapshot, 0o644))
	redis.ok("DEBUG", "RELOAD", "NOSAVE")
	redis.has(libraries)
	redis.ok("FUNCTION", "DELETE", "b")
	redis.ok("SAVE")
	snapshot, err = os.ReadFile(yours)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(mine, snapshot, 0o644))
	_, c := ours(t, dir)
	c.has([]string{libraries[0], libraries[2]})
	require.Equal(t, "v", c.ask("GET", "k").Text)
	_, d := ours(t, t.TempDir(), "--load", mine)
	d.has([]string{libraries[0], libraries[2]})

	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"check-rdb", mine}, nil, &out))
	require.Contains(t, out.String(), "[info] 2 libraries of functions")
}

func TestDebugReloadKeepsLibraries(t *testing.T) {
	_, h := ours(t, t.TempDir())
	h.load(libraries[:2])
	h.ok("DEBUG", "RELOAD")
	h.has(libraries[:2])
	h.ok("SET", "k", "v")
	h.ok("SAVE")
	h.load(libraries[2:])
	for range 2 { // because of the key, and because of the libraries
		require.True(t, h.ask("DEBUG", "RELOAD", "NOSAVE", "NOFLUSH").IsError(), "it is there already")
		h.has(libraries)
		h.ok("DEL", "k")
	}
	h.ok("DEBUG", "RELOAD", "NOSAVE", "NOFLUSH", "MERGE")
	h.has(libraries)
	h.ok("DEBUG", "RELOAD", "NOSAVE")
	h.has(libraries[:2])
}

func TestJournalsHoldLibraries(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		dir := t.TempDir()
		args := []string{"--appendonly", "yes", "--aof-use-rdb-preamble", preamble}
		p, h := ours(t, dir, args...)
		h.load(libraries[:1])
		h.ok("FUNCTION", "LOAD", "REPLACE", libraries[0])
		h.ok("BGREWRITEAOF")
		rewritten := func() bool {
			info := h.ok("INFO", "persistence").Text
			return strings.Contains(info, "aof_rewrite_in_progress:0") && strings.Contains(info, "aof_rewrites:1")
		}
		require.Eventually(t, rewritten, time.Minute, time.Millisecond)
		h.load(libraries[1:])
		h.ok("FUNCTION", "DELETE", "b")
		h.ok("FCALL", "fc", "0")
		p.Journal.Close()
		p, h = ours(t, dir, args...)
		h.has([]string{libraries[0], libraries[2]})
		payload := h.ok("FUNCTION", "DUMP").Text
		h.ok("FUNCTION", "FLUSH")
		p.Journal.Close()
		p, h = ours(t, dir, args...)
		h.has(nil)
		h.ok("FUNCTION", "RESTORE", payload)
		p.Journal.Close()
		p, h = ours(t, dir, args...)
		h.has([]string{libraries[0], libraries[2]})
		p.Journal.Close()
	}
}

func TestConvertKeepsLibraries(t *testing.T) {
	dir := t.TempDir()
	_, h := ours(t, dir)
	h.load(libraries)
	h.ok("SET", "k", "v")
	h.ok("SAVE")
	saved, lines, commands := filepath.Join(dir, "dump.rdb"), filepath.Join(dir, "lines"),
		filepath.Join(dir, "commands")
	require.NoError(t, run(t.Context(), []string{"convert", "json", saved, lines}, nil, io.Discard))
	require.NoError(t, run(t.Context(), []string{"convert", "resp", saved, commands}, nil, io.Discard))
	require.NoError(t, run(t.Context(), []string{"convert", "rdb", lines, saved}, nil, io.Discard))
	for _, file := range []string{saved, commands} {
		_, h = ours(t, t.TempDir(), "--load", file)
		h.has(libraries)
		require.Equal(t, "v", h.ask("GET", "k").Text)
	}
}

// The payload of FUNCTION DUMP is redis-server's, and either takes the other's.
func TestLibrariesAreExchanged(t *testing.T) {
	_, redis := theirs(t)
	_, mine := ours(t, t.TempDir())
	dice := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		code := libraries[0]
		for range dice.IntN(60) {
			code += "\n-- " + string([]byte{byte(dice.IntN(4)) + 'a', byte(dice.IntN(256))})
		}
		code = strings.ReplaceAll(code, "\x00", "0")
		mine.ok("FUNCTION", "LOAD", "REPLACE", code)
		redis.ok("FUNCTION", "RESTORE", mine.ok("FUNCTION", "DUMP").Text, "FLUSH")
		redis.has([]string{code})
		mine.ok("FUNCTION", "RESTORE", redis.ok("FUNCTION", "DUMP").Text, "FLUSH")
		mine.has([]string{code})
	}
	mine.load(libraries[1:])
	redis.ok("FUNCTION", "RESTORE", mine.ok("FUNCTION", "DUMP").Text, "REPLACE")
	mine.ok("FUNCTION", "RESTORE", redis.ok("FUNCTION", "DUMP").Text, "FLUSH")
	require.Len(t, mine.ok("FUNCTION", "LIST").Elems, 3)
}
