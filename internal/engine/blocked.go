package engine

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Blocking. A command that finds nothing to return, such as BLPOP on an empty list, blocks its
// session. When one of its keys changes, the same handler runs again with the same arguments, until
// it finds something or the deadline passes.
//
//	BLPOP k ─▶ handler: k is empty ─▶ BlockOnKeys ─▶ blocked, no reply yet
//	LPUSH k ─▶ Changed ─▶ signal: k is ready ─▶ after the command: serveBlocked
//	                                      ─▶ rerun: handler finds the element, replies, unblock
//
// Why run again instead of handing the element over: the handler exists once, whether it blocks or
// not, and it sees the keyspace as it is now. An earlier client may have emptied the list again;
// then the handler blocks again, and its client keeps its place in the queue. A deadline, CLIENT
// UNBLOCK and the end of the session remove the command under the lock, so that no element is
// popped for a client that is gone.
//
// Keys are served in the order in which they became ready, and the clients of a key from the oldest
// to the youngest, as in Redis.

// BlockOnKeys blocks the session until one of keys changes or the deadline (milliseconds since the
// epoch, 0 for none) has passed; then timeout writes the reply. In a transaction or script, which
// cannot block, timeout replies at once, and the result is nil. The handler must not have replied,
// and returns after the call.
func (c *Call) BlockOnKeys(keys [][]byte, deadline int64, timeout func(s *Session)) *Blocked {
	if c.woken {
		c.blocked = true
		return c.Session.blocked
	}
	if !c.MayBlock() {
		timeout(c.Session)
		return nil
	}
	c.blocked = true
	b := &Blocked{session: c.Session, cmd: c.Cmd, args: copyArgs(c.Args), deadline: deadline, timeout: timeout}
	for _, key := range keys {
		b.keys = append(b.keys, dbKey{c.DB.ID(), string(key)})
	}
	c.World.blocked.add(b)
	c.Session.blocked = b
	c.Session.kept.Add(commandBytes(b.args))
	c.World.blocked.stir()
	if deadline != 0 {
		c.World.TickBy(deadline)
	}
	return b
}

// Block is BlockOnKeys for a command that does not wait for keys, such as WAIT. The reply is due at
// the deadline, or when the part that runs the command calls End. It returns nil if the session
// cannot block; then the reply is written.
func (c *Call) Block(deadline int64, reply func(s *Session)) *Blocked {
	return c.BlockOnKeys(nil, deadline, reply)
}

// WakeOnDelete makes the handler, which has just blocked, run again also when one of its keys is
// deleted. Most commands have nothing to find there; XREADGROUP replies with an error.
func (c *Call) WakeOnDelete() {
	if b := c.Session.blocked; b != nil && !b.onDelete {
		b.onDelete = true
		c.World.blocked.onDelete++
	}
}

// WakeOnClients makes the handler, which has just blocked, run again whenever a client blocks or is
// unblocked, subscribes or unsubscribes, or meets a fault. It does not run for others of its kind.
func (c *Call) WakeOnClients() {
	if b := c.Session.blocked; b != nil && !b.curious {
		b.curious = true
		c.World.blocked.curious = append(c.World.blocked.curious, b)
	}
}

// WakeAt makes the handler, which has just blocked, run again at a time in milliseconds since the
// epoch, for its first key, even if no key changes. It counts once.
func (c *Call) WakeAt(at int64) {
	if w := c.Session.blocked; w != nil {
		w.wakeAt = at
		c.World.TickBy(at)
	}
}

// Woken reports whether the handler of a blocked command runs again, because ReadyKey changed.
func (c *Call) Woken() bool { return c.woken }

// ReadyKey returns the key because of which the handler runs again.
func (c *Call) ReadyKey() []byte { return c.readyKey }

// First returns the first of keys that exists, with its value for changing, for a command that
// takes from one of several keys; found is false if none exists. A value of another type that comes
// first latches ErrWrongType.
//
// A blocked command runs again only for a ready key that has a value of the type: with another one,
// its client keeps waiting. Before Redis 7.2 that key is the only one that counts.
func First[T keyspace.Value](c *Call, keys [][]byte) (key []byte, v T, found bool) {
	if c.woken {
		value, _ := c.DB.Edit(c.readyKey)
		if v, found = value.(T); !found || !c.Has(reprocesses) {
			return c.readyKey, v, found
		}
	}
	for _, key := range keys {
		if v, found = Edit[T](c, key); found || c.err != nil {
			return key, v, found
		}
	}
	return nil, v, false
}

