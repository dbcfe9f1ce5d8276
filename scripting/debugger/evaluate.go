package debugger

import (
	"errors"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Global stands for no frame: code that sees globals only.
const Global = -1

// Frames returns the Lua functions that run, the innermost first.
func (d *Debugger) Frames() []lua.Level { return d.state.Levels() }

// Globals returns KEYS and ARGV, where the script has them, and the globals that it has made.
func (d *Debugger) Globals() (globals []lua.Variable) {
	for k, v := range Items(d.state.Globals.Value()) {
		if name, _ := k.AsString(); name == "KEYS" || name == "ARGV" || !d.given[name] {
			globals = append(globals, lua.Variable{Name: name, Value: v})
		}
	}
	return globals
}

// Evaluate runs Lua code, an expression if it is one, and returns its values. It sees the variables
// of frame number frame of Frames, or globals only: Global. An error has the text that the script
// would get.
func (d *Debugger) Evaluate(text string, frame int) ([]lua.Value, error) {
	levels := d.Frames()
	if frame != Global && (frame < 0 || frame >= len(levels)) {
		return nil, ErrNoFrame
	}
	d.remember(len(text), func(L *lua.State) { _, _ = d.run(L, &code{text: text}, L.Levels(), frame) })
	return d.run(d.state, &code{text: text}, levels, frame)
}

// Inspect is Evaluate for an expression that must not write, and of which a run that goes back
// knows nothing.
func (d *Debugger) Inspect(text string, frame int) ([]lua.Value, error) {
	levels := d.Frames()
	if frame != Global && (frame < 0 || frame >= len(levels)) {
		return nil, ErrNoFrame
	}
	return d.peek(d.state, &code{text: text, expression: true}, levels, frame)
}

// Call executes a command. It returns the reply in the protocol, which dies with the next call, or
// the error that has kept it from running.
func (d *Debugger) Call(words []string) (reply []byte, err error) {
	size := 0
	for _, w := range words {
		size += len(w)
	}
	d.remember(size, func(L *lua.State) { _, _ = d.host.Call(L, words) })
	return d.quietCall(words)
}

// quietCall is Call that changes nothing.
func (d *Debugger) quietCall(words []string) (reply []byte, err error) {
	d.Quiet(func() { reply, err = d.host.Call(d.state, words) })
	return reply, err
}

// peek is run for a condition or a watch.
func (d *Debugger) peek(L *lua.State, c *code, levels []lua.Level, frame int) (values []lua.Value, err error) {
	d.host.Peek(func() { values, err = d.run(L, c, levels, frame) })
	return values, err
}

// run runs code in a frame.
func (d *Debugger) run(L *lua.State, c *code, levels []lua.Level, frame int) ([]lua.Value, error) {
	proto, err := c.compile(L)
	if err != nil {
		return nil, err
	}
	fn := L.Load(proto)
	if frame != Global {
		fn = levels[frame].Load(proto)
	}
	var values []lua.Value
	d.Quiet(func() { values, err = L.Try(fn, ErrTooLong) })
	if thrown := (*lua.Error)(nil); errors.As(err, &thrown) && thrown.Cause == nil {
		err = errors.New(d.host.ErrorText(thrown.Value))
	}
	return values, err
}

// remember remembers an edit of so many bytes.
func (d *Debugger) remember(bytes int, do func(L *lua.State)) {
	if d.host.CanRewind() != nil {
		return
	}
	if d.editBytes += bytes + 64; d.editBytes <= mostEdits {
		d.edits = append(d.edits, edit{d.reached, do})
	}
}
