package server

import (
	"sync"

	"github.com/panjf2000/gnet/v2"

	"github.com/miniserver-go/miniserver/engine"
)

// conn is one connection: its session and what was read but not executed. All methods but Wake run
// on the connection's event loop.
type conn struct {
	server  *Server
	session *engine.Session
	gc      gnet.Conn
	pending []byte // an unfinished command, or commands held back while the session is parked
	need    int    // pending must reach this length before it is worth another look
	parked  bool
	dying   bool // nothing more is executed; the connection ends once its output is sent
}

// batches are shared by the connections of all loops.
var batches = sync.Pool{New: func() any { return new(batch) }}

// Wake makes the event loop look at the connection again. It may be called from any goroutine.
func (c *conn) Wake() { _ = c.gc.Wake(nil) }

// traffic handles what a socket has, or a wake-up: commands are cut off and executed, and the
// replies leave in one write.
func (c *conn) traffic() gnet.Action {
	data, _ := c.gc.Next(-1)
	if len(data) == 0 || c.parked {
		c.take(c.server.engine.Collect(c.session))
	}
	if c.parked || len(c.pending) > 0 {
		c.pending = append(c.pending, data...)
		data = c.pending
	}
	if !c.parked && !c.dying && len(data) >= c.need {
		c.keep(c.execute(data))
	}
	return c.verdict()
}

// execute runs the commands in data and returns what is left of it.
func (c *conn) execute(data []byte) []byte {
	b := batches.Get().(*batch)
	defer batches.Put(b)
	lim := limits{bulk: c.server.maxBulk.Load(), authed: c.session.Authed()}
	rest, need, failure := b.cut(data, lim)
	c.need = need
	if len(b.commands) > 0 {
		o := c.server.engine.Do(c.session, b.commands)
		c.take(o)
		if o.Taken < len(b.commands) {
			c.need = 0
			return data[b.ends[o.Taken-1]:]
		}
	}
	if failure != "" && !c.parked && !c.dying {
		c.dying = true
		_, _ = c.gc.Write([]byte("-" + failure + "\r\n"))
	}
	return rest
}

// take sends the replies and notes the session's state.
func (c *conn) take(o engine.Outcome) {
	if len(o.Out) > 0 {
		_, _ = c.gc.Write(o.Out)
	}
	c.parked = o.Parked
	c.dying = c.dying || o.Closing
}

// keep holds back data that could not be executed yet. It may alias pending.
func (c *conn) keep(data []byte) {
	switch {
	case len(data) == 0 && cap(c.pending) > 64<<10:
		c.pending = nil
	case c.need > cap(c.pending) && c.need > 64<<10:
		c.pending = append(make([]byte, 0, c.need), data...)
	default:
		c.pending = append(c.pending[:0], data...)
	}
}

// verdict ends the connection if it is to end, or if it sends more than it may hold back.
func (c *conn) verdict() gnet.Action {
	if len(c.pending) > maxPending {
		c.server.log("closing client that exceeded the query buffer limit", c.session)
		return gnet.Close
	}
	if c.dying {
		return gnet.Close
	}
	return gnet.None
}
