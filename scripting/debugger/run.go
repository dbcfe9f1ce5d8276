package debugger

import "github.com/miniserver-go/miniserver/scripting/lua"

// Line is called by the run at each line. It stops the run where it is to stop.
func (d *Debugger) Line(L *lua.State, line int) {
	if d.evaluating {
		return
	}
	d.state, d.line = L, line
	if d.given == nil {
		d.begin(L)
	}
	if d.detached {
		return
	}
	d.reached++
	if d.Replays() {
		if s, ends := d.replayLine(L); ends {
			d.stop(L, s)
		}
		return
	}
	if s, stops := d.reason(L); stops {
		d.stop(L, s)
	}
}

// begin notes the globals that the script is given.
func (d *Debugger) begin(L *lua.State) {
	d.given = make(map[string]bool)
	for k := range Items(L.Globals.Value()) {
		name, _ := k.AsString()
		d.given[name] = true
	}
}

// stop asks the front end how to go on, again if the run cannot go back.
func (d *Debugger) stop(L *lua.State, s Stop) {
	defer d.host.Resumed()
	before := d.goal
	for {
		d.goal, d.broken, d.late = goal{}, false, false
		d.paused.Store(false)
		order := d.front.Stopped(d, s)
		d.changes(L) // what the front end has changed stops nothing
		if order == Resume {
			d.goal = before
			return
		}
		if !order.GoesBack() {
			d.obey(L, order)
			return
		}
		d.back(L, order.way == seeks)
	}
}

// obey lets the run go on.
func (d *Debugger) obey(L *lua.State, order Order) {
	switch order.way {
	case steps:
		d.goal.anywhere = true
	case overs:
		d.goal.within = activations(L.Levels())
	case finishes:
		if levels := L.Levels(); len(levels) > 0 {
			d.goal.within, d.goal.finish = activations(levels[1:]), true
		}
	case detaches:
		d.detached, d.points, d.watches = true, nil, nil
	case aborts:
		L.Abort(order.err)
	}
}

// Break makes the run stop at the next line: redis.breakpoint.
func (d *Debugger) Break() { d.broken = true }

// Overdue makes the run stop at the next line because it takes too long.
func (d *Debugger) Overdue() { d.late = true }

// mostTurns bounds what the front end evaluates, in calls of Interrupt.
const mostTurns = 3000

// Interrupt is called by the hook of the State, regularly. It returns the error of End, and
// ErrTooLong when an evaluation is to end.
func (d *Debugger) Interrupt() error {
	if err := d.end.Load(); err != nil {
		return *err
	}
	if d.turns++; d.evaluating && d.turns > mostTurns {
		return ErrTooLong
	}
	return nil
}

// shows reports whether the front end is to be told of what the run does.
func (d *Debugger) shows() bool { return !d.evaluating && !d.detached && !d.Replays() }

// Printed is called when the script calls redis.debug, Logged for redis.log, and so on: they tell
// the front end.
func (d *Debugger) Printed(L *lua.State, values []lua.Value) {
	if d.state = L; !d.Replays() {
		d.front.Printed(d, values)
	}
}

func (d *Debugger) Logged(level int, text string) { d.front.Logged(level, text) }

func (d *Debugger) Called(words []string) {
	d.called = true
	if d.shows() {
		d.front.Called(words)
	}
}

func (d *Debugger) Replied(reply []byte) {
	if d.shows() {
		d.front.Replied(reply)
	}
}

func (d *Debugger) Refused(text string) {
	if d.shows() {
		d.front.Refused(text)
	}
}

// Ended is called when the run has ended.
func (d *Debugger) Ended(reply []byte) { d.front.Ended(reply) }
