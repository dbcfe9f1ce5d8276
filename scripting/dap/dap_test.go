package dap_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	protocol "github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

const counting = `local total, seen = 0, {1, 2, {x = 'y', ['a b'] = 3}, n = 5}
local function add(n)
  local twice = n * 2
  total = total + twice
  redis.call('SET', KEYS[2], total)
  return total
end

for i = 1, 3 do
  add(i)
end
redis.log(redis.LOG_WARNING, 'added', total)
redis.debug(seen[3].x, total)
return {total, redis.call('GET', KEYS[1])}`

func TestStepsAndStops(t *testing.T) {
	path := file(t, counting)
	c := started(t, path)
	require.Equal(t, "step top level 1", c.stopped())
	for _, step := range []struct{ command, want string }{
		{"next", "step top level 7"},
		{"stepIn", "step top level 9"},
		{"stepIn", "step top level 10"},
		{"stepIn", "step add 3"},
		{"next", "step add 4"},
		{"stepBack", "step add 3"},
		{"stepOut", "step top level 9"},
		{"next", "step top level 10"},
		{"next", "step top level 9"},
	} {
		require.Equal(t, step.want, c.goOn(step.command), step.command)
	}
	points := c.setBreakpoints(path, arguments{"line": 4}, arguments{"line": 8})
	require.Equal(t, []int{4, 9}, []int{points[0].Line, points[1].Line}) // the first line with code
	require.Equal(t, "breakpoint add 4", c.goOn("continue"))
	require.Equal(t, "breakpoint top level 9", c.goOn("continue"))
	require.Equal(t, "breakpoint add 4", c.goOn("reverseContinue"))
	frames := ask[*protocol.StackTraceResponse](c, "stackTrace",
		arguments{"threadId": 1, "startFrame": 1, "levels": 1}).Body
	require.Equal(t, 2, frames.TotalFrames)
	require.Equal(t, "top level", frames.StackFrames[0].Name)
	require.Equal(t, path, frames.StackFrames[0].Source.Path)
	require.Empty(t, c.setBreakpoints(path))
	reply, code := c.end()
	require.Equal(t, "Reply:\n1) (integer) 12\n2) \"hello\"\n", reply)
	require.Zero(t, code)
	c.leave()
}

func TestShowsVariables(t *testing.T) {
	c := started(t, file(t, counting), arguments{"line": 6})
	require.Equal(t, "breakpoint add 6", c.stopped())
	require.Equal(t, "n=1 twice=2", shown(c.scope("Locals")))
	require.Equal(t, `ARGV={"x", "5"} KEYS={"text", "k"}`, shown(c.scope("Globals")))
	require.Equal(t, `k="2"`, shown(c.scope("Keys used")))
	require.Equal(t, "total=2", shown(c.scope("Upvalues")))

	scopes := ask[*protocol.ScopesResponse](c, "scopes", arguments{"frameId": 2}).Body.Scopes
	locals := c.variables(scopes[0].VariablesReference)
	require.Equal(t, "total=2 seen={1, 2, {...}, n = 5} add=",
		shown(locals)[:len("total=2 seen={1, 2, {...}, n = 5} add=")])
	seen := c.variables(locals[1].VariablesReference)
	require.Equal(t, `[1]=1 [2]=2 [3]={["a b"] = 3, x = "y"} n=5`, shown(seen))
	inner := c.variables(seen[2].VariablesReference)
	require.ElementsMatch(t, []string{"seen[3].x", `seen[3]["a b"]`},
		[]string{inner[0].EvaluateName, inner[1].EvaluateName})

	require.Equal(t, "breakpoint add 6", c.goOn("continue"))
	gone := arguments{"variablesReference": locals[1].VariablesReference}
	require.Equal(t, "the variable no longer exists", c.refused("variables", gone))
	require.Contains(t, c.refused("scopes", arguments{"frameId": 7}), "no such frame")
	c.leave()
}

