package ldb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// Leaving returns a request of the front end, which ends the run. leave notes what is to follow.
func Leaving(names, about string, leave func()) Request {
	return Request{names: words(names), about: about, leave: leave}
}

// requests returns what a client may ask for, in the order of help.
func requests() []Request {
	return []Request{
		{names: words("step s next n"), about: "Run the current line and stop at the next one.",
			order: &debugger.StepInto},
		{names: words("over o"), about: "Like step, but do not enter functions that the line calls.",
			order: &debugger.StepOver},
		{names: words("finish f"), about: "Run until the current function has returned.", order: &debugger.StepOut},
		{names: words("continue c"), about: "Run to the next breakpoint or change of a watch.",
			order: &debugger.Continue},
		{names: words("back"), about: "Go back to the line before.", order: &debugger.BackwardStep},
		{names: words("reverse-continue rc"), about: "Go back to the last breakpoint or change of a watch.",
			order: &debugger.BackwardContinue},
		{names: words("list l"), syntax: "[line] [n]",
			about: "Show n lines before and after a line; 0 is the current one.", run: (*Session).list},
		{names: words("whole w"), about: "Show the whole script.", run: (*Session).whole},
		{names: words("trace t"), about: "Show the stack of function calls.", run: (*Session).trace},
		{names: words("frame"), syntax: "[n]", about: "Select a function of trace, from 0, for print.",
			run: (*Session).frame},
		{names: words("up u"), about: "Select the calling function.", run: (*Session).up},
		{names: words("down d"), about: "Select the called function again.", run: (*Session).down},
		{names: words("print p"), syntax: "[code]",
			about: "Show all local variables, one, or the value of an expression.", run: (*Session).print, split: code},
		{names: words("eval e"), syntax: "code", about: "Run Lua code, without the local variables of the script.",
			run: (*Session).eval, split: code},
		{names: words("redis r"), syntax: "command ...", about: "Run a command.",
			run: (*Session).redis, needs: 1, split: quotedWords},
		{names: words("keys k"), about: "Show the keys that the script has used.", run: (*Session).keys},
		{names: words("break b"), syntax: "[line ...]", about: "Show the breakpoints, or set some; " +
			"-line removes one, 0 all.", run: (*Session).breakpoints, split: linesOrCondition},
		{names: words("break b"), syntax: "line if code",
			about: "Set a breakpoint that stops only if an expression is true."},
		{names: words("watch"), syntax: "[code]", about: "Show the watches, " +
			"or stop when the value of an expression changes.", run: (*Session).watch, split: keyOrCode},
		{names: words("watch"), syntax: "key name", about: "Stop when the value of a key changes."},
		{names: words("unwatch"), syntax: "[n]", about: "Remove a watch, or all.", run: (*Session).unwatch},
		{names: words("catch"), syntax: "[off]", about: "Stop at the line where an error ends the script.",
			run: (*Session).catch},
		{names: words("maxlen m"), syntax: "[n]", about: "Trim values to n bytes; 0 shows them whole.",
			run: (*Session).setWidth},
		{names: words("abort a"), about: "End the script. In sync mode its writes remain.", order: abort},
		{names: words("help h"), about: "Show this help.", run: (*Session).help},
	}
}

var words = strings.Fields

// Names returns the names of all requests, short forms left out, in the order of help.
func (s *Session) Names() (names []string) {
	for _, r := range s.requests {
		if !slices.Contains(names, r.names[0]) {
			names = append(names, r.names[0])
		}
	}
	return names
}

var abort = func() *debugger.Order { o := debugger.Abort(errAborted); return &o }()

// obey does what a request asks for. It returns the order that lets the run go on, nil if it does
// not.
func (s *Session) obey(words []string) *debugger.Order {
	if s.Leave(words) {
		return abort
	}
	r, args := s.find(words[0]), words[1:]
	if r == nil || len(args) < r.needs {
		s.note("<error> Unknown Redis Lua debugger command or wrong number of arguments.")
		return nil
	}
	if r.run != nil {
		r.run(s, args)
	}
	if r.order != nil && r.order.GoesBack() {
		if err := s.debug.CanGoBack(); err != nil {
			s.noteError(err)
			return nil
		}
	}
	return r.order
}

