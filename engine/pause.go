package engine

import "github.com/miniserver-go/miniserver/internal/command"

// PauseReason says what makes commands wait. Pauses for different reasons last side by side, and each ends by itself: CLIENT UNPAUSE must
// not let a write through that a failover would lose.
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

// pause is why commands wait. A session whose command has to wait is postponed: the command has not been executed, and the connection
// offers it again when a pause is over.
type pause struct {
	stop      // for all reasons together
	by        [pauseReasons]stop
	postponed []*Session
}

// Pause makes commands wait until the deadline, in milliseconds since the epoch: all of them, or only those
// that may write. A later call for the same reason never shortens a pause. Keys do not expire meanwhile, since their removal
// would be a write that reaches replicas.
func (e *Engine) Pause(reason PauseReason, deadline int64, all bool) {
	if deadline = max(e.pause.by[reason].deadline, deadline); deadline <= e.Keyspace.Now {
		e.Unpause(reason)
		return
	}
	e.pause.by[reason] = stop{deadline, all}
	e.combinePauses()
	e.TickBy(deadline)
}

// Unpause ends the pause for a reason, and wakes the postponed sessions, which wait again if there is another pause for them.
func (e *Engine) Unpause(reason PauseReason) {
	if e.pause.by[reason].deadline == 0 {
		return
	}
	waiting := e.pause.postponed
	e.pause.by[reason], e.pause.postponed = stop{}, nil
	e.combinePauses()
	offerAgain(waiting)
	if len(e.faults.delays) > 0 {
		e.TickBy(e.Keyspace.Now) // they wait for the end of the pause, too
	}
}

// combinePauses finds out what has to wait after the pause for a reason has changed.
func (e *Engine) combinePauses() {
	e.pause.stop = stop{}
	for _, one := range e.pause.by {
		e.pause.deadline, e.pause.all = max(e.pause.deadline, one.deadline), e.pause.all || one.all
	}
	e.noteHindrance()
	e.keepExpired()
}

// endPauses ends the pauses that are over.
func (e *Engine) endPauses() {
	for reason, one := range e.pause.by {
		if one.deadline != 0 && one.deadline <= e.Keyspace.Now {
			e.Unpause(PauseReason(reason))
		}
	}
}

// pauseReason returns the reason of the pause that lasts longest.
func (e *Engine) pauseReason() string {
	for reason, one := range e.pause.by {
		if one.deadline != 0 && one.deadline == e.pause.deadline {
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

// keepExpired makes what is due in the world invisible without removing it while clients are paused or data are imported, and
// in a replica.
func (e *Engine) keepExpired() {
	e.Keyspace.KeepExpired = e.Config.importMode || e.pause.deadline != 0 || e.role.Replica
}

// isPaused reports whether a command has to wait for the end of a pause.
func (e *Engine) isPaused(s *Session, cmd *command.Command, args [][]byte) bool {
	switch {
	case e.pause.all:
		return true
	case cmd.Flags&command.RunsTx != 0 && s.tx != nil:
		return s.tx.writes()
	}
	return cmd.FlagsWith(args)&(command.Write|command.MayReplicate) != 0
}

// postponeSession holds a session back until the pause is over.
func (e *Engine) postponeSession(s *Session) {
	s.postponed = true
	e.pause.postponed = append(e.pause.postponed, s)
}
