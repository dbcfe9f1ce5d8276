package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/slot"
)

// PauseReason says what makes commands wait. Pauses for different reasons last side by side, and
// each ends by itself: CLIENT UNPAUSE must not let a write through that a failover would lose.
type PauseReason int

const (
	PausedByClient    PauseReason = iota // CLIENT PAUSE
	PausedForFailover                    // FAILOVER
	PausedForShutdown                    // SHUTDOWN
	pauseReasons
)

// pauseNames are the reasons in INFO.
var pauseNames = [pauseReasons]string{PausedByClient: "client_pause", PausedForFailover: "failover_in_progress",
	PausedForShutdown: "shutdown_in_progress"}

// stop says which commands wait, and until when.
type stop struct {
	deadline int64 // milliseconds since the epoch; 0 for none
	all      bool  // else writes only
}

// pause is why commands wait. A session whose command has to wait is postponed: the command has not
// been executed, and the connection offers it again when a pause is over.
type pause struct {
	stop      // for all reasons together
	by        [pauseReasons]stop
	held      *slot.Set // see Hold; nil for none
	heldReads bool
	postponed []*Session
}

// Hold makes commands whose keys are in some slots wait until the next call: those that may write,
// or all of them. nil lets all go on that waited.
func (w *World) Hold(slots *slot.Set, all bool) {
	w.pause.held, w.pause.heldReads = slots, all
	w.noteHindrance()
	if slots == nil {
		waiting := w.pause.postponed
		w.pause.postponed = nil
		offerAgain(waiting)
	}
}

// isHeld reports whether a command has to wait for the end of Hold, and if so postpones the
// session. It is asked before the gate, which may send the client elsewhere after the wait.
func (w *World) isHeld(s *Session, cmd *command.Command, args [][]byte) bool {
	p := &w.pause
	if p.held == nil || cmd.Flags&command.OneSlot == 0 || w.engine.checkSlot(s, cmd, args) != nil ||
		s.slot == noSlot || !p.held.Has(uint16(s.slot)) || !p.heldReads && !s.mayRun(command.Write, cmd, args) {
		return false
	}
	p.postpone(s)
	return true
}

// KeepDue makes what is due in the world invisible without removing it, while on.
func (w *World) KeepDue(on bool) {
	w.keepsDue = on
	w.keepExpired()
}

// Pause makes commands wait until the deadline, in milliseconds since the epoch: all of them, or
// only those that may write. A later call for the same reason never shortens a pause. Keys do not
// expire meanwhile, since their removal would be a write that reaches replicas.
func (w *World) Pause(reason PauseReason, deadline int64, all bool) {
	if deadline = max(w.pause.by[reason].deadline, deadline); deadline <= w.Millis() {
		w.Unpause(reason)
		return
	}
	w.pause.by[reason] = stop{deadline, all}
	w.combinePauses()
	w.TickBy(deadline)
}

// Unpause ends the pause for a reason, and wakes the postponed sessions, which wait again if there
// is another pause for them.
func (w *World) Unpause(reason PauseReason) {
	if w.pause.by[reason].deadline == 0 {
		return
	}
	waiting := w.pause.postponed
	w.pause.by[reason], w.pause.postponed = stop{}, nil
	w.combinePauses()
	offerAgain(waiting)
	if len(w.faults.delays) > 0 {
		w.TickBy(w.Millis()) // they wait for the end of the pause, too
	}
}

// combine finds out what has to wait for any reason.
func (p *pause) combine() {
	p.stop = stop{}
	for _, one := range p.by {
		p.deadline, p.all = max(p.deadline, one.deadline), p.all || one.all
	}
}

// combinePauses finds out what has to wait after the pause for a reason has changed.
func (w *World) combinePauses() {
	w.pause.combine()
	w.noteHindrance()
	w.keepExpired()
}

// endPauses ends the pauses that are over.
func (w *World) endPauses() {
	for reason, one := range w.pause.by {
		if one.deadline != 0 && one.deadline <= w.Millis() {
			w.Unpause(PauseReason(reason))
		}
	}
}

// reason returns the reason of the pause that lasts longest.
func (p *pause) reason() string {
	for reason, one := range p.by {
		if one.deadline != 0 && one.deadline == p.deadline {
			return pauseNames[reason]
		}
	}
	return "none"
}

// offerAgain wakes postponed sessions.
func offerAgain(sessions []*Session) {
	for _, s := range sessions {
		s.postponed = false
		s.Wake()
	}
}

// keepExpired makes what is due in the world invisible without removing it while clients are paused
// or data are imported, and in a replica.
func (w *World) keepExpired() {
	w.Keyspace.KeepExpired = w.engine.Config.ImportMode || w.keepsDue || w.pause.deadline != 0 || w.role.Replica
}

// isPaused reports whether a command has to wait for the end of a pause.
func (w *World) isPaused(s *Session, cmd *command.Command, args [][]byte) bool {
	switch {
	case s.operator:
		return false
	case w.pause.all:
		return true
	case cmd.Flags&command.RunsTx != 0 && s.tx != nil:
		return s.tx.writes(w)
	}
	return w.FlagsWith(cmd, args)&(command.Write|command.MayReplicate) != 0
}

// postpone holds a session back until the pause is over.
func (p *pause) postpone(s *Session) {
	s.postponed = true
	p.postponed = append(p.postponed, s)
}
