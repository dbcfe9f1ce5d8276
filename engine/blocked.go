package engine

import (
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// A command that finds nothing to return says so by parking its session on a waiter. When one of the
// waiter's keys is changed, the waiter's handler runs again, oldest waiter first, until it finds
// something. A deadline, CLIENT UNBLOCK or the end of the session removes the waiter under the
// lock, so that no element is ever popped for a client that is gone.

// BlockOnKeys parks the session until one of keys is changed or the deadline (milliseconds since the
// epoch, 0 for never) has passed; then lapse writes the reply. Where parking is not possible, in a
// transaction or a script, lapse replies at once. The handler returns after it and must not have
// replied.
func (c *Call) BlockOnKeys(keys [][]byte, deadline int64, lapse func(s *Session)) {
	if c.woken {
		c.blocked = true
		return
	}
	if !c.MayBlock() {
		lapse(c.Session)
		return
	}
	c.blocked = true
	w := &Blocked{session: c.Session, cmd: c.Cmd, args: copyArgs(c.Args), deadline: deadline, timeout: lapse}
	for _, key := range keys {
		w.keys = append(w.keys, dbKey{c.DB.ID(), string(key)})
	}
	c.Engine.blocked.add(w)
	c.Session.blocked = w
	if deadline != 0 {
		c.Engine.TickBy(deadline)
	}
}

// Block is Park for a command that waits for something else than keys: the reply is due when the part that runs the
// command calls End, or at the deadline. It returns nil where the session cannot be blocked.
func (c *Call) Block(deadline int64, reply func(s *Session)) *Blocked {
	c.BlockOnKeys(nil, deadline, reply)
	if !c.blocked {
		return nil
	}
	return c.Session.blocked
}

// mayPark reports whether Park parks: not in a transaction, nor in a script.
func (c *Call) MayBlock() bool { return c.woken || !c.Session.script && c.Engine.stack.depth == 1 }

// WakeOnDelete lets the handler that just parked run again also when one of its keys is gone, which most
// do not want to know.
func (c *Call) WakeOnDelete() {
	if w := c.Session.blocked; w != nil {
		w.onDelete = true
	}
}

// Woken reports whether the handler of a blocked client runs again, because ReadyKey was changed.
func (c *Call) Woken() bool { return c.woken }

// ReadyKey returns the key because of which the handler runs again.
func (c *Call) ReadyKey() []byte { return c.readyKey }

// First returns the first of keys that exists, with its value for changing, for a command that takes
// from one of several keys; found is false if there is none. A value of another type that comes
// first latches ErrWrongType.
//
// When a waiter's handler runs again, only the key that became ready counts, so that waiters are
// served in the order in which keys received something; and another type there is no error.
func First[T keyspace.Value](c *Call, keys [][]byte) (key []byte, v T, found bool) {
	if c.woken {
		value, _ := c.DB.Edit(c.readyKey)
		v, found = value.(T)
		return c.readyKey, v, found
	}
	for _, key := range keys {
		if v, found = Edit[T](c, key); found || c.err != nil {
			return key, v, found
		}
	}
	return nil, v, false
}

// SignalKey has clients that are blocked on a key served, as if its value had changed.
func (c *Call) SignalKey(key []byte) { c.Engine.blocked.signal(c.DB.ID(), key) }

// Timeout reads a blocking command's timeout, in seconds with fractions, as a deadline in
// milliseconds since the epoch; 0 for none.
func (c *Call) Timeout() int64 {
	f := c.FloatOr(ErrTimeoutFloat)
	switch {
	case c.err != nil:
		return 0
	case f < 0:
		c.Refuse(ErrTimeoutNeg)
		return 0
	case f*1000 > float64(1<<63-1-c.Now()):
		c.Refuse(ErrTimeoutRange)
		return 0
	case f == 0:
		return 0
	}
	ms := int64(f * 1000)
	if float64(ms) < f*1000 {
		ms++ // never wake early
	}
	return c.Now() + ms
}

// DeadlineAfter returns the deadline that a timeout in milliseconds, counted from now, stands for; 0 for none. Anything
// else latches an error.
func (c *Call) DeadlineAfter(timeout []byte) int64 {
	ms, ok := resp.ParseInt(timeout)
	switch {
	case !ok:
		c.Refuse(ErrTimeoutInt)
	case ms < 0:
		c.Refuse(ErrTimeoutNeg)
	case ms > 1<<63-1-c.Now():
		c.Refuse(ErrTimeoutRange)
	case ms > 0:
		return c.Now() + ms
	}
	return 0
}

// ReplyNullArray is the reply of most commands whose timeout has passed.
func ReplyNullArray(s *Session) { s.Reply.NullArray() }

// serveBlocked runs the handlers of those who wait for a ready key. What they change may make further keys
// ready; those are served as well, in order.
func (e *Engine) serveBlocked() {
	if e.slow.session != nil {
		return // not before the script has ended: it is atomic
	}
	for len(e.blocked.ready) > 0 {
		k := e.blocked.ready[0]
		e.blocked.ready = e.blocked.ready[1:]
		e.serveBlockedOn(k)
	}
	e.blocked.ready = nil
}

// serveBlockedOn runs the handlers of those who wait for a key, oldest first; while it does not exist, only of
// those who want to know that.
func (e *Engine) serveBlockedOn(k dbKey) {
	db, key, seq := e.Keyspace.DB(k.db), []byte(k.key), int64(0)
	for w := e.blocked.nextAfter(k, seq); w != nil; w = e.blocked.nextAfter(k, seq) {
		seq = w.seq
		if w.onDelete || db.Exists(key) {
			e.rerun(w, key)
		}
	}
}

// rerun runs a waiter's handler again because key is ready. If it parks again, the session goes on
// waiting.
func (e *Engine) rerun(w *Blocked, key []byte) {
	s := w.session
	start := s.Reply.Len()
	home := s.db
	s.db = w.keys[0].db
	c := e.enter(s, w.cmd, w.args)
	c.woken, c.readyKey = true, key
	w.cmd.Run(c)
	s.db = home
	if c.blocked {
		s.Reply.Truncate(start)
		e.stack.depth--
		return
	}
	e.leave(c, start)
	s.afterCommand(start)
	e.unblock(w)
}

// unblock ends a wait whose reply has been written.
func (e *Engine) unblock(w *Blocked) {
	e.blocked.remove(w)
	w.session.blocked = nil
	w.session.Wake()
}

// endBlock ends a wait with the timeout's reply, or with an error if there is one.
func (e *Engine) endBlock(w *Blocked, err error) {
	s := w.session
	start := s.Reply.Len()
	if err == nil {
		w.timeout(s)
	} else {
		s.Reply.Error(err)
		w.cmd.stats.failed++
		e.countError(err.Error())
	}
	s.afterCommand(start)
	w.cmd.stats.calls++
	e.stats.commands++
	e.unblock(w)
}

// endTimedOut replies to the waiters whose deadline has passed.
func (e *Engine) endTimedOut() {
	var late []*Blocked
	for _, w := range e.blocked.all {
		if w.deadline != 0 && w.deadline <= e.Keyspace.Now {
			late = append(late, w)
		}
	}
	for _, w := range late {
		e.endBlock(w, nil)
	}
}

// nextTimeout returns the earliest deadline of a waiter, 0 if none has one.
func (e *Engine) nextTimeout() (next int64) {
	for _, w := range e.blocked.all {
		if w.deadline != 0 && (next == 0 || w.deadline < next) {
			next = w.deadline
		}
	}
	return next
}

// UnblockClient ends the wait of a session with its timeout's reply, or with an error, and reports whether
// it was parked on a waiter.
func (e *Engine) UnblockClient(s *Session, withError bool) bool {
	w := s.blocked
	if w == nil {
		return false
	}
	var err error
	if withError {
		err = ErrUnblocked
	}
	e.endBlock(w, err)
	return true
}

// Ended reports whether the session is not blocked any more: End was called, the deadline has passed, CLIENT UNBLOCK
// came or the session has ended.
func (w *Blocked) Ended() bool { return w.session.blocked != w }

// End replies and unblocks the session, which must not be over.
func (w *Blocked) End() { w.session.engine.endBlock(w, nil) }
