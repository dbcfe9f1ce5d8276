package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Slow functions, like the scripts of slow_test.go.

const (
	busyFunction = "(error) BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE."
	slowLibrary  = "#!lua name=slow\n" +
		"redis.register_function('forever', function() " + forever + " end)\n" +
		"redis.register_function('calls', function() while true do redis.call('GET', 'k') end end)\n" +
		"redis.register_function('pcalls', function() while true do pcall(function() " + forever + " end) end end)\n" +
		"redis.register_function('writes', function() redis.call('SET', 'k', 'v') " + held + " return 'done' end)"
)

func (c *client) load(library string) string {
	c.send([]string{"FUNCTION", "LOAD", library})
	return c.next()
}

// awaitSlow waits until a function is slow.
func (c *client) awaitSlow() {
	c.t.Helper()
	c.await(busyFunction, "the server did not become busy with a function")
}

func TestSlowFunctions(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	require.Equal(t, `"slow"`, a.load(slowLibrary))
	idle := b.ask("FUNCTION STATS")
	require.Contains(t, idle, "\"running_script\"\n2) (nil)")
	require.Equal(t, "(error) NOTBUSY No scripts in execution right now.", b.ask("FUNCTION KILL"))
	for _, name := range []string{"forever", "calls", "pcalls"} {
		a.send([]string{"FCALL", name, "1", "key", "arg"})
		b.awaitSlow()
		for _, line := range []string{"SCRIPT KILL", "GET k", "FUNCTION LIST", "FUNCTION FLUSH", "FCALL writes 0",
			"EVAL return 0", "SHUTDOWN"} {
			require.Equal(t, busyFunction, b.ask(line), line)
		}
		stats := b.ask("FUNCTION STATS")
		require.Contains(t, stats,
			"1) \"name\"\n   2) \""+name+"\"\n   3) \"command\"\n   4) 1) \"FCALL\"\n      2) \""+name+
				"\"\n      3) \"1\"\n      4) \"key\"\n      5) \"arg\"\n   5) \"duration_ms\"\n   6) (integer) ")
		require.Equal(t, "OK", b.ask("FUNCTION KILL"))
		require.Contains(t, a.next(), killedText+name+", on @user_function:")
		require.Equal(t, idle, a.ask("FUNCTION STATS"))
	}
	a.send([]string{"FCALL", "writes", "0"})
	b.awaitSlow()
	for _, line := range []string{"FUNCTION KILL", "SCRIPT KILL"} {
		require.Contains(t, b.ask(line), "(error) UNKILLABLE", line)
	}
	s.letGo(1)
	require.Equal(t, `"done"`, a.next())
}

// While a script is slow, the commands about functions refer to SCRIPT KILL. In a transaction with
// both, the kind of the program that runs counts.
func TestFunctionsBesideSlowScripts(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	require.Equal(t, `"slow"`, a.load(slowLibrary))
	a.eval(forever)
	b.awaitBusy()
	for _, line := range []string{"FUNCTION KILL", "FUNCTION STATS", "FCALL forever 0"} {
		require.Equal(t, busy, b.ask(line), line)
	}
	require.Equal(t, "OK", b.ask("SCRIPT KILL"))
	require.Contains(t, a.next(), killedText)

	a.send([]string{"MULTI"}, []string{"EVAL", forever, "0"}, []string{"FCALL", "forever", "0"}, []string{"EXEC"})
	b.awaitBusy()
	require.Equal(t, "OK", b.ask("SCRIPT KILL"))
	b.awaitSlow()
	require.Contains(t, b.ask("FUNCTION STATS"), `"forever"`)
	require.Equal(t, "OK", b.ask("FUNCTION KILL"))
	for _, want := range []string{"OK", "QUEUED", "QUEUED"} {
		require.Equal(t, want, a.next())
	}
	replies := a.next()
	require.Equal(t, 2, strings.Count(replies, "Script killed by user with SCRIPT KILL..."), replies)
}

func TestALibraryMayNotLoadForever(t *testing.T) {
	s := newSlowServer(t)
	a := s.dial()
	for _, code := range []string{forever, "local t = {} while true do t[1] = ('x'):rep(1000) end"} {
		require.Equal(t, "(error) ERR Error registering functions: ERR FUNCTION LOAD timeout",
			a.load("#!lua name=slow\n"+code))
	}
	require.Equal(t, "(empty array)", a.ask("FUNCTION LIST"))
}

func TestALibraryIsBoundedInMemory(t *testing.T) {
	e := newEngine()
	e.With(func() {
		err := e.Parts.Libraries.Restore(e.Home(), [][]byte{[]byte("#!lua name=large\nlocal s = ('x'):rep(1e9)")},
			engine.Append)
		require.EqualError(t, err, "ERR Error registering functions: ERR not enough memory")
	})
}

// A function that fails, or runs out of memory, leaves no trace in the sandbox of the next program.
func TestProgramsAreKeptApart(t *testing.T) {
	s := newSlowServer(t)
	a := s.dial()
	require.Equal(t, `"apart"`, a.load("#!lua name=apart\nlocal kept = 0\n"+
		"redis.register_function('fails', function() kept = kept + 1 local s = ('x'):rep(1e9) end)\n"+
		"redis.register_function('kept', function() return kept end)"))
	for i := range 3 {
		require.Contains(t, a.ask("FCALL fails 0"), "not enough memory script: fails")
		require.Equal(t, fmt.Sprintf("(integer) %d", i+1), a.ask("FCALL kept 0"))
		a.eval("return #KEYS + #ARGV + redis.call('EXISTS', 'k')")
		require.Equal(t, "(integer) 0", a.next())
		require.Contains(t, a.load("#!lua name=bad\nredis.call('PING')"), "nonexistent global variable 'call'")
	}
}
