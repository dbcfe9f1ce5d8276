package streams

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
)

// readOptions are the options of XREAD and XREADGROUP.
type readOptions struct {
	keys, ids       [][]byte
	count           int64 // 0 for all
	blocks          bool  // BLOCK
	deadline        int64 // 0 for none
	grouped, noAck  bool  // XREADGROUP, NOACK
	group, consumer []byte
}

// undelivered is the ID that stands for ">": the entries that the group has not delivered to any consumer.
var undelivered = stream.MaxID

// blockedCount is the default of COUNT for a client that was blocked, as in Redis.
const blockedCount = 1000

// XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]
func cmdXRead(c *engine.Call) { readStreams(c, readOptions{}) }

// XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...]
// id [id ...]
func cmdXReadGroup(c *engine.Call) { readStreams(c, readOptions{grouped: true}) }

// readStreams executes XREAD and XREADGROUP. The handler runs again when a key becomes ready for a blocked client.
func readStreams(c *engine.Call, r readOptions) {
	for r.keys == nil && c.More() {
		readOption(c, &r)
	}
	switch {
	case r.keys == nil:
		c.Refuse(engine.ErrSyntax)
	case r.grouped && r.group == nil:
		c.Refuse(errReadGroupMissing)
	}
	var room [4]stream.ID
	from := room[:0]
	if !c.Failed() {
		r.keepReady(c)
		from = startIDs(c, &r, from)
	}
	switch {
	case !c.OK():
	case replyStreams(c, &r, from):
	case r.blocks:
		blockOnStreams(c, &r, from)
	default:
		c.Reply.NullArray()
	}
	if c.Dirty() {
		c.PropagateNothing() // deliver and replyHistory have propagated each message
	}
}

// readOption reads one option; STREAMS is the last.
func readOption(c *engine.Call, r *readOptions) {
	switch {
	case c.Left() > 1 && c.Word("BLOCK"):
		if c.Session.InScript() {
			c.Refusef(errReadInScript, engine.CText(c.Args[0]))
		}
		r.blocks, r.deadline = true, blockDeadline(c)
	case c.Left() > 1 && c.Word("COUNT"):
		r.count = max(c.Int(), 0)
	case c.Left() > 1 && c.Word("STREAMS"):
		n := c.Left() / 2
		if c.Left()%2 != 0 {
			c.Refuse(errReadUnbalanced)
		}
		r.keys, r.ids = c.Next(n), c.Rest()
	case c.Left() > 2 && c.Word("GROUP"):
		if !r.grouped {
			c.Refuse(errReadGroup)
		}
		r.group, r.consumer = c.Arg(), c.Arg()
	case c.Word("NOACK"):
		if !r.grouped {
			c.Refuse(errReadNoAck)
		}
		r.noAck = true
	default:
		c.Refuse(engine.ErrSyntax)
	}
}

// blockDeadline reads a timeout in milliseconds and returns it as a deadline, 0 for none.
func blockDeadline(c *engine.Call) int64 {
	n := c.IntOr(engine.ErrTimeoutInt)
	switch {
	case n < 0:
		c.Refuse(engine.ErrTimeoutNeg)
	case n > 0 && n <= math.MaxInt64-c.Now():
		return c.Now() + n
	}
	return 0
}

// keepReady drops all keys but the one that unblocked the client.
func (r *readOptions) keepReady(c *engine.Call) {
	if !c.Woken() {
		return
	}
	i := slices.IndexFunc(r.keys, func(key []byte) bool { return bytes.Equal(key, c.ReadyKey()) })
	r.keys, r.ids = r.keys[i:i+1], r.ids[i:i+1]
	if r.count == 0 {
		r.count = blockedCount
	}
}

// startIDs appends, for each stream, the ID after which to read.
func startIDs(c *engine.Call, r *readOptions, from []stream.ID) []stream.ID {
	for i, key := range r.keys {
		s, found := findStream(c, key)
		switch {
		case c.Failed():
		case c.Woken() && r.grouped && !found:
			c.Refuse(errReadKeyGone)
		case c.Woken() && r.grouped && s.Group(r.group) == nil:
			c.Refuse(errReadGroupGone)
		case r.grouped && (!found || s.Group(r.group) == nil):
			c.Refusef(errReadNoKeyOrGroup, engine.CText(key), engine.CText(r.group))
		}
		if c.Failed() {
			break
		}
		if !found {
			s = &emptyStream
		}
		from = append(from, startID(c, r, r.ids[i], s))
	}
	return from
}

// findStream returns the stream at key. For a client that was blocked a value of another type is no error, as in Redis.
func findStream(c *engine.Call, key []byte) (s *stream.Stream, found bool) {
	if !c.Woken() {
		return engine.Read[*stream.Stream](c, key)
	}
	value, _ := c.DB.Find(key)
	s, found = value.(*stream.Stream)
	return s, found
}

// startID returns the ID after which to read a stream, from the argument for it.
func startID(c *engine.Call, r *readOptions, arg []byte, s *stream.Stream) stream.ID {
	last, grouped := s.Last(), r.grouped
	switch string(arg) {
	case "$":
		if grouped {
			c.Refuse(errReadDollar)
		}
		return last
	case "+":
		if grouped {
			c.Refuse(errReadPlus)
		}
		if top, ok := s.LastEntry(); ok {
			last, _ = top.Prev()
		}
		return last
	case ">":
		if !grouped {
			c.Refuse(errReadGreater)
		}
		return undelivered
	}
	id, ok := parseID(arg, 0)
	if !ok {
		c.Refuse(errID)
	}
	return id
}

