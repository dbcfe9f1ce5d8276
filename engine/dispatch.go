package engine

import "github.com/miniserver-go/miniserver/keyspace"

// Outcome is what a connection must know after its commands ran.
type Outcome struct {
	Executed int    // commands executed; the rest of the batch must wait
	Out      []byte // the replies, valid until the session's next Do or Collect
	Blocked  bool   // no further command may run until the session's Peer is woken
	Closing  bool   // close once Out is sent

	Class Class // of clients, by which its output is limited
}

// Do executes the commands of a batch for a session, in order. It takes fewer than all when the
// session is parked or is to be closed.
func (e *Engine) Do(s *Session, batch [][][]byte) Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readClock()
	s.lastActive = e.time.micros
	taken := 0
	s.useLentBuffer()
	for i, args := range batch {
		if i%keyspace.PrefetchKeys == 0 && len(batch) > 1 {
			e.prefetch(s, batch[i:])
		}
		if s.isStopped() || !e.execute(s, args) {
			break
		}
		taken++
		if e.blocked.ready != nil {
			e.serveBlocked()
		}
	}
	e.stopTimer()
	e.endBatch()
	o := s.takeReplies()
	o.Executed = taken
	return o
}

// execute takes one command through table and gate. It returns false if the command has to wait for
// the end of a pause and was not taken.
func (e *Engine) execute(s *Session, args [][]byte) bool {
	if len(args) == 0 {
		return true
	}
	start := s.Reply.Len()
	cmd, err := e.Resolve(args)
	if err == nil {
		err = e.gate(s, cmd, args)
	}
	switch {
	case err != nil:
		e.reject(s, cmd, err)
	case e.pause.deadline != 0 && e.isPaused(s, cmd, args):
		e.postponeSession(s)
		return false
	case s.tx != nil && cmd.Flags&AllowTx == 0:
		s.queue(cmd, args)
		s.Reply.Status("QUEUED")
	case cmd.Flags&MayBeSlow != 0 && e.slow.enabled:
		e.startTimer(s, cmd, args)
		e.runSlow(s, cmd, args, start)
	default:
		e.startTimer(s, cmd, args)
		e.run(s, cmd, args)
	}
	if !s.running {
		s.afterCommand(start)
		if s.tracker != nil {
			e.endTrackedCommand(s, cmd)
		}
	}
	return true
}

// prefetch has the keys of the next commands of a batch fetched together. That a command's key is its first
// argument is true of nearly all of them, and so is that keys are short.
func (e *Engine) prefetch(s *Session, batch [][][]byte) {
	const longest = 64
	db := e.Keyspace.DB(s.db)
	if !db.Cold() {
		return
	}
	var keys [keyspace.PrefetchKeys][]byte
	n := 0
	for _, args := range batch[:min(len(batch), len(keys))] {
		if len(args) > 1 && len(args[1]) <= longest {
			keys[n] = args[1]
			n++
		}
	}
	db.Prefetch(keys[:n], 1)
}

// endBatch sends what waits for the end of a batch.
func (e *Engine) endBatch() {
	if e.tracking.changes != nil {
		e.broadcastChanges()
	}
	if e.tracking.readers != nil {
		e.trimReaders()
	}
}

// takeReplies hands out the replies for sending.
func (s *Session) takeReplies() Outcome {
	s.wakePending = false
	o := Outcome{Blocked: s.blocked != nil || s.running || s.postponed, Closing: s.closing, Class: s.class()}
	if s.running { // the script goes on writing
		o.Out, s.earlyReplies = s.earlyReplies, nil
		return o
	}
	o.Out = s.Reply.Swap(s.ownBuffer)
	if s.ownBuffer = nil; !s.borrows && cap(o.Out) <= maxOwnBuffer {
		s.ownBuffer = o.Out
	}
	return o
}

// Collect returns the replies and pushes that were written to a session outside of its own Do, and
// its state.
func (e *Engine) Collect(s *Session) Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := s.takeReplies()
	if o.Class != ClassNormal && cap(o.Out) <= maxPushBuffer {
		s.ownBuffer = o.Out // it was not lent
	}
	return o
}

// With runs fn under the lock, with the clock sampled, for work that is not a command.
func (e *Engine) With(fn func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.readClock()
	fn()
	if e.blocked.ready != nil {
		e.serveBlocked()
	}
	e.endBatch()
}
