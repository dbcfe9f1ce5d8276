package scripting

import (
	"errors"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// wording says how the errors of one State read, in its engine's release.
type wording struct {
	engine *engine.Engine
	lua    *lua.State
	bare   bool // errors are texts, not tables
}

// describe returns the error that ended a run in Redis' words, with the program and the line. Both
// are missing if the program is one of Redis' own functions, which a library may register.
func (w *wording) describe(err error, p *program.Program) error {
	var failed *lua.Error
	if !errors.As(err, &failed) {
		return command.Errorf("ERR %s script: %s", err, p.Name)
	}
	if w.bare {
		return w.describeBare(failed, p)
	}
	text := w.errorText(failed)
	switch {
	case failed.Line > 0:
		return w.engine.Commands.Errorf(errFailed, text, p.Name, failed.Chunk, failed.Line)
	case p.Fn.Name() != "":
		return command.Error(text)
	}
	return fmt.Errorf("%s script: %s", text, p.Name)
}

// errorText returns the text of a Lua error: the field err if it is a table, else the value as
// text.
func (w *wording) errorText(failed *lua.Error) string {
	v := failed.Value
	if failed.Cause != nil {
		return failed.Cause.Error()
	}
	if t := v.AsTable(); t != nil {
		if text, ok := t.GetString("err").ToString(); ok {
			return reply.CText(text)
		}
		return string(errUnknownThrown)
	}
	text, _ := w.lua.Describe(v).AsString()
	return "ERR " + reply.CText(text)
}

// caught returns the values that pcall returns after false for an error value. For a table with a
// text in its field err it is that text, so that errors of redis.call look like those of Lua.
func (w *wording) caught(v lua.Value) []lua.Value {
	if !v.IsTable() {
		return []lua.Value{v}
	}
	text := w.lua.Index(v, lua.String("err"))
	if text.IsString() || text.IsNumber() {
		return []lua.Value{text}
	}
	return []lua.Value{v, text} // Redis leaves both on its stack
}

// errorTable returns {err=text}.
func (w *wording) errorTable(text lua.Value) lua.Value { return reply.Tagged(w.lua, "err", text) }

// isKnown reports whether the error that ended a run is counted already.
func (w *wording) isKnown(err error) bool {
	var failed *lua.Error
	return !w.bare && errors.As(err, &failed) && failed.Value.AsTable() != nil && reply.IsKnown(failed.Value.AsTable())
}

// raise throws an error, as the functions of the table redis do.
func (w *wording) raise(err error) {
	if w.bare {
		w.lua.Throw(lua.String(bareText(w.engine.Commands.Worded(err))))
	}
	w.lua.Throw(w.errorTable(w.worded(err)))
}

// worded returns the text of an error as the engine's release words it, for the table that a
// function returns.
func (w *wording) worded(err error) lua.Value {
	err = w.engine.Commands.Worded(err)
	if w.bare {
		return w.placed(err)
	}
	return lua.String(err.Error())
}

// Before Redis 7.0 what a script throws is a bare text: the functions of the table redis leave out
// the code ERR, and redis.call throws the text of the table that redis.pcall returns. A function
// written in Lua then describes the error; it fails if that is no text.

// tableErrors is when the errors of scripts became tables, and functions came.
var tableErrors = release.From("7.0.0")

const (
	errRunning = "ERR Error running script (call to f_%s): %s"
	errNoText  = "@err_handler_def:9: err_handler_def:9: attempt to concatenate local 'err' (a %s value)"
)

// describeBare is describe before 7.0.
func (w *wording) describeBare(failed *lua.Error, p *program.Program) error {
	text, ok := failed.Value.ToString()
	if failed.Cause != nil {
		text, ok = bareText(failed.Cause), true
	}
	switch {
	case !ok:
		text = fmt.Sprintf(errNoText, failed.Value.TypeName())
	case failed.Line > 0:
		text = fmt.Sprintf("%s:%d: %s", failed.Chunk, failed.Line, text)
	default:
		text = "=[C]:-1: " + text
	}
	return command.Errorf(errRunning, p.Name, strings.Trim(reply.CText(text), "\r\n"))
}

// bareText returns the text of an error without the code ERR. Another code stays, with the sign
// that errors have in the protocol.
func bareText(err error) string {
	text, general := strings.CutPrefix(err.Error(), "ERR ")
	if !general {
		return "-" + text
	}
	return text
}

// placed returns the text of an error with the place of the call that caused it.
func (w *wording) placed(err error) lua.Value {
	chunk, line := w.lua.Caller()
	return w.lua.NewString(fmt.Sprintf("%s: %d: %s", chunk, line, bareText(err)))
}

// throw throws the error that execute has returned.
func (w *wording) throw(L *lua.State, v lua.Value) {
	if w.bare {
		v = v.AsTable().GetString("err")
	}
	L.Throw(v)
}
