package engine

// pause is what CLIENT PAUSE asked for: until the deadline all commands wait, or those that may write. A
// session whose command has to wait is postponed: the command has not been executed, and the connection
// offers it again when the pause is over.
type pause struct {
	deadline  int64 // milliseconds since the epoch; 0 for none
	all       bool  // else writes only
	postponed []*Session
}

// Pause makes commands wait until the deadline, in milliseconds since the epoch: all of them, or only those
// that may write. A later call never shortens a pause. Keys do not expire meanwhile, since their removal
// would be a write that reaches replicas.
func (e *Engine) Pause(deadline int64, all bool) {
	if e.pause.deadline = max(e.pause.deadline, deadline); e.pause.deadline <= e.Keyspace.Now {
		e.pause.deadline = 0
		e.noteHindrance()
		return
	}
	e.pause.all = all
	e.noteHindrance()
	e.keepExpired()
	e.TickBy(e.pause.deadline)
}

// Unpause ends a pause and wakes the postponed sessions.
func (e *Engine) Unpause() {
	if e.pause.deadline == 0 {
		return
	}
	waiting := e.pause.postponed
	e.pause = pause{}
	e.noteHindrance()
	e.keepExpired()
	offerAgain(waiting)
	if len(e.faults.delays) > 0 {
		e.TickBy(e.Keyspace.Now) // they wait for the end of the pause, too
	}
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
func (e *Engine) isPaused(s *Session, cmd *Command, args [][]byte) bool {
	switch {
	case e.pause.all:
		return true
	case cmd.Flags&RunsTx != 0 && s.tx != nil:
		return s.tx.writes()
	}
	return cmd.FlagsWith(args)&(Write|MayReplicate) != 0
}

// postponeSession holds a session back until the pause is over.
func (e *Engine) postponeSession(s *Session) {
	s.postponed = true
	e.pause.postponed = append(e.pause.postponed, s)
}
