package testkit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// While a script of one world is slow, it runs without the lock, and clients of other worlds get
// BUSY, log in and out and come and go. The script goes on in its own world: with its keys, cached
// scripts, random numbers, faults and chaos.
func TestSlowScriptBesideAnotherWorld(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 5")
	a, b := connect(t, s), connect(t, s)
	a.ask(t, "MINI.WORLD", "USE", "a")
	b.ask(t, "MINI.WORLD", "USE", "b")
	const script = `local first = redis.call('INCR', KEYS[1])
		while redis.call('INCR', KEYS[1]) < tonumber(ARGV[1]) do redis.call('SADD', KEYS[2], math.random(20)) redis.call('SMEMBERS', KEYS[2]) end
		return {first, redis.call('GET', KEYS[1])}`
	for _, c := range []*connection{a, b} {
		require.Equal(t, "OK", c.ask(t, "MINI.SEED", "42").Text)
		require.Equal(t, "OK", c.ask(t, "MINI.CHAOS", "ORDER", "ON").Text)
		require.Equal(t, "OK",
			c.ask(t, "MINI.FAULT", "ADD", "f", "ON", "COMMAND", "echo", "DO", "ERROR", "ERR no").Text)
	}
	const runs = "20000"
	a.send(t, "EVAL", script, "2", "n", "s", runs)
	busy := func() bool { return strings.HasPrefix(b.ask(t, "GET", "n").Text, "BUSY") }
	require.Eventually(t, busy, 2*time.Minute, time.Microsecond)
	for i := 0; busy(); i++ {
		require.Equal(t, "OK", b.ask(t, "MULTI").Text)
		b.ask(t, "PING")
		b.ask(t, "EXEC")
		b.ask(t, "MINI.FAULT", "CLEAR")
		b.ask(t, "MINI.CHAOS", "ORDER", "OFF")
		b.ask(t, "MINI.CLOCK", "ADVANCE", "1")
		b.ask(t, "EVAL", "return math.random(1000)", "0")
		require.Equal(t, "OK", b.ask(t, "AUTH", "world", fmt.Sprint("b", i%3)).Text)
		s.Do("PING")
	}
	require.Equal(t, runs, a.next(t).Elems[1].Text)
	require.True(t, b.ask(t, "GET", "n").IsNull())

	c := connect(t, s)
	c.ask(t, "MINI.WORLD", "USE", "c")
	c.ask(t, "MINI.SEED", "42")
	c.ask(t, "MINI.CHAOS", "ORDER", "ON")
	require.Equal(t, runs, c.ask(t, "EVAL", script, "2", "n", "s", runs).Elems[1].Text)
	for _, words := range [][]string{{"SMEMBERS", "s"}, {"EVAL", "return math.random(1000)", "0"},
		{"SRANDMEMBER", "s"}} {
		require.Equal(t, c.ask(t, words...), a.ask(t, words...), "undisturbed")
	}
}

// What scripts of one world choose of cjson holds in that world.
func TestWorldsHaveTheirOwnSettingsOfCJSON(t *testing.T) {
	s := miniserver.Run(t)
	a, b := connect(t, s), connect(t, s)
	a.ask(t, "MINI.WORLD", "USE", "a")
	b.ask(t, "MINI.WORLD", "USE", "b")
	const script = "return cjson.encode(1 / 3)"
	for range 2 {
		a.ask(t, "EVAL", "cjson.encode_number_precision(3)", "0")
		require.Equal(t, "0.33333333333333", b.ask(t, "EVAL", script, "0").Text)
		require.Equal(t, "0.333", a.ask(t, "EVAL", script, "0").Text)
		b.ask(t, "SCRIPT", "FLUSH")
		require.Equal(t, "0.333", a.ask(t, "EVAL", script, "0").Text)
		a.ask(t, "SCRIPT", "FLUSH")
		require.Equal(t, "0.33333333333333", a.ask(t, "EVAL", script, "0").Text)
	}
}

// A script that is past its time limit keeps its world, and everybody else out of it, until it is
// killed.
func TestAWorldWithASlowScriptIsNotDropped(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 5")
	a := connect(t, s)
	a.ask(t, "MINI.WORLD", "USE", "a")
	a.send(t, "EVAL", "while true do end", "0")
	require.Eventually(t, func() bool { return strings.HasPrefix(s.Do("GET", "n").Text, "BUSY") }, 2*time.Minute,
		time.Millisecond)
	for _, words := range []string{"DROP a", "RESET a", "FORK a b", "RESTORE nothing"} {
		require.Regexp(t, "^BUSY ", s.Do(append([]string{"MINI.WORLD"}, strings.Fields(words)...)...).Text)
	}
	require.Equal(t, "OK", s.Do("SCRIPT", "KILL").Text)
	require.Regexp(t, "killed", a.next(t).Text)
	require.Equal(t, "a", a.ask(t, "MINI.WORLD", "NAME").Text)
	require.Equal(t, "ERR world 'a' has 1 clients", s.Do("MINI.WORLD", "DROP", "a").Text)
}

