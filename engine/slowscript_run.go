package engine

import (
	"bytes"
	"iter"

	"github.com/miniserver-go/miniserver/internal/command"
)

// enableSlowScripts makes the coroutine. It needs Host.Spawn, which runs scripts past the limit to
// their end.
func (e *Engine) enableSlowScripts() {
	e.slow.enabled = true
	e.slow.next, e.slow.stop = iter.Pull(func(yield func(struct{}) bool) {
		e.slow.yield = yield
		for more := true; more; more = yield(struct{}{}) {
			e.slow.owner.world.run(e.slow.owner, e.slow.cmd, e.slow.args)
			e.slow.done = true
		}
	})
}

// DisableSlowScripts ends the coroutine, for an engine that is about to be closed. A script past
// its time limit is asked to end.
func (e *Engine) DisableSlowScripts() {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case !e.slow.enabled:
	case e.slow.session != nil:
		e.KillScript() // resume does the rest
	default:
		e.slow.stop()
	}
	e.slow.enabled = false
}

// runSlow runs a command on the coroutine until it ends or yields. If it yields, the connection is
// about to reuse its buffers for the next read: the arguments are copied, and the replies that
// precede the command's are split off for sending.
func (w *World) runSlow(s *Session, cmd *command.Command, args [][]byte) {
	e := w.engine
	e.slow.done = false
	e.slow.owner, e.slow.cmd, e.slow.args, e.slow.start = s, cmd, args, s.settled
	e.slow.next()
	if e.slow.done {
		return
	}
	e.slow.args = copyArgs(args)
	e.stack.calls[0].Args = e.slow.args
	replies := bytes.Clone(s.Reply.Bytes())
	s.earlyReplies = s.Reply.Swap(nil)[:e.slow.start]
	s.Reply.Raw(replies)
	e.slow.since, e.stopwatch.n = e.stopwatch.since, 0
	s.running, e.slow.session = true, s
	e.Parts.Host.Spawn(e.resume)
}

// resume runs the yielded command to its end, on a goroutine of the host, and wakes its session.
// The command took the lock with Relock before it ended, and resume releases it. Then resume does
// what Do would have done after the command.
func (e *Engine) resume() {
	e.slow.next()
	s := e.slow.session
	w := s.world
	s.running, e.slow.session = false, nil
	if !e.slow.enabled {
		e.slow.stop()
	}
	w.readClock()
	w.recordDuration(s, e.slow.cmd, e.slow.args, e.stopwatch.since-e.slow.since, 1)
	s.endCommand(e.slow.cmd)
	s.Reply.Raw(s.Reply.Swap(nil)[e.slow.start:])
	w.serveBlocked()
	w.endBatch()
	w.TickBy(w.Keyspace.Now) // what came to be due meanwhile
	s.Wake()
	e.mu.Unlock()
}
