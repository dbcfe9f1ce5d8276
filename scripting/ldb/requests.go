package ldb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// request is a line of the table: what a client may ask for.
type request struct {
	names  []string // the first is shown, the others are short forms
	syntax string   // of the arguments
	about  string
	run    func(s *Session, args []string)
	order  *debugger.Order // what it lets the run do; nil if the run does not go on
	needs  int             // arguments at least
}

// requests returns what a client may ask for, in the order of help.
func requests() []request {
	return []request{
		{names: []string{"step", "s", "next", "n"}, about: "Run the current line and stop at the next one.", order: &debugger.StepInto},
		{names: []string{"continue", "c"}, about: "Run to the next breakpoint.", order: &debugger.Continue},
		{names: []string{"finish", "f"}, about: "Run until the current function has returned.", order: &debugger.StepOut},
		{names: []string{"list", "l"}, syntax: "[line] [n]", about: "Show n lines before and after a line; 0 is the current one.", run: (*Session).list},
		{names: []string{"whole", "w"}, about: "Show the whole script.", run: (*Session).whole},
		{names: []string{"print", "p"}, syntax: "[name]", about: "Show the local variables, or one; KEYS and ARGV too.", run: (*Session).print},
		{names: []string{"break", "b"}, syntax: "[line ...]", about: "Show the breakpoints, or set some; -line removes one, 0 all.", run: (*Session).breakpoints},
		{names: []string{"trace", "t"}, about: "Show the functions that run.", run: (*Session).trace},
		{names: []string{"eval", "e"}, syntax: "code", about: "Run Lua code, which does not see the local variables.", run: (*Session).eval},
		{names: []string{"redis", "r"}, syntax: "command ...", about: "Run a command.", run: (*Session).redis, needs: 1},
		{names: []string{"maxlen", "m"}, syntax: "[n]", about: "Trim what is shown to n bytes; 0 does not trim.", run: (*Session).setWidth},
		{names: []string{"abort", "a"}, about: "End the run. In sync mode what it has written stays.", order: abort},
		{names: []string{"help", "h"}, about: "Show this.", run: (*Session).help},
	}
}

var abort = func() *debugger.Order { o := debugger.Abort(errAborted); return &o }()

// obey does what a request asks for. It returns the order that lets the run go on, nil if it does not.
func (s *Session) obey(words []string) *debugger.Order {
	word, args := strings.ToLower(words[0]), words[1:]
	for _, r := range requests() {
		if !slices.Contains(r.names, word) || len(args) < r.needs {
			continue
		}
		if r.run != nil {
			r.run(s, args)
		}
		return r.order
	}
	s.note("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
	return nil
}

// help shows the table.
func (s *Session) help([]string) {
	s.note("Requests, with their short forms:")
	for _, r := range requests() {
		s.note(fmt.Sprintf("%-22s %s", strings.TrimSpace(r.names[0]+" "+r.syntax), r.about))
	}
	s.note("Functions for scripts:")
	s.note(fmt.Sprintf("%-22s %s", "redis.breakpoint()", "Stop at the next line."))
	s.note(fmt.Sprintf("%-22s %s", "redis.debug(...)", "Show values."))
}

// list shows lines around one: list [line] [lines before and after].
func (s *Session) list(args []string) {
	line, n := s.debug.CurrentLine(), context
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

func (s *Session) whole([]string) { s.around(1, 1_000_000) }

// around shows n lines before and after a line.
func (s *Session) around(line, n int) {
	for i := max(1, line-n); i <= min(line+n, len(s.debug.Source())); i++ {
		s.note(s.sourceLine(i))
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

// print shows all local variables, or one of them, which is looked for in the callers too.
func (s *Session) print(args []string) {
	levels := s.debug.Frames()
	if len(args) == 1 {
		s.printOne(levels, args[0])
		return
	}
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

func (s *Session) describe(v lua.Value) string { return debugger.Describe(s.debug.State(), v) }

func (s *Session) printOne(levels []lua.Level, name string) {
	for _, l := range levels {
		for _, v := range l.Locals() {
			if v.Name == name {
				s.noteTrimmed("<value> " + s.describe(v.Value))
				return
			}
		}
	}
	if name == "KEYS" || name == "ARGV" {
		s.noteTrimmed("<value> " + s.describe(s.debug.State().Globals.GetString(name)))
		return
	}
	s.note("No such variable.")
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
			s.note("Invalid argument:'" + arg + "'")
		case n == 0:
			s.debug.RemoveBreakpoints()
			s.note("All breakpoints removed.")
		case n < 0:
			s.removePoint(-n)
		default:
			s.addPoint(n)
		}
	}
}

func (s *Session) listPoints() {
	points := s.debug.Breakpoints()
	if len(points) == 0 {
		s.note("No breakpoints set. Use 'b <line>' to add one.")
		return
	}
	s.note(strconv.Itoa(len(points)) + " breakpoints set:")
	for _, p := range points {
		s.note(s.sourceLine(p.Line))
	}
}

func (s *Session) addPoint(line int) {
	switch {
	case len(s.debug.Breakpoints()) == debugger.MostBreakpoints:
		s.note("Too many breakpoints set.")
	case s.debug.HasBreakpoint(line) || s.debug.SetBreakpoint(line, "") != nil:
		s.note("Wrong line number.")
	default:
		s.around(line, 1)
	}
}

func (s *Session) removePoint(line int) {
	if s.debug.RemoveBreakpoint(line) != nil {
		s.note("No breakpoint in the specified line.")
		return
	}
	s.note("Breakpoint removed.")
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
		s.note("<value> replies are unlimited.")
		return
	}
	s.note("<value> replies are truncated at " + strconv.Itoa(s.width) + " bytes.")
}

// eval runs Lua code: an expression if it is one.
func (s *Session) eval(args []string) {
	values, err := s.debug.Evaluate(strings.Join(args, " "), debugger.Global)
	switch {
	case err != nil:
		s.note("<error> " + err.Error())
	case len(values) == 0:
		s.note("<retval> nil")
	default:
		s.noteTrimmed("<retval> " + s.describe(values[0]))
	}
}

// redis runs a command and shows it.
func (s *Session) redis(args []string) {
	s.noteCommand(args)
	reply, err := s.debug.Call(args)
	if err != nil {
		s.note("<error> " + err.Error())
		return
	}
	s.noteReply(reply)
}
