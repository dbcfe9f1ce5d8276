package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/resp"
)

// conn is one connection: its session and its input that is not executed yet. All methods but Wake run on
// the connection's event loop.
type conn struct {
	server   *Server
	from     engine.Endpoint
	first    []byte            // what had been read before the event loop got the connection
	ended    func(broken bool) // called when the connection is closed; nothing more can be sent if it is broken
	session  *engine.Session
	socket   socket
	in       *input // what is not executed; nothing if nothing is
	loop     *loop
	held     int // replies of this connection in the loop's group
	bound    int // those of them that wait at the barrier, or behind such
	waiting  int // bytes of these
	queued   int // bytes of the arguments that MULTI has queued
	blocked  bool
	counted  bool        // the session counts bytes of the input
	roomy    bool        // the server knows that the input has room to release
	quiet    bool        // nothing has arrived since the server looked at the room
	deaf     bool        // protocol errors wait for the next read
	dying    bool        // executes nothing more; closes when its output is sent
	dropped  bool        // closes at once
	broken   bool        // can send nothing more
	closed   bool        // the loop has closed it
	last     *last       // nil: the loop sends the replies
	draining atomic.Bool // tick will wake it
	streams  atomic.Bool // wants to be woken when the socket has taken everything
	late     time.Time   // since when the unsent output exceeds the soft limit; zero if it does not
	stall    stall       // of the output of a dying connection
}

// buffers are what a batch needs while it runs. A pool shares them among the connections of all loops, so that an idle
// connection holds none.
type buffers struct {
	batch
	out []byte // for replies
}

var bufferPool = sync.Pool{New: func() any { return &buffers{out: make([]byte, 0, 512)} }}

// Wake makes the event loop handle the connection again. It may be called from any goroutine.
func (c *conn) Wake() { c.loop.wake(c) }

// WakeSoon is Wake for what may wait for more, see paced. It may be called from any goroutine.
func (c *conn) WakeSoon() { c.loop.wakeSoon(c) }

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

// lastWords is how many bytes may leave after the end of a connection that was dropped, if the system does not hold them yet.
const lastWords = 64 << 10

// close ends the session. The loop then closes the socket. broken says that it sends nothing more before.
func (c *conn) close() (broken bool) {
	c.loop.moved.clients.Add(-1)
	c.server.counts.clients.Add(-1)
	c.dying = true
	c.server.engine.Close(c.session)
	// A reply may have arrived just before the client hung up, and a client that only closed its writing end
	// still reads.
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
		c.server.counts.unread.Add(int64(c.socket.unsent()))
	}
	c.ended(broken)
	c.broken, c.closed = true, true
	return broken
}

// handle handles input, or a wake-up if there is none, and closes the connection if it has come to its end.
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

// largePart is how much must be missing of an argument for another read to pay, in bytes.
const largePart = 16 << 10

func (c *conn) countRead(n int) {
	c.loop.moved.in.Add(int64(n))
	c.session.Received.Add(int64(n))
	c.loop.moved.reads.Add(1)
}

// readOn reads what the socket has of a large argument straight into the input, which saves a copy of it.
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

// defersErrors is where a protocol error behind the command that blocked the client is sent at the next read: Redis 8.0
// looks for errors only when it has read.
var defersErrors = release.From("8.0.0")

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

// resume executes what is kept, with data behind it. It stops after as many bytes as have arrived, or after one batch if
// that is more. The rest has its turn after the other connections of the loop. So the commands that were kept while the
// session was blocked do not hold up the others, and the backlog does not grow.
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

// step executes one batch of what is kept. It reports whether there may be complete commands behind it.
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

// execute executes the rest of a batch. A protocol error behind it ends the connection. It returns false if a part must
// wait: commands because the session is blocked, or an error until the next read.
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
		c.server.log('#', "Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands. "+
			"This is likely due to an attacker attempting to use Cross Protocol Scripting. Connection from %s aborted.", c.from.Addr)
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

