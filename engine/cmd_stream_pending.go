package engine

import "github.com/miniserver-go/miniserver/ds/stream"

// pendingQuery is what XPENDING is told about the messages it is to list.
type pendingQuery struct {
	idle, count int64
	from, to    stream.ID
	consumer    []byte // nil for all
}

// XPENDING key group [[IDLE min-idle-time] start end count [consumer]]
func cmdXPending(c *Call) {
	key, name := c.Arg(), c.Arg()
	listed, q := c.More(), pendingQuery{}
	if listed {
		q = c.parsePendingQuery()
	}
	if c.Failed() {
		c.OK()
		return
	}
	s, found := Read[*stream.Stream](c, key)
	g := c.groupIn(s, found, key, name)
	switch {
	case g == nil:
	case listed:
		c.tellMessages(g, q)
	default:
		c.tellPending(g)
	}
}

func (c *Call) parsePendingQuery() (q pendingQuery) {
	if len(c.Args) < 6 || len(c.Args) > 9 {
		c.Refuse(ErrSyntax)
		return q
	}
	if c.Word("IDLE") {
		q.idle = c.Int()
		if len(c.Args) < 8 {
			c.Refuse(ErrSyntax)
		}
	}
	c.Skip(2) // Redis reads the count first
	q.count = max(c.Int(), 0)
	c.Skip(-3)
	q.from, q.to = c.bound(false), c.bound(true)
	c.Skip(1)
	if c.More() {
		q.consumer = c.Arg()
	}
	return q
}

// groupIn returns a group of the stream at key, if there is one; nil if an error was sent.
func (c *Call) groupIn(s *stream.Stream, found bool, key, name []byte) (g *stream.Group) {
	if found {
		g = s.Group(name)
	}
	if g == nil {
		c.Refusef(ErrNoSuchGroup, CText(key), CText(name))
		c.OK()
	}
	return g
}

// tellPending replies with a summary of a group's messages.
func (c *Call) tellPending(g *stream.Group) {
	c.Reply.Array(4)
	c.Reply.Int(int64(g.Pending()))
	first, last, ok := g.Bounds()
	if !ok {
		c.Reply.Null()
		c.Reply.Null()
		c.Reply.NullArray()
		return
	}
	c.tellID(first)
	c.tellID(last)
	at, n := c.Reply.Defer(), 0
	for _, member := range g.Consumers() {
		if member.Pending() > 0 {
			c.Reply.Array(2)
			c.Reply.BulkString(member.Name())
			c.Reply.Bulk(Decimal(int64(member.Pending())))
			n++
		}
	}
	c.Reply.SetArray(at, n)
}

// tellMessages replies with the messages of a group, or of one of its consumers.
func (c *Call) tellMessages(g *stream.Group, q pendingQuery) {
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
		c.tellID(p.ID)
		c.Reply.BulkString(p.Consumer().Name())
		c.Reply.Int(max(idle, 0))
		c.Reply.Int(p.Count)
		return true
	})
	c.Reply.SetArray(at, int(n))
}
