package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// pendingQuery selects the messages that XPENDING lists.
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
	g := findGroup(c, s, found, key, name)
	switch {
	case g == nil:
	case listed:
		replyPendingList(c, g, q)
	default:
		replyPendingSummary(c, g)
	}
}

// parsePendingQuery reads [IDLE min-idle-time] start end count [consumer].
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
	c.Skip(2) // Redis checks the count first
	q.count = max(c.Int(), 0)
	c.Skip(-3)
	q.from, q.to = boundArg(c, false), boundArg(c, true)
	c.Skip(1)
	if c.More() {
		q.consumer = c.Arg()
	}
	return q
}

// findGroup returns a group of s, the stream at key, which is absent unless found is set. It
// returns nil if an error was sent.
func findGroup(c *engine.Call, s *stream.Stream, found bool, key, name []byte) (g *stream.Group) {
	if found {
		g = s.Group(name)
	}
	if g == nil {
		c.Refusef(errNoKeyOrGroup, command.CText(key), command.CText(name))
		c.OK()
	}
	return g
}

// replyPendingSummary replies with the number of a group's pending messages, the first and last ID,
// and the number of each consumer.
func replyPendingSummary(c *engine.Call, g *stream.Group) {
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
	for _, consumer := range g.Consumers() {
		if consumer.Pending() > 0 {
			c.Reply.Array(2)
			c.Reply.BulkString(consumer.Name())
			c.Reply.Bulk(resp.Decimal(int64(consumer.Pending())))
			n++
		}
	}
	c.Reply.SetArray(at, n)
}

// replyPendingList replies with the pending messages of a group, or of one of its consumers.
func replyPendingList(c *engine.Call, g *stream.Group, q pendingQuery) {
	each := g.Each
	if q.consumer != nil {
		consumer := g.Consumer(q.consumer)
		if consumer == nil {
			c.Reply.Array(0)
			return
		}
		each = consumer.Each
	}
	at, n := c.Reply.Defer(), int64(0)
	each(q.from, func(p *stream.Pending) bool {
		if n == q.count || q.to.Before(p.ID) {
			return false
		}
		idle := c.Date() - p.Delivered
		if p.Consumer() != nil && q.idle != 0 && idle < q.idle {
			return true
		}
		n++
		if idle = max(idle, 0); p.Consumer() == nil {
			idle = -1
		}
		c.Reply.Array(4)
		replyID(c, p.ID)
		c.Reply.BulkString(p.Consumer().Name())
		c.Reply.Int(idle)
		c.Reply.Int(p.Count)
		return true
	})
	c.Reply.SetArray(at, int(n))
}