// reprocesses is when a blocked command that runs again began to look at all of its keys, and to
// count when it ends without.
var reprocesses = release.From("7.2.0")

// SignalKey serves the commands that are blocked on a key, as if its value had changed.
func (c *Call) SignalKey(key []byte) { c.World.blocked.signal(c.DB.ID(), key) }

// Timeout reads a blocking command's timeout, in seconds with fractions, and returns it as a
// deadline in milliseconds since the epoch; 0 for none.
func (c *Call) Timeout() int64 {
	if !c.Has(roundsTimeouts) {
		return c.olderTimeout()
	}
	f, ok := resp.ParseFloat(c.Arg())
	if !ok || math.IsNaN(f) {
		c.Refuse(ErrTimeoutFloat)
	}
	switch {
	case c.err != nil:
		return 0
	case f < 0:
		c.Refuse(ErrTimeoutNeg)
		return 0
	case f*1000 > float64(1<<63-1-c.World.Millis()):
		c.Refuse(ErrTimeoutRange)
		return 0
	case f == 0:
		return 0
	}
	ms := int64(f * 1000)
	if float64(ms) < f*1000 {
		ms++ // never wake early
	}
	return c.World.Millis() + ms
}

// roundsTimeouts is when a timeout below a millisecond began to be one, and not none.
var roundsTimeouts = release.From("7.0.0")

// olderTimeout is Timeout before 7.0: it cuts off what is less than a millisecond, and what is too
// large counts as negative.
func (c *Call) olderTimeout() int64 {
	seconds, ok := resp.ParseLongDouble(c.Arg())
	ms := seconds.Times(1000).Truncate()
	switch {
	case !ok:
		c.Refuse(ErrTimeoutFloat)
	case ms < 0:
		c.Refuse(ErrTimeoutNeg)
	case ms > 0 && ms <= math.MaxInt64-c.World.Millis():
		return c.World.Millis() + ms
	}
	return 0
}

// DeadlineAfter returns the deadline for a timeout in milliseconds from now; 0 for none. Anything
// else latches an error.
func (c *Call) DeadlineAfter(timeout []byte) int64 {
	ms, ok := resp.ParseInt(timeout)
	switch {
	case !ok:
		c.Refuse(ErrTimeoutInt)
	case ms < 0:
		c.Refuse(ErrTimeoutNeg)
	case ms > 1<<63-1-c.World.Millis():
		c.Refuse(ErrTimeoutRange)
	case ms > 0:
		return c.World.Millis() + ms
	}
	return 0
}

// ReplyNullArray is the timeout reply of most commands.
func ReplyNullArray(s *Session) { s.Reply.NullArray() }

// serveBlocked serves the commands that are blocked on ready keys. What they change may make
// further keys ready, which are served as well: BLMOVE can feed another BLMOVE.
func (w *World) serveBlocked() {
	if w.isMidScript() {
		return // not before the script has ended: it is atomic
	}
	w.stopTimer() // of the command that made the keys ready
	w.readClock() // a key may have expired meanwhile
	w.serveReady()
	for len(w.blocked.after) > 0 {
		next := w.blocked.after[0]
		w.blocked.after = w.blocked.after[1:]
		w.blocked.asked = next.session
		next.run()
		w.blocked.asked, next.session.lastActive = nil, w.time.micros
		w.serveReady()
	}
	w.blocked.ready, w.blocked.after = nil, nil
}

// ServeBlocked serves the commands that are blocked on ready keys, when a command of another world
// is over.
func (w *World) ServeBlocked() {
	if w.blocked.ready != nil {
		w.serveBlocked()
	}
}

func (w *World) serveReady() {
	for len(w.blocked.ready) > 0 {
		k := w.blocked.ready[0]
		w.blocked.ready = w.blocked.ready[1:]
		w.serveBlockedOn(k)
	}
	if w.blocked.stirred {
		w.blocked.stirred = false
		for _, b := range slices.Clone(w.blocked.curious) {
			w.rerun(b, nil)
		}
	}
}

// Afterwards has fn called when the command is over and the commands are served that are blocked on
// keys which it changed, but before the reply leaves and before any other command. So fn may do
// what happens only between commands, such as TickNow. The command must be NoMulti and NoScript.
func (c *Call) Afterwards(fn func()) {
	ws := &c.World.blocked
	if ws.after = append(ws.after, afterwards{c.Session, fn}); ws.ready == nil {
		ws.ready = []dbKey{}
	}
}

