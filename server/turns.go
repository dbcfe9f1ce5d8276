package server

import (
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// turns are the work that a loop does beside requests, see engine.InTurns.
type turns struct {
	work  []engine.Work // that whose turn is next first
	last  time.Time     // when the last turn ended
	input time.Time     // when a connection had input last, while there was work
}

// A turn is so short that clients hardly notice. If requests keep coming, there is a turn after
// longestWait, which is longer, and still longer if it came late because the requests were slow: so
// the work has a fifth to a third of the processor.
const (
	shortTurn   = 25 * time.Microsecond
	longTurn    = 100 * time.Microsecond
	longestTurn = time.Millisecond
	longestWait = 200 * time.Microsecond

	// quietTime is how long no requests come until turns follow each other at once. Before, other
	// threads of the machine have pauses: those that send the next requests.
	quietTime = time.Millisecond
)

// add adds work, whose first turn is not late.
func (ts *turns) add(w engine.Work) {
	if !ts.pending() {
		ts.last = time.Now()
	}
	ts.work = append(ts.work, w)
}

// pending reports whether some work waits for a turn.
func (ts *turns) pending() bool { return len(ts.work) > 0 }

// next has some work done, if there was no request or it is time.
func (ts *turns) next(idle bool) {
	if !ts.pending() {
		return
	}
	if idle {
		ts.do(shortTurn)
		return
	}
	ts.input = time.Now()
	if waited := ts.input.Sub(ts.last); waited >= longestWait {
		ts.do(min(max(longTurn, waited/4), longestTurn))
	}
}

// urgent reports whether the next turn had better not wait: a client waits for it, or no connection
// has had input for some time.
func (ts *turns) urgent() bool { return ts.work[0].Awaited || time.Since(ts.input) > quietTime }

// do does the next part of the first work, which then is the last: so none waits for the end of
// another one.
func (ts *turns) do(length time.Duration) {
	w, last := ts.work[0], len(ts.work)-1
	more := w.Turn(length)
	copy(ts.work, ts.work[1:])
	if ts.work[last] = w; !more {
		ts.work = ts.work[:last]
		w.Done()
	}
	ts.last = time.Now()
}

// finish does all work to its end.
func (ts *turns) finish() {
	for ts.pending() {
		ts.do(longestTurn)
	}
}