// Without the kit there is none of its commands, whichever way one asks.
func TestWithoutTheKit(t *testing.T) {
	with, without := miniserver.Run(t), miniserver.Run(t, "test-kit no")
	var kit []string
	for _, name := range with.Do("COMMAND", "LIST").Strings() {
		if !strings.Contains(name, "|") && (strings.HasPrefix(name, "mini.") || name == "sentinel") {
			kit = append(kit, name)
		}
	}
	require.Equal(t, with.Do("COMMAND", "COUNT").Int-int64(len(kit)), without.Do("COMMAND", "COUNT").Int)
	admin := without.Do("ACL", "CAT", "admin").Strings()
	for _, name := range kit {
		require.Regexp(t, "^ERR unknown command", without.Do(name, "LIST", "x").Text)
		require.Equal(t, strings.HasPrefix(name, "mini."),
			strings.HasSuffix(without.Do(name).Text, "with --test-kit yes"), name)
		require.NotContains(t, without.Do("COMMAND", "LIST").Strings(), name)
		require.True(t, without.Do("COMMAND", "INFO", name).Elems[0].IsNull())
		require.Empty(t, without.Do("COMMAND", "DOCS", name).Elems)
		require.NotContains(t, strings.Join(admin, " "), name)
		require.Regexp(t, "^ERR .*[Uu]nknown command", without.Do("ACL", "SETUSER", "u", "+"+name).Text)
	}
	require.Regexp(t, "^WRONGPASS", without.Do("AUTH", "world", "a").Text)
	require.NotEmpty(t, kit)
	require.NotContains(t, with.Do("MINI.NONE").Text, "test-kit")
}

// What a world has of scripts is its own, also while a function of another world is past its time
// limit.
func TestFunctionsOfAWorldDuringASlowOne(t *testing.T) {
	s := miniserver.Run(t, "busy-reply-threshold 1")
	w := s.NewWorld(t)
	s.Do("FUNCTION", "LOAD", "#!lua name=slow\nredis.register_function('f', function() while true do end end)")
	c := connect(t, s)
	c.send(t, "FCALL", "f", "0")
	require.Eventually(t, func() bool { return strings.Contains(s.Do("FUNCTION", "STATS").String(), "duration_ms") },
		time.Minute, time.Millisecond)
	require.Regexp(t, `libraries_count"\s+2\) \(integer\) 1`, s.Do("FUNCTION", "STATS").String())
	require.Regexp(t, `libraries_count"\s+2\) \(integer\) 0`, w.Do("FUNCTION", "STATS").String())
	require.Equal(t, "OK", s.Do("FUNCTION", "KILL").Text)
	require.True(t, c.next(t).IsError())
}

// Worlds of tests that run at the same time take snapshots of the same name. Each has its own, and
// a world that has taken none finds the last one, also when the world that has taken it is gone.
func TestSnapshotsOfTheSameName(t *testing.T) {
	s := miniserver.Run(t)
	clients := map[string]*connection{}
	for _, name := range []string{"a", "b", "c"} {
		clients[name] = connect(t, s)
		require.Equal(t, "OK", clients[name].ask(t, "MINI.WORLD", "USE", name).Text)
	}
	restored := func(name string) string {
		t.Helper()
		require.Equal(t, "OK", clients[name].ask(t, "MINI.WORLD", "RESTORE", "fixture").Text)
		return clients[name].ask(t, "GET", "k").Text
	}
	for _, name := range []string{"a", "b"} {
		require.Equal(t, "OK", clients[name].ask(t, "SET", "k", name).Text)
		require.Equal(t, "OK", clients[name].ask(t, "MINI.WORLD", "SNAPSHOT", "fixture").Text)
		require.Equal(t, "OK", clients[name].ask(t, "SET", "k", "changed").Text)
	}
	require.Equal(t, []string{"database 0", `-"k" string "a"`, `+"k" string "changed"`},
		clients["a"].ask(t, "MINI.DIFF", "fixture", "a").Strings())
	require.Equal(t, "a", restored("a"))
	require.Equal(t, "b", restored("b"))
	require.Equal(t, "b", restored("c"))
	for _, name := range []string{"b", "a"} {
		require.Equal(t, "OK", clients[name].ask(t, "MINI.WORLD", "USE", "default").Text)
		require.Equal(t, "OK", clients[name].ask(t, "MINI.WORLD", "DROP", name).Text)
	}
	require.Equal(t, "a", restored("c"), "of the worlds that are gone the last one has left its own")
	require.Equal(t, "OK", clients["c"].ask(t, "MINI.WORLD", "FORGET", "fixture").Text)
	require.Equal(t, "ERR there is no snapshot 'fixture'",
		clients["c"].ask(t, "MINI.WORLD", "RESTORE", "fixture").Text)
}
