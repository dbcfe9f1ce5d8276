package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// conn is one connection: its session and what was read but not executed. All methods but Wake run
// on the connection's event loop.
type conn struct {
	server  *Server
	from    engine.Endpoint
	ended   func() // called when the connection is closed
	session *engine.Session
	gc      gnet.Conn
	pending []byte // an unfinished command, or commands held back while the session is parked
	need    int    // pending must reach this length before it is worth another look
	group   *group // of the loop
	held    int    // replies that wait, in the group
	parked  bool
	dying   bool      // nothing more is executed; the connection ends once its output is sent
	broken  bool      // nothing more can be sent
	closed  bool      // gnet has forgotten it
	late    time.Time // since when the unsent output exceeds the soft limit; zero if it does not
}

// tools are what a batch needs for a moment. They are shared by the connections of all loops, so
// that an idle connection holds no buffers.
type tools struct {
	batch
	out []byte // for replies
}

var toolbox = sync.Pool{New: func() any { return &tools{out: make([]byte, 0, 512)} }}

// rooms are buffers for commands too long for one read, as *[]byte. They too are lent for as long as
// they hold something.
var rooms sync.Pool

// roomFor returns an empty buffer for n bytes.
func roomFor(n int) []byte {
	if b, ok := rooms.Get().(*[]byte); ok && cap(*b) >= n {
		return (*b)[:0]
	}
	return make([]byte, 0, n)
}

// giveBack takes a buffer that nothing refers to any more.
func giveBack(b []byte) {
	if cap(b) <= maxKept {
		rooms.Put(&b)
	}
}

const (
	maxKept    = 1 << 20  // bytes of a buffer that is kept for the next batch
	maxPending = 64 << 10 // bytes of a buffer for commands that a connection keeps when it is empty
)

// Wake makes the event loop look at the connection again. It may be called from any goroutine.
func (c *conn) Wake() { c.group.wakes.add(c) }

// traffic handles what a socket has, or a wake-up: commands are cut off and executed, and the
// replies leave in one write.
func (c *conn) traffic() gnet.Action {
	data, _ := c.gc.Next(-1)
	if len(data) == 0 || c.parked {
		c.take(c.server.engine.Collect(c.session))
	} else {
		c.server.counts.in.Add(int64(len(data)))
	}
	if c.dying {
		return c.verdict()
	}
	own := c.parked || len(c.pending) > 0
	if own {
		c.pending = append(c.pending, data...)
		data = c.pending
	}
	switch {
	case c.parked || len(data) < c.need:
	case own && len(data) > maxPending:
		c.keep(c.execute(data, new(tools))) // or the toolbox would keep pending alive
	default:
		t := toolbox.Get().(*tools)
		c.keep(c.execute(data, t))
		toolbox.Put(t)
	}
	return c.verdict()
}

// execute runs the commands in data and returns what is left of it.
func (c *conn) execute(data []byte, t *tools) []byte {
	rest, need, err := t.cut(data, limits{bulk: c.server.maxBulk.Load(), authed: c.session.Authed()})
	c.need = need
	if len(t.commands) > 0 {
		c.session.Lend(t.out[:0])
		t.out = nil
		o := c.server.engine.Do(c.session, t.commands)
		c.take(o)
		if cap(o.Out) <= maxKept {
			t.out = o.Out
		}
		if o.Executed < len(t.commands) {
			return c.remember(data, t, o.Executed)
		}
	}
	if err != nil && !c.parked && !c.dying {
		c.fail(err)
	}
	return rest
}

// remember returns the part of data whose commands were not taken.
func (c *conn) remember(data []byte, t *tools, taken int) []byte {
	c.need = 0
	if taken == 0 {
		return data
	}
	return data[t.ends[taken-1]:]
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

// take sends the replies and notes the session's state.
func (c *conn) take(o engine.Outcome) {
	if len(o.Out) > 0 {
		c.write(o.Out, o.Class == engine.Ordinary)
	}
	if len(o.Out) > 0 || c.session.Unsent.Load() > 0 {
		c.restrain(o.Class)
	}
	c.parked = o.Blocked
	c.dying = c.dying || o.Closing
}

// write sends out, now or, if that pays, with others.
func (c *conn) write(out []byte, pays bool) {
	if c.group.waits(c, len(out), pays) {
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
		c.dying, c.broken = true, true // gnet has closed it
	}
}

// restrain ends a connection whose unsent output exceeds its limit.
func (c *conn) restrain(class engine.Class) {
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

// keep holds back data that could not be executed yet. It may alias pending.
func (c *conn) keep(data []byte) {
	switch {
	case len(data) == 0 && len(c.pending) == 0:
		return
	case len(data) == 0 && cap(c.pending) > maxPending:
		giveBack(c.pending)
		c.pending = nil
	case c.need > cap(c.pending) && c.need > maxPending:
		c.pending = append(roomFor(c.need), data...)
	default:
		c.pending = append(c.pending[:0], data...)
	}
	c.session.Held.Store(int64(len(c.pending)))
}

// verdict ends the connection if it is to end and its output is sent, or if it sends more than it
// may hold back.
func (c *conn) verdict() gnet.Action {
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

// counts are the figures that connections contribute to INFO.
type counts struct {
	clients        atomic.Int64 // connected now
	in, out        atomic.Int64 // bytes
	rejected, slow atomic.Int64 // connections
}
