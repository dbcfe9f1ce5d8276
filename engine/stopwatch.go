package engine

import "github.com/miniserver-go/miniserver/internal/command"

// stopwatch measures how long commands take, for INFO commandstats, LATENCY and the slow log.
//
// Reading the clock costs about as much as a simple command in a pipeline. So it is read once between two
// commands, the end of one being the start of the next, and a run of the same fast command within a batch is
// timed as a whole and shared evenly. If the slow log is to show commands shorter than minLap, each command
// is timed by itself.
//
// A blocked command counts when its reply is there, with the time of its runs and without that of waiting.
//
// The commands that a script calls are counted, but their time is part of the script's, unless the slow log is to show
// commands shorter than minLap: then each is timed by itself as well.
type stopwatch struct {
	since   int64 // the clock when the command, or the run of them, began
	session *Session
	cmd     *command.Command
	args    [][]byte
	n       int // commands in the run
}

const (
	minLap = 1000 // microseconds
	maxLap = 16   // commands in a run
)

// startTimer is called before a command runs. It ends the run before it, unless the command continues that
// run.
func (w *World) startTimer(s *Session, cmd *command.Command, args [][]byte) {
	sw := &w.engine.stopwatch
	if sw.n > 0 && (sw.cmd != cmd || cmd.Flags&(command.Fast|command.Blocking) != command.Fast || sw.n == maxLap || w.engine.slowlog.threshold < minLap) {
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
	now := w.engine.machine()
	w.recordDuration(sw.session, sw.cmd, sw.args, now-sw.since, sw.n)
	sw.since, sw.n = now, 0
}

// lap returns the time since the last lap, or since a command began, and begins the next one.
func (e *Engine) lap() int64 {
	now := e.machine()
	passed := now - e.stopwatch.since
	e.stopwatch.since, e.stopwatch.n = now, 0
	return max(0, passed)
}

// timesNested reports whether the commands that a script calls are timed by themselves.
func (e *Engine) timesNested() bool { return e.slowlog.threshold >= 0 && e.slowlog.threshold < minLap }

// recordDuration accounts for the time of n executions of a command.
func (w *World) recordDuration(s *Session, cmd *command.Command, args [][]byte, micros int64, n int) {
	e := w.engine
	each := max(0, micros) / int64(n)
	e.of(cmd).micros += max(0, micros)
	if e.Config.latencyTracking {
		e.of(cmd).latency.add(each, n)
	}
	if e.slowlog.threshold >= 0 && each >= e.slowlog.threshold && cmd.Flags&command.SkipSlowlog == 0 {
		e.slowlog.add(s, e.shown(cmd, args), each, w.time.micros/1e6)
	}
	if e.latency.threshold > 0 && each >= e.latency.threshold*1000 {
		e.latency.addCommand(cmd, w.time.micros/1e6, each/1000)
	}
}
