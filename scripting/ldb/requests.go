package ldb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// obey carries out a request, and reports whether the run is to go on.
func (s *Session) obey(L *lua.State, words []string) (goOn bool) {
	args := words[1:]
	switch strings.ToLower(words[0]) {
	case "s", "step", "n", "next":
		s.steps = true
		return true
	case "c", "continue":
		return true
	case "f", "finish":
		s.depth = len(L.Levels())
		return true
	case "a", "abort":
		L.Abort(ErrAborted)
	case "h", "help":
		s.lines = append(s.lines, help...)
	case "t", "trace":
		s.trace(L)
	case "l", "list":
		s.list(args)
	case "w", "whole":
		s.around(1, 1_000_000)
	case "p", "print":
		s.print(L, args)
	case "b", "break":
		s.breakpoints(args)
	case "m", "maxlen":
		s.setWidth(args)
	case "e", "eval":
		s.eval(L, strings.Join(args, " "))
	case "r", "redis":
		if len(args) > 0 {
			s.redis(L, args)
			return false
		}
		s.unknown()
	default:
		s.unknown()
	}
	return false
}

func (s *Session) unknown() {
	s.Note("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
}

var help = strings.Split(strings.TrimSpace(`
Commands, of which the first letter is enough:
step, next           Run the current line and stop at the next one.
continue             Run to the next breakpoint.
finish               Run until the current function has returned.
list [line] [n]      Show n lines before and after a line; 0 is the current one.
whole                Show the whole script.
print [name]         Show the local variables, or one; KEYS and ARGV too.
break [line ...]     Show the breakpoints, or set some; -line removes one, 0 all.
trace                Show the functions that run.
eval code            Run Lua code, which does not see the local variables.
redis command ...    Run a command.
maxlen [n]           Trim what is shown to n bytes; 0 does not trim.
abort                End the run. In sync mode what it has written stays.
Functions for scripts:
redis.breakpoint()   Stop at the next line.
redis.debug(...)     Show values.`), "\n")

// list shows lines around one: list [line] [lines before and after].
func (s *Session) list(args []string) {
	line, n := s.line, context
	if len(args) > 0 {
		if at := leadingInt(args[0]); at > 0 {
			line = at
		}
	}
	if len(args) > 1 {
		n = leadingInt(args[1])
	}
	s.around(line, n)
}

// around shows n lines before and after a line.
func (s *Session) around(line, n int) {
	for i := max(1, line-n); i <= min(line+n, len(s.source)); i++ {
		s.Note(s.sourceLine(i))
	}
}

// leadingInt reads the number at the beginning of a text, 0 if there is none, as C's atoi.
func leadingInt(text string) int {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || end == 0 && (text[end] == '-' || text[end] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 32)
	return int(n)
}

// trace shows the functions that run.
func (s *Session) trace(L *lua.State) {
	word := "In"
	for _, l := range L.Levels() {
		name := l.Name
		if name == "" {
			name = "top level"
		}
		s.Note(word + " " + name + ":")
		s.Note(s.sourceLine(l.Line))
		word = "From"
	}
}

// print shows all local variables, or one of them, which is looked for in the callers too.
func (s *Session) print(L *lua.State, args []string) {
	levels := L.Levels()
	if len(args) == 1 {
		s.printOne(L, levels, args[0])
		return
	}
	var locals []lua.Local
	if len(levels) > 0 {
		locals = levels[0].Locals()
	}
	if len(locals) == 0 {
		s.Note("No local variables in the current context.")
	}
	for _, v := range locals {
		s.noteTrimmed("<value> " + v.Name + " = " + describe(L, v.Value))
	}
}

func (s *Session) printOne(L *lua.State, levels []lua.Level, name string) {
	for _, l := range levels {
		for _, v := range l.Locals() {
			if v.Name == name {
				s.noteTrimmed("<value> " + describe(L, v.Value))
				return
			}
		}
	}
	if name == "KEYS" || name == "ARGV" {
		s.noteTrimmed("<value> " + describe(L, L.Globals.GetString(name)))
		return
	}
	s.Note("No such variable.")
}

// breakpoints shows the breakpoints, or changes them: a line sets one, -line removes it, 0 removes all.
func (s *Session) breakpoints(args []string) {
	if len(args) == 0 {
		s.listPoints()
	}
	for _, arg := range args {
		line, err := strconv.ParseInt(arg, 10, 32)
		switch n := int(line); {
		case err != nil:
			s.Note("Invalid argument:'" + arg + "'")
		case n == 0:
			s.points = nil
			s.Note("All breakpoints removed.")
		case n < 0:
			s.removePoint(-n)
		default:
			s.addPoint(n)
		}
	}
}

func (s *Session) listPoints() {
	if len(s.points) == 0 {
		s.Note("No breakpoints set. Use 'b <line>' to add one.")
		return
	}
	s.Note(strconv.Itoa(len(s.points)) + " breakpoints set:")
	for _, p := range s.points {
		s.Note(s.sourceLine(p))
	}
}

func (s *Session) addPoint(line int) {
	switch {
	case len(s.points) == mostPoints:
		s.Note("Too many breakpoints set.")
	case line > len(s.source) || s.isPoint(line):
		s.Note("Wrong line number.")
	default:
		s.points = append(s.points, line)
		s.around(line, 1)
	}
}

func (s *Session) removePoint(line int) {
	if !s.isPoint(line) {
		s.Note("No breakpoint in the specified line.")
		return
	}
	s.points = slices.DeleteFunc(s.points, func(p int) bool { return p == line })
	s.Note("Breakpoint removed.")
}

// setWidth shows or changes the length to which values are trimmed.
func (s *Session) setWidth(args []string) {
	if len(args) > 0 {
		s.hinted = true
		if s.width = leadingInt(args[0]); s.width != 0 {
			s.width = max(s.width, leastWidth)
		}
	}
	if s.width == 0 {
		s.Note("<value> replies are unlimited.")
		return
	}
	s.Note("<value> replies are truncated at " + strconv.Itoa(s.width) + " bytes.")
}

// eval runs Lua code: an expression if it is one.
func (s *Session) eval(L *lua.State, code string) {
	const chunk = "@ldb_eval"
	proto, err := lua.Compile("return "+code, chunk)
	if err != nil {
		proto, err = lua.Compile(code, chunk)
	}
	if err != nil {
		s.Note("<error> " + err.Error())
		return
	}
	results, ok := L.Try(L.Load(proto))
	switch {
	case !ok:
		s.Note("<error> " + s.console.ErrorText(results[0]))
	case len(results) == 0:
		s.Note("<retval> nil")
	default:
		s.noteTrimmed("<retval> " + describe(L, results[0]))
	}
}

// redis runs a command and shows it.
func (s *Session) redis(L *lua.State, args []string) {
	s.steps = true
	s.console.Call(L, args)
	s.steps = false
}
