package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// infoStream returns the stream at key for XINFO, nil if an error was sent.
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
		c.Refusef(errNoGroup, command.CText(name), command.CText(key))
		c.OK()
		return
	}
	c.Reply.Array(len(g.Consumers()))
	for _, consumer := range g.Consumers() {
		told := c.Has(tellsActivity)
		c.Reply.Map(3 + one(told))
		replyTextPair(c, "name", consumer.Name())
		replyIntPair(c, "pending", int64(consumer.Pending()))
		replyIntPair(c, "idle", max(c.Date()-consumer.Seen, 0))
		if told {
			replyIntPair(c, "inactive", inactive(c, consumer))
		}
	}
}

// one returns 1 for a field that is there.
func one(there bool) int {
	if there {
		return 1
	}
	return 0
}

// inactive returns the milliseconds since a consumer last received a message, -1 if it never did.
func inactive(c *engine.Call, consumer *stream.Consumer) int64 {
	if consumer.Active == stream.Never {
		return -1
	}
	return max(c.Date()-consumer.Active, 0)
}

// XINFO GROUPS key
func cmdXInfoGroups(c *engine.Call) {
	s := infoStream(c, c.Arg())
	if s == nil {
		return
	}
	c.Reply.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		c.Reply.Map(4 + 2*one(c.Has(showsProgress)))
		replyTextPair(c, "name", g.Name())
		replyIntPair(c, "consumers", int64(len(g.Consumers())))
		replyIntPair(c, "pending", int64(g.Pending()))
		replyProgress(c, g)
	}
}

// replyProgress replies with how far a group has read: three pairs of a map, one before 7.0.
func replyProgress(c *engine.Call, g *stream.Group) {
	replyIDPair(c, "last-delivered-id", g.Last)
	if !c.Has(showsProgress) {
		return
	}
	replyOptionalPair(c, "entries-read", g.Read, g.Read != stream.Unknown)
	lag, known := groupLag(c, g)
	replyOptionalPair(c, "lag", lag, known)
}

// groupLag returns how many entries a group has not read yet; known is false if the release does
// not know that.
func groupLag(c *engine.Call, g *stream.Group) (lag int64, known bool) {
	switch {
	case c.Has(countsLag):
		return g.Lag()
	case c.Has(countsReads):
		return g.LagByReads()
	}
	return g.OlderLag()
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
	fields := 7 - one(full) + 3*one(c.Has(showsProgress))
	produced := s.Producers() != nil || c.Has(showsProducers)
	c.Reply.Map(fields + 6*one(produced))
	replyInfo(c, s)
	if produced {
		replyProducers(c, s)
	}
	if full {
		replyFull(c, s, count)
		return
	}
	replyIntPair(c, "groups", int64(len(s.Groups())))
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

// replyInfo replies with the seven pairs that XINFO STREAM has in both forms, four before 7.0.
func replyInfo(c *engine.Call, s *stream.Stream) {
	replyIntPair(c, "length", int64(s.Len()))
	replyIntPair(c, "radix-tree-keys", int64(s.NodeCount()))
	replyIntPair(c, "radix-tree-nodes", int64(s.TreeNodes()))
	replyIDPair(c, "last-generated-id", s.Last())
	if !c.Has(showsProgress) {
		return
	}
	replyIDPair(c, "max-deleted-entry-id", s.MaxDeleted())
	replyIntPair(c, "entries-added", s.Added())
	replyIDPair(c, "recorded-first-entry-id", s.First())
}

// replyProducers replies with the six pairs about idempotent IDs. A stream that never had any is
// shown as in Redis 8.0, without them.
func replyProducers(c *engine.Call, s *stream.Stream) {
	limits := s.IDLimits()
	replyIntPair(c, "idmp-duration", int64(limits.Seconds))
	replyIntPair(c, "idmp-maxsize", int64(limits.Most))
	producers, ids := s.Producers().Tracked(c.Date())
	replyIntPair(c, "pids-tracked", int64(producers))
	replyIntPair(c, "iids-tracked", int64(ids))
	added, duplicates := s.Producers().Counts()
	replyIntPair(c, "iids-added", added)
	replyIntPair(c, "iids-duplicates", duplicates)
}

// replyFull replies with the entries and groups of a stream: at most count of each, or all if count
// is 0.
func replyFull(c *engine.Call, s *stream.Stream, count int64) {
	if count == 0 {
		count = -1
	}
	c.Reply.BulkString("entries")
	w := s.Walk(stream.ID{}, stream.MaxID)
	replyWalk(c, &w, count)
	c.Reply.BulkString("groups")
	c.Reply.Array(len(s.Groups()))
	for _, g := range s.Groups() {
		returned := g.Returned() > 0 || c.Has(showsReturned)
		c.Reply.Map(5 + 2*one(c.Has(showsProgress)) + one(returned))
		replyTextPair(c, "name", g.Name())
		replyProgress(c, g)
		replyIntPair(c, "pel-count", int64(g.Pending()))
		if returned {
			replyIntPair(c, "nacked-count", int64(g.Returned()))
		}
		c.Reply.BulkString("pending")
		replyDeliveries(c, g.Each, count, true)
		c.Reply.BulkString("consumers")
		c.Reply.Array(len(g.Consumers()))
		for _, consumer := range g.Consumers() {
			replyConsumerFull(c, consumer, count)
		}
	}
}

// replyConsumerFull replies with a consumer and at most count of its pending messages, or all if
// count is negative.
func replyConsumerFull(c *engine.Call, consumer *stream.Consumer, count int64) {
	told := c.Has(tellsActivity)
	c.Reply.Map(4 + one(told))
	replyTextPair(c, "name", consumer.Name())
	replyIntPair(c, "seen-time", consumer.Seen)
	if told {
		replyIntPair(c, "active-time", consumer.Active)
	}
	replyIntPair(c, "pel-count", int64(consumer.Pending()))
	c.Reply.BulkString("pending")
	replyDeliveries(c, consumer.Each, count, false)
}

// replyDeliveries replies with pending messages: the ID, the consumer if owner is set, the time of
// the last delivery and the number of deliveries.
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

// replyTextPair replies with a pair of a map, as the functions below do.
func replyTextPair(c *engine.Call, name, value string) {
	c.Reply.BulkString(name)
	c.Reply.BulkString(value)
}

func replyIntPair(c *engine.Call, name string, n int64) { replyOptionalPair(c, name, n, true) }

// replyOptionalPair replies with nil for a number that is not known.
func replyOptionalPair(c *engine.Call, name string, n int64, known bool) {
	c.Reply.BulkString(name)
	if known {
		c.Reply.Int(n)
	} else {
		c.Reply.Null()
	}
}

func replyIDPair(c *engine.Call, name string, id stream.ID) {
	c.Reply.BulkString(name)
	replyID(c, id)
}