// serveBlockedOn serves the commands that are blocked on a key, the oldest first. While the key
// does not exist, only those with WakeOnDelete run. The loop continues by number and not by
// position, because each run may remove commands.
func (w *World) serveBlockedOn(k dbKey) {
	db, key, seq := w.Keyspace.DB(k.db), []byte(k.key), int64(0)
	for b := w.blocked.nextAfter(k, seq); b != nil; b = w.blocked.nextAfter(k, seq) {
		seq = b.seq
		if b.onDelete || db.Exists(key) {
			w.rerun(b, key)
		}
	}
}

// rerun runs a blocked command's handler again, because key is ready. If it blocks again, its place
// in the queue stays, and nothing is counted. A command that its user may no longer run ends with
// an error, as in Redis since 7.2.
func (w *World) rerun(b *Blocked, key []byte) {
	e := w.engine
	s := b.session
	start := s.Reply.Len()
	s.settled = start
	if err := w.checkPermission(s, b.cmd, b.args, &denied); err != nil {
		w.reject(s, b.cmd, err)
		w.unblock(b)
		return
	}
	home := s.db
	if len(b.keys) > 0 {
		s.db = b.keys[0].db
	}
	c := w.enter(s, b.cmd, b.args)
	c.woken, c.readyKey = true, key
	e.of(b.cmd).run(c)
	b.micros += e.lap()
	s.db = home
	if c.blocked {
		s.Reply.Truncate(start)
		e.stack.depth--
		w.endCall()
		s.endCommand(b.cmd)
		return
	}
	w.leave(c, start)
	w.recordDuration(s, b.cmd, b.args, b.micros, 1)
	w.endCall()
	w.unblock(b)
}

// unblock removes a blocked command whose reply has been written.
func (w *World) unblock(b *Blocked) {
	w.blocked.remove(b)
	b.session.endCommand(b.cmd)
	b.session.Wake()
}

// endBlock ends a blocked command with its timeout reply, or with an error if err is not nil. Its
// time counts since Redis 7.2.
func (w *World) endBlock(b *Blocked, err error) {
	e := w.engine
	defer w.sampleLatency("command-unblocking", e.startLatency())
	s := b.session
	s.settled = s.Reply.Len()
	if err == nil {
		b.timeout(s)
	} else {
		s.Reply.Error(err)
		e.of(b.cmd).failed++
		e.countError(err.Error())
	}
	e.of(b.cmd).calls++
	w.countCommand(s)
	if e.Release.Has(reprocesses) {
		w.recordDuration(s, b.cmd, b.args, b.micros, 1)
	}
	w.unblock(b)
}

// endTimedOut ends the blocked commands whose deadline has passed, and signals the keys of those
// that are to run again now.
func (w *World) endTimedOut() {
	var late []*Blocked
	for _, b := range w.blocked.all {
		if b.wakeAt != 0 && b.wakeAt <= w.Millis() {
			b.wakeAt = 0
			w.blocked.signal(b.keys[0].db, []byte(b.keys[0].key))
		}
		if b.deadline != 0 && b.deadline <= w.Millis() {
			late = append(late, b)
		}
	}
	for _, b := range late {
		w.endBlock(b, nil)
	}
}

// nextTimeout returns the earliest deadline of a blocked command, or the time when it is to run
// again; 0 if there is none.
func (w *World) nextTimeout() (next int64) {
	for _, b := range w.blocked.all {
		for _, at := range [...]int64{b.deadline, b.wakeAt} {
			next = earlier(next, at)
		}
	}
	return next
}

// UnblockClient ends a session's blocked command with its timeout reply, or with an error. It
// returns false if the session is not blocked.
func (w *World) UnblockClient(s *Session, withError bool) bool {
	b := s.blocked
	if b == nil {
		return false
	}
	var err error
	if withError {
		err = ErrUnblocked
	}
	w.endBlock(b, err)
	return true
}

// Ended reports whether the command is not blocked any more: End was called, the deadline has
// passed, CLIENT UNBLOCK came or the session has ended.
func (b *Blocked) Ended() bool { return b.session.blocked != b }

// End writes the reply and unblocks the session. The command must not have ended.
func (b *Blocked) End() { b.session.world.endBlock(b, nil) }

// Fail replies with an error and unblocks the session. The command must not have ended.
func (b *Blocked) Fail(err error) { b.session.world.endBlock(b, err) }