// Leave obeys a request of the front end, which needs no run. It reports whether it was one.
func (s *Session) Leave(words []string) bool {
	r := s.find(words[0])
	if r == nil || r.leave == nil {
		return false
	}
	r.leave()
	return true
}

// find returns the first request of a name, nil if there is none.
func (s *Session) find(name string) *Request {
	name = strings.ToLower(name)
	if i := slices.IndexFunc(s.requests, func(r Request) bool { return slices.Contains(r.names, name) }); i >= 0 {
		return &s.requests[i]
	}
	return nil
}

// help shows the table.
func (s *Session) help([]string) {
	s.note("Debugger commands. The letter in brackets is enough.")
	for _, r := range s.requests {
		s.note(r.String())
	}
	s.note("Functions for scripts:")
	s.note(fmt.Sprintf("%-22s %s", "redis.breakpoint()", "Stop at the next line."))
	s.note(fmt.Sprintf("%-22s %s", "redis.debug(...)", "Show values."))
}

// String returns the request's line of help.
func (r Request) String() string {
	name := r.names[0]
	switch {
	case slices.Contains(r.names, "next"):
		name = "[s]tep, [n]ext"
	case len(r.names) > 1 && len(r.names[1]) == 1:
		name = "[" + name[:1] + "]" + name[1:]
	case len(r.names) > 1:
		name += ", " + r.names[1]
	}
	return fmt.Sprintf("%-22s %s", strings.TrimSpace(name+" "+r.syntax), r.about)
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
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' ||
		end == 0 && (text[end] == '-' || text[end] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 32)
	return int(n)
}

// breakpoints shows the breakpoints, or changes them: a line sets one, -line removes it, 0 removes
// all.
func (s *Session) breakpoints(args []string) {
	if len(args) == 0 {
		s.listPoints()
	}
	if len(args) > 2 && args[1] == "if" {
		s.addCondition(args[0], strings.Join(args[2:], " "))
		return
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
		if p.Condition != "" {
			s.note("       if " + p.Condition)
		}
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

// addCondition sets a breakpoint with a condition, also in place of one that is there.
func (s *Session) addCondition(line, condition string) {
	n, err := strconv.Atoi(line)
	if err != nil {
		s.note("Invalid argument:'" + line + "'")
		return
	}
	if err := s.debug.SetBreakpoint(n, condition); err != nil {
		s.noteError(err)
		return
	}
	s.around(n, 1)
}

func (s *Session) removePoint(line int) {
	if s.debug.RemoveBreakpoint(line) != nil {
		s.note("No breakpoint in the specified line.")
		return
	}
	s.note("Breakpoint removed.")
}

// catch makes the run stop where it fails, or not: catch [off].
func (s *Session) catch(args []string) {
	on := len(args) == 0 || !strings.EqualFold(args[0], "off")
	switch err := s.debug.CatchErrors(on); {
	case on && err != nil:
		s.noteError(err)
	case on:
		s.note("Errors stop the script before they end it.")
	default:
		s.note("Errors end the script.")
	}
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
		s.noteError(err)
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
		s.noteError(err)
		return
	}
	s.noteReply(reply)
}

// Split splits what a user types into the words of a request, as the table says: Lua stays as it
// is, and the words of commands may be quoted. It returns no words if quotes do not match, or the
// line is empty.
func (s *Session) Split(line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	r := s.find(words[0])
	if r == nil || r.split == nil {
		return words
	}
	args := r.split(strings.TrimSpace(strings.TrimSpace(line)[len(words[0]):]))
	if args == nil {
		return nil
	}
	return append(words[:1], args...)
}