// TestShowsLongLists: a long list is shown in parts, and a table with many other items up to a
// bound.
func TestShowsLongLists(t *testing.T) {
	c := started(t, file(t, `local list, set, self = {}, {}, {}
for i = 1, 5000 do list[i] = i * 2; set['k' .. i] = i end
self.self = self
return 1`), arguments{"line": 4})
	c.stopped()
	locals := c.scope("Locals")
	require.Equal(t, 5000, locals[0].IndexedVariables)
	part := ask[*protocol.VariablesResponse](c, "variables",
		arguments{"variablesReference": locals[0].VariablesReference, "filter": "indexed", "start": 4998,
			"count": 100}).Body.Variables
	require.Equal(t, "[4999]=9998 [5000]=10000", shown(part))
	require.Empty(t, ask[*protocol.VariablesResponse](c, "variables",
		arguments{"variablesReference": locals[0].VariablesReference, "filter": "named"}).Body.Variables)
	require.Len(t, c.variables(locals[0].VariablesReference), 1000)
	require.Len(t, c.variables(locals[1].VariablesReference), 1001)
	self := c.variables(locals[2].VariablesReference)
	require.Equal(t, "self.self.self", c.variables(self[0].VariablesReference)[0].EvaluateName)
	c.leave()
}

func TestEvaluates(t *testing.T) {
	c := started(t, file(t, counting), arguments{"line": 6})
	c.stopped()
	for _, e := range []struct{ context, expression, want string }{
		{"hover", "twice", "2"},
		{"watch", "total + n", "3"},
		{"watch", "KEYS", `{"text", "k"}`},
		{"repl", "n, 'a'", `1, "a"`},
		{"repl", "redis GET k", `"2"`},
		{"repl", "redis SET 'a key' 1", `"+OK"`},
		{"repl", "redis.call('INCR', 'a key')", "2"},
		{"repl", "local x = 3 return x", "3"},
		{"clipboard", "KEYS", `{"text"; "k"}`},
	} {
		require.Equal(t, e.want, c.evaluate(e.context, e.expression), e.expression)
	}
	for _, e := range []struct{ context, expression, want string }{
		{"hover", "redis.call('INCR', 'a key')", "Write commands are not allowed"},
		{"watch", "nosuch", "nonexistent global variable 'nosuch'"},
		{"repl", "n +", "'=' expected near"},
		{"repl", "while true do end", "takes too long"},
		{"repl", "redis NOSUCH x", "Unknown Redis command"},
		{"repl", "twice = 9", "does not assign"},
	} {
		require.Contains(t,
			c.refused("evaluate", arguments{"expression": e.expression, "context": e.context, "frameId": 1}), e.want)
	}
	// no frame
	require.Contains(t, c.refused("evaluate", arguments{"expression": "twice", "context": "repl"}),
		"nonexistent global")
	require.Contains(t, c.refused("evaluate", arguments{"expression": "1", "context": "repl", "frameId": 50}),
		"no such frame")
	table := ask[*protocol.EvaluateResponse](c, "evaluate",
		arguments{"expression": "KEYS", "frameId": 1, "context": "watch"}).Body
	require.Equal(t, `[1]="text" [2]="k"`, shown(c.variables(table.VariablesReference)))
	c.leave()
}

func TestBreakpointsWithConditionsHitsAndMessages(t *testing.T) {
	path := file(t, counting)
	c := started(t, path, arguments{"line": 4, "condition": "n == 2"})
	require.Equal(t, "breakpoint add 4", c.stopped())
	require.Equal(t, "2", c.evaluate("watch", "n"))

	c = started(t, path, arguments{"line": 4, "hitCondition": ">= 3"},
		arguments{"line": 6, "logMessage": "n is {n}, {nosuch}"})
	for _, want := range []string{"n is 1, {Script attempted", "n is 2, {Script attempted"} {
		require.Contains(t, event[*protocol.OutputEvent](c).Body.Output, want)
	}
	require.Equal(t, "breakpoint add 4", c.stopped())
	require.Equal(t, "3", c.evaluate("watch", "n"))
	require.Equal(t, "breakpoint add 4", c.goOn("reverseContinue"))
	c.leave()

	c = launched(t, arguments{"program": path, "keys": []string{"a", "b"}})
	bad := c.setBreakpoints(path, arguments{"line": 4, "condition": "n =="},
		arguments{"line": 4, "hitCondition": "often"}, arguments{"line": 99})
	for i, want := range []string{"unexpected symbol", "a hit condition is a number",
		"neither this line nor a later one has code"} {
		require.False(t, bad[i].Verified)
		require.Contains(t, bad[i].Message, want)
	}
	require.Contains(t, c.setBreakpoints(path+"x", arguments{"line": 1})[0].Message,
		"not the file that is being debugged")
	lines := ask[*protocol.BreakpointLocationsResponse](c, "breakpointLocations",
		arguments{"source": arguments{"path": path}, "line": 7, "endLine": 10}).Body.Breakpoints
	require.Equal(t, []protocol.BreakpointLocation{{Line: 7}, {Line: 9}, {Line: 10}}, lines)
	ask[*protocol.DisconnectResponse](c, "disconnect", nil)
	require.NoError(t, <-c.served)
}

