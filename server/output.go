package server

import (
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// keepOpen lets the replies that wait at the barrier reach the client after the loop has closed the
// connection.
func (c *conn) keepOpen() {
	if end, err := c.socket.another(); err == nil {
		c.last = &last{socket: end}
	}
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
		c.server.log('#', "Client addr=%s scheduled to be closed ASAP for overcoming of output buffer limits.",
			c.from.Addr)
		c.server.counts.slow.Add(1)
	}
	c.dying, c.broken = true, true
}
