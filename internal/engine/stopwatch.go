package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
)

// stopwatch measures how long commands take, for INFO commandstats and for parts with Executed,
// such as the slow log.
//
// Reading the clock costs about as much as a simple command in a pipeline. So it is read once
// between two commands, the end of one being the start of the next, and a run of the same fast
// command within a batch is timed as a whole and shared evenly, unless a part is Precise.
//
// A blocked command counts when its reply is there, with the time of its runs and without that of
// waiting.
//
// The commands that a script calls are counted, but their time is part of the script's, unless a
// part is Precise: then each is timed by itself as well.
type stopwatch struct {
	since   int64 // the clock when the command, or the run of them, began
	session *Session
	cmd     *command.Command
	args    [][]byte
	n       int // commands in the run
}

// maxLap is how many commands there are in a run.
const maxLap = 16

// Coarse is the duration in microseconds from which on a part can judge commands that were timed
// together.
const Coarse = 1000

// Executed is an execution of a command, or several of the same one that were timed together.
type Executed struct {
	World   *World
	Session *Session
	Cmd     *command.Command
	Args    [][]byte // of the last one
	Micros  int64    // that each took
	Times   int
}

// startTimer is called before a command runs. It ends the run before it, unless the command
// continues that run.
func (w *World) startTimer(s *Session, cmd *command.Command, args [][]byte) {
	sw := &w.engine.stopwatch
	if sw.n > 0 && (sw.cmd != cmd || cmd.Flags&(command.Fast|command.Blocking) != command.Fast || sw.n == maxLap ||
		w.engine.Parts.hooks.precise) {
		w.stopTimer()
	}
	sw.session, sw.cmd, sw.args = s, cmd, args
	sw.n++
}

// stopTimer ends the command, or the run of them, that is being timed.
func (w *World) stopTimer() {
	sw := &w.engine.stopwatch
	if sw.n == 0 {
		return
	}
	now := w.engine.Machine()
	w.recordDuration(sw.session, sw.cmd, sw.args, now-sw.since, sw.n)
	sw.since, sw.n = now, 0
}

// lap returns the time since the last lap, or since a command began, and begins the next one.
func (e *Engine) lap() int64 {
	now := e.Machine()
	passed := now - e.stopwatch.since
	e.stopwatch.since, e.stopwatch.n = now, 0
	return max(0, passed)
}

// recordDuration accounts for the time of n executions of a command.
func (w *World) recordDuration(s *Session, cmd *command.Command, args [][]byte, micros int64, n int) {
	e := w.engine
	each := max(0, micros) / int64(n)
	e.of(cmd).micros += max(0, micros)
	for _, executed := range e.Parts.hooks.executed {
		executed(Executed{w, s, cmd, args, each, n})
	}
}

// AddLatency tells parts with Sampled what held clients up, and for how many microseconds. It is
// called under the lock.
func (w *World) AddLatency(event string, micros int64) {
	for _, sampled := range w.engine.Parts.hooks.sampled {
		sampled(w, event, micros)
	}
}

// expiring is the removal of a key that is due, between keyExpiring and keyExpired.
type expiring struct {
	start  int64 // as startLatency returned it
	lazily bool  // what Keyspace.Lazily was before
}

// startLatency returns when something begins that sampleLatency will measure, by the machine's
// clock; 0 if no part wants to know.
func (e *Engine) startLatency() int64 {
	if len(e.Parts.hooks.sampled) == 0 {
		return 0
	}
	return e.Machine()
}

// sampleLatency is AddLatency for what has begun at start.
func (w *World) sampleLatency(event string, start int64) {
	if start != 0 {
		w.AddLatency(event, w.engine.Machine()-start)
	}
}