// TestFirstLine: a run stops at a breakpoint in its first line, though it is there already when
// that is set.
func TestFirstLine(t *testing.T) {
	path := file(t, "local a = 1\nreturn a")
	require.Equal(t, "breakpoint top level 1", started(t, path, arguments{"line": 1}).stopped())
	c := started(t, path, arguments{"line": 1, "condition": "false"})
	reply, _ := c.ended()
	require.Equal(t, "Reply: (integer) 1\n", reply)
}

func TestWatches(t *testing.T) {
	path := file(t, counting)
	c := started(t, path, arguments{"line": 3})
	c.stopped()
	scopes := ask[*protocol.ScopesResponse](c, "scopes", arguments{"frameId": 1}).Body.Scopes
	info := func(a arguments) protocol.DataBreakpointInfoResponseBody {
		return ask[*protocol.DataBreakpointInfoResponse](c, "dataBreakpointInfo", a).Body
	}
	total := info(arguments{"variablesReference": scopes[1].VariablesReference, "name": "total"})
	require.Equal(t, "total", total.Description)
	require.Nil(t, info(arguments{"variablesReference": scopes[0].VariablesReference, "name": "nosuch"}).DataId)
	c.setBreakpoints(path)
	set := func(ids ...any) []protocol.Breakpoint {
		var list []arguments
		for _, id := range ids {
			list = append(list, arguments{"dataId": id})
		}
		return ask[*protocol.SetDataBreakpointsResponse](c, "setDataBreakpoints", arguments{"breakpoints": list}).
			Body.Breakpoints
	}
	require.True(t, set(total.DataId)[0].Verified)
	require.Equal(t, "data breakpoint add 5", c.goOn("continue"))
	require.Equal(t, "2", c.evaluate("watch", "total"))

	set("key k")
	ask[*protocol.ContinueResponse](c, "continue", nil)
	require.Equal(t, `key k: none -> "2"`, event[*protocol.StoppedEvent](c).Body.Text)
	require.Equal(t, "data breakpoint add 6", c.goOn("continue"))
	require.Equal(t, "data breakpoint add 6", c.goOn("reverseContinue"))
	require.Contains(t, set("77 total")[0].Message, "stop in the function")
	require.Contains(t, set("nonsense")[0].Message, "stop in the function")
	require.Contains(t, set("0 total =")[0].Message, "expected near")
	reply, _ := c.end()
	require.Contains(t, reply, "12")
	c.leave()
}

// TestShowsOutput: what the script logs, what it shows with redis.debug, its commands while it goes
// step by step, and its reply.
func TestShowsOutput(t *testing.T) {
	path := file(t, counting)
	c := started(t, path, arguments{"line": 14})
	warning := event[*protocol.OutputEvent](c).Body
	require.Equal(t, "warning: added 12\n", warning.Output)
	require.Equal(t, 12, warning.Line)
	require.Equal(t, "\"y\", 12\n", event[*protocol.OutputEvent](c).Body.Output)
	c.stopped()
	ask[*protocol.StepInResponse](c, "stepIn", arguments{"threadId": 1})
	require.Equal(t, "redis> GET text\n", event[*protocol.OutputEvent](c).Body.Output)
	require.Equal(t, "\"hello\"\n", event[*protocol.OutputEvent](c).Body.Output)
	c.ended()
	require.Equal(t, "the script has ended", c.refused("stackTrace", arguments{"threadId": 1}))

	c = started(t, file(t, "local a = 1\nreturn a + nil"), arguments{"line": 1})
	c.stopped()
	ask[*protocol.ContinueResponse](c, "continue", nil)
	failure := event[*protocol.OutputEvent](c).Body
	require.Contains(t, failure.Output, "arithmetic on a nil value")
	require.Equal(t, 2, failure.Line)
	require.Equal(t, "stderr", failure.Category)
	require.Equal(t, 1, event[*protocol.ExitedEvent](c).Body.ExitCode)
}

