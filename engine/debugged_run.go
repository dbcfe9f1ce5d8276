package engine

import "github.com/miniserver-go/miniserver/resp"

// CanDebug reports whether the client of the call can debug a script: it has a connection, and no transaction runs.
func (c *Call) CanDebug() bool {
	return c.Session.Peer != nil && c.Engine.Parts.host.Spawn != nil && !c.Nested()
}

// BeginDebugging begins a run that is debugged, until EndDebugging. Its commands, which the session script executes, take the lock
// each. In mode DebugCopy they run in a copy of the world. The call replies nothing.
func (c *Call) BeginDebugging(script *Session, mode DebugMode) {
	e := c.Engine
	script.detached = true
	if mode == DebugCopy {
		script.world = e.copyWorld()
	} else {
		e.debugged = c.Session
		e.noteHindrance()
	}
}

// Converse runs the rest of a run that is debugged on a goroutine of its own, until that calls EndDebugging; meanwhile the debugger
// gets what the client sends.
func (c *Call) Converse(d Debugger, run func()) {
	c.Session.debugger, c.Session.running = d, true
	c.Engine.Parts.host.Spawn(run)
}

// copyWorld returns a copy of the data of the world, with its clock standing still. The engine does not list it.
func (e *Engine) copyWorld() *World {
	w := e.newWorld(e.home.Keyspace.Len(), e.time.clock, e.World.seed)
	w.Keyspace.OnExpire, w.Keyspace.OnCreate, w.Keyspace.OnExpireElements = e.keyExpired, e.keyCreated, e.elementsExpired
	w.Keyspace.Adopt(e.Keyspace.Clone())
	w.Keyspace.Now, w.time = e.Keyspace.Now, e.time
	return w
}

// Answer sends the client of a script that is debugged what write writes. The caller does not hold the lock.
func (e *Engine) Answer(s *Session, write func(w *resp.Writer)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.debugger != nil {
		write(s.Reply)
		s.Wake()
	}
}

// EndDebugging ends a run that was debugged for a client, and closes the connection over which it was. The caller does not hold the
// lock.
func (e *Engine) EndDebugging(s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.visit(s.world)
	s.running = false
	if s.debugger != nil {
		s.debugger, s.closing = nil, true
		s.endCommand(nil)
		s.Wake()
	}
	if e.debugged == s {
		e.endDebugged()
	}
}

// endDebugged lets the other clients of the world go on.
func (e *Engine) endDebugged() {
	e.debugged = nil
	e.noteHindrance()
	waiting := e.pause.postponed
	e.pause.postponed = nil
	offerAgain(waiting)
	e.readClock()
	e.serveBlocked()
	e.endBatch()
	e.TickBy(e.Keyspace.Now) // what came to be due meanwhile
}
