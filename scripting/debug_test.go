package scripting_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/commands"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/scripting"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// frontEnd gives an order at each stop, after a look around, and writes down what happens.
type frontEnd struct {
	orders []debugger.Order // Continue once they are used up
	look   func(d *debugger.Debugger, s debugger.Stop)
	log    []string
}

func (f *frontEnd) write(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

func (f *frontEnd) Stopped(d *debugger.Debugger, s debugger.Stop) debugger.Order {
	f.write("stop %d", s.Line)
	if f.look != nil {
		f.look(d, s)
	}
	if len(f.orders) == 0 {
		return debugger.Continue
	}
	order := f.orders[0]
	f.orders = f.orders[1:]
	return order
}

func (f *frontEnd) Printed(d *debugger.Debugger, values []lua.Value) {
	f.write("debug %s", debugger.Describe(d.State(), values[0]))
}
func (f *frontEnd) Logged(level int, text string) { f.write("log %d %s", level, text) }
func (f *frontEnd) Called(words []string)         { f.write("call %s", strings.Join(words, " ")) }
func (f *frontEnd) Replied(reply []byte)          { f.write("reply %q", reply) }
func (f *frontEnd) Refused(text string)           { f.write("refused %s", text) }
func (f *frontEnd) Ended(reply []byte)            { f.write("end %q", reply) }

func newScripts() (*scripting.Scripts, *engine.Engine) {
	return newScriptsBy(func() int64 { return 1_700_000_000_000_000 })
}

func newScriptsBy(clock func() int64) (*scripting.Scripts, *engine.Engine) {
	e := engine.New(engine.Options{Clock: clock, Seed: 1})
	e.Join(commands.Parts(e)...)
	s := scripting.New(e)
	e.Join(s.Part())
	return s, e
}

// debugScript debugs a script with two keys on a copy of the data.
func debugScript(f *frontEnd, script string) (log []string, reply string) {
	s, e := newScripts()
	request := [][]byte{[]byte("EVAL"), []byte(script), []byte("2"), []byte("k"), []byte("l"), []byte("a")}
	answer := s.Debug(e.NewSession(nil), engine.DebugCopy, request, f)
	return f.log, string(answer)
}

func orders(list ...debugger.Order) []debugger.Order { return list }

const counting = `local total = 0
local function add(n)
  local twice = n * 2
  total = total + twice
  return total
end
for i = 1, 2 do
  add(i)
end
return total`

// TestDebugSteps: a front end lets a run go into calls, over them, and out of them.
func TestDebugSteps(t *testing.T) {
	into, over, out := debugger.StepInto, debugger.StepOver, debugger.StepOut
	for _, c := range []struct {
		orders []debugger.Order
		want   string
	}{
		{orders(into, into, into, into, into, into), "1 6 7 8 3 4 5"},
		{orders(over, over, over, over, over, over, over), "1 6 7 8 7 8 7 10"},
		{orders(into, into, into, into, out, out), "1 6 7 8 3 7"},
		{orders(into, into, into, into, over, over, over, over), "1 6 7 8 3 4 5 7 8"},
		{orders(out), "1"},
		{orders(debugger.Detach), "1"},
	} {
		log, reply := debugScript(&frontEnd{orders: c.orders}, counting)
		require.Equal(t, c.want, strings.ReplaceAll(strings.Join(log[:len(log)-1], " "), "stop ", ""))
		require.Equal(t, ":6\r\n", reply)
	}
}

// TestStopsDoNotCountAsRunningTime: a script is overdue if it runs longer than busy-reply-threshold
// after a stop, not if the user takes longer.
func TestStopsDoNotCountAsRunningTime(t *testing.T) {
	const script = "local n = 0\nfor i = 1, 1e5 do n = n + 1 end\nreturn n"
	for _, slow := range []bool{false, true} {
		now, step := int64(1_700_000_000_000_000), int64(0)
		s, e := newScriptsBy(func() int64 { now += step; return now })
		var reasons []debugger.Reason
		f := &frontEnd{look: func(_ *debugger.Debugger, stop debugger.Stop) {
			reasons = append(reasons, stop.Reason)
			if now += 10_000_000; slow {
				step = 1_000_000
			}
		}}
		s.Debug(e.NewSession(nil), engine.DebugCopy, [][]byte{[]byte("EVAL"), []byte(script), []byte("0")}, f)
		require.Equal(t, slow, slices.Contains(reasons, debugger.Overdue))
	}
}

// TestDebugStepsOverCoroutines: a step over a call does not stop in a coroutine that the call
// resumes; a step over a yield stops in what has resumed the coroutine.
func TestDebugStepsOverCoroutines(t *testing.T) {
	const script = `local function body()
  coroutine.yield(1)
  return 2
end
local co = coroutine.wrap(body)
local a = co()
local b = co()
return a + b`
	over, into := debugger.StepOver, debugger.StepInto
	log, _ := debugScript(&frontEnd{orders: orders(over, over, over, over)}, script)
	require.Equal(t, []string{"stop 4", "stop 5", "stop 6", "stop 7", "stop 8", `end ":3\r\n"`}, log)
	var frames [][]int
	f := &frontEnd{orders: orders(over, over, into, over, over), look: func(d *debugger.Debugger, _ debugger.Stop) {
		var lines []int
		for _, l := range d.Frames() {
			lines = append(lines, l.Line)
		}
		frames = append(frames, lines)
	}}
	log, _ = debugScript(f, script)
	require.Equal(t, []string{"stop 4", "stop 5", "stop 6", "stop 2", "stop 7", "stop 8", `end ":3\r\n"`}, log)
	require.Equal(t, [][]int{{4}, {5}, {6}, {2, 6}, {7}, {8}}, frames)
}

// TestDebugLooksAround: at a stop a front end sees frames, variables, globals and keys, and
// evaluates code in the scope of a frame.
func TestDebugLooksAround(t *testing.T) {
	const script = `local factor = 10
local seen = {1, {2, x = 'y'}}
local function scale(n)
  local factor2 = factor * n
  redis.call('SET', KEYS[1], factor2)
  redis.call('MGET', KEYS[1], KEYS[2])
  redis.log(redis.LOG_DEBUG, 'scaled', n)
  redis.debug(seen)
  return factor2, seen
end
local scaled = scale(3)
return scaled`
	evaluated := func(d *debugger.Debugger, text string, frame int) string {
		values, err := d.Evaluate(text, frame)
		if err != nil {
			return "error " + err.Error()
		}
		var out []string
		for _, v := range values {
			out = append(out, debugger.Describe(d.State(), v))
		}
		return strings.Join(out, " ")
	}
	named := func(list []lua.Variable) (out string) {
		for _, v := range list {
			out += v.Name + "=" + v.Value.TypeName() + " "
		}
		return out
	}
	looked := false
	f := &frontEnd{look: func(d *debugger.Debugger, s debugger.Stop) {
		if s.Line != 9 {
			require.Equal(t, debugger.Stepped, s.Reason)
			require.NoError(t, d.SetBreakpoint(9, "n == 3"))
			require.Equal(t, 0, d.LineWithCode(13))
			require.Equal(t, 4, d.LineWithCode(4))
			return
		}
		looked = true
		require.Equal(t, debugger.AtBreakpoint, s.Reason)
		frames := d.Frames()
		require.Len(t, frames, 2)
		require.Equal(t, "scale", frames[0].Name)
		require.Equal(t, []int{9, 11}, []int{frames[0].Line, frames[1].Line})
		require.Equal(t, "n=number factor2=number ", named(frames[0].Locals()))
		require.Equal(t, "factor=number seen=table ", named(frames[0].Upvalues()))
		require.Equal(t, "factor=number seen=table scale=function ", named(frames[1].Locals()))
		require.Contains(t, named(d.Globals()), "KEYS=table")
		require.Equal(t, []debugger.Key{{Name: "k", Read: true, Written: true}, {Name: "l", Read: true}}, d.Touched())

		for text, want := range map[string]string{
			"factor2 + n": "33", "factor, seen[2].x": `10 "y"`, "KEYS[2] .. ARGV[1]": `"la"`, "#seen": "2",
			"seen": `{1; {[1]=2; ["x"]="y"}}`, "redis.call('GET', KEYS[1])": `"30"`,
			"(function() return n * factor end)()": "30", "pcall(error, 'x')": `false "x"`,
			"nosuch":      "error Script attempted to access nonexistent global variable 'nosuch'",
			"n = 1":       "error ldb_eval:1: the debugger does not assign to variable 'n'",
			"factor = 1":  "error ldb_eval:1: the debugger does not assign to variable 'factor'",
			"x = 1":       "error Attempt to modify a readonly table",
			"local local": "error ldb_eval:1: '<name>' expected near 'local'",
			"while true do pcall(function() while true do end end) end": "error the evaluation takes too long",
			"coroutine.wrap(function() while true do end end)()":        "error the evaluation takes too long",
			"redis.call('NOSUCH')":  "error Unknown Redis command called from script",
			"string.rep('x', 1e10)": "error not enough memory",
			"(function() local function f() return f() + 1 end f() end)()": "error ldb_eval:1: stack overflow",
		} {
			require.Equal(t, want, evaluated(d, text, 0), text)
		}
		require.Equal(t, "10", evaluated(d, "factor", 1))
		require.Contains(t, evaluated(d, "n", 1), "nonexistent global variable 'n'")
		require.Contains(t, evaluated(d, "factor", debugger.Global), "nonexistent global variable 'factor'")
		require.Equal(t, "error "+debugger.ErrNoFrame.Error(), evaluated(d, "1", 2))
		require.Equal(t, "error "+debugger.ErrNoFrame.Error(), evaluated(d, "1", -2))

		reply, err := d.Call([]string{"GET", "k"})
		require.NoError(t, err)
		require.Equal(t, "$2\r\n30\r\n", string(reply))
		_, err = d.Call([]string{"GET"})
		require.EqualError(t, err, "Wrong number of args calling Redis command from script")
		require.Len(t, d.Touched(), 2)
	}}
	log, _ := debugScript(f, script)
	require.True(t, looked)
	require.Equal(t, []string{"stop 1", "call SET k 30", `reply "+OK\r\n"`, "call MGET k l", `reply "*2\r\n$2\r\n30\r\n$-1\r\n"`, "log 0 scaled 3", `debug {1; {[1]=2; ["x"]="y"}}`, "stop 9", `end ":30\r\n"`}, log)
}

// TestDebugBreakpoints: what cannot be a breakpoint is an error, and a condition decides whether
// the run stops.
func TestDebugBreakpoints(t *testing.T) {
	for condition, want := range map[string]string{
		"n == 2": "stop 4 n=2", "n > 0": "stop 4 n=1 stop 4 n=2", "false": "", "nil": "", "n > 7": "",
		"total > 0": "stop 4 n=2", "redis.call('EXISTS', 'k') == 1": "", "nosuch": "stop 4 n=1 stop 4 n=2",
		"while": "refused", "x = 1": "refused",
	} {
		var seen []string
		f := &frontEnd{look: func(d *debugger.Debugger, s debugger.Stop) {
			if s.Line == 4 {
				seen = append(seen, "stop 4 n="+debugger.Describe(d.State(), d.Frames()[0].Locals()[0].Value))
				require.Equal(t, condition == "nosuch", s.Err != nil)
			} else if d.SetBreakpoint(4, condition) != nil {
				seen = append(seen, "refused")
			}
		}}
		debugScript(f, counting)
		require.Equal(t, want, strings.Join(seen, " "), condition)
	}
	f := &frontEnd{look: func(d *debugger.Debugger, _ debugger.Stop) {
		for _, line := range []int{0, -1, 11, 1 << 40} {
			require.Equal(t, debugger.ErrLine, d.SetBreakpoint(line, ""))
			require.Equal(t, debugger.ErrNoBreakpoint, d.RemoveBreakpoint(line))
		}
		require.NoError(t, d.SetBreakpoint(4, "false"))
		require.NoError(t, d.SetBreakpoint(4, ""))
		require.Len(t, d.Breakpoints(), 1)
		require.NoError(t, d.RemoveBreakpoint(4))
		require.Empty(t, d.Breakpoints())
	}}
	debugScript(f, counting)
	f = &frontEnd{look: func(d *debugger.Debugger, _ debugger.Stop) {
		for line := range debugger.MostBreakpoints {
			require.NoError(t, d.SetBreakpoint(line+1, ""))
		}
		require.Equal(t, debugger.ErrTooManyPoints, d.SetBreakpoint(100, ""))
		d.RemoveBreakpoints()
	}}
	debugScript(f, strings.Repeat("local x\n", 120))
}

// TestDebugAborts: a front end ends a run, which pcall does not catch.
func TestDebugAborts(t *testing.T) {
	abort := debugger.Abort(errors.New("ERR enough"))
	log, reply := debugScript(&frontEnd{orders: orders(debugger.StepInto, debugger.StepInto, abort)},
		"local function f()\n  redis.call('GET', 'k')\nend\npcall(f)\nreturn 1")
	require.Regexp(t, "^-ERR enough script: [0-9a-f]{40}, on @user_script:2.\r\n$", reply)
	require.Equal(t, []string{"stop 3", "stop 4", "stop 2"}, log[:3])
}

// TestDebugPauses: a front end gets hold of a run that stops nowhere.
func TestDebugPauses(t *testing.T) {
	stops := 0
	f := &frontEnd{look: func(d *debugger.Debugger, s debugger.Stop) {
		if stops++; stops == 1 {
			go d.Pause()
		} else {
			require.Equal(t, debugger.Paused, s.Reason)
		}
	}, orders: orders(debugger.Continue, debugger.Abort(errors.New("ERR enough")))}
	_, reply := debugScript(f, "local n = 0\nwhile true do\n  n = n + 1\nend")
	require.Equal(t, 2, stops)
	require.Contains(t, reply, "-ERR enough")
}

// TestDebuggedScriptsShareMemory: what a script holds while it is debugged is in use, and all of
// them hold no more than script-memory-limit or what maxmemory leaves.
func TestDebuggedScriptsShareMemory(t *testing.T) {
	const size, script = 8 << 20, "local s = string.rep('x', ARGV[1])\nlocal n = #s\nreturn n"
	for parameter, limit := range map[string]string{"script-memory-limit": "20mb", "maxmemory": "20mb"} {
		s, e := newScripts()
		require.NoError(t, e.Params.Named(parameter).Set(limit))
		used := func() (bytes int) {
			e.With(func() { bytes = e.Home().MemoryUsage().Used })
			return bytes
		}
		var replies []string
		var debug func(before int)
		debug = func(before int) {
			f := &frontEnd{orders: orders(debugger.StepInto)}
			f.look = func(_ *debugger.Debugger, stop debugger.Stop) {
				if stop.Line == 2 {
					require.InDelta(t, before+size, used(), size/4)
					debug(used())
				}
			}
			request := [][]byte{[]byte("EVAL"), []byte(script), []byte("0"), []byte(fmt.Sprint(size))}
			replies = append(replies, string(s.Debug(e.NewSession(nil), engine.DebugCopy, request, f)))
		}
		before := used()
		debug(before)
		require.Len(t, replies, 3, parameter)
		require.Contains(t, replies[0], "not enough memory", parameter)
		require.Equal(t, []string{":8388608\r\n", ":8388608\r\n"}, replies[1:], parameter)
		require.Less(t, used(), before+size/4, parameter)
	}
}

// TestDebuggedScriptsWriteWhatFits: a script that is debugged on a copy of the data adds no more to
// it than maxmemory leaves.
func TestDebuggedScriptsWriteWhatFits(t *testing.T) {
	s, e := newScripts()
	require.NoError(t, e.Params.Named("maxmemory").Set("20mb"))
	calls := &frontEnd{}
	request := [][]byte{[]byte("EVAL"),
		[]byte("for i = 1, 100 do redis.call('SET', i, string.rep('x', 1000000)) end"), []byte("0")}
	require.Contains(t, string(s.Debug(e.NewSession(nil), engine.DebugCopy, request, calls)),
		"-OOM command not allowed when used memory")
	require.InDelta(t, 18, strings.Count(strings.Join(calls.log, "\n"), "+OK"), 3)
}

// TestDebugRefuses: a request that runs no script has its reply, and the front end hears nothing.
func TestDebugRefuses(t *testing.T) {
	s, e := newScripts()
	client := e.NewSession(nil)
	for request, want := range map[string]string{"PING": "+PONG\r\n",
		"EVAL": "-ERR wrong number of arguments for 'eval' command\r\n", "EVAL x 0": "-ERR Error compiling",
		"EVAL x 3": "-ERR Number of keys", "NOSUCH": "-ERR unknown command"} {
		f := &frontEnd{}
		var words [][]byte
		for _, w := range strings.Fields(request) {
			words = append(words, []byte(w))
		}
		require.Contains(t, string(s.Debug(client, engine.DebugCopy, words, f)), want)
		require.Empty(t, f.log, request)
	}
	var f debugger.FrontEnd = &frontEnd{}
	require.Equal(t, ":1\r\n", string(s.Debug(client, engine.DebugData,
		[][]byte{[]byte("EVAL"), []byte("return redis.call('INCR', 'n')"), []byte("0")}, f)))
	require.Equal(t, "$1\r\n1\r\n", string(e.Do(client, [][][]byte{{[]byte("GET"), []byte("n")}}).Out))
}

// walker is a front end that goes to and fro in a run, and looks whether each line is as it was
// when it came there first.
type walker struct {
	frontEnd
	t     *testing.T
	rng   *rand.Rand
	steps int
	seen  []string // what there was at each line, in the order of the run
	at    int
}

func (w *walker) Stopped(d *debugger.Debugger, s debugger.Stop) debugger.Order {
	picture := fmt.Sprintln("line", s.Line, "keys", d.Touched())
	for _, l := range d.Frames() {
		picture += fmt.Sprintln(l.Name, l.Line)
		for _, v := range append(l.Locals(), l.Upvalues()...) {
			picture += v.Name + " = " + numbers.ReplaceAllString(debugger.Describe(d.State(), v.Value), "") + "\n"
		}
	}
	list, err := d.Call([]string{"KEYS", "*"})
	require.NoError(w.t, err)
	for _, line := range strings.Split(string(list), "\r\n") {
		for _, reader := range []string{"PTTL $", "GET $", "HGETALL $", "LRANGE $ 0 -1", "SMEMBERS $",
			"ZRANGE $ 0 -1 WITHSCORES"} {
			words := strings.Fields(reader)
			words[1] = line
			value, err := d.Call(words)
			require.NoError(w.t, err)
			picture += string(value)
		}
	}
	if w.at == len(w.seen) {
		w.seen = append(w.seen, picture)
	}
	require.Equal(w.t, w.seen[w.at], picture, "line %d of the run", w.at)
	if w.steps--; w.steps == 0 {
		return debugger.Detach
	}
	if w.rng.IntN(100) < 45 && d.CanGoBack() == nil {
		w.at--
		return debugger.BackwardStep
	}
	w.at++
	return debugger.StepInto
}

// TestGoingBackShowsWhatWas: wherever a front end goes in a run, variables, keys and data are those
// of the first time there, and the reply is the one of a run without a debugger.
func TestGoingBackShowsWhatWas(t *testing.T) {
	files, err := filepath.Glob("../examples/*.lua")
	require.NoError(t, err)
	sessions, err := filepath.Glob("testdata/debugger/*.txt")
	require.NoError(t, err)
	for _, file := range append(files, sessions...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		script := string(text)
		if parts := strings.Split(script, "\n---\n"); len(parts) == 3 {
			if script = parts[1]; strings.Contains(script, "#!lua name") {
				continue
			}
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			words := strings.Fields("EVAL script 2 a b 10 1 1000 4 1700000000000 5 6")
			request := make([][]byte, len(words))
			for i, w := range words {
				request[i] = []byte(w)
			}
			request[1] = []byte(script)
			s, e := newScripts()
			client := e.NewSession(nil)
			for seed := range quick.Rounds(uint64(2)) {
				w := &walker{t: t, rng: rand.New(rand.NewPCG(seed, 1)), steps: 80}
				reply := s.Debug(client, engine.DebugCopy, request, w)
				require.NotEmpty(t, w.seen)
				if !strings.Contains(file, "self_nested") {
					_, plain := newScripts()
					require.Equal(t, string(plain.Do(plain.NewSession(nil), [][][]byte{request}).Out), string(reply))
				}
			}
		})
	}
}
