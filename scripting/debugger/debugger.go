// Package debugger stops the run of a Lua script where its user wants, and shows what the script
// sees there. It knows neither terminals nor protocols nor connections: these are front ends, such
// as package ldb for redis-cli --ldb. Nor does it know how commands are executed: that is its Host,
// package scripting.
//
//	script ─ line ─▶ Debugger ─ reaches a stop ─▶ FrontEnd.Stopped ─ Frames, Evaluate, Call ...
//	                    ▲                               │
//	                    └── Continue, StepOver, ... ────┘ an Order
//
// A front end gets a run from scripting.Scripts.Debug, which takes a request such as EVAL or FCALL
// with its arguments. It calls
//
//	Stopped   where the run stops: at the first line, at breakpoints, after steps. The front end
//	          asks its user what to do, waits as long as it likes, and returns an Order. The run,
//	          and nothing else, waits for that.
//	Printed, Logged, Called, Replied, Refused    for what the run does in between
//	Ended     once, last, with the reply of the run
//
// A request that fails before the run, since the script does not compile for example, calls
// nothing: Debug returns the error.
//
// All of this happens on one goroutine, that of the run. The methods of Debugger are called in
// Stopped only; [Debugger.Pause] and [Debugger.End] may be called on any goroutine, at any time, so
// that a front end can get hold of a run to change its breakpoints.
//
// A run on a copy of the data can go back: BackwardStep and BackwardContinue, if
// [Debugger.CanGoBack]. Then it runs again, up to the line before, and what a front end has changed
// there and later is undone. So values and frames that a front end has got in one call of Stopped
// are of no use in the next one. With [Debugger.CatchErrors] a run that fails goes back to the line
// where it has failed.
//
// What a script sees:
//
//	Frames     lua.Level: name, line, Locals(), Upvalues(); the innermost first
//	Globals    KEYS, ARGV, and what the script has made
//	Items      the fields of a table, one by one, so that a front end can unfold it when its user
//	           wants
//	Evaluate   any Lua code, which sees the locals and upvalues of a frame, as if it stood at its
//	           line
//	Call       a command of Redis
//	Touched    the keys that the script has used
//
// Breakpoints, with or without a condition, and watches stop the run by themselves. What they
// evaluate must not write, and a random number that it draws is drawn again by the script.
//
// How code sees a frame: it is compiled by itself, with a table of its own for globals. That finds
// a name among the locals visible at the line, then among the upvalues, then among the globals of
// the function. It can change tables and globals, but assigning to a variable of the script is an
// error: the compiler has relied on what the script assigns. What it runs does not stop; it ends
// with ErrTooLong after a bounded amount of work.
//
// Lines count from 1. Code that the script makes itself, with loadstring, has no lines to stop at
// and shows no variables.
package debugger

import (
	"strings"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Host is what a Debugger needs from what runs the script.
type Host interface {
	// Call executes a command as redis.pcall does. It returns the reply in the protocol, which dies
	// with the next call, or the error that has kept the command from running.
	Call(L *lua.State, words []string) (reply []byte, err error)
	// Peek runs code of a condition or a watch: commands that write are refused, and random numbers
	// are drawn again afterwards.
	Peek(run func())
	// CanRewind returns why the run cannot begin anew, nil if it can. When a run ends and
	// Debugger.Rewinds, the host runs the script again, in a new State, with the same data, clock
	// and random numbers.
	CanRewind() error
	// Resumed is called when the run goes on after a stop.
	Resumed()
	// ErrorText returns the text of a thrown value.
	ErrorText(v lua.Value) string
}

// FrontEnd shows a run to its user.
type FrontEnd interface {
	// Stopped is called when the run has stopped. The order says how it is to go on.
	Stopped(d *Debugger, s Stop) Order
	// Printed is called for redis.debug.
	Printed(d *Debugger, values []lua.Value)
	// Logged is called for redis.log with a level from 0 (debug) to 3 (warning), whatever the
	// server logs.
	Logged(level int, text string)
	// Called is called before the script calls a command, and Replied with the reply to it in the
	// protocol, which dies afterwards. Refused tells the text of an error in place of a reply, and
	// one that redis.error_reply makes.
	Called(words []string)
	Replied(reply []byte)
	Refused(text string)
	// Ended is called with the reply of the run in the protocol, which may be an error.
	Ended(reply []byte)
}

// Debugger follows one run. It is the Tracer of the script's chunk.
type Debugger struct {
	host   Host
	front  FrontEnd
	source []string
	coded  map[int]bool    // the lines with code
	given  map[string]bool // the globals that the script has not made; nil before its first line

	// Where the run is.
	state   *lua.State
	line    int
	reached int // lines since the beginning
	touched touched

	// Where it stops.
	goal     goal         // of the order that lets it run
	points   []Breakpoint // in the order in which they were set
	watches  []Watch
	numbered int                   // watches ever set
	called   bool                  // a command has run since the watches were looked at
	paused   atomic.Bool           // Pause was called
	end      atomic.Pointer[error] // of End
	broken   bool                  // redis.breakpoint was called
	late     bool                  // the run takes too long
	detached bool                  // the run stops nowhere

	evaluating bool // code runs that is not the run's own
	turns      int  // for which it has run

	// How it goes back.
	replay    replay
	rewinds   bool   // the run ends in order to begin anew
	catches   bool   // see CatchErrors
	caught    int    // the number of the line where it last failed
	edits     []edit // in order
	editBytes int
}

// New returns the debugger of a run, which stops at the first line of the source that it reaches.
func New(source string, host Host, front FrontEnd) *Debugger {
	source = strings.TrimRight(source, "\r\n")
	d := &Debugger{host: host, front: front, goal: goal{anywhere: true}, coded: make(map[int]bool)}
	if source != "" {
		d.source = strings.Split(source, "\n")
	}
	return d
}

// Source returns the lines of the source.
func (d *Debugger) Source() []string { return d.source }

// State returns the State of the run. Front ends need it to describe values.
func (d *Debugger) State() *lua.State { return d.state }

// CurrentLine returns the line where the run is, 0 before the first one.
func (d *Debugger) CurrentLine() int { return d.line }

// Pause makes the run stop at the next line that it reaches. It may be called on any goroutine.
func (d *Debugger) Pause() { d.paused.Store(true) }

// End ends the run with an error, which pcall does not catch, also within a line that takes long.
// It may be called on any goroutine.
func (d *Debugger) End(err error) { d.end.Store(&err) }

// Reaches is called by the compiler with each line that has code.
func (d *Debugger) Reaches(line int) { d.coded[line] = true }

// Quiet runs code that is not the run's own, in which nothing stops or is shown: of a front end, or
// of the host before the run.
func (d *Debugger) Quiet(run func()) {
	before := d.evaluating
	d.evaluating, d.turns = true, 0
	defer func() { d.evaluating = before }()
	run()
}

// replay is where a run goes that has begun anew. The zero replay is none.
type replay struct {
	to    int  // the number of the line
	seeks bool // look for the last stop before it
	found Stop // with the number last
	last  int
}

// edit is what a front end has done at a line.
type edit struct {
	at int // the number of the line
	do func(L *lua.State)
}

// mostEdits bounds the edits that a run remembers, in bytes.
const mostEdits = 16 << 20
