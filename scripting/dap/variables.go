package dap

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// A scope or a table has a reference, by which a client asks for its variables. References count on
// through a run, and die when it goes on, so that one of an earlier stop is refused. They hold
// functions that look when they are called: what nobody unfolds costs nothing, and a change that
// the user makes at a stop is seen.

// holder is what a reference stands for.
type holder struct {
	frame int                               // in which expressions of its variables are evaluated, from 0
	keys  bool                              // its variables are keys of the database
	list  func(start, n int) []dap.Variable // n is 0 for all
}

const (
	mostShown = 1000 // items of a table, if a client does not ask for parts of it
	pageFrom  = 100  // items from which on a list is shown in parts
	longText  = 1024 // bytes of a value
	shortText = 64   // bytes of a value in a table
	fewItems  = 8    // of a table in a line
)

// forget drops the references of the stop before.
func (r *run) forget() {
	r.first += len(r.shown)
	r.shown = nil
}

// hold gives a reference.
func (r *run) hold(h *holder) int {
	r.shown = append(r.shown, h)
	return r.first + len(r.shown) - 1
}

// held returns what a reference stands for, nil if that is gone.
func (r *run) held(reference int) *holder {
	if i := reference - r.first; i >= 0 && i < len(r.shown) {
		return r.shown[i]
	}
	return nil
}

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

type item struct{ key, value lua.Value }

// sorted returns the items of a table, as many as most: those with numbers first, then those with
// strings. It reads no more than that, so of a larger table it shows some, and not the smallest.
func sorted(table lua.Value, most int) (list []item, more bool) {
	for k, v := range debugger.Items(table) {
		if len(list) == most {
			more = true
			break
		}
		list = append(list, item{k, v})
	}
	slices.SortStableFunc(list, func(a, b item) int {
		x, isNumberX := a.key.AsNumber()
		y, isNumberY := b.key.AsNumber()
		s, isTextX := a.key.AsString()
		t, isTextY := b.key.AsString()
		return cmp.Or(first(isNumberX, isNumberY), cmp.Compare(x, y), first(isTextX, isTextY), strings.Compare(s, t))
	})
	return list, more
}

// first orders what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// within returns Lua for an item of a table; "" if one of the two cannot be written.
func within(expression, access string) string {
	if expression == "" || access == "" {
		return ""
	}
	return expression + access
}

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// itemName returns how to show a key of a table, and Lua that takes its item; "" for none.
func itemName(d *debugger.Debugger, k lua.Value) (name, access string) {
	text, isText := k.AsString()
	_, isNumber := k.AsNumber()
	switch {
	case isText && word.MatchString(text) && isName(text):
		return text, "." + text
	case isText && len(text) <= longText:
		quoted := string(resp.Quote(nil, text))
		if strings.Contains(quoted, `\x`) { // which Lua 5.1 does not know
			return "[" + quoted + "]", ""
		}
		return "[" + quoted + "]", "[" + quoted + "]"
	case isNumber:
		name = "[" + debugger.ShowValue(d.State(), k) + "]"
		return name, name
	}
	return "[" + cut(line(d, k)) + "]", ""
}

// isName reports whether a word is no keyword of Lua.
func isName(word string) bool {
	_, err := syntax.Parse("local "+word, "", 0, nil)
	return err == nil
}

// line shows a value in a line, of a table the first items.
func line(d *debugger.Debugger, v lua.Value) string {
	if v.AsTable() == nil {
		return debugger.ShowValue(d.State(), v)
	}
	var parts []string
	list, more := sorted(v, fewItems)
	for i, item := range list {
		text := "{...}"
		if item.value.AsTable() == nil {
			text = shorten(debugger.ShowValue(d.State(), item.value), shortText)
		}
		if f, ok := item.key.AsNumber(); !ok || f != float64(i+1) {
			name, _ := itemName(d, item.key)
			text = shorten(name, shortText) + " = " + text
		}
		parts = append(parts, text)
	}
	if more {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func shorten(text string, most int) string {
	if len(text) > most {
		return text[:most] + " ..."
	}
	return text
}

// cut shortens a value that is too long to show.
func cut(text string) string { return shorten(text, longText) }

// showAll shows the values of an expression.
func showAll(d *debugger.Debugger, values []lua.Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = line(d, v)
	}
	return cmp.Or(strings.Join(texts, ", "), "nil")
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
