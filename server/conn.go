package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// conn is one connection: its session and its input that is not executed yet. All methods but Wake run on
// the connection's event loop.
type conn struct {
	server  *Server
	from    engine.Endpoint
	ended   func() // called when the connection is closed
	session *engine.Session
	gc      gnet.Conn
	pending []byte // an unfinished command, or the input of a blocked session
	need    int    // length that pending must reach before it is parsed again
	group   *group // of the loop
	held    int    // replies of this connection in the group
	blocked bool
	dying   bool      // executes nothing more; closes when its output is sent
	broken  bool      // can send nothing more
	closed  bool      // gnet has closed it
	late    time.Time // since when the unsent output exceeds the soft limit; zero if it does not
}

// buffers are what a batch needs while it runs. A pool shares them among the connections of all loops, so that an idle
// connection holds none.
type buffers struct {
	batch
	out []byte // for replies
}

var bufferPool = sync.Pool{New: func() any { return &buffers{out: make([]byte, 0, 512)} }}

// inputPool holds buffers for commands too long for one read, as *[]byte.
var inputPool sync.Pool

// newInput returns an empty buffer for n bytes.
func newInput(n int) []byte {
	if b, ok := inputPool.Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:0]
	}
	return make([]byte, 0, n)
}

// freeInput returns a buffer to the pool. Nothing may refer to it.
func freeInput(b []byte) {
	if cap(b) <= maxKept {
		inputPool.Put(&b)
	}
}

const (
	maxKept    = 1 << 20  // largest buffer that is kept for another batch, in bytes
	maxPending = 64 << 10 // largest empty buffer that a connection keeps, in bytes
)

// Wake makes the event loop handle the connection again. It may be called from any goroutine.
func (c *conn) Wake() { c.group.wakes.add(c) }

// traffic handles input or a wake-up: it parses and executes commands, and their replies leave in one write.
func (c *conn) traffic() gnet.Action {
	data, _ := c.gc.Next(-1)
	if len(data) == 0 || c.blocked {
		c.reply(c.server.engine.Collect(c.session))
	} else {
		c.server.counts.in.Add(int64(len(data)))
	}
	if c.dying {
		return c.action()
	}
	own := c.blocked || len(c.pending) > 0
	if own {
		c.pending = append(c.pending, data...)
		data = c.pending
	}
	switch {
	case c.blocked || len(data) < c.need:
	case own && len(data) > maxPending:
		c.keep(c.execute(data, new(buffers))) // pooled arguments would keep pending alive
	default:
		t := bufferPool.Get().(*buffers)
		c.keep(c.execute(data, t))
		bufferPool.Put(t)
	}
	return c.action()
}

// execute runs the commands in data and returns the rest of it.
func (c *conn) execute(data []byte, t *buffers) []byte {
	rest, need, err := t.parse(data, limits{bulk: c.server.maxBulk.Load(), authed: c.session.Authed()})
	c.need = need
	if len(t.commands) > 0 {
		c.session.Lend(t.out[:0])
		t.out = nil
		o := c.server.engine.Do(c.session, t.commands)
		c.reply(o)
		if cap(o.Out) <= maxKept {
			t.out = o.Out
		}
		if o.Executed < len(t.commands) {
			return c.unexecuted(data, t, o.Executed)
		}
	}
	if err != nil && !c.blocked && !c.dying {
		c.fail(err)
	}
	return rest
}

// unexecuted returns the part of data behind the executed commands.
func (c *conn) unexecuted(data []byte, t *buffers, executed int) []byte {
	c.need = 0
	if executed == 0 {
		return data
	}
	return data[t.ends[executed-1]:]
}

// fail ends the connection with a protocol error.
func (c *conn) fail(err error) {
	c.dying = true
	if err == errBrowser {
		c.server.log('#', "Possible SECURITY ATTACK detected. It looks like somebody is sending POST or Host: commands. "+
			"This is likely due to an attacker attempting to use Cross Protocol Scripting. Connection from %s aborted.", c.from.Addr)
		return
	}
	w := resp.NewWriter(2)
	w.Error(err)
	c.write(w.Bytes(), false)
}

// reply sends the replies of a batch and adopts the session's state.
func (c *conn) reply(o engine.Outcome) {
	if len(o.Out) > 0 {
		c.write(o.Out, o.Class == engine.ClassNormal)
	}
	if len(o.Out) > 0 || c.session.Unsent.Load() > 0 {
		c.limitOutput(o.Class)
	}
	c.blocked = o.Blocked
	c.dying = c.dying || o.Closing
}

// write sends out now or with the group. groupable means that it may wait to save system calls.
func (c *conn) write(out []byte, groupable bool) {
	if c.group.delays(c, len(out), groupable) {
		c.group.hold(c, out)
		return
	}
	c.send(out)
}

func (c *conn) send(out []byte) {
	if c.broken {
		return
	}
	c.server.counts.out.Add(int64(len(out)))
	if _, err := c.gc.Write(out); err != nil {
		c.dying, c.broken = true, true // gnet has closed the socket
	}
}

// limitOutput ends a connection whose unsent output exceeds the limit of its class.
func (c *conn) limitOutput(class engine.Class) {
	if c.broken {
		return
	}
	unsent := int64(c.gc.OutboundBuffered())
	if unsent == 0 && c.session.Unsent.Load() == 0 {
		return
	}
	c.session.Unsent.Store(unsent)
	lim := c.server.output.Load()[class]
	switch {
	case lim.soft == 0 || unsent < lim.soft:
		c.late = time.Time{}
	case c.late.IsZero():
		c.late = time.Now()
	}
	if lim.hard > 0 && unsent >= lim.hard || !c.late.IsZero() && time.Since(c.late) > lim.patience {
		c.server.log('#', "Client addr=%s scheduled to be closed ASAP for overcoming of output buffer limits.", c.from.Addr)
		c.server.counts.slow.Add(1)
		c.dying, c.broken = true, true
	}
}

// keep stores input that is not executed yet. data may alias pending.
func (c *conn) keep(data []byte) {
	switch {
	case len(data) == 0 && len(c.pending) == 0:
		return
	case len(data) == 0 && cap(c.pending) > maxPending:
		freeInput(c.pending)
		c.pending = nil
	case c.need > cap(c.pending) && c.need > maxPending:
		c.pending = append(newInput(c.need), data...)
	default:
		c.pending = append(c.pending[:0], data...)
	}
	c.session.Held.Store(int64(len(c.pending)))
}

// action closes the connection if it is dying and its output is sent, or if its input exceeds
// client-query-buffer-limit.
func (c *conn) action() gnet.Action {
	switch {
	case int64(len(c.pending)) > c.server.maxQuery.Load():
		c.server.log('#', "Closing client that reached max query buffer length: addr=%s", c.from.Addr)
	case c.dying && !c.broken && c.held > 0:
		return gnet.None // the group wakes it
	case c.dying && !c.broken && c.gc.OutboundBuffered() > 0:
		c.server.drain(c)
		return gnet.None
	case !c.dying:
		return gnet.None
	}
	return gnet.Close
}

// counts are counters of connections for INFO.
type counts struct {
	clients        atomic.Int64 // connected now
	in, out        atomic.Int64 // bytes
	rejected, slow atomic.Int64 // connections
}
