package engine

import (
	"cmp"

	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// SetDebug says how the next script of the client is debugged, and replies.
func (c *Call) SetDebug(mode DebugMode) {
	c.Session.Debug = mode
	c.Session.dropReserve()
	if mode == DebugCopy && c.CanDebug() && c.World.Keyspace.CloneBytes() >= keyspace.LeastReserve {
		c.reserveCopy()
		return
	}
	c.Reply.Status("OK")
}

// reserveCopy reserves memory for a copy of large data, while the session waits, and then replies.
func (c *Call) reserveCopy() {
	s, e := c.Session, c.Engine
	n := c.World.Keyspace.CloneBytes()
	if err := c.World.checkDebug(s); err != nil {
		s.Debug = NoDebug
		c.Fail(err)
		return
	}
	e.accounts.copies.Take(n)
	s.reserved = n
	s.earlyReplies, s.settled, s.running = s.Reply.Swap(nil), 0, true
	e.Parts.Host.Spawn(func() {
		r := keyspace.NewReserve(n)
		e.mu.Lock()
		defer e.mu.Unlock()
		s.running = false
		if s.Debug == DebugCopy { // else the client is gone
			s.reserve = r
		}
		s.Reply.Status("OK")
		s.endCommand(nil)
		s.Wake()
	})
}

// CanDebug reports whether the client of the call can debug a script: it has a connection, and no
// transaction runs.
func (c *Call) CanDebug() bool {
	return c.Session.Peer != nil && c.Engine.Parts.Host.Spawn != nil && !c.Nested()
}

// BeginDebugging begins a run that is debugged, until EndDebugging. Its commands, which the session
// script executes, take the lock each. In mode DebugCopy they run in a copy of the world, for which
// CheckDebug has found room. The call replies nothing.
func (c *Call) BeginDebugging(script *Session, mode DebugMode) {
	script.detached = true
	if mode == DebugCopy {
		script.world = c.World.copyWorld(c.Session.reserve)
		c.Session.dropReserve()
	} else {
		c.World.debugged = c.Session
		c.World.noteHindrance()
	}
}

// CheckDebug returns why a run in this mode cannot begin; nil if it can.
func (c *Call) CheckDebug(mode DebugMode) error {
	if mode == DebugCopy {
		return c.World.checkDebug(c.Session)
	}
	return nil
}

// checkDebug returns ErrOOM if there is no room for a copy of the world in which a script is
// debugged, and for its data as they were before the first write.
func (w *World) checkDebug(s *Session) error {
	return w.CheckRoom(2*w.CopyBytes() - s.reserved)
}

// Converse runs the rest of a run that is debugged on a goroutine of its own, until that calls
// EndDebugging; meanwhile the debugger gets what the client sends.
func (c *Call) Converse(d Debugger, run func()) {
	c.Session.debugger, c.Session.running = d, true
	c.Engine.Parts.Host.Spawn(run)
}

// RewindDebugging begins a run on a copy of the world anew: with the data, the clock and the dice
// of its beginning. begin prepares the session script for it, under the lock. The caller does not
// hold the lock.
func (e *Engine) RewindDebugging(script *Session, begin func()) {
	old := script.world
	defer old.Keyspace.Release()
	anew := cmp.Or(old.before, old).copyCopy()
	anew.before, anew.keeps, anew.reserved = old.before, old.before == nil, old.reserved
	e.mu.Lock()
	defer e.mu.Unlock()
	e.accounts.data -= old.counted
	anew.countData()
	begin()
	script.world = anew
}

// Answer sends the client of a script that is debugged what write writes. The caller does not hold
// the lock.
func (e *Engine) Answer(s *Session, write func(w *resp.Writer)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.debugger != nil {
		write(s.Reply)
		s.Wake()
	}
}

// EndDebugging ends a run of the session script that was debugged for the client s, and closes the
// connection over which it was. The caller does not hold the lock.
func (e *Engine) EndDebugging(s, script *Session) {
	copied := script.world
	e.endRun(s, script)
	if copied == s.world {
		return
	}
	copied.Keyspace.Release()
	if copied.before != nil {
		copied.before.Keyspace.Release()
	}
}

// endRun ends a run, but keeps its copy of the world.
func (e *Engine) endRun(s, script *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.running = false
	if s.debugger != nil {
		s.debugger, s.closing = nil, true
		s.endCommand(nil)
		s.Wake()
	}
	if s.world.debugged == s {
		s.world.endDebugged()
	}
	if script.world != s.world {
		e.dropCopy(script.world)
	}
	script.world = s.world
}

// endDebugged lets the other clients of the world go on.
func (w *World) endDebugged() {
	w.debugged = nil
	w.noteHindrance()
	waiting := w.pause.postponed
	w.pause.postponed = nil
	offerAgain(waiting)
	w.readClock()
	w.serveBlocked()
	w.endBatch()
	w.TickBy(w.Keyspace.Now) // what came to be due meanwhile
}