// stream sends what the session shares with others, as far as the socket takes it. When it has taken all, it goes on.
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

// drop ends a connection that another client, a limit or a time-out has ended. What was said before that is offered to the
// client once.
func (c *conn) drop(o engine.Outcome) {
	if len(o.Out) > 0 && c.socket.unsent() == 0 {
		c.write(o.Out, o.Awaits, false)
	}
	c.dying, c.dropped = true, true
}

// write sends out now or with the group. It must wait for what it awaits, if that is not 0; groupable means that it may wait to save
// system calls.
func (c *conn) write(out []byte, awaits uint64, groupable bool) {
	if awaits != 0 || c.loop.delays(c, len(out), groupable) {
		c.loop.hold(c, out, awaits)
		return
	}
	c.send(out)
}

func (c *conn) send(out []byte) {
	c.last.add(out)
	if c.broken {
		return
	}
	c.loop.moved.out.Add(int64(len(out)))
	c.session.Sent.Add(int64(len(out)))
	c.loop.moved.writes.Add(1)
	if err := c.socket.write(out); err != nil {
		c.dying, c.broken = true, true
		c.Wake()
	}
}

// limitOutput ends a connection whose unsent output exceeds the limit of its class.
func (c *conn) limitOutput(class engine.Class) {
	if c.broken {
		return
	}
	unsent := int64(c.socket.unsent())
	if c.waiting > maxPart { // little is sent soon
		unsent += int64(c.waiting)
	}
	if unsent == 0 && c.session.Unsent.Load() == 0 {
		return
	}
	c.session.Unsent.Store(unsent)
	if unsent > 0 {
		c.server.drain(c)
	}
	if class == engine.ClassReplica {
		return // the part that feeds it knows what waits
	}
	lim := c.server.output.Load()[class]
	switch {
	case lim.soft == 0 || unsent < lim.soft:
		c.late = time.Time{}
	case c.late.IsZero():
		c.late = time.Now()
	}
	if lim.hard > 0 && unsent >= lim.hard || !c.late.IsZero() && time.Since(c.late) > lim.patience {
		c.overflow()
	}
}

// overflow ends a connection over its output limit. As in Redis the client gets nothing more.
func (c *conn) overflow() {
	if !c.broken {
		c.server.log('#', "Client addr=%s scheduled to be closed ASAP for overcoming of output buffer limits.", c.from.Addr)
		c.server.counts.slow.Add(1)
	}
	c.dying, c.broken = true, true
}

// count publishes the memory of the input. Query is the last, so that who reads it first finds the others as new.
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

// exceedsQuery reports whether the input with so many bytes more exceeds client-query-buffer-limit. As in Redis since 8.0 what is
// not parsed counts, and what MULTI has queued, but no arguments of the command that is being read. It is asked before the bytes
// are parsed: so an argument that is too large with its line break is never executed, however it came.
func (c *conn) exceedsQuery(more int) bool {
	limit := c.server.maxQuery.Load()
	if !c.session.Authed() {
		limit = min(limit, unauthedQuery)
	}
	return int64(c.in.backlog()+more+c.queued) > limit
}

// stall is since when a client has taken nothing of its output.
type stall struct {
	unsent int
	since  time.Time
}

// exceeds reports whether the client has taken nothing for closeTimeout.
func (s *stall) exceeds(unsent int) bool {
	if unsent != s.unsent {
		*s = stall{unsent, time.Now()}
	}
	return time.Since(s.since) > closeTimeout
}

// hasEnded reports whether the connection is dying and its output is sent, or is not read, or whether its input exceeds its
// limit.
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

// counts are counters of connections for INFO.
type counts struct {
	clients              atomic.Int64 // accepted and not closed
	rejected, long, slow atomic.Int64 // connections; long and slow by the limits of input and output
	unread               atomic.Int64 // bytes that went with their connections, since tick looked
}
