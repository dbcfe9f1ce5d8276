package debugger

import (
	"errors"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// A run goes back by running again: from the beginning, with the same data, clock and random
// numbers, up to a line before. So it does the same again, as far as the script sees nothing else:
// os.clock and the numbers that tostring gives to tables are exceptions. The Debugger counts the
// lines that the run reaches, and a replay goes to the line with a number.
//
//	lines   1   2   3   4   5   6   7   BackwardStep at 7: a replay to 6
//	                b       b           BackwardContinue at 7: a replay to 7, which looks for
//	                                    stops, then one to 5
//
// What the front end has changed with Evaluate or Call is an edit. A replay does the edits of the
// lines before the one that it goes to again, and forgets the others.

// errRewind ends a run that begins anew.
var errRewind = errors.New("the run begins anew")

// CanGoBack returns why the run cannot go back from where it has stopped, nil if it can.
func (d *Debugger) CanGoBack() error {
	switch {
	case d.reached <= 1:
		return ErrAtBeginning
	case d.editBytes > mostEdits:
		return ErrTooManyEdits
	}
	return d.host.CanRewind()
}

// back begins the run anew, to go to the line before, or to the last stop before. It does not
// return if it can.
func (d *Debugger) back(L *lua.State, seeks bool) {
	if d.CanGoBack() != nil {
		return
	}
	d.replay, d.caught = replay{to: d.reached - 1}, 0
	if seeks {
		d.replay = replay{to: d.reached, seeks: true}
	}
	d.rewind(L)
}

// Rewinds reports whether the run that has ended is to begin anew, in a new State.
func (d *Debugger) Rewinds() bool {
	if !d.rewinds {
		return false
	}
	d.rewinds, d.reached, d.line, d.touched = false, 0, 0, touched{}
	d.broken, d.late, d.called = false, false, true
	for i := range d.watches {
		d.watches[i].stale = true
	}
	return true
}

// CatchErrors makes a run that fails go back to the last line that it has reached and stop there,
// before the failure ends it; or not. It returns why the run cannot go back, nil if it can.
func (d *Debugger) CatchErrors(catch bool) error {
	d.catches = catch
	return d.host.CanRewind()
}

// Fails is called when the run has ended with an error. It reports whether it is to begin anew, to
// show the failure.
func (d *Debugger) Fails(err error) bool {
	thrown := (*lua.Error)(nil)
	if !d.catches || d.detached || d.caught == d.reached || d.host.CanRewind() != nil {
		return false
	}
	if !errors.As(err, &thrown) || thrown.Cause != nil {
		return false
	}
	d.caught = d.reached
	d.replay = replay{to: d.reached,
		found: Stop{Line: d.line, Reason: Failed, Err: errors.New(d.host.ErrorText(thrown.Value))}}
	d.rewinds = true
	return d.Rewinds()
}

// Replays reports whether the run repeats what it did before: nothing of it is shown.
func (d *Debugger) Replays() bool { return d.replay.to > 0 }

// replayLine is Line while the run repeats what it did. It reports where that ends.
func (d *Debugger) replayLine(L *lua.State) (s Stop, ends bool) {
	r := &d.replay
	switch {
	case d.reached < r.to && r.seeks:
		d.late = false
		if s, stops := d.reason(L); stops && s.Reason <= Changed {
			r.found, r.last = s, d.reached
		}
		d.broken = false
	case d.reached == r.to && r.seeks:
		d.replay = replay{to: max(r.last, 1), found: r.found}
		d.rewind(L)
	case d.reached == r.to:
		return d.arrive(L), true
	}
	for _, edit := range d.edits {
		if edit.at == d.reached {
			d.Quiet(func() { edit.do(L) })
		}
	}
	return s, false
}

// arrive ends a replay.
func (d *Debugger) arrive(L *lua.State) Stop {
	s := d.replay.found
	if s.Line == 0 {
		s = Stop{Line: d.line, Reason: Rewound}
	}
	for len(d.edits) > 0 && d.edits[len(d.edits)-1].at >= d.reached {
		d.edits = d.edits[:len(d.edits)-1]
	}
	d.replay = replay{}
	d.changes(L)
	return s
}

// rewind ends the run, which then begins anew.
func (d *Debugger) rewind(L *lua.State) {
	d.rewinds = true
	L.Abort(errRewind)
}