// TestCatchesErrors: a run stops at the line where an error ends it, and shows what is there.
func TestCatchesErrors(t *testing.T) {
	path := file(t, "local a = 5\nlocal function bad(n)\n  return n + nil\nend\nreturn bad(a)")
	c := launched(t, arguments{"program": path})
	ask[*protocol.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints",
		arguments{"filters": []string{"uncaught"}})
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	e := event[*protocol.StoppedEvent](c).Body
	require.Equal(t, "exception", e.Reason)
	require.Contains(t, e.Text, "attempt to perform arithmetic on a nil value")
	require.Equal(t, "n=5", shown(c.scope("Locals")))
	ask[*protocol.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints", arguments{"filters": []string{}})
	require.Equal(t, "step top level 5", c.goOn("stepBack"))
	reply, code := c.end()
	require.Contains(t, reply, "arithmetic")
	require.Equal(t, 1, code)
	c.leave()
}

// TestPauses: a script that runs can be paused, gets breakpoints, and refuses what needs it to have
// stopped.
func TestPauses(t *testing.T) {
	path := file(t, "local n = 0\nwhile n < 1 do\n  redis.call('PING')\nend\nreturn n")
	c := started(t, path)
	c.stopped()
	ask[*protocol.ContinueResponse](c, "continue", nil)
	for _, command := range []string{"stackTrace", "scopes", "variables", "evaluate", "next", "stepBack",
		"dataBreakpointInfo"} {
		require.Equal(t, "the script is running: pause it first", c.refused(command, arguments{}), command)
	}
	point := c.setBreakpoints(path, arguments{"line": 3})[0]
	require.False(t, point.Verified)
	placed := event[*protocol.BreakpointEvent](c).Body.Breakpoint
	require.True(t, placed.Verified)
	require.Equal(t, point.Id, placed.Id)
	require.Equal(t, "breakpoint top level 3", c.stopped())
	c.setBreakpoints(path)
	ask[*protocol.ContinueResponse](c, "continue", nil)
	ask[*protocol.PauseResponse](c, "pause", nil)
	require.Regexp(t, `pause top level \d`, c.stopped())
	ask[*protocol.PauseResponse](c, "pause", nil) // it has stopped
	ask[*protocol.ContinueResponse](c, "continue", nil)
	ask[*protocol.TerminateResponse](c, "terminate", nil)
	reply, code := c.ended()
	require.Contains(t, reply, "script aborted for user request")
	require.Equal(t, 1, code)
	c.leave()
}

// TestStepsOverWhileBreakpointsAreSet: setting a breakpoint does not end a step over a call.
func TestStepsOverWhileBreakpointsAreSet(t *testing.T) {
	path := file(t, "local function slow()\n  for i = 1, 300000 do\n    local x = i\n  end\nend\nslow()\nreturn 1")
	c := started(t, path, arguments{"line": 6})
	c.stopped()
	ask[*protocol.NextResponse](c, "next", nil)
	for range 20 {
		c.setBreakpoints(path, arguments{"line": 99})
	}
	require.Equal(t, "step top level 7", c.stopped())
	c.leave()
}

func TestRestarts(t *testing.T) {
	path := file(t, counting)
	c := started(t, path, arguments{"line": 6})
	c.stopped()
	ask[*protocol.SetDataBreakpointsResponse](c, "setDataBreakpoints",
		arguments{"breakpoints": []arguments{{"dataId": "key new"}}})
	require.Equal(t, "breakpoint add 6", c.goOn("continue"))
	require.NoError(t, os.WriteFile(path, []byte("redis.call('SET', 'new', 1)\n"+counting), 0o600))
	ask[*protocol.RestartResponse](c, "restart", nil)
	require.Equal(t, "data breakpoint top level 2", c.stopped())
	require.Equal(t, "breakpoint add 6", c.goOn("continue"))

	again := arguments{"program": path, "stopOnEntry": true, "keys": []int{1, 2}}
	ask[*protocol.RestartResponse](c, "restart", arguments{"arguments": again})
	require.Equal(t, "step top level 1", c.stopped())
	require.Equal(t, `"1"`, c.evaluate("watch", "KEYS[1]"))
	ask[*protocol.SetDataBreakpointsResponse](c, "setDataBreakpoints", arguments{})
	c.setBreakpoints(path)
	c.end()
	ask[*protocol.RestartResponse](c, "restart", nil) // also after the end
	require.Equal(t, "step top level 1", c.stopped())

	require.NoError(t, os.WriteFile(path, []byte("return = 1"), 0o600))
	require.Contains(t, c.refused("restart", nil), "user_script:1: unexpected symbol")
	event[*protocol.TerminatedEvent](c)
	c.leave()
}

func TestDebugsFunctions(t *testing.T) {
	path := file(t, `#!lua name=lib
local calls = 0
local function twice(keys, args)
  calls = calls + 1
  return tonumber(args[1]) * 2
end
redis.register_function('twice', twice)`)
	c := launched(t, arguments{"program": path, "function": "twice", "keys": []string{"k"}, "args": []int{21}})
	c.setBreakpoints(path, arguments{"line": 5})
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	require.Regexp(t, "breakpoint .* 5", c.stopped())
	require.Equal(t, `keys={"k"} args={"21"}`, shown(c.scope("Locals")))
	require.Equal(t, "calls=1", shown(c.scope("Upvalues")))
	reply, _ := c.end()
	require.Equal(t, "Reply: (integer) 42\n", reply)
}

func TestRunsWithoutDebugging(t *testing.T) {
	path := file(t, counting)
	c := launched(t, arguments{"program": path, "keys": []string{"text", "k"}, "noDebug": true})
	c.setBreakpoints(path, arguments{"line": 4})
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	reply, _ := c.ended()
	require.Contains(t, reply, "hello")
	c.leave()
}

// TestLinesFromZero: a client may count lines from 0.
func TestLinesFromZero(t *testing.T) {
	path := file(t, counting)
	c := connect(t)
	ask[*protocol.InitializeResponse](c, "initialize", arguments{"linesStartAt1": false})
	ask[*protocol.LaunchResponse](c, "launch", arguments{"program": path, "keys": []string{"text", "k"}})
	require.Equal(t, 3, c.setBreakpoints(path, arguments{"line": 3})[0].Line)
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	require.Equal(t, "breakpoint add 3", c.stopped())
	require.Equal(t, "2", c.evaluate("watch", "n * 2"))
	c.leave()
}

// TestWrongOrder: requests that come too early or twice, and what a client cannot have, get an
// error, and the session goes on.
func TestWrongOrder(t *testing.T) {
	path := file(t, counting)
	c := connect(t)
	for _, command := range []string{"launch", "setBreakpoints", "threads", "next", "evaluate", "restart",
		"configurationDone"} {
		require.Equal(t, "the first request must be initialize", c.refused(command, arguments{}), command)
	}
	ask[*protocol.InitializeResponse](c, "initialize", arguments{})
	require.Equal(t, "the session is already initialized", c.refused("initialize", arguments{}))
	for _, command := range []string{"stackTrace", "next", "evaluate", "restart", "configurationDone", "terminate"} {
		require.Equal(t, "nothing has been launched", c.refused(command, arguments{}), command)
	}
	pending := c.setBreakpoints(path, arguments{"line": 4})[0]
	require.Equal(t, "the breakpoint will be set when the script reaches its next line", pending.Message)
	for a, want := range map[string]string{
		`{}`:                                 "launch needs the attribute program",
		`{"program": 5}`:                     "the attribute program cannot be a number",
		`{"program": "nosuch"}`:              "no such file",
		`{"program": "x", "args": [{}]}`:     "must be lists of strings or numbers",
		`{"program": "x", "keys": "k"}`:      "must be lists of strings or numbers",
		`{"program": "x", "load": ["a", 1]}`: "load must be the name of a file, or a list",
		`{"program": "x", "seed": "random"}`: "the attribute seed cannot be a string",
		`{"program": "x", "seed": -1}`:       "the attribute seed cannot be a number -1",
		`[]`:                                 "launch needs the attribute program",
	} {
		require.Contains(t, c.refused("launch", rawJSON(a)), want, a)
	}
	require.Contains(t, c.refused("launch", arguments{"program": file(t, "x = = 1")}),
		"user_script:1: unexpected symbol")
	require.Contains(t, c.refused("launch", arguments{"program": path, "function": "nosuch"}), "Function not found")
	require.Contains(t, c.refused("attach", arguments{}), "attach is not supported")
	require.Contains(t, c.refused("nosuch", arguments{}), "unknown request")
	require.Contains(t, c.refused("gotoTargets", arguments{}), "unknown request")
	ask[*protocol.LaunchResponse](c, "launch", arguments{"program": path, "keys": []string{"text", "k"}})
	require.True(t, event[*protocol.BreakpointEvent](c).Body.Breakpoint.Verified)
	require.Equal(t, "the session has already launched a script", c.refused("launch", arguments{"program": path}))
	require.Equal(t, "the script is running: pause it first", c.refused("next", arguments{}))
	ask[*protocol.ConfigurationDoneResponse](c, "configurationDone", nil)
	require.Equal(t, "the configuration is already done", c.refused("configurationDone", nil))
	require.Equal(t, "breakpoint add 4", c.stopped())
	c.leave()
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// TestHostileMessages: a message that is no request gets an error, and the session goes on.
func TestHostileMessages(t *testing.T) {
	c := connect(t)
	for _, content := range []string{
		"", "{", "null", "5", "[]", `"request"`, "\x00\xff", `{"type":"event","event":"stopped"}`,
		`{"type":"response","seq":1}`, `{"seq":"x","type":"request","command":"launch"}`, strings.Repeat("[", 100000),
	} {
		c.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content))
		require.Contains(t, c.failure(), "not a request", content)
	}
	c.write("content-length:13 \r\nContent-Type: x\r\n\r\n" + `{"seq":"x"}  `) // as other clients write it
	require.Contains(t, c.failure(), "not a request")
	ask[*protocol.InitializeResponse](c, "initialize", arguments{})
	require.Contains(t, c.refused("setBreakpoints", []int{1}), "cannot unmarshal")
	require.Contains(t, c.refused("stackTrace", rawJSON(`{"threadId":"x"}`)), "nothing has been launched")
	c.leave()
}

