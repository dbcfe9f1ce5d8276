package server

import (
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// ownInput returns an input that the connection may write to.
func (c *conn) ownInput() *input {
	if c.in == &nothing {
		c.in = inputs.Get().(*input)
	}
	return c.in
}

// keep adds bytes that have arrived.
func (c *conn) keep(data []byte) {
	if len(data) > 0 {
		c.ownInput().add(data)
	}
}

// releaseInput releases the memory of the commands that are executed, and the input itself if there
// is nothing else in it.
func (c *conn) releaseInput() {
	c.in.release()
	if c.in.empty() {
		*c.in = input{}
		inputs.Put(c.in)
		c.in = &nothing
	}
}

// open begins the connection, whose first input may be there.
func (c *conn) open(l *loop, end socket) {
	c.loop, c.socket = l, end
	l.moved.clients.Add(1)
	c.from.FD, c.from.Loop = end.fd(), l.number
	c.session = c.server.engine.Connect(c, c.from)
	if len(c.first) > 0 {
		c.keep(c.first)
		c.first = nil
		c.Wake()
	}
}

// lastWords is how many bytes may leave after the end of a connection that was dropped, if the
// system does not hold them yet.
const lastWords = 64 << 10

// close ends the session. The loop then closes the socket. broken says that it sends nothing more
// before.
func (c *conn) close() (broken bool) {
	c.loop.moved.clients.Add(-1)
	c.server.counts.clients.Add(-1)
	c.dying = true
	c.server.engine.Close(c.session)
	// A reply may have arrived just before the client hung up, and a client that only closed its
	// writing end still reads.
	if o := c.server.engine.Collect(c.session); len(o.Out) > 0 || c.held > 0 {
		c.write(o.Out, o.Awaits, false)
		if c.held > 0 {
			c.loop.flush()
		}
	}
	if c.bound > 0 && !c.broken {
		c.keepOpen()
	}
	if broken = c.broken || c.dropped && c.socket.unsent() > lastWords; broken {
		if c.server.counts.unread.Add(int64(c.socket.unsent())) > muchUnread {
			c.server.ring()
		}
	}
	c.ended(broken)
	c.broken, c.closed = true, true
	return broken
}

// handle handles input, or a wake-up if there is none, and closes the connection if it has come to
// its end.
func (c *conn) handle(data []byte) {
	if c.traffic(data); c.hasEnded() {
		c.socket.close()
	}
}

// traffic parses and executes commands. The replies of a batch leave in one write.
func (c *conn) traffic(data []byte) {
	if len(data) == 0 || c.blocked {
		c.collect()
	}
	if len(data) > 0 {
		if c.named != nil {
			c.logIn()
		}
		c.quiet, c.deaf = false, false
		c.countRead(len(data))
	} else if c.roomy {
		c.shrink()
	}
	switch {
	case c.dying:
		return
	case c.blocked || c.exceedsQuery(len(data)):
		c.keep(data)
	case c.in.empty():
		c.direct(data)
	default:
		c.resume(data)
	}
	if len(data) > 0 {
		c.readOn()
	}
	c.count()
}

func (c *conn) countRead(n int) {
	c.loop.moved.in.Add(int64(n))
	c.session.Received.Add(int64(n))
	c.loop.moved.reads.Add(1)
}

// readOn reads what the socket has of a large argument straight into the input, which saves a copy
// of it.
func (c *conn) readOn() {
	for read := 0; socketsRead && c.isReady() && read < maxInput; {
		room := c.in.room()
		if len(room) < largePart {
			return
		}
		n := c.socket.read(room)
		if n == 0 {
			return
		}
		c.countRead(n)
		c.in.received(n)
		if c.exceedsQuery(0) {
			return
		}
		if c.in.expected() == c.in.backlog() {
			c.resume(nil)
		}
		read += n
	}
}

// collect sends what was written to the session outside of its own batches.
func (c *conn) collect() {
	blocked := c.blocked
	c.reply(c.server.engine.Collect(c.session))
	if blocked && !c.blocked {
		c.deaf = c.server.engine.Release.Has(defersErrors)
	}
}

// direct executes the commands in data, which is the event loop's buffer, and keeps the rest.
func (c *conn) direct(data []byte) {
	if len(data) == 0 {
		return
	}
	t := bufferPool.Get().(*buffers)
	for more := true; more; {
		n := t.parse(data, c.limits())
		if !c.execute(t) {
			n, t.last, t.request = t.unexecuted(), t.unexecuted(), request{} // what follows is parsed again, once
		}
		if more = t.more && c.isReady(); !more {
			if r := t.suspend(); t.last < len(data) {
				c.ownInput().start(r, data[t.last:], n-t.last)
			}
		}
		data = data[n:]
	}
	bufferPool.Put(t)
}

// defersErrors is where a protocol error behind the command that blocked the client is sent at the
// next read: Redis 8.0 looks for errors only when it has read.
var defersErrors = release.From("8.0.0")

// resume executes what is kept, with data behind it. It stops after as many bytes as have arrived,
// or after one batch if that is more. The rest has its turn after the other connections of the
// loop. So the commands that were kept while the session was blocked do not hold up the others, and
// the backlog does not grow.
func (c *conn) resume(data []byte) {
	before := c.in.backlog()
	c.in.add(data)
	more := c.step()
	for more && c.in.backlog() > before {
		more = c.step()
	}
	if more {
		c.Wake()
	}
}

// step executes one batch of what is kept. It reports whether there may be complete commands behind
// it.
func (c *conn) step() (more bool) {
	t, pooled := c.in.next(c.limits())
	if !c.execute(t) {
		t.out, c.in.waiting = nil, t
		return false
	}
	c.releaseInput()
	more = t.more && c.isReady()
	if pooled {
		bufferPool.Put(t) // another loop may use it from here on
	}
	return more
}

// isReady reports whether the connection may execute commands now.
func (c *conn) isReady() bool { return !c.blocked && !c.dying }

func (c *conn) limits() limits {
	return limits{c.server.maxBulk.Load(), c.session.Authed(), c.server.manners}
}

// execute executes the rest of a batch. A protocol error behind it ends the connection. It returns
// false if a part must wait: commands because the session is blocked, or an error until the next
// read.
func (c *conn) execute(t *buffers) bool {
	for more := t.done < len(t.commands); more; {
		c.session.Lend(t.out[:0])
		t.out = nil
		o := c.server.engine.Do(c.session, t.commands[t.done:])
		t.done += o.Executed
		if t.err == errBrowser && !o.Blocked {
			o.Out = nil // as Redis, which closes the connection before it sends them
		}
		c.reply(o)
		if cap(o.Out) <= maxKept {
			t.out = o.Out
		}
		more = o.More && !c.dying
	}
	switch {
	case t.done < len(t.commands) || t.err != nil && (c.blocked || c.deaf):
		return false
	case t.err != nil && !c.dying:
		c.fail(t.err)
	}
	return true
}

// fail ends the connection with a protocol error, which a client without replies does not get.
func (c *conn) fail(err error) {
	c.dying = true
	if c.session.Silent() {
		return
	}
	if err == errBrowser {
		c.server.log('#',
			"Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands. "+
				"This is likely due to an attacker attempting to use Cross Protocol Scripting. "+
				"Connection from %s aborted.", c.from.Addr)
		return
	}
	w := resp.NewWriter(2)
	w.Error(err)
	c.write(w.Bytes(), 0, false)
}

// reply sends the replies of a batch and adopts the session's state.
func (c *conn) reply(o engine.Outcome) {
	switch {
	case o.Overflow:
		c.overflow()
		return
	case o.Dropped:
		c.drop(o)
		return
	}
	if len(o.Out) > 0 {
		c.write(o.Out, o.Awaits, o.Class == engine.ClassNormal)
	}
	if len(o.Out) > 0 || c.session.Unsent.Load() > 0 {
		c.limitOutput(o.Class)
	}
	c.blocked, c.queued = o.Blocked, o.Queued
	c.dying = c.dying || o.Closing
	if o.Class == engine.ClassReplica {
		c.stream()
	}
}

// streamed is how many bytes of a stream a connection sends before others have their turn.
const streamed = 1 << 20

// stream sends what the session shares with others, as far as the socket takes it. When it has
// taken all, it goes on.
func (c *conn) stream() {
	c.streams.Store(true)
	for sent := 0; c.held == 0 && !c.dying && c.socket.unsent() == 0; {
		if sent >= streamed {
			c.Wake()
			break
		}
		piece := c.server.engine.NextShared(c.session)
		if len(piece) == 0 {
			break
		}
		c.write(piece, 0, false)
		sent += len(piece)
	}
	if !c.dying {
		c.session.Unsent.Store(int64(c.socket.unsent()))
	}
}

// drop ends a connection that another client, a limit or a time-out has ended. What was said before
// that is offered to the client once.
func (c *conn) drop(o engine.Outcome) {
	if len(o.Out) > 0 && c.socket.unsent() == 0 {
		c.write(o.Out, o.Awaits, false)
	}
	c.dying, c.dropped = true, true
}

// write sends out now or with the group. It must wait for what it awaits, if that is not 0;
// groupable means that it may wait to save system calls.
func (c *conn) write(out []byte, awaits uint64, groupable bool) {
	if awaits != 0 || c.loop.delays(c, len(out), groupable) {
		c.loop.hold(c, out, awaits)
		return
	}
	c.send(out)
}

// count publishes the memory of the input. Query is the last, so that who reads it first finds the
// others as new.
func (c *conn) count() {
	query, free, args := c.in.memory()
	if held := query+free+args > 0; held || c.counted {
		c.counted = held
		c.session.QueryFree.Store(free)
		c.session.Args.Store(args)
		c.session.Announced.Store(int64(c.in.announced()))
		c.session.Query.Store(query)
	}
	if !c.roomy && c.in.isRoomy() {
		c.roomy = true
		c.server.watchRoom(c)
	}
}

// shrink releases the room of an input to which nothing was added since the last call.
func (c *conn) shrink() {
	if c.roomy = false; c.quiet {
		c.in.shrink()
	}
	c.quiet = true
}

// unauthedQuery is the limit of the input before AUTH, in bytes, as in Redis since 7.2.
const unauthedQuery = 1 << 20

// exceedsQuery reports whether the input with so many bytes more exceeds client-query-buffer-limit.
// As in Redis since 8.0 what is not parsed counts, and what MULTI has queued, but no arguments of
// the command that is being read. It is asked before the bytes are parsed: so an argument that is
// too large with its line break is never executed, however it came.
func (c *conn) exceedsQuery(more int) bool {
	limit := c.server.maxQuery.Load()
	if !c.session.Authed() {
		limit = min(limit, unauthedQuery)
	}
	return int64(c.in.backlog()+more+c.queued) > limit
}

// hasEnded reports whether the connection is dying and its output is sent, or is not read, or
// whether its input exceeds its limit.
func (c *conn) hasEnded() bool {
	switch {
	case c.exceedsQuery(0):
		c.server.counts.long.Add(1)
		c.server.log('#', "Closing client that reached max query buffer length: addr=%s", c.from.Addr)
		return true
	case !c.dying || c.broken || c.dropped:
		return c.dying
	case c.held > 0:
		return false // the group wakes it
	case c.socket.unsent() > 0:
		c.server.drain(c)
		c.broken = c.stall.exceeds(c.socket.unsent())
		return c.broken
	}
	return true
}

// logIn makes the client the user that its certificate names. It is called by the loop.
func (c *conn) logIn() {
	if names := c.named.Load(); names != nil {
		c.server.engine.With(func() { c.session.LoginCertified(*names) })
		c.named = nil
	}
}
