package debugger

import (
	"slices"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Breakpoint stops the run at a line, if its condition is true.
type Breakpoint struct {
	Line      int
	Condition string      // a Lua expression, evaluated in the frame that reaches the line; "" for none
	Met       func() bool // reports whether the run stops, with the condition true; nil if it does

	code code
}

// MostBreakpoints is how many breakpoints there may be, as in Redis.
const MostBreakpoints = 64

// SetBreakpoint sets a breakpoint at a line of the source, in place of the one there. A line
// without code may have one, but the run does not reach it: see LineWithCode. A condition that does
// not compile is an error.
func (d *Debugger) SetBreakpoint(line int, condition string) error {
	return d.AddBreakpoint(Breakpoint{Line: line, Condition: condition})
}

// AddBreakpoint is SetBreakpoint for one that may have Met. That is called where the run is, on its
// goroutine, also while the run goes back and d.Replays; it may look at the run, with Inspect for
// example.
func (d *Debugger) AddBreakpoint(p Breakpoint) error {
	at := d.breakpoint(p.Line)
	switch {
	case p.Line < 1 || p.Line > len(d.source):
		return ErrLine
	case at < 0 && len(d.points) == MostBreakpoints:
		return ErrTooManyPoints
	case p.Condition != "":
		p.code = code{text: p.Condition, expression: true}
		if _, err := p.code.compile(d.state); err != nil {
			return err
		}
	}
	if at < 0 {
		d.points = append(d.points, p)
	} else {
		d.points[at] = p
	}
	return nil
}

// RemoveBreakpoint removes the breakpoint of a line.
func (d *Debugger) RemoveBreakpoint(line int) error {
	at := d.breakpoint(line)
	if at < 0 {
		return ErrNoBreakpoint
	}
	d.points = slices.Delete(d.points, at, at+1)
	return nil
}

// RemoveBreakpoints removes all breakpoints.
func (d *Debugger) RemoveBreakpoints() { d.points = nil }

// Breakpoints returns the breakpoints in the order in which they were set.
func (d *Debugger) Breakpoints() []Breakpoint { return slices.Clone(d.points) }

// HasBreakpoint reports whether a line has a breakpoint.
func (d *Debugger) HasBreakpoint(line int) bool { return d.breakpoint(line) >= 0 }

// LineWithCode returns the first line from a line on that a run may reach, 0 if there is none.
func (d *Debugger) LineWithCode(from int) int {
	for line := max(from, 1); line <= len(d.source); line++ {
		if d.coded[line] {
			return line
		}
	}
	return 0
}

func (d *Debugger) breakpoint(line int) int {
	return slices.IndexFunc(d.points, func(p Breakpoint) bool { return p.Line == line })
}

// MeetsBreakpoint reports whether a breakpoint stops the run where it is: a front end that has set
// breakpoints at the first line may wonder.
func (d *Debugger) MeetsBreakpoint() bool {
	yes, _ := d.meets(d.state)
	return yes
}

// meets reports whether the run has met a breakpoint. A condition that fails counts as true.
func (d *Debugger) meets(L *lua.State) (yes bool, err error) {
	at := d.breakpoint(d.line)
	if at < 0 {
		return false, nil
	}
	p := &d.points[at]
	if p.Condition != "" {
		values, err := d.peek(L, &p.code, L.Levels(), 0)
		if err != nil || len(values) == 0 || !values[0].Truthy() {
			return err != nil, err
		}
	}
	return p.Met == nil || p.Met(), nil
}
