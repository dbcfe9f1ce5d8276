package dap

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// A scope or a table has a reference, by which a client asks for its variables. References count on
// through a run, and die when it goes on, so that one of an earlier stop is refused. They hold
// functions that look when they are called: what nobody unfolds costs nothing, and a change that
// the user makes at a stop is seen.

const (
	mostShown = 1000 // items of a table, if a client does not ask for parts of it
	pageFrom  = 100  // items from which on a list is shown in parts
)

// stackTrace returns the functions that run. The number of a frame is its place in debugger.Frames,
// from 1.
func (s *session) stackTrace(q *dap.StackTraceRequest) (dap.ResponseMessage, error) {
	body := dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}}
	err := s.run.look(func(d *debugger.Debugger) {
		frames := d.Frames()
		body.TotalFrames = len(frames)
		from := min(max(q.Arguments.StartFrame, 0), len(frames))
		to := len(frames)
		if n := q.Arguments.Levels; n > 0 && n < to-from {
			to = from + n
		}
		for i, l := range frames[from:to] {
			f := dap.StackFrame{Id: from + i + 1, Name: cmp.Or(l.Name, "top level")}
			f.Line, f.Column = s.toClient(l.Line), s.toClient(1)
			if l.Activation > 0 {
				f.Source = s.source()
			}
			body.StackFrames = append(body.StackFrames, f)
		}
	})
	return &dap.StackTraceResponse{Body: body}, err
}

// scopes returns the four scopes of a frame. Globals and keys are those of the run, the same in
// each frame. Keys are expensive, as each is read: clients unfold them only when asked to.
func (s *session) scopes(q *dap.ScopesRequest) (dap.ResponseMessage, error) {
	var body dap.ScopesResponseBody
	r, frame := s.run, q.Arguments.FrameId-1
	var missing error
	err := r.look(func(d *debugger.Debugger) {
		frames := d.Frames()
		if frame < 0 || frame >= len(frames) {
			missing = debugger.ErrNoFrame
			return
		}
		named := func(list func() []lua.Variable) *holder {
			return &holder{frame: frame, list: func(start, n int) []dap.Variable {
				return part(r.named(d, frame, list()), start, n)
			}}
		}
		keys := &holder{keys: true, list: func(start, n int) []dap.Variable { return part(r.touched(d), start, n) }}
		made := func() []lua.Variable { return globals(d) }
		body.Scopes = []dap.Scope{
			{Name: "Locals", PresentationHint: "locals", VariablesReference: r.hold(named(frames[frame].Locals))},
			{Name: "Upvalues", VariablesReference: r.hold(named(frames[frame].Upvalues))},
			{Name: "Globals", PresentationHint: "globals", VariablesReference: r.hold(named(made))},
			{Name: "Keys used", VariablesReference: r.hold(keys), Expensive: true},
		}
	})
	return &dap.ScopesResponse{Body: body}, firstOf(err, missing)
}

// variables returns what a reference holds, or a part of a long list.
func (s *session) variables(q *dap.VariablesRequest) (dap.ResponseMessage, error) {
	body := dap.VariablesResponseBody{Variables: []dap.Variable{}}
	var missing error
	a := q.Arguments
	err := s.run.look(func(*debugger.Debugger) {
		h := s.run.held(a.VariablesReference)
		switch {
		case h == nil:
			missing = errReference
		case a.Filter != "named": // no list that is shown in parts has other items
			body.Variables = append(body.Variables, h.list(max(a.Start, 0), max(a.Count, 0))...)
		}
	})
	return &dap.VariablesResponse{Body: body}, firstOf(err, missing)
}

// part returns n variables from start on; 0 for all.
func part(list []dap.Variable, start, n int) []dap.Variable {
	list = list[min(start, len(list)):]
	if n > 0 {
		list = list[:min(n, len(list))]
	}
	return list
}

// named returns variables of a scope. One that is hidden by another is left out, as are those that
// Lua makes for loops.
func (r *run) named(d *debugger.Debugger, frame int, list []lua.Variable) (shown []dap.Variable) {
	for i, v := range list {
		hides := func(other lua.Variable) bool { return other.Name == v.Name }
		if !strings.HasPrefix(v.Name, "(") && !slices.ContainsFunc(list[i+1:], hides) {
			shown = append(shown, r.variable(d, frame, v.Name, v.Value, v.Name))
		}
	}
	return shown
}

// globals returns KEYS, ARGV and what the script has made, by name.
func globals(d *debugger.Debugger) []lua.Variable {
	return slices.SortedFunc(slices.Values(d.Globals()),
		func(a, b lua.Variable) int { return strings.Compare(a.Name, b.Name) })
}