// TestHostileFrames: what has no frame ends the session, with an error that is told.
func TestHostileFrames(t *testing.T) {
	for frame, want := range map[string]string{
		"Content-Length: 99999999999999999999\r\n\r\n":      "must begin with Content-Length",
		"Content-Length: 9223372036854775807\r\n\r\nxx":     "longer than 16 MB",
		"Content-Length: 16777217\r\n\r\n":                  "longer than 16 MB",
		"Content-Length: -5\r\n\r\n":                        "must begin with Content-Length",
		"Content-Length: x\r\n\r\n":                         "must begin with Content-Length",
		"\r\n\r\n":                                          "must begin with Content-Length",
		"*1\r\n$4\r\nPING\r\n":                              "must begin with Content-Length",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n":                 "must begin with Content-Length",
		"POST /a:b HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}": "must begin with Content-Length",
		strings.Repeat("\x00\xff", 5000):                    "header of a message is too long",
		strings.Repeat("A: b\r\n", 1000):                    "header of a message is too long",
	} {
		c := connect(t)
		go c.write(frame)
		require.Contains(t, c.failure(), want, frame)
		require.ErrorContains(t, <-c.served, want, frame)
	}
}

// TestClientGoesAway: wherever a client goes away, the session ends, and the run with it.
func TestClientGoesAway(t *testing.T) {
	path := file(t, "while true do end")
	running := func(path string) func() *client {
		return func() *client {
			c := started(t, path)
			c.stopped()
			ask[*protocol.ContinueResponse](c, "continue", nil)
			return c
		}
	}
	for i, prepare := range []func() *client{
		func() *client { return connect(t) },
		func() *client { return launched(t, arguments{"program": path}) },
		func() *client { c := started(t, path); c.stopped(); return c },
		running(path),
		running(file(t, "return string.find(string.rep('a', 100000), '.-.-.-.-.-b')")), // endless in one line
	} {
		c := prepare()
		require.NoError(t, c.to.Close())
		require.NoError(t, <-c.served, i)
		prepare().leave()
		require.Zero(t, runs.Load(), i)
	}
	c := connect(t)
	c.write("Content-Length: 100\r\n\r\n{")
	require.NoError(t, c.to.Close())
	require.Contains(t, c.failure(), "unexpected EOF")
	require.Error(t, <-c.served)
}
