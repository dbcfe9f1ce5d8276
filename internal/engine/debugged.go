package engine

import (
	"cmp"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// A script that is debugged waits for its client again and again. So it runs on a goroutine of its
// own, without the lock, and takes the lock for each command and each answer:
//
//	loop        Do ─▶ EVAL ─▶ Converse ─▶ Spawn               Do ─▶ Debugger.Request        Do ...
//	goroutine                  script ... RunNested ... Answer, waits ......... goes on ...
//	                           EndDebugging
//
// SCRIPT DEBUG YES debugs on a private copy of the world, which is dropped at the end. So any
// number of sessions can run at the same time, and other clients do not wait. A copy keeps its data
// as they were before the first write, so that a run can begin anew: RewindDebugging. SYNC debugs
// on the data.
//
// Invariants, while a script is debugged on the data of a world:
//  1. No command of another session runs in the world: hinder postpones it until the end.
//  2. The clock of the world stands still, nothing in it expires, and no blocked client is served.

// DebugMode is what SCRIPT DEBUG asked for.
type DebugMode uint8

// The modes of SCRIPT DEBUG.
const (
	NoDebug   DebugMode = iota
	DebugCopy           // YES: on a copy of the data
	DebugData           // SYNC: on the data
)

// Debugger gets what a client sends while its script is debugged. Its methods are called under the
// lock and must not block.
type Debugger interface {
	// Request gets the words of a request, which die when it returns.
	Request(words [][]byte)
	// Close reports that the client is gone.
	Close()
}

// isMidScript reports whether a script of the world has begun and not ended, although the lock is
// free.
func (w *World) isMidScript() bool { return w.engine.Slow.session != nil || w.debugged != nil }

// takesRequests reports whether what the session sends is for the debugger of its script.
func (s *Session) takesRequests() bool {
	return s.debugger != nil && !s.closing && !s.hung && !s.Reply.Full()
}

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
	w.TickBy(w.Millis()) // what came to be due meanwhile
}

// Copies of the world for scripts that are debugged. The first one is made under the lock, for
// which all clients wait. Memory for it that the system has to provide takes a third of the time,
// so SCRIPT DEBUG YES has it provided before, without the lock. Later copies are made of a copy,
// without the lock, on the goroutine of the script.

// copyWorld returns a copy of the world, with its clock standing still, in reserved memory if there
// is some. The engine does not list it.
func (w *World) copyWorld(r *keyspace.Reserve) *World {
	c := w.like()
	c.Keyspace.Adopt(w.Keyspace.CloneIn(r))
	c.countData()
	c.keeps, c.reserved = true, c.counted
	w.engine.accounts.copies.Take(c.reserved)
	return c
}

// dropCopy ends the account of a copy of the world.
func (e *Engine) dropCopy(c *World) {
	e.accounts.data -= c.counted
	e.accounts.copies.Return(c.reserved)
}

// dropReserve gives back the memory that was reserved for a copy.
func (s *Session) dropReserve() {
	s.engine.accounts.copies.Return(s.reserved)
	s.reserve, s.reserved = nil, 0
}

// copyCopy is copyWorld for a copy whose script does not run meanwhile. It counts nothing. The
// caller does not hold the lock.
func (w *World) copyCopy() *World {
	w.engine.mu.Lock()
	c := w.like()
	w.engine.mu.Unlock()
	c.Keyspace.Adopt(w.Keyspace.Clone())
	return c
}

// like returns a world without data that has the time of w, which stands still.
func (w *World) like() *World {
	c := w.engine.newWorld(w.Keyspace.Len(), w.time.clock, w.seed)
	c.observe()
	c.Keyspace.Now, c.time, c.role = w.Keyspace.Now, w.time, w.role
	c.keepExpired()
	return c
}

// keepBefore keeps the data of a copy as they are before the first write of the script, for
// RewindDebugging. The caller does not hold the lock.
func (e *Engine) keepBefore(script *Session, cmd *command.Command) {
	if w := script.world; script.detached && w.keeps && cmd.Flags&command.Write != 0 {
		w.keeps, w.before = false, w.copyCopy()
	}
}
