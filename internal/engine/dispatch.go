package engine

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/invariants"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Outcome is what a connection must know after its commands ran.
type Outcome struct {
	Executed int    // commands executed; the rest of the batch must wait, unless More
	More     bool   // the rest may be executed at once: Out is as large as it may become
	Out      []byte // the replies, valid until the session's next Do or Collect
	Blocked  bool   // no further command may run until the session's Peer is woken
	Closing  bool   // close once Out is sent
	Overflow bool   // close at once: the replies passed the limit
	Dropped  bool   // close at once: somebody else has ended the session
	Queued   int    // bytes of the arguments that MULTI has queued

	Class Class // of clients, by which its output is limited

	Awaits uint64 // what Part.Awaits returned: Out must not leave before the part has settled it; 0 for nothing
}

// batchReplies is the bytes of replies after which a batch ends, so that a buffer that grows with
// many of them does not leave garbage of several times their size.
const batchReplies = 512 << 10

// Do executes the commands of a batch for a session, in order. It executes fewer than all when the
// session blocks, is paused or is to be closed, or the replies are large; the connection keeps the
// rest and offers it again. Blocked clients are served after each command and not after the batch,
// so that a client sees the same order as if it had sent the commands one by one.
func (e *Engine) Do(s *Session, batch [][][]byte) Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	w := s.world
	w.readClock()
	s.lastActive = w.time.micros
	taken, more := 0, false
	s.useLentBuffer()
	s.limitReplies()
	for i, args := range batch {
		if i%keyspace.PrefetchKeys == 0 && len(batch) > 1 {
			w.prefetch(s, batch[i:])
		}
		if e.Sessions.held.limited() {
			w.evictClients()
		}
		if s.world != w { // MoveTo
			w.endBatch()
			w = s.world
			w.readClock()
		}
		if s.isStopped() {
			if !s.takesRequests() {
				break
			}
			s.debugger.Request(args)
		} else if !w.execute(s, args) {
			break
		}
		taken++
		if w.blocked.ready != nil {
			w.serveBlocked()
		}
		if more = taken < len(batch) && s.Reply.Len() >= batchReplies; more {
			break
		}
	}
	w.stopTimer()
	w.endBatch()
	o := s.takeReplies()
	o.Executed, o.More = taken, more && !o.Blocked && !o.Closing
	return o
}

// hidesCommands is since when who is not authenticated does not see which commands there are, and
// what arguments they take.
var hidesCommands = release.From("valkey:9.1.0")

// execute resolves a command and takes it through the gate. It returns false if the command has to
// wait for the end of CLIENT PAUSE or of an outage: then it was not executed, and the connection
// offers it again. One that a fault delays counts as executed.
func (w *World) execute(s *Session, args [][]byte) bool {
	e := w.engine
	if len(args) == 0 {
		e.passEmpty(s)
		return true
	}
	s.settled = s.Reply.Len()
	if s.modes.Imports && e.Config.ImportMode {
		w.Keyspace.ShowExpired = true
		defer func(ks *keyspace.Keyspace) { ks.ShowExpired = false }(w.Keyspace)
	}
	cmd, err := e.Commands.Resolve(args)
	if w.hinders && (!w.arrives(s, cmd, args) || err == nil && w.isHeld(s, cmd, args)) {
		return false
	}
	switch {
	case err == nil:
		err = w.gate(s, cmd, args)
	case e.Release.Has(hidesCommands) && (cmd == nil || cmd.Flags&command.NoAuth == 0) && !s.Authenticated():
		err = ErrNoAuth
	}
	switch {
	case err != nil:
		w.reject(s, cmd, err)
	case w.hinders && w.hinder(s, cmd, args):
		if s.postponed {
			return s.delay != nil // of which the arguments are kept
		}
	case s.tx != nil && cmd.Flags&command.AllowTx == 0:
		s.queue(cmd, args)
		s.Reply.Status("QUEUED")
	case cmd.Flags&command.MayBeSlow != 0 && e.Slow.enabled:
		w.startTimer(s, cmd, args)
		w.runSlow(s, cmd, args)
	case cmd.Flags&command.Gradual != 0 && w.mayPause(s):
		w.startTimer(s, cmd, args)
		w.runGradually(s, cmd, args)
	default:
		w.startTimer(s, cmd, args)
		w.run(s, cmd, args)
	}
	if err == nil {
		for _, replied := range e.Parts.hooks.replied {
			replied(Executed{World: w, Session: s, Cmd: cmd, Args: args, Times: 1}, s.Reply.Len()-s.settled)
		}
	}
	if e.Parts.certainty.awaits != nil && err == nil {
		e.noteCertain(s, cmd, args)
	}
	if !s.running {
		s.endCommand(cmd)
	}
	if s.asking > 0 {
		s.endAsking()
	}
	return true
}

