// Package ldb is the front end of the debugger that redis-cli --ldb talks to. It knows neither
// connections nor commands: a Session gets requests, does what they ask of a debugger.Debugger, and
// answers with lines.
//
//	Debugger ─ Stopped ─▶ Session ─▶ Console.Answer: "* Stopped at 3 ..."
//	    ▲                    ▲   └──▶ Console.Ask:    print, list, eval ...   answered one by one
//	    └──── an Order ──────┘                        step, continue          the run goes on
//
// The table in requests.go has a line for each request; the answer to help is made of it.
//
// Deliberate differences from Redis: abort cannot be caught by pcall; an error of eval that is a
// table shows its field err, where Redis crashes; functions have numbers instead of addresses; the
// help is worded anew, and there are more requests.
package ldb

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/debugger"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Console is what a Session needs from around it.
type Console interface {
	// Ask waits for a request: its words, of which there is at least one. ok is false once the
	// client is gone.
	Ask() (words []string, ok bool)
	// Answer sends lines.
	Answer(lines []string)
	// Gone decides what the run does without a client: an error ends it, nil lets it go on.
	Gone() error
	// End sends the last lines, and the reply of the run in the protocol.
	End(lines []string, reply []byte)
}

// Session is a debugging session of one run: a debugger.FrontEnd.
type Session struct {
	console  Console
	requests []Request
	debug    *debugger.Debugger
	selected int  // the frame that print shows
	logs     bool // redis.log is shown
	shows    bool // the run goes step by step: then the commands of the script are shown
	lines    []string
	width    int // to which values are trimmed, 0 for no limit
	hinted   bool
}

// errAborted is what the client's abort ends a run with.
var errAborted = errors.New("ERR script aborted for user request")

const (
	defaultWidth = 256
	leastWidth   = 60
	context      = 5 // lines around the current one
)

// note adds a line to the next answer.
func (s *Session) note(line string) {
	s.lines = append(s.lines, strings.NewReplacer("\r", " ", "\n", " ").Replace(line))
}

func (s *Session) noteError(err error) { s.note("<error> " + err.Error()) }

// noteTrimmed is note for a line that is cut off at the session's width.
func (s *Session) noteTrimmed(line string) {
	if s.width == 0 || len(line) <= s.width {
		s.note(line)
		return
	}
	s.note(line[:s.width] + " ...")
	if !s.hinted {
		s.hinted = true
		s.note("<hint> The above reply was trimmed. Use 'maxlen 0' to disable trimming.")
	}
}

// flush sends the lines there are, even if there are none.
func (s *Session) flush() {
	s.console.Answer(s.lines)
	s.lines = nil
}

// Ended sends the last lines of the session, and the reply.
func (s *Session) Ended(reply []byte) { s.console.End(append(s.lines, "<endsession>"), reply) }

// Called shows a command that the script is about to call, if the run goes step by step.
func (s *Session) Called(words []string) {
	if s.shows {
		s.noteCommand(words)
	}
}

// Replied shows the reply to it.
func (s *Session) Replied(reply []byte) {
	if s.shows {
		s.noteReply(reply)
	}
}

// Refused shows an error of the functions of redis.
func (s *Session) Refused(text string) {
	if s.shows {
		s.note("<error> " + text)
	}
}

// Printed shows the arguments of redis.debug.
func (s *Session) Printed(d *debugger.Debugger, values []lua.Value) {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = debugger.Describe(d.State(), v)
	}
	s.note(fmt.Sprintf("<debug> line %d: %s", d.CurrentLine(), strings.Join(texts, ", ")))
}

// ShowLog lets the session show what the script logs, for a user who sees no log of a server.
func (s *Session) ShowLog() { s.logs = true }

// Logged shows the text of redis.log, if it is to be shown.
func (s *Session) Logged(level int, text string) {
	if s.logs {
		s.note("<log> " + [...]string{"debug", "verbose", "notice", "warning"}[level] + ": " + text)
	}
}

func (s *Session) noteCommand(words []string) {
	const most = 10
	line := "<redis> " + strings.Join(words[:min(len(words), most)], " ")
	if len(words) > most {
		line += " ... (" + strconv.Itoa(len(words)-most-1) + " more)"
	}
	s.note(line)
}

func (s *Session) noteReply(reply []byte) {
	if reply[0] == '-' {
		line, _, _ := strings.Cut(string(reply), "\r\n")
		s.note("<error> " + line)
	}
	s.noteTrimmed("<reply> " + debugger.DescribeReply(reply))
}

// sourceLine returns a line of the source as lists show it.
func (s *Session) sourceLine(n int) string {
	text := "<out of range source code line>"
	if source := s.debug.Source(); n >= 1 && n <= len(source) {
		text = source[n-1]
	}
	current, point := "  ", " "
	if n == s.debug.CurrentLine() {
		current = "->"
	}
	if s.debug.HasBreakpoint(n) {
		point = "#"
	}
	return fmt.Sprintf("%s%s%-3d %s", current, point, n, text)
}

// Request is a line of the table: what a client may ask for.
type Request struct {
	names  []string // the first is shown, the others are short forms
	syntax string   // of the arguments
	about  string
	run    func(s *Session, args []string)
	order  *debugger.Order // what it lets the run do; nil if the run does not go on
	needs  int             // arguments at least
	// Of what a user types, nil if quotes do not match; nil for words between blanks.
	split func(text string) (args []string)
	leave func() // of a front end: see Leaving
}
