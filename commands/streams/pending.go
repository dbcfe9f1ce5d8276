package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
)

// pendingQuery is what XPENDING is told about the messages it is to list.
type pendingQuery struct {
	idle, count int64
	from, to    stream.ID
	consumer    []byte // nil for all
}

// XPENDING key group [[IDLE min-idle-time] start end count [consumer]]
func cmdXPending(c *engine.Call) {
	key, name := c.Arg(), c.Arg()
	listed, q := c.More(), pendingQuery{}
	if listed {
		q = parsePendingQuery(c)
	}
	if c.Failed() {
		c.OK()
		return
	}
	s, found := engine.Read[*stream.Stream](c, key)
	g := groupIn(c, s, found, key, name)
	switch {
	case g == nil:
	case listed:
		replyMessages(c, g, q)
	default:
		replyPending(c, g)
	}
}

func parsePendingQuery(c *engine.Call) (q pendingQuery) {
	if len(c.Args) < 6 || len(c.Args) > 9 {
		c.Refuse(engine.ErrSyntax)
		return q
	}
	if c.Word("IDLE") {
		q.idle = c.Int()
		if len(c.Args) < 8 {
			c.Refuse(engine.ErrSyntax)
		}
	}
	c.Skip(2) // Redis reads the count first
	q.count = max(c.Int(), 0)
	c.Skip(-3)
	q.from, q.to = bound(c, false), bound(c, true)
	c.Skip(1)
	if c.More() {
		q.consumer = c.Arg()
	}
	return q
}

// groupIn returns a group of the stream at key, if there is one; nil if an error was sent.
func groupIn(c *engine.Call, s *stream.Stream, found bool, key, name []byte) (g *stream.Group) {
	if found {
		g = s.Group(name)
	}
	if g == nil {
		c.Refusef(errNoSuchGroup, engine.CText(key), engine.CText(name))
		c.OK()
	}
	return g
}

// replyPending replies with a summary of a group's messages.
func replyPending(c *engine.Call, g *stream.Group) {
	c.Reply.Array(4)
	c.Reply.Int(int64(g.Pending()))
	first, last, ok := g.Bounds()
	if !ok {
		c.Reply.Null()
		c.Reply.Null()
		c.Reply.NullArray()
		return
	}
	replyID(c, first)
	replyID(c, last)
	at, n := c.Reply.Defer(), 0
	for _, member := range g.Consumers() {
		if member.Pending() > 0 {
			c.Reply.Array(2)
			c.Reply.BulkString(member.Name())
			c.Reply.Bulk(engine.Decimal(int64(member.Pending())))
			n++
		}
	}
	c.Reply.SetArray(at, n)
}

// replyMessages replies with the messages of a group, or of one of its consumers.
func replyMessages(c *engine.Call, g *stream.Group, q pendingQuery) {
	each := g.Each
	if q.consumer != nil {
		member := g.Consumer(q.consumer)
		if member == nil {
			c.Reply.Array(0)
			return
		}
		each = member.Each
	}
	at, n := c.Reply.Defer(), int64(0)
	each(q.from, func(p *stream.Pending) bool {
		if n == q.count || q.to.Before(p.ID) {
			return false
		}
		idle := c.Now() - p.Delivered
		if q.idle != 0 && idle < q.idle {
			return true
		}
		n++
		c.Reply.Array(4)
		replyID(c, p.ID)
		c.Reply.BulkString(p.Consumer().Name())
		c.Reply.Int(max(idle, 0))
		c.Reply.Int(p.Count)
		return true
	})
	c.Reply.SetArray(at, int(n))
}
