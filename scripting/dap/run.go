package dap

import (
	"sync"
	"time"

	"github.com/google/go-dap"

	"github.com/miniserver-go/miniserver/scripting/debugger"
)

// thread is the number of the only thread.
const thread = 1

// patience is how long a session waits for the end of a script that is to end.
const patience = 5 * time.Second

// run is a run of the script: the front end of its debugger. Its methods are called on the
// goroutine of the run, but for do, look, start, pause and end, which the session calls.
type run struct {
	*session
	shown []*holder // what variables of this stop hold: see variables.go
	first int       // reference of shown[0]
	shows bool      // the run goes step by step: then the commands of the script are shown

	// Tasks run where the script has stopped, one after the other; the channel has no room, so a
	// task that was sent will run, and its sender waits until it has.
	tasks chan func(d *debugger.Debugger) *debugger.Order
	begun chan struct{} // closed at the first line
	ended chan struct{} // closed at the end
	reply []byte        // valid when ended is closed

	mu      sync.Mutex         // of what follows, which both goroutines use
	debug   *debugger.Debugger // nil before the first line
	stopped bool               // do can send tasks
	pausing bool               // the client wants a pause; else a pause is for new breakpoints
	ending  bool               // the run is to end, also if it has no line yet
	silent  bool               // its end is not told
}

func (r *run) setStopped(yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = yes
}

// do does a task where the run has stopped. The error is errRuns if it has not, and errEnded if it
// has ended. From the moment a task returns an order the run counts as running: the next request of
// the client is refused instead of waiting for the next stop.
func (r *run) do(task func(d *debugger.Debugger) *debugger.Order) error {
	r.mu.Lock()
	stopped := r.stopped
	r.mu.Unlock()
	done := make(chan struct{})
	guarded := func(d *debugger.Debugger) (o *debugger.Order) {
		defer close(done)
		if o = task(d); o != nil {
			r.setStopped(false)
		}
		return o
	}
	if !stopped {
		select {
		case <-r.ended:
			return errEnded
		default:
			return errRuns
		}
	}
	select {
	case r.tasks <- guarded:
		<-done
		return nil
	case <-r.ended:
		return errEnded
	}
}

// look lets f look around where the run has stopped.
func (r *run) look(f func(d *debugger.Debugger)) error {
	return r.do(func(d *debugger.Debugger) *debugger.Order {
		f(d)
		return nil
	})
}

// pause makes the run stop.
func (r *run) pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped && r.debug != nil {
		r.pausing = true
		r.debug.Pause()
	}
}

// end ends the run, and reports whether it has ended. A silent end is not told to the client. A run
// that has stopped gets an order. One that runs ends soon, but not within a command of Redis, so
// there is a limit to the wait.
func (r *run) end(silent bool) bool {
	r.mu.Lock()
	r.ending, r.silent = true, silent
	if r.debug != nil {
		r.debug.End(errAborted)
	}
	r.mu.Unlock()
	abort := debugger.Abort(errAborted)
	_ = r.do(func(*debugger.Debugger) *debugger.Order { return &abort })
	select {
	case <-r.ended:
		return true
	case <-time.After(patience):
		return false
	}
}

// say shows a text in the console of the client, with a line of the source; 0 for none.
func (r *run) say(category, text string, line int) {
	e := new(dap.OutputEvent)
	e.Body = dap.OutputEventBody{Category: category, Output: text + "\n"}
	if line > 0 {
		e.Body.Source, e.Body.Line = r.source(), r.toClient(line)
	}
	r.tell("output", e)
}

// line returns where the run is, 0 before its first line.
func (r *run) line() int {
	if r.debug == nil {
		return 0
	}
	return r.debug.CurrentLine()
}

// holder is what a reference stands for.
type holder struct {
	frame int                               // in which expressions of its variables are evaluated, from 0
	keys  bool                              // its variables are keys of the database
	list  func(start, n int) []dap.Variable // n is 0 for all
}

// forget drops the references of the stop before.
func (r *run) forget() {
	r.first += len(r.shown)
	r.shown = nil
}

// hold gives a reference.
func (r *run) hold(h *holder) int {
	r.shown = append(r.shown, h)
	return r.first + len(r.shown) - 1
}

// held returns what a reference stands for, nil if that is gone.
func (r *run) held(reference int) *holder {
	if i := reference - r.first; i >= 0 && i < len(r.shown) {
		return r.shown[i]
	}
	return nil
}
