package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Before Redis 7.0 a command is sent at once, and a unit has MULTI and EXEC only
//
//	in a transaction       from its first command that is sent, even if that is the only one
//	in a script            from its first call of a command that writes, even if that changes
//	                       nothing
//	for several commands   from PropagateTogether on
//
// So the removal of an expired key stands before MULTI if it precedes that, and so does what a
// script publishes.

// holdsBack is when the first command of a unit began to be held back.
var holdsBack = release.From("7.0.0")

// RunsTx reports whether the command of the client is EXEC.
func (e *Engine) RunsTx() bool {
	return e.stack.depth > 0 && e.stack.calls[0].Cmd.Flags&command.RunsTx != 0
}

// beginTx sends MULTI to all targets before the first command of a transaction that is sent to one.
func (w *World) beginTx(db int) {
	if w.engine.RunsTx() {
		w.beginUnits(db)
	}
}

// beginUnits sends MULTI to all targets, unless it was sent.
func (w *World) beginUnits(db int) {
	for _, u := range [...]*unit{&w.propagation.journal, &w.propagation.replicas} {
		if u.to != nil && !u.multi {
			u.begin(db, db)
		}
	}
}

// beginScript sends MULTI before a command of a script that has called one that writes, of an older
// release.
func (w *World) beginScript(s *Session) {
	if s.unsent != Everywhere && !w.engine.RunsTx() {
		w.beginUnits(s.caller.db)
	}
}

// endTransaction sends the client's EXEC after its transaction, of an older release.
func (w *World) endTransaction(c *Call) {
	for _, u := range [...]*unit{&w.propagation.journal, &w.propagation.replicas} {
		if u.multi {
			u.multi = false
			u.to(c.Session.db, c.Args)
		}
	}
}

// PropagateTogether says that the call is about to propagate several commands, which are one unit
// in every release.
func (c *Call) PropagateTogether() {
	if c.World.propagation.atOnce && c.Session.unsent != Everywhere {
		c.World.beginUnits(c.DB.ID())
	}
}
