package debugger

import "github.com/miniserver-go/miniserver/scripting/lua"

// reason returns why the run stops at the line where it is; stops is false if it goes on.
func (d *Debugger) reason(L *lua.State) (s Stop, stops bool) {
	s.Line = d.line
	at := d.goal.within[L.Activation()]
	point, err := d.meets(L)
	s.Changes = d.changes(L)
	switch {
	case d.broken:
		s.Reason = BreakCalled
	case point:
		s.Reason, s.Err = AtBreakpoint, err
	case s.Changes != nil:
		s.Reason = Changed
	case at && d.goal.finish:
		s.Reason = Finished
	case d.late:
		s.Reason = Overdue
	case d.paused.Load():
		s.Reason = Paused
	case at || d.goal.anywhere:
		s.Reason = Stepped
	default:
		return s, false
	}
	return s, true
}