// touched returns the keys that the script has used.
func (r *run) touched(d *debugger.Debugger) (shown []dap.Variable) {
	for _, k := range d.Touched() {
		how := "read"
		switch {
		case k.Read && k.Written:
			how = "read, written"
		case k.Written:
			how = "written"
		}
		shown = append(shown, dap.Variable{Name: k.Name, Value: d.DescribeKey(k.Name), Type: how})
	}
	return shown
}

// variable shows a value. Expression is Lua that yields it in a frame, "" for none.
func (r *run) variable(d *debugger.Debugger, frame int, name string, v lua.Value, expression string) dap.Variable {
	shown := dap.Variable{Name: name, Value: cut(line(d, v)), Type: v.TypeName(), EvaluateName: expression}
	if t := v.AsTable(); t != nil {
		shown.VariablesReference, shown.IndexedVariables = r.table(d, frame, t, expression)
	}
	return shown
}

// table gives a table a reference, 0 if it is empty. Indexed is the length of a long list, which a
// client can show in parts.
func (r *run) table(d *debugger.Debugger, frame int, t *lua.Table, expression string) (reference, indexed int) {
	if _, _, more, _ := t.Next(nil, lua.Nil); !more {
		return 0, 0
	}
	h := &holder{frame: frame,
		list: func(start, n int) []dap.Variable { return part(r.items(d, frame, t, expression), start, n) }}
	if n, isList := t.PlainArray(); isList && n > pageFrom {
		indexed = n
		h.list = func(start, count int) (shown []dap.Variable) {
			if count == 0 {
				count = mostShown
			}
			for i := start + 1; i <= min(start+count, n); i++ {
				name := "[" + strconv.Itoa(i) + "]"
				shown = append(shown, r.variable(d, frame, name, t.GetInt(i), within(expression, name)))
			}
			return shown
		}
	}
	return r.hold(h), indexed
}

// items returns the items of a table.
func (r *run) items(d *debugger.Debugger, frame int, t *lua.Table, expression string) (shown []dap.Variable) {
	list, more := sorted(t.Value(), mostShown)
	for _, i := range list {
		name, access := itemName(d, i.key)
		shown = append(shown, r.variable(d, frame, name, i.value, within(expression, access)))
	}
	if more {
		shown = append(shown, dap.Variable{Name: "...", Value: "more than " + strconv.Itoa(mostShown) + " items"})
	}
	return shown
}

// within returns Lua for an item of a table; "" if one of the two cannot be written.
func within(expression, access string) string {
	if expression == "" || access == "" {
		return ""
	}
	return expression + access
}

// evaluate runs code in a frame, or without one. In the console, where it may write, "redis" in
// front of a command runs that. What a hover or a watch of the editor asks for must not write.
func (s *session) evaluate(q *dap.EvaluateRequest) (dap.ResponseMessage, error) {
	a, r := q.Arguments, s.run
	var body dap.EvaluateResponseBody
	var failed error
	err := r.look(func(d *debugger.Debugger) {
		command, isText := resp.Words([]byte(a.Expression), nil)
		if a.Context == "repl" && isText && len(command) > 1 && string(command[0]) == "redis" {
			body.Result, failed = runCommand(d, command[1:])
			return
		}
		frame, run := a.FrameId-1, d.Inspect
		if a.Context == "repl" {
			run = d.Evaluate
		}
		values, err := run(a.Expression, frame)
		if failed = err; err != nil {
			return
		}
		body.Result = cut(showAll(d, values))
		if a.Context == "clipboard" && len(values) > 0 {
			body.Result = debugger.Describe(d.State(), values[0])
		}
		if len(values) == 1 {
			v := r.variable(d, max(frame, 0), "", values[0], expressionOf(a))
			body.Type, body.VariablesReference, body.IndexedVariables = v.Type, v.VariablesReference, v.IndexedVariables
		}
	})
	return &dap.EvaluateResponse{Body: body}, firstOf(err, failed)
}

// expressionOf returns what is evaluated, if fields can be taken of it as it stands.
func expressionOf(a dap.EvaluateArguments) string {
	if word.MatchString(a.Expression) && isName(a.Expression) {
		return a.Expression
	}
	return "(" + a.Expression + ")"
}

// runCommand runs a command of Redis as the script would, and describes its reply.
func runCommand(d *debugger.Debugger, command [][]byte) (string, error) {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = string(w)
	}
	reply, err := d.Call(words)
	if err != nil {
		return "", err
	}
	return debugger.DescribeReply(reply), nil
}
