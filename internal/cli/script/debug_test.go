package script

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	scriptdap "github.com/miniserver-go/miniserver/scripting/dap"
)

const debugged = `local total = 0
local function add(n)
  local twice = n * 2
  total = total + twice
  redis.call('SET', KEYS[1], total)
  redis.log(redis.LOG_DEBUG, 'added', n)
  return total
end
for i = 1, 3 do
  add(i)
end
return {total, ARGV[1]}`

// debuggerAnswers returns what the debugger prints for some lines.
func debuggerAnswers(t *testing.T, lines string, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), append([]string{"debug"}, args...), strings.NewReader(lines), &out)
	return out.String(), err
}

func TestDebugSteps(t *testing.T) {
	script := write(t, "script.lua", debugged)
	out, err := debuggerAnswers(t, "step\n\nbreak 5 if n  ==  2\nprint 'a  b'\nwatch key k\nc\nc\np n\nup\np i\n"+
		"keys\nredis SET 'a key' 1\nback\nbreak 0\nc\nc\nc\n", script, "k", ",", "x")
	require.NoError(t, err)
	require.Equal(t, `* Stopped at 1, stop reason = step over
-> 1   local total = 0
* Stopped at 8, stop reason = step over
-> 8   end
* Stopped at 9, stop reason = step over
-> 9   for i = 1, 3 do
   4     total = total + twice
  #5     redis.call('SET', KEYS[1], total)
   6     redis.log(redis.LOG_DEBUG, 'added', n)
<value> "a  b"
<watch> 1: key k = none
* Stopped at 6, stop reason = a watched value has changed
<watch> 1: key k
  old = none
  new = "2"
-> 6     redis.log(redis.LOG_DEBUG, 'added', n)
<log> debug: added 1
* Stopped at 5, stop reason = break point
->#5     redis.call('SET', KEYS[1], total)
<value> 2
#1 top level:
   10    add(i)
<value> 2
<key> k (written)
<redis> SET a key 1
<reply> "+OK"
* Stopped at 4, stop reason = back
-> 4     total = total + twice
All breakpoints removed.
* Stopped at 6, stop reason = a watched value has changed
<watch> 1: key k
  old = "2"
  new = "6"
-> 6     redis.log(redis.LOG_DEBUG, 'added', n)
<log> debug: added 2
* Stopped at 6, stop reason = a watched value has changed
<watch> 1: key k
  old = "6"
  new = "12"
-> 6     redis.log(redis.LOG_DEBUG, 'added', n)
<log> debug: added 3
12
x
`, out)
}

// TestDebugRestarts: a run begins again with the file as it is, the data as they were, and the same
// breakpoints.
func TestDebugRestarts(t *testing.T) {
	script := write(t, "script.lua", "redis.call('INCR', 'n')\nreturn redis.call('INCR', 'n')")
	out, err := debuggerAnswers(t, "b 2\nhelp\nc\nrestart\nc\nc\nstep\nhelp\nrestart\nc\nc\n", script)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(out, "* Stopped at 1,"))
	require.Equal(t, 3, strings.Count(out, "* Stopped at 2, stop reason = break point"))
	require.Equal(t, 2, strings.Count(out, "->#2   return redis.call('INCR', 'n')\n2\n"))
	require.Contains(t, out,
		"\nrestart                Read the file again and begin again.\nquit, exit             Leave.\n")
	require.Contains(t, out, "The script has ended: restart, or quit.")

	require.NoError(t, os.WriteFile(script, []byte("return 1 + nil"), 0o600))
	out, err = debuggerAnswers(t, "c\nrestart\nquit\n", script)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(out, "ERR user_script:1: attempt to perform arithmetic on a nil value"))
	_, err = debuggerAnswers(t, "c\n", script)
	require.ErrorIs(t, err, errReply)
}

func TestDebugFunctionsWithOptions(t *testing.T) {
	library := write(t, "lib.lua", `#!lua name=lib
local function sum(keys, args)
  local n = redis.call('GET', keys[1]) + args[1]
  return {n, redis.call('TIME')[1], math.random(1000000)}
end
redis.register_function('sum', sum)`)
	data := write(t, "data.txt", "SET k 40\n")
	options := []string{"--load", data, "--at", "5000", "--seed", "7", "--function", "sum", library, "k", ",", "2"}
	out, err := debuggerAnswers(t, "n\np n\nc\n", options...)
	require.NoError(t, err)
	require.Contains(t, out, "* Stopped at 3, stop reason = step over\n")
	require.Contains(t, out, "<value> 42\n42\n5\n")
	again, err := debuggerAnswers(t, "n\np n\nc\n", options...)
	require.NoError(t, err)
	require.Equal(t, out, again)
	out, err = debuggerAnswers(t, "", "--function", "nosuch", library)
	require.ErrorIs(t, err, errReply)
	require.Equal(t, "ERR Function not found\n\n", out)
}

func TestDebugTellsErrors(t *testing.T) {
	script := write(t, "script.lua", "return 1")
	for want, args := range map[string][]string{
		"no such file":                  {script + "x"},
		"usage: miniserver debug":       {},
		"stdin is for the commands":     {"-"},
		"the editor says what to debug": {"--dap", script},
		"needs a loopback address":      {"--dap-listen", "0.0.0.0:0"},
		"loopback address, such":        {"--dap-listen", "nonsense"},
		"Missing library metadata":      {"--function", "f", script},
		"invalid time":                  {"--at", "noon", script},
		"unknown option '--nosuch'":     {"--nosuch", script},
	} {
		_, err := debuggerAnswers(t, "", args...)
		require.ErrorContains(t, err, want)
	}
	out, err := debuggerAnswers(t,
		"nosuch\nredis 'a\nb 5\nb 1 if (\nunwatch 7\nback\nmaxlen\nprint nosuch\nredis\nquit\n", script)
	require.NoError(t, err)
	for _, want := range []string{"Unknown Redis Lua debugger command", "Invalid argument(s)", "Wrong line number.",
		"<error> ldb_eval:1:",
		"no watch with this number", "the script is at its first line", "No such variable.",
		"wrong number of arguments"} {
		require.Contains(t, out, want)
	}
}

