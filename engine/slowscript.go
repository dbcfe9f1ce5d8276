package engine

import (
	"sync/atomic"
)

// User code may run for long, and one event loop must be enough to tell everybody else BUSY and to
// hear SCRIPT KILL. So commands flagged MayBeSlow run on a coroutine beside the loop's stack:
//
//	loop        Do ─▶ runSlow ─switch─▶ EVAL ...script...
//	                     ◀─switch─ Leave (past the threshold)
//	loop        BUSY to all others         resume, called by the owner on a goroutine,
//	                                       runs the script to its end
//
// Two switches cost well under a microsecond, and a script that stays below the threshold never
// leaves the loop's stack for another. Past the threshold the script runs without the lock and
// takes it for each command it calls.
//
// Invariants, while a script is past the threshold:
//  1. The gate lets nobody else change data, and no waiter is served, so the script stays atomic.
//  2. The session's Reply is written under the lock only. What stood in it before the command is
//     handed out at once; the rest stays where it is until the command has ended.
//  3. The clock stands still.
//  4. No command that writes begins once SCRIPT KILL was answered with OK.
type slowScript struct {
	enabled  bool
	next     func() (struct{}, bool) // switches to the coroutine; returns when it yields
	yield    func(struct{}) bool     // switches back
	stop     func()                  // ends the coroutine between two commands
	owner    *Session                // whose command the coroutine runs
	cmd      *Command
	args     [][]byte
	since    int64       // when the command began, in microseconds
	start    int         // where its reply begins
	done     bool        // the command ended without yielding
	session  *Session    // whose command is past the threshold; nil if none is
	busy     error       // what all others are told meanwhile
	detached bool        // user code runs without the lock; written by the coroutine only
	killed   atomic.Bool // SCRIPT KILL was heard
}

// Unlock lets go of the lock in the middle of a command that runs user code, once that has passed
// the threshold. From here on until Rejoin only RunNested may touch the engine; all others are told busy.
func (c *Call) Unlock(busy error) {
	e := c.Engine
	if e.slow.detached || !e.slow.enabled || c.Session.loader {
		return
	}
	e.slow.busy = busy
	switch {
	case e.slow.session != nil: // already off the loop, a further script of a transaction
		e.slow.detached = true
		e.mu.Unlock()
	default:
		e.slow.detached = true
		e.slow.yield(struct{}{})
	}
}

// Relock takes the lock again after Leave; without Leave it does nothing.
func (c *Call) Relock() {
	if e := c.Engine; e.slow.detached {
		e.mu.Lock()
		e.slow.detached = false
	}
}

// BusyScript reports whether a script is past the threshold, and what others are told because of it.
func (e *Engine) BusyScript() (busy error, slow bool) { return e.slow.busy, e.slow.session != nil }

// KillScript asks the slow script to end; Killed is how the script hears it. Revive forgets the request.
func (e *Engine) KillScript()        { e.slow.killed.Store(true) }
func (e *Engine) ScriptKilled() bool { return e.slow.killed.Load() }
func (e *Engine) ClearKill()         { e.slow.killed.Store(false) }

// Clock reads the clock, in microseconds since the epoch, past the time frozen for the batch.
func (e *Engine) Clock() int64 { return e.time.clock() }
