package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
)

// infoStream returns the stream that XINFO is about; nil if an error was sent.
func infoStream(c *engine.Call, key []byte) *stream.Stream {
	s, found := engine.Read[*stream.Stream](c, key)
	if !found {
		c.Refuse(engine.ErrNoKey)
	}
	if !c.OK() {
		return nil
	}
	return s
}

// XINFO CONSUMERS key group
func cmdXInfoConsumers(c *engine.Call) {
	key, name := c.Arg(), c.Arg()
	s := infoStream(c, key)
	if s == nil {
		return
	}
	g := s.Group(name)
	if g == nil {
		c.Refusef(errGroupNone, engine.CText(name), engine.CText(key))
		c.OK()
		return
	}
	c.Reply.Array(len(g.Consumers()))
	for _, member := range g.Consumers() {
		c.Reply.Map(4)
		replyNamed(c, "name", member.Name())
		replyNumber(c, "pending", int64(member.Pending()))
		replyNumber(c, "idle", max(c.Now()-member.Seen, 0))
		replyNumber(c, "inactive", inactive(c, member))
	}
}

// inactive returns how long a consumer has got nothing, -1 if it never did.
func inactive(c *engine.Call, member *stream.Consumer) int64 {
	if member.Active == stream.Never {
		return -1
	}
	return max(c.Now()-member.Active, 0)
}

// XINFO GROUPS key
func cmdXInfoGroups(c *engine.Call) {
	s := infoStream(c, c.Arg())
	if s == nil {
		return
	}
	c.Reply.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.Reply.Map(6)
		replyNamed(c, "name", g.Name())
		replyNumber(c, "consumers", int64(len(g.Consumers())))
		replyNumber(c, "pending", int64(g.Pending()))
		replyProgress(c, g)
	}
}

// replyProgress tells how far a group has read.
func replyProgress(c *engine.Call, g *stream.Group) {
	replyNamedID(c, "last-delivered-id", g.Last)
	replyKnown(c, "entries-read", g.Read, g.Read != stream.Unknown)
	lag, known := g.Lag()
	replyKnown(c, "lag", lag, known)
}

// XINFO STREAM key [FULL [COUNT count]]
func cmdXInfoStream(c *engine.Call) {
	s := infoStream(c, c.Arg())
	if s == nil {
		return
	}
	full, count := c.More(), int64(10)
	if full {
		count = fullCount(c)
	}
	if !c.OK() {
		return
	}
	if full {
		c.Reply.Map(9)
	} else {
		c.Reply.Map(10)
	}
	replyStreamFacts(c, s)
	if full {
		replyStreamFull(c, s, count)
		return
	}
	replyNumber(c, "groups", int64(len(s.Groups())))
	c.Reply.BulkString("first-entry")
	replyFirst(c, s.Walk(stream.ID{}, stream.MaxID))
	c.Reply.BulkString("last-entry")
	replyFirst(c, s.WalkBack(stream.ID{}, stream.MaxID))
}

// fullCount reads FULL [COUNT count].
func fullCount(c *engine.Call) int64 {
	count, left := int64(10), c.Left()
	if left != 1 && left != 3 || !c.Word("FULL") || left == 3 && !c.Word("COUNT") {
		c.Refuse(c.SubSyntaxError())
		return count
	}
	if left == 3 {
		if n := c.Int(); n >= 0 {
			count = n
		}
	}
	return count
}

func replyStreamFacts(c *engine.Call, s *stream.Stream) {
	replyNumber(c, "length", int64(s.Len()))
	replyNumber(c, "radix-tree-keys", int64(s.NodeCount()))
	replyNumber(c, "radix-tree-nodes", int64(s.TreeNodes()))
	replyNamedID(c, "last-generated-id", s.Last())
	replyNamedID(c, "max-deleted-entry-id", s.MaxDeleted())
	replyNumber(c, "entries-added", s.Added())
	replyNamedID(c, "recorded-first-entry-id", s.First())
}

// replyStreamFull tells a stream's entries and groups, count of each kind at most, or all if count is 0.
func replyStreamFull(c *engine.Call, s *stream.Stream, count int64) {
	if count == 0 {
		count = -1
	}
	c.Reply.BulkString("entries")
	w := s.Walk(stream.ID{}, stream.MaxID)
	replyWalk(c, &w, count)
	c.Reply.BulkString("groups")
	c.Reply.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.Reply.Map(7)
		replyNamed(c, "name", g.Name())
		replyProgress(c, g)
		replyNumber(c, "pel-count", int64(g.Pending()))
		c.Reply.BulkString("pending")
		replyDeliveries(c, g.Each, count, true)
		c.Reply.BulkString("consumers")
		c.Reply.Array(len(g.Consumers()))
		for _, member := range g.Consumers() {
			replyConsumerFull(c, member, count)
		}
	}
}

func replyConsumerFull(c *engine.Call, member *stream.Consumer, count int64) {
	c.Reply.Map(5)
	replyNamed(c, "name", member.Name())
	replyNumber(c, "seen-time", member.Seen)
	replyNumber(c, "active-time", member.Active)
	replyNumber(c, "pel-count", int64(member.Pending()))
	c.Reply.BulkString("pending")
	replyDeliveries(c, member.Each, count, false)
}

// replyDeliveries tells messages: their ID, whose they are unless that is known, when and how often they
// were delivered.
func replyDeliveries(c *engine.Call, each func(stream.ID, func(*stream.Pending) bool), count int64, owner bool) {
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
		replyID(c, p.ID)
		if owner {
			c.Reply.BulkString(p.Consumer().Name())
		}
		c.Reply.Int(p.Delivered)
		c.Reply.Int(p.Count)
		return true
	})
	c.Reply.SetArray(at, int(n))
}

// replyNamed writes a pair of a map.
func replyNamed(c *engine.Call, name, value string) {
	c.Reply.BulkString(name)
	c.Reply.BulkString(value)
}

func replyNumber(c *engine.Call, name string, n int64) { replyKnown(c, name, n, true) }

// replyKnown writes a number, or nil for one that is not known.
func replyKnown(c *engine.Call, name string, n int64, known bool) {
	c.Reply.BulkString(name)
	if known {
		c.Reply.Int(n)
	} else {
		c.Reply.Null()
	}
}

func replyNamedID(c *engine.Call, name string, id stream.ID) {
	c.Reply.BulkString(name)
	replyID(c, id)
}
