package engine

import "github.com/miniserver-go/miniserver/ds/stream"

// infoStream returns the stream that XINFO is about; nil if an error was sent.
func (c *Call) infoStream(key []byte) *stream.Stream {
	s, found := Read[*stream.Stream](c, key)
	if !found {
		c.Refuse(ErrNoKey)
	}
	if !c.OK() {
		return nil
	}
	return s
}

// XINFO CONSUMERS key group
func cmdXInfoConsumers(c *Call) {
	key, name := c.Arg(), c.Arg()
	s := c.infoStream(key)
	if s == nil {
		return
	}
	g := s.Group(name)
	if g == nil {
		c.Refusef(ErrGroupNone, CText(name), CText(key))
		c.OK()
		return
	}
	c.Reply.Array(len(g.Consumers()))
	for _, member := range g.Consumers() {
		c.Reply.Map(4)
		c.tellNamed("name", member.Name())
		c.tellNumber("pending", int64(member.Pending()))
		c.tellNumber("idle", max(c.Now()-member.Seen, 0))
		c.tellNumber("inactive", c.inactive(member))
	}
}

// inactive returns how long a consumer has got nothing, -1 if it never did.
func (c *Call) inactive(member *stream.Consumer) int64 {
	if member.Active == stream.Never {
		return -1
	}
	return max(c.Now()-member.Active, 0)
}

// XINFO GROUPS key
func cmdXInfoGroups(c *Call) {
	s := c.infoStream(c.Arg())
	if s == nil {
		return
	}
	c.Reply.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.Reply.Map(6)
		c.tellNamed("name", g.Name())
		c.tellNumber("consumers", int64(len(g.Consumers())))
		c.tellNumber("pending", int64(g.Pending()))
		c.tellProgress(g)
	}
}

// tellProgress tells how far a group has read.
func (c *Call) tellProgress(g *stream.Group) {
	c.tellNamedID("last-delivered-id", g.Last)
	c.tellKnown("entries-read", g.Read, g.Read != stream.Unknown)
	lag, known := g.Lag()
	c.tellKnown("lag", lag, known)
}

// XINFO STREAM key [FULL [COUNT count]]
func cmdXInfoStream(c *Call) {
	s := c.infoStream(c.Arg())
	if s == nil {
		return
	}
	full, count := c.More(), int64(10)
	if full {
		count = c.fullCount()
	}
	if !c.OK() {
		return
	}
	if full {
		c.Reply.Map(9)
	} else {
		c.Reply.Map(10)
	}
	c.tellStreamFacts(s)
	if full {
		c.tellStreamFull(s, count)
		return
	}
	c.tellNumber("groups", int64(len(s.Groups())))
	c.Reply.BulkString("first-entry")
	c.tellFirst(s.Walk(stream.ID{}, stream.MaxID))
	c.Reply.BulkString("last-entry")
	c.tellFirst(s.WalkBack(stream.ID{}, stream.MaxID))
}

// fullCount reads FULL [COUNT count].
func (c *Call) fullCount() int64 {
	count, left := int64(10), c.Left()
	if left != 1 && left != 3 || !c.Word("FULL") || left == 3 && !c.Word("COUNT") {
		c.Refuse(c.subSyntaxError())
		return count
	}
	if left == 3 {
		if n := c.Int(); n >= 0 {
			count = n
		}
	}
	return count
}

func (c *Call) tellStreamFacts(s *stream.Stream) {
	c.tellNumber("length", int64(s.Len()))
	c.tellNumber("radix-tree-keys", int64(s.NodeCount()))
	c.tellNumber("radix-tree-nodes", int64(s.TreeNodes()))
	c.tellNamedID("last-generated-id", s.Last())
	c.tellNamedID("max-deleted-entry-id", s.MaxDeleted())
	c.tellNumber("entries-added", s.Added())
	c.tellNamedID("recorded-first-entry-id", s.First())
}

// tellStreamFull tells a stream's entries and groups, count of each kind at most, or all if count is 0.
func (c *Call) tellStreamFull(s *stream.Stream, count int64) {
	if count == 0 {
		count = -1
	}
	c.Reply.BulkString("entries")
	w := s.Walk(stream.ID{}, stream.MaxID)
	c.tellWalk(&w, count)
	c.Reply.BulkString("groups")
	c.Reply.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.Reply.Map(7)
		c.tellNamed("name", g.Name())
		c.tellProgress(g)
		c.tellNumber("pel-count", int64(g.Pending()))
		c.Reply.BulkString("pending")
		c.tellDeliveries(g.Each, count, true)
		c.Reply.BulkString("consumers")
		c.Reply.Array(len(g.Consumers()))
		for _, member := range g.Consumers() {
			c.tellConsumerFull(member, count)
		}
	}
}

func (c *Call) tellConsumerFull(member *stream.Consumer, count int64) {
	c.Reply.Map(5)
	c.tellNamed("name", member.Name())
	c.tellNumber("seen-time", member.Seen)
	c.tellNumber("active-time", member.Active)
	c.tellNumber("pel-count", int64(member.Pending()))
	c.Reply.BulkString("pending")
	c.tellDeliveries(member.Each, count, false)
}

// tellDeliveries tells messages: their ID, whose they are unless that is known, when and how often they
// were delivered.
func (c *Call) tellDeliveries(each func(stream.ID, func(*stream.Pending) bool), count int64, owner bool) {
	at, n := c.Reply.Defer(), int64(0)
	each(stream.ID{}, func(p *stream.Pending) bool {
		if n == count {
			return false
		}
		n++
		if owner {
			c.Reply.Array(4)
		} else {
			c.Reply.Array(3)
		}
		c.tellID(p.ID)
		if owner {
			c.Reply.BulkString(p.Consumer().Name())
		}
		c.Reply.Int(p.Delivered)
		c.Reply.Int(p.Count)
		return true
	})
	c.Reply.SetArray(at, int(n))
}

// tellNamed writes a pair of a map.
func (c *Call) tellNamed(name, value string) {
	c.Reply.BulkString(name)
	c.Reply.BulkString(value)
}

func (c *Call) tellNumber(name string, n int64) { c.tellKnown(name, n, true) }

// tellKnown writes a number, or nil for one that is not known.
func (c *Call) tellKnown(name string, n int64, known bool) {
	c.Reply.BulkString(name)
	if known {
		c.Reply.Int(n)
	} else {
		c.Reply.Null()
	}
}

func (c *Call) tellNamedID(name string, id stream.ID) {
	c.Reply.BulkString(name)
	c.tellID(id)
}