// passEmpty takes an empty request for a command without a reply, as every release but Redis 8.0:
// it ends CLIENT REPLY SKIP and CLIENT CACHING.
func (e *Engine) passEmpty(s *Session) {
	if e.Release.Has(countsEmpty) || !e.Release.Has(ignoresEmpty) {
		s.endCommand(nil)
	}
}

var ignoresEmpty, countsEmpty = release.From("8.0.0"), release.From("8.6.0")

// prefetch loads the keys of the next commands of a batch into the processor's cache together,
// where memory latency would otherwise be paid key by key. It assumes that a command's key is its
// first argument and short, which is true of nearly all commands; a wrong guess costs only time.
func (w *World) prefetch(s *Session, batch [][][]byte) {
	const longest = 64
	db := w.Keyspace.DB(s.db)
	if !db.Keys().Cold() {
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
	db.Keys().Prefetch(keys[:n], 1)
}

// endBatch counts the data, and tells the observers that a batch is over.
func (w *World) endBatch() {
	if len(w.engine.unsettled) > 0 {
		w.engine.settleFollowers()
	}
	w.countData()
	if len(w.observers) > 0 {
		w.observers.batch()
	}
	if invariants.Enabled {
		w.checkBetween()
	}
}

// takeReplies returns the replies for sending. While a slow script runs, only those before its own.
func (s *Session) takeReplies() Outcome {
	s.wakePending, s.soonPending = false, false
	s.closing = s.closing || s.Reply.Full()
	if s.hung && !s.dropped {
		return Outcome{Blocked: true, Overflow: s.Reply.Full(), Class: s.outputClass()}
	}
	o := Outcome{Blocked: s.blocked != nil || s.running && s.debugger == nil || s.postponed, Closing: s.closing,
		Overflow: s.Reply.Full(), Dropped: s.dropped, Class: s.outputClass(), Awaits: s.awaits()}
	if s.tx != nil {
		o.Queued = s.tx.argsBytes()
	}
	if s.running && s.debugger == nil { // the slow script still writes to Reply
		o.Out, s.earlyReplies = s.earlyReplies, nil
		return o
	}
	o.Out = s.Reply.Swap(s.ownBuffer)
	if s.earlyReplies != nil { // the session hung when its script became slow
		o.Out, s.earlyReplies = append(s.earlyReplies, o.Out...), nil
	}
	s.replyPeak = max(s.replyPeak, len(o.Out))
	if s.ownBuffer = nil; !s.borrows && cap(o.Out) <= maxOwnBuffer {
		s.ownBuffer = o.Out
	}
	s.waiting.Store(0)
	return o
}

// Collect returns the replies and pushes that were written to a session outside of its own Do, and
// its state. The connection calls it after Peer.Wake.
func (e *Engine) Collect(s *Session) Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := s.takeReplies()
	if cap(o.Out) <= maxPushBuffers[o.Class] {
		s.ownBuffer = o.Out // it was not lent
	}
	return o
}

// With runs fn under the lock, in the home world with the clock read, for work that is not a
// command.
func (e *Engine) With(fn func()) { e.In(e.home, fn) }

// In is With for another world.
func (e *Engine) In(w *World, fn func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w.between(fn)
}

// between runs fn between commands of the world.
func (w *World) between(fn func()) {
	w.readClock()
	fn()
	if w.blocked.ready != nil {
		w.serveBlocked()
	}
	w.endBatch()
}

// certainty is how a part has replies held back that tell of changes which are not certain yet.
// Most reads tell of none: their replies need not wait for the changes of other keys.
type certainty struct {
	awaits  func(settled bool) uint64 // nil: nothing is held back
	settled func(key []byte) bool
	keys    []command.KeyUse // room for those of one command
}

// noteCertain counts the reply of a command that has run as certain, if it is a read that tells of
// nothing but settled keys.
func (e *Engine) noteCertain(s *Session, cmd *command.Command, args [][]byte) {
	const others = command.MayBeSlow | command.Blocking | command.AnyKeys | command.AllowTx
	if cmd.Flags&command.ReadOnly == 0 || cmd.Flags&others != 0 || s.tx != nil || s.running || s.reply != ReplyOn {
		return
	}
	c := &e.Parts.certainty
	if !cmd.Keys.IsComplete() {
		return
	}
	var complete bool
	if c.keys, complete = cmd.Keys.AppendTo(c.keys[:0], args); !complete {
		return
	}
	for _, key := range c.keys {
		if !c.settled(args[key.At]) {
			return
		}
	}
	s.certain += s.Reply.Len() - s.settled
}

// awaits returns what the replies that are being taken must wait for; 0 for nothing.
func (s *Session) awaits() uint64 {
	c := &s.engine.Parts.certainty
	if c.awaits == nil {
		return 0
	}
	settled := s.certain == s.Reply.Len() && !s.running
	s.certain = 0
	return c.awaits(settled)
}