// blockOnStreams blocks the session. It replaces the IDs in the arguments, so that "$" and "+" keep the meaning that they
// had when the call arrived.
func blockOnStreams(c *engine.Call, r *readOptions, from []stream.ID) {
	if !r.grouped && c.MayBlock() && !c.Woken() {
		c.Args = slices.Clone(c.Args)
		for i, id := range from {
			c.Args[len(c.Args)-len(from)+i] = id.Append(nil)
		}
	}
	c.BlockOnKeys(r.keys, r.deadline, engine.ReplyNullArray)
	if r.grouped && !c.Woken() {
		c.WakeOnDelete()
	}
}

// batch is what the reply contains of one stream: the entries from the current one of walk on, or the history of a
// consumer.
type batch struct {
	key     []byte
	from    stream.ID // exclusive
	stream  *stream.Stream
	group   *stream.Group
	history bool // the consumer's pending messages
	walk    stream.Walk
}

// nextBatch returns what a stream has after an ID. ok is false if it has nothing. A history may be empty, but is never
// nothing.
func nextBatch(c *engine.Call, r *readOptions, key []byte, from stream.ID) (b batch, ok bool) {
	find := c.DB.Find
	if r.grouped {
		find = c.DB.Edit
	}
	value, _ := find(key)
	b.key, b.from = key, from
	if b.stream, ok = value.(*stream.Stream); !ok {
		return b, false
	}
	if r.grouped {
		b.group, b.history = b.stream.Group(r.group), from != undelivered
		if !b.history {
			from = b.group.Last
		}
	}
	b.walk = b.stream.Walk(after(from))
	return b, b.history || b.walk.Next()
}

// replyStreams replies with the batches of the streams, and reports whether there was one. If not, it replies nothing.
func replyStreams(c *engine.Call, r *readOptions, from []stream.ID) bool {
	at, n := 0, 0
	for i, key := range r.keys {
		b, ok := nextBatch(c, r, key, from[i])
		if !ok {
			continue
		}
		if n++; n == 1 {
			at = c.Reply.Defer()
		}
		replyBatch(c, r, &b)
	}
	switch {
	case n == 0:
	case c.Reply.Proto() == 2:
		c.Reply.SetArray(at, n)
	default:
		c.Reply.SetMap(at, n)
	}
	return n > 0
}

// replyBatch replies with the key of a stream and its entries.
func replyBatch(c *engine.Call, r *readOptions, b *batch) {
	if c.Reply.Proto() == 2 {
		c.Reply.Array(2)
	}
	c.Reply.Bulk(b.key)
	switch {
	case b.history:
		replyHistory(c, b, r)
	case r.grouped:
		deliver(c, b, r)
	default:
		replyEntries(c, &b.walk, r.count)
	}
}

// after returns the bounds of a walk over all entries after an ID.
func after(id stream.ID) (from, to stream.ID) {
	from, ok := id.Next()
	if !ok {
		return stream.MaxID, stream.ID{} // an empty range
	}
	return from, stream.MaxID
}

// replyEntries replies with the entries of a walk from its current one on: at most count, or all if count is 0.
func replyEntries(c *engine.Call, w *stream.Walk, count int64) {
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = n != count && w.Next() {
		replyEntry(c, w)
		n++
	}
	c.Reply.SetArray(at, int(n))
}

// deliver replies with new entries and makes them pending messages of the consumer, unless NOACK is given. It creates
// the consumer if it is absent.
func deliver(c *engine.Call, b *batch, r *readOptions) {
	key, g, w := b.key, b.group, &b.walk
	consumer := upsertConsumer(c, key, g, r.group, r.consumer)
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = n != r.count && w.Next() {
		g.Advance(w.ID)
		replyEntry(c, w)
		if !r.noAck {
			message := g.Deliver(w.ID, consumer)
			message.Delivered, message.Count = c.Now(), 1
			propagateMessage(c, key, r.group, g, message)
		}
		n++
	}
	c.Reply.SetArray(at, int(n))
	consumer.Active = c.Now()
	c.ChangedUnwatched(key, "")
	propagateGroup(c, key, r.group, g)
}

// replyHistory replies with the consumer's pending messages after an ID, and counts this as another delivery. A message
// whose entry was deleted has nil in place of its fields.
func replyHistory(c *engine.Call, b *batch, r *readOptions) {
	key, s, g := b.key, b.stream, b.group
	consumer := upsertConsumer(c, key, g, r.group, r.consumer)
	from, _ := after(b.from)
	at, n := c.Reply.Defer(), int64(0)
	consumer.Each(from, func(p *stream.Pending) bool {
		if w := s.Walk(p.ID, p.ID); w.Next() {
			replyEntry(c, &w)
			p.Delivered = c.Now()
			p.Count++
			propagateMessage(c, key, r.group, g, p)
		} else {
			c.Reply.Array(2)
			replyID(c, p.ID)
			c.Reply.NullArray()
		}
		n++
		return n != r.count
	})
	c.Reply.SetArray(at, int(n))
	c.ChangedUnwatched(key, "")
}
