package engine

import (
	"sync/atomic"

	"github.com/miniserver-go/miniserver/internal/command"
)

// A script may run for long. One event loop must then still be able to reply BUSY to others and to accept
// SCRIPT KILL. So commands flagged MayBeSlow run on a coroutine beside the loop's stack:
//
//	loop        Do ─▶ runSlow ─switch─▶ EVAL ...script...
//	                     ◀─switch─ Unlock (past the time limit)
//	loop        BUSY to all others         resume, called by the host on a goroutine,
//	                                       runs the script to its end
//
// Why a coroutine: almost all scripts are short, and waking a goroutine for each would cost more than they
// do. Two switches cost well under a microsecond. Past the limit the script runs without the lock and takes
// it for each command that it calls.
//
// Invariants, while a script is past its time limit:
//  1. The gate refuses all commands that could change data, and no blocked client is served. So the script
//     stays atomic, as in Redis, although the lock is free in between.
//  2. The session's Reply is written under the lock only. The replies to earlier commands are handed out at
//     once; the script's stays until the command has ended.
//  3. The clock stands still. A key that the script has seen does not expire before its end.
//  4. No command that writes begins once SCRIPT KILL was answered with OK. So SCRIPT KILL never leaves half
//     of a script's writes behind.
type slowScript struct {
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

// Unlock releases the lock in the middle of a command that runs user code, once that has passed its time
// limit. Until Relock only RunNested may touch the engine. Other sessions get busy as their error.
//
// The first time in a command it switches back to the event loop, which then returns from Do and releases
// the lock. A later script of the same transaction is on another goroutine already, and unlocks by itself.
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

// Relock takes the lock again after Unlock. Without Unlock it has no effect.
func (c *Call) Relock() {
	if e := c.Engine; e.slow.detached {
		e.mu.Lock()
		e.slow.detached = false
	}
}

// BusyScript reports whether a script is past its time limit, and the error that other sessions get
// meanwhile.
func (e *Engine) BusyScript() (busy error, slow bool) { return e.slow.busy, e.slow.session != nil }

// KillScript asks the slow script to end. The script polls ScriptKilled. ClearKill withdraws the request.
func (e *Engine) KillScript()        { e.slow.killed.Store(true) }
func (e *Engine) ScriptKilled() bool { return e.slow.killed.Load() }
func (e *Engine) ClearKill()         { e.slow.killed.Store(false) }
