package engine

import (
	"bytes"
	"iter"
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/command"
)

// SlowScript is the script that is past its time limit, if there is one.
//
// A script may run for long. One event loop must then still be able to reply BUSY to others and to
// accept SCRIPT KILL. So commands flagged MayBeSlow run on a coroutine beside the loop's stack:
//
//	loop        Do ─▶ runSlow ─switch─▶ EVAL ...script...
//	                     ◀─switch─ Unlock (past the time limit)
//	loop        BUSY to all others         resume, called by the host on a goroutine,
//	                                       runs the script to its end
//
// Why a coroutine: almost all scripts are short, and waking a goroutine for each would cost more
// than they do. Two switches cost well under a microsecond. Past the limit the script runs without
// the lock and takes it for each command that it calls.
//
// Invariants, while a script is past its time limit:
//  1. The gate refuses all commands that could change data, and no blocked client is served. So the
//     script stays atomic, as in Redis, although the lock is free in between.
//  2. The session's Reply is written under the lock only. The replies to earlier commands are
//     handed out at once; the script's stays until the command has ended.
//  3. The clock stands still. A key that the script has seen does not expire before its end.
//  4. No command that writes begins once SCRIPT KILL was answered with OK. So SCRIPT KILL never
//     leaves half of a script's writes behind.
type SlowScript struct {
	engine   *Engine
	enabled  bool
	next     func() (struct{}, bool) // switches to the coroutine; returns when it yields
	yield    func(struct{}) bool     // switches back
	stop     func()                  // ends the coroutine between two commands
	owner    *Session                // whose command the coroutine runs
	cmd      *command.Command
	args     [][]byte
	since    int64       // start of the command, in microseconds
	start    int         // where its reply begins
	done     bool        // the command ended without yielding
	session  *Session    // whose command is past the time limit; nil if there is none
	busy     error       // the error for other sessions meanwhile
	detached bool        // user code runs without the lock; written by the coroutine only
	killed   atomic.Bool // SCRIPT KILL was called
}

// Unlock releases the lock in the middle of a command that runs user code, once that has passed its
// time limit. Until Relock only RunNested may touch the engine. Other sessions get busy as their
// error.
//
// The first time in a command it switches back to the event loop, which then returns from Do and
// releases the lock. A later script of the same transaction is on another goroutine already, and
// unlocks by itself.
func (c *Call) Unlock(busy error) {
	e := c.Engine
	if e.Slow.detached || !e.Slow.enabled || c.Session.loader {
		return
	}
	e.Slow.busy = busy
	switch {
	case e.Slow.session != nil: // already off the loop, a further script of a transaction
		e.Slow.detached = true
		e.mu.Unlock()
	default:
		e.Slow.detached = true
		e.Slow.yield(struct{}{})
	}
}

// Relock takes the lock again after Unlock. Without Unlock it has no effect.
func (c *Call) Relock() {
	if e := c.Engine; e.Slow.detached {
		e.mu.Lock()
		e.Slow.detached = false
	}
}

// Busy reports whether a script is past its time limit, and the error that other sessions get
// meanwhile.
func (s *SlowScript) Busy() (busy error, slow bool) { return s.busy, s.session != nil }

// Kill asks the slow script to end. The script polls Killed. Forgive withdraws the request.
func (s *SlowScript) Kill()        { s.killed.Store(true) }
func (s *SlowScript) Killed() bool { return s.killed.Load() }
func (s *SlowScript) Forgive()     { s.killed.Store(false) }

// enable makes the coroutine. It needs Host.Spawn, which runs scripts past the limit to
// their end.
func (s *SlowScript) enable() {
	s.enabled = true
	s.next, s.stop = iter.Pull(func(yield func(struct{}) bool) {
		s.yield = yield
		for more := true; more; more = yield(struct{}{}) {
			s.owner.world.run(s.owner, s.cmd, s.args)
			s.done = true
		}
	})
}

// Enable makes the coroutine again after Disable.
func (s *SlowScript) Enable() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	switch {
	case s.enabled:
	case s.session != nil: // it runs to its end, and the coroutine stays
		s.enabled = true
	default:
		s.enable()
	}
}

// Disable ends the coroutine, and that of gradual commands, for an engine that is about to be
// closed, or to be without clients. A script past its time limit is asked to end.
func (s *SlowScript) Disable() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	switch {
	case !s.enabled:
	case s.session != nil:
		s.Kill() // resume does the rest
	default:
		s.stop()
	}
	s.enabled = false
	s.engine.gradual.close(s.engine)
}

// runSlow runs a command on the coroutine until it ends or yields. If it yields, the connection is
// about to reuse its buffers for the next read: the arguments are copied, and the replies that
// precede the command's are split off for sending.
func (w *World) runSlow(s *Session, cmd *command.Command, args [][]byte) {
	e := w.engine
	e.Slow.done = false
	e.Slow.owner, e.Slow.cmd, e.Slow.args, e.Slow.start = s, cmd, args, s.settled
	e.Slow.next()
	if e.Slow.done {
		return
	}
	e.Slow.args = copyArgs(args)
	e.stack.calls[0].Args = e.Slow.args
	replies := bytes.Clone(s.Reply.Bytes())
	s.earlyReplies = s.Reply.Swap(nil)[:e.Slow.start]
	s.Reply.Raw(replies)
	e.Slow.since, e.stopwatch.n = e.stopwatch.since, 0
	s.running, e.Slow.session = true, s
	e.Parts.Host.Spawn(e.Slow.resume)
}

// resume runs the yielded command to its end, on a goroutine of the host, and wakes its session.
// The command took the lock with Relock before it ended, and resume releases it. Then resume does
// what Do would have done after the command.
func (s *SlowScript) resume() {
	e := s.engine
	s.next()
	of := s.session
	w := of.world
	of.running, s.session = false, nil
	if !s.enabled {
		s.stop()
	}
	w.readClock()
	w.recordDuration(of, s.cmd, s.args, e.stopwatch.since-s.since, 1)
	of.endCommand(s.cmd)
	of.Reply.Raw(of.Reply.Swap(nil)[s.start:])
	w.serveBlocked()
	w.endBatch()
	w.TickBy(w.Millis()) // what came to be due meanwhile
	of.Wake()
	e.mu.Unlock()
}
