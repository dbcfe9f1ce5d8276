package ldb

import (
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// trace shows the functions that run.
func (s *Session) trace([]string) {
	word := "In"
	for _, l := range s.debug.Frames() {
		s.note(word + " " + nameOf(l) + ":")
		s.note(s.sourceLine(l.Line))
		word = "From"
	}
}

func nameOf(l lua.Level) string {
	if l.Name == "" {
		return "top level"
	}
	return l.Name
}

// frame turns to a function: frame [n].
func (s *Session) frame(args []string) {
	if len(args) == 0 {
		s.turn(s.selected)
		return
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		n = -1
	}
	s.turn(n)
}

func (s *Session) up([]string)   { s.turn(s.selected + 1) }
func (s *Session) down([]string) { s.turn(s.selected - 1) }

// turn turns to a function and shows where it is.
func (s *Session) turn(n int) {
	frames := s.debug.Frames()
	if n < 0 || n >= len(frames) {
		s.noteError(debugger.ErrNoFrame)
		return
	}
	s.selected = n
	s.note("#" + strconv.Itoa(n) + " " + nameOf(frames[n]) + ":")
	s.note(s.sourceLine(frames[n].Line))
}

// print shows all local variables, one variable, or the values of an expression.
func (s *Session) print(args []string) {
	levels := s.debug.Frames()
	levels = levels[min(s.selected, len(levels)):]
	switch text := strings.Join(args, " "); {
	case len(args) == 0:
		s.printLocals(levels)
	case isName(text):
		s.printOne(levels, text)
	default:
		s.printExpression(text)
	}
}

func (s *Session) printLocals(levels []lua.Level) {
	var locals []lua.Variable
	if len(levels) > 0 {
		locals = levels[0].Locals()
	}
	if len(locals) == 0 {
		s.note("No local variables in the current context.")
	}
	for _, v := range locals {
		s.noteTrimmed("<value> " + v.Name + " = " + s.describe(v.Value))
	}
}

// printOne shows a variable of the function, or else of one that has called it.
func (s *Session) printOne(levels []lua.Level, name string) {
	for _, l := range levels {
		if v, ok := l.Find(name); ok {
			s.noteTrimmed("<value> " + s.describe(v))
			return
		}
	}
	for _, v := range s.debug.Globals() {
		if v.Name == name {
			s.noteTrimmed("<value> " + s.describe(v.Value))
			return
		}
	}
	s.note("No such variable.")
}

func (s *Session) printExpression(text string) {
	values, err := s.debug.Evaluate(text, s.selected)
	switch {
	case err != nil:
		s.noteError(err)
	case len(values) == 0:
		s.note("<value> nil")
	}
	for _, v := range values {
		s.noteTrimmed("<value> " + s.describe(v))
	}
}

// isName reports whether a text is a name, or a hidden variable as print shows it.
func isName(text string) bool {
	for i, c := range []byte(text) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return strings.HasPrefix(text, "(for ")
		}
	}
	return true
}

func (s *Session) describe(v lua.Value) string { return debugger.Describe(s.debug.State(), v) }

// keys shows the keys that the script has used.
func (s *Session) keys([]string) {
	keys := s.debug.Touched()
	if len(keys) == 0 {
		s.note("No keys used so far.")
	}
	for _, k := range keys {
		how := "read"
		switch {
		case k.Read && k.Written:
			how = "read, written"
		case k.Written:
			how = "written"
		}
		s.note("<key> " + k.Name + " (" + how + ")")
	}
}
