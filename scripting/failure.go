package scripting

import (
	"errors"
	"fmt"
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// describe words what ended a run as Redis does, with the program and the line; with neither if the program
// is one of Redis' own functions, which a library may register.
func (s *Scripts) describe(err error, p *program) error {
	var failed *lua.Error
	if !errors.As(err, &failed) {
		return fmt.Errorf("ERR %s script: %s", err, p.name)
	}
	text := s.errorText(failed)
	switch {
	case failed.Line > 0:
		return fmt.Errorf("%s script: %s, on %s:%d.", text, p.name, failed.Chunk, failed.Line)
	case p.fn.Name() != "":
		return engine.Error(text)
	}
	return fmt.Errorf("%s script: %s", text, p.name)
}

// errorText returns the text of what ended a run: the field err of a table, else the value as text.
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

// cText returns a text up to a zero byte, where Redis' own ends.
func cText(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// caught is what pcall answers for an error value beside false: the text of a table that has one in
// its field err, so that the errors of redis.call look like those of Lua.
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

// errorTable returns an error as redis.pcall returns it.
func (s *Scripts) errorTable(text lua.Value) lua.Value { return s.tagged("err", text) }

// replyError returns the table of an error that a command replied with, or that kept it from being
// executed. The mark tells Redis that the error was counted already.
func (s *Scripts) replyError(text lua.Value) lua.Value {
	t := s.lua.NewTable(0, 2)
	t.SetString(s.lua, "err", text)
	t.SetString(s.lua, "ignore_error_stats_update", lua.Bool(true))
	return t.Value()
}

// raise throws an error table, as the functions of the table redis do.
func (s *Scripts) raise(err error) { s.lua.Throw(s.errorTable(lua.String(err.Error()))) }

// tagged returns {name=v}.
func (s *Scripts) tagged(name string, v lua.Value) lua.Value {
	t := s.lua.NewTable(0, 1)
	t.SetString(s.lua, name, v)
	return t.Value()
}