// TestDebugEndsWithItsContext: a signal ends the program, whether it waits for a request or the
// script runs.
func TestDebugEndsWithItsContext(t *testing.T) {
	script := write(t, "script.lua", "while true do end")
	for _, lines := range []string{"", "c\n"} {
		ctx, cancel := context.WithCancel(t.Context())
		in, typist := io.Pipe()
		out, shown := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- run(ctx, []string{"debug", script}, in, shown) }()
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "Stopped at 1")
		go func() { _, _ = io.Copy(io.Discard, out) }()
		_, err = io.WriteString(typist, lines)
		require.NoError(t, err)
		cancel()
		require.NoError(t, <-ended)
	}
}

// TestDebugServesEditors: an editor debugs a script over stdin and stdout, and over a port, with
// the data of the options or its own.
func TestDebugServesEditors(t *testing.T) {
	script := write(t, "script.lua", "local v = redis.call('GET', KEYS[1])\nreturn v .. redis.call('TIME')[1]")
	data, other, more := write(t, "data.txt", "SET k a\n"), write(t, "other.txt", "SET k b\n"),
		write(t, "more.txt", "APPEND k c\n")
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(t.Context(), []string{"debug", "--dap", "--load", data, "--at", "1000"}, in, out) }()
	launch := fmt.Sprintf(`{"program": %q, "keys": ["k"]}`, script)
	require.Equal(t, `Reply: "a1"`, editor(t, to, from, launch))
	require.NoError(t, <-ended)

	ctx, cancel := context.WithCancel(t.Context())
	heard, said := io.Pipe()
	go func() { ended <- run(ctx, []string{"debug", "--dap-listen", "127.0.0.1:0", "--load", data}, nil, said) }()
	line, err := bufio.NewReader(heard).ReadString('\n')
	require.NoError(t, err)
	address := strings.TrimSpace(strings.TrimPrefix(line, "DAP server listening at: "))
	refused := make(chan error, mostEditors+1)
	for load, want := range map[string]string{fmt.Sprintf("%q", other): "b2",
		fmt.Sprintf("[%q, %q]", other, more): "bc2", "[]": "a2", `""`: "a2"} {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		launch = fmt.Sprintf(`{"program": %q, "keys": ["k"], "load": %s, "at": "2000", "seed": 1}`, script, load)
		require.Equal(t, fmt.Sprintf("Reply: %q", want), editor(t, c, c, launch), load)
		require.NoError(t, c.Close())
	}
	for range mostEditors + 1 { // of whom one at least finds no place; those above may not have left theirs yet
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer c.Close()
		go func() {
			_, err := c.Read(make([]byte, 1))
			refused <- err
		}()
	}
	require.ErrorIs(t, <-refused, io.EOF)
	cancel()
	require.NoError(t, <-ended)
}

// TestVSCodeKnowsTheAttributes: the extension offers what a launch request may have.
func TestVSCodeKnowsTheAttributes(t *testing.T) {
	text, err := os.ReadFile("../../../packaging/editors/vscode/package.json")
	require.NoError(t, err)
	var extension struct {
		Contributes struct {
			Debuggers []struct {
				RuntimeArgs             []string
				ConfigurationAttributes struct {
					Launch struct{ Properties map[string]any }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &extension))
	d := extension.Contributes.Debuggers[0]
	require.Equal(t, []string{"debug", "--dap"}, d.RuntimeArgs)
	offered := slices.Sorted(maps.Keys(d.ConfigurationAttributes.Launch.Properties))
	wanted := []string{}
	for f := range reflect.TypeFor[scriptdap.Launch]().Fields() {
		if name := f.Tag.Get("json"); name != "noDebug" { // which editors set by themselves
			wanted = append(wanted, name)
		}
	}
	slices.Sort(wanted)
	require.Equal(t, wanted, offered)
}

// editor debugs a script from its first line to its end, and returns the reply that the debugger
// shows.
func editor(t *testing.T, to io.Writer, from io.Reader, launch string) (reply string) {
	t.Helper()
	in := bufio.NewReader(from)
	send := func(command, arguments string) {
		content := fmt.Sprintf(`{"seq": 1, "type": "request", "command": %q, "arguments": %s}`, command, arguments)
		_, err := fmt.Fprintf(to, "Content-Length: %d\r\n\r\n%s", len(content), content)
		require.NoError(t, err)
	}
	send("initialize", "{}")
	for {
		m, err := dap.ReadProtocolMessage(in)
		require.NoError(t, err)
		switch m := m.(type) {
		case *dap.ErrorResponse:
			require.Fail(t, m.Message)
		case *dap.InitializeResponse:
			send("launch", launch)
		case *dap.InitializedEvent:
			send("configurationDone", "{}")
		case *dap.OutputEvent:
			reply = strings.TrimSpace(m.Body.Output)
		case *dap.TerminatedEvent:
			send("disconnect", "{}")
		case *dap.DisconnectResponse:
			return reply
		}
	}
}
