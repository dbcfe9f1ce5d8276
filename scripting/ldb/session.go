// Package ldb is the debugger of Lua scripts, which redis-cli --ldb talks to. It knows neither connections nor commands: a
// Session gets requests, answers with lines, and stops the run in between, as the Tracer of the script's chunk.
//
//	script ─ line ─▶ Session ─ reaches a stop ─▶ Console.Answer: "* Stopped at 3 ..."
//	                    ▲                        Console.Ask:    print, list, eval ...   answered one by one
//	                    └────────────────────────                step, continue          the run goes on
//
// A Session belongs to the goroutine of the run, which waits in Console.Ask.
//
// Deliberate differences from Redis: abort cannot be caught by pcall; an error of eval that is a table shows its field err,
// where Redis crashes; functions have numbers instead of addresses; the help is worded anew, and finish is new.
package ldb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Console is what a Session needs from around it.
type Console interface {
	// Ask waits for a request: its words, of which there is at least one. ok is false once the client is gone.
	Ask() (words []string, ok bool)
	// Answer sends lines.
	Answer(lines []string)
	// Gone decides what the run does without a client: an error ends it, nil lets it go on.
	Gone() error
	// Call executes a command for the debugger, as redis.pcall does. What there is to see of it is told to Note.
	Call(L *lua.State, args []string)
	// ErrorText returns the text of a thrown value.
	ErrorText(v lua.Value) string
}

// Session is a debugging session of one run. It is the Tracer of the script.
type Session struct {
	console  Console
	source   []string
	line     int   // where the run is
	steps    bool  // stop at the next line
	depth    int   // stop when fewer functions run; 0 for no such stop
	broken   bool  // redis.breakpoint was called
	late     bool  // the run takes too long
	deserted bool  // the client is gone
	points   []int // the lines of the breakpoints, in the order in which they were set
	lines    []string
	width    int // to which values are trimmed, 0 for no limit
	hinted   bool
}

// ErrAborted is what the client's abort ends a run with.
var ErrAborted = errors.New("ERR script aborted for user request")

const (
	defaultWidth = 256
	leastWidth   = 60
	mostPoints   = 64
	context      = 5 // lines around the current one
)

// New returns a session that stops at the first line of a script.
func New(source string, console Console) *Session {
	source = strings.TrimRight(source, "\r\n")
	s := &Session{console: console, steps: true, width: defaultWidth}
	if source != "" {
		s.source = strings.Split(source, "\n")
	}
	return s
}

// CurrentLine returns the line where the run is, 0 before the first one.
func (s *Session) CurrentLine() int { return s.line }

// Steps reports whether the run goes step by step: only then commands are to be shown.
func (s *Session) Steps() bool { return s.steps }

// Break makes the run stop at the next line: redis.breakpoint.
func (s *Session) Break() { s.broken = true }

// Overdue makes the run stop at the next line because it takes too long. A run without a client ends.
func (s *Session) Overdue() { s.late = !s.deserted }

// Line stops the run where it is to stop, and serves the client until the run is to go on.
func (s *Session) Line(L *lua.State, line int) {
	s.line = line
	left := s.depth > 0 && len(L.Levels()) < s.depth
	if s.deserted || !s.steps && !left && !s.broken && !s.late && !s.isPoint(line) {
		return
	}
	reason := "step over"
	switch {
	case s.broken:
		reason = "redis.breakpoint() called"
	case s.isPoint(line):
		reason = "break point"
	case left:
		reason = "function finished"
	case s.late:
		reason = "timeout reached, infinite loop?"
	}
	s.steps, s.depth, s.broken, s.late = false, 0, false, false
	s.Note(fmt.Sprintf("* Stopped at %d, stop reason = %s", line, reason))
	s.Note(s.sourceLine(line))
	s.flush()
	s.serve(L)
}

// serve answers requests until one lets the run go on.
func (s *Session) serve(L *lua.State) {
	for {
		words, ok := s.console.Ask()
		if !ok {
			s.desert(L)
			return
		}
		goOn := s.obey(L, words)
		if goOn {
			return
		}
		s.flush()
	}
}

// desert is called when the client is gone.
func (s *Session) desert(L *lua.State) {
	s.deserted, s.points = true, nil
	if err := s.console.Gone(); err != nil {
		L.Abort(err)
	}
}

// Note adds a line to the next answer.
func (s *Session) Note(line string) {
	s.lines = append(s.lines, strings.NewReplacer("\r", " ", "\n", " ").Replace(line))
}

// flush sends the lines there are, even if there are none.
func (s *Session) flush() {
	s.console.Answer(s.lines)
	s.lines = nil
}

// End returns the last lines of the session.
func (s *Session) End() []string { return append(s.lines, "<endsession>") }

// noteTrimmed is Note for a line that is cut off at the session's width.
func (s *Session) noteTrimmed(line string) {
	if s.width == 0 || len(line) <= s.width {
		s.Note(line)
		return
	}
	s.Note(line[:s.width] + " ...")
	if !s.hinted {
		s.hinted = true
		s.Note("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.")
	}
}

// Command shows a command that the script is about to call.
func (s *Session) Command(args []string) {
	const most = 10
	line := "<redis> " + strings.Join(args[:min(len(args), most)], " ")
	if len(args) > most {
		line += " ... (" + strconv.Itoa(len(args)-most-1) + " more)"
	}
	s.Note(line)
}

// Reply shows the reply to it, in the protocol.
func (s *Session) Reply(reply []byte) { s.noteTrimmed("<reply> " + describeReply(reply)) }

// Error shows an error of the functions of redis.
func (s *Session) Error(text string) { s.Note("<error> " + text) }

// Debug shows the arguments of redis.debug.
func (s *Session) Debug(L *lua.State, values []lua.Value) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = describe(L, v)
	}
	s.Note(fmt.Sprintf("<debug> line %d: %s", s.line, strings.Join(texts, ", ")))
}

func (s *Session) isPoint(line int) bool {
	for _, p := range s.points {
		if p == line {
			return true
		}
	}
	return false
}

// sourceLine returns a line of the source as lists show it.
func (s *Session) sourceLine(n int) string {
	text := "<out of range source code line>"
	if n >= 1 && n <= len(s.source) {
		text = s.source[n-1]
	}
	current, point := "  ", " "
	if n == s.line {
		current = "->"
	}
	if s.isPoint(n) {
		point = "#"
	}
	return fmt.Sprintf("%s%s%-3d %s", current, point, n, text)
}
