package scripting

import (
	"errors"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// describe returns the error that ended a run in Redis' words, with the program and the line. Both are missing if the
// program is one of Redis' own functions, which a library may register.
func (s *Scripts) describe(err error, p *program) error {
	var failed *lua.Error
	if !errors.As(err, &failed) {
		return command.Errorf("ERR %s script: %s", err, p.name)
	}
	if s.bare {
		return s.describeBare(failed, p)
	}
	text := s.errorText(failed)
	switch {
	case failed.Line > 0:
		return s.engine.Errorf(errFailed, text, p.name, failed.Chunk, failed.Line)
	case p.fn.Name() != "":
		return command.Error(text)
	}
	return fmt.Errorf("%s script: %s", text, p.name)
}

// errorText returns the text of a Lua error: the field err if it is a table, else the value as text.
func (s *Scripts) errorText(failed *lua.Error) string {
	v := failed.Value
	if failed.Cause != nil {
		return failed.Cause.Error()
	}
	if t := v.AsTable(); t != nil {
		if text, ok := t.GetString("err").ToString(); ok {
			return cText(text)
		}
		return string(errUnknownThrown)
	}
	text, _ := s.lua.Describe(v).AsString()
	return "ERR " + cText(text)
}

// cText returns a text up to its first zero byte, where a C string ends.
func cText(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// caught returns the values that pcall returns after false for an error value. For a table with a text in its field err
// it is that text, so that errors of redis.call look like those of Lua.
func (s *Scripts) caught(v lua.Value) []lua.Value {
	if !v.IsTable() {
		return []lua.Value{v}
	}
	text := s.lua.Index(v, lua.String("err"))
	if text.IsString() || text.IsNumber() {
		return []lua.Value{text}
	}
	return []lua.Value{v, text} // Redis leaves both on its stack
}

// errorTable returns {err=text}.
func (s *Scripts) errorTable(text lua.Value) lua.Value { return s.tagged("err", text) }

// replyError returns the table for an error that a command replied with, or that refused the command. In Redis the
// second field means that the error is counted already.
func (s *Scripts) replyError(text lua.Value) lua.Value {
	t := s.lua.NewTable(0, 2)
	t.SetString(s.lua, "err", text)
	t.SetString(s.lua, "ignore_error_stats_update", lua.Bool(true))
	return t.Value()
}

// isKnown reports whether the table of an error says that the error is counted already.
func isKnown(t *lua.Table) bool {
	v := t.GetString("ignore_error_stats_update")
	return v.Kind() == lua.KindBoolean && v.AsBool()
}

// isKnown reports whether the error that ended a run is counted already.
func (s *Scripts) isKnown(err error) bool {
	var failed *lua.Error
	return !s.bare && errors.As(err, &failed) && failed.Value.AsTable() != nil && isKnown(failed.Value.AsTable())
}

// errorCounts are the errors in the reply of a script: the texts of new ones, and the number of those that are counted already.
type errorCounts struct {
	fresh []string
	known int
}

func (n *errorCounts) add(text string, known bool) {
	if known {
		n.known++
		return
	}
	n.fresh = append(n.fresh, text)
}

// raise throws an error, as the functions of the table redis do.
func (s *Scripts) raise(err error) {
	if s.bare {
		s.lua.Throw(lua.String(bareText(s.engine.Worded(err))))
	}
	s.lua.Throw(s.errorTable(s.worded(err)))
}

// worded returns the text of an error as the engine's release words it, for the table that a function returns.
func (s *Scripts) worded(err error) lua.Value {
	err = s.engine.Worded(err)
	if s.bare {
		return s.placed(err)
	}
	return lua.String(err.Error())
}

// tagged returns {name=v}.
func (s *Scripts) tagged(name string, v lua.Value) lua.Value {
	t := s.lua.NewTable(0, 1)
	t.SetString(s.lua, name, v)
	return t.Value()
}
