package streams

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// readOptions are the options of XREAD and XREADGROUP.
type readOptions struct {
	keys, ids       [][]byte // as many of each; keys is nil until STREAMS was read
	count           int64    // of the entries of one stream; 0 for all
	maxCount        int64    // of the entries of all streams; 0 for all
	maxSize         int      // bytes after which no entry is added to the reply; 0 for no limit
	sent            int64    // entries of the reply
	start           int      // where the reply begins
	blocks          bool     // BLOCK, also with a timeout of 0
	deadline        int64    // of BLOCK, in milliseconds since the epoch; 0 for none
	grouped, noAck  bool     // XREADGROUP, NOACK
	group, consumer []byte   // names
	claims          bool     // CLAIM
	idle            int64    // milliseconds since the last delivery of what it claims, at least
}

// undelivered is the ID that stands for ">": the entries that the group has not delivered to any
// consumer.
var undelivered = stream.MaxID

// XREAD [COUNT count] [MAXCOUNT maxcount] [MAXSIZE maxsize] [BLOCK milliseconds] STREAMS key
// [key ...] id [id ...]
func cmdXRead(c *engine.Call) { readStreams(c, readOptions{}) }

// XREADGROUP GROUP group consumer [COUNT count] [MAXCOUNT maxcount] [MAXSIZE maxsize] [BLOCK
// milliseconds] [CLAIM min-idle-time] [NOACK] STREAMS key [key ...] id [id ...]
func cmdXReadGroup(c *engine.Call) { readStreams(c, readOptions{grouped: true}) }

// readStreams executes XREAD and XREADGROUP. The handler runs again when a key becomes ready for a
// blocked client, as if the call had come now: it reads all streams, not only the one that is
// ready. Before 7.2 it read only that one, and a key that was replaced by another type kept the
// client blocked.
//
// XREADGROUP writes: what it delivers becomes pending. So the effect is propagated message by
// message while the reply is made, and never the call.
func readStreams(c *engine.Call, r readOptions) {
	if c.Woken() && !r.grouped && !isStream(c, c.ReadyKey()) {
		c.BlockOnKeys(nil, 0, nil) // again
		return
	}
	for r.keys == nil && c.More() {
		readOption(c, &r)
	}
	switch {
	case r.keys == nil:
		c.Refuse(engine.ErrSyntax)
	case r.grouped && r.group == nil:
		c.Refuse(errReadGroupMissing)
	case r.maxCount > 0 && r.maxCount < r.count:
		c.Refuse(errMaxBelowCount)
	}
	var room [4]stream.ID
	from := room[:0]
	if !c.Failed() {
		if c.Woken() && !c.Has(readsAnew) {
			r.keepReady(c)
		}
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
		if c.Session.InScript() && !c.Has(blocksInScript) {
			c.Refusef(errReadInScript, command.CText(c.Args[0]))
		}
		r.blocks, r.deadline = true, blockDeadline(c)
	case c.Left() > 1 && c.Word("COUNT"):
		r.count = max(c.Int(), 0)
	case c.Left() > 1 && c.Word("MAXCOUNT"):
		r.maxCount = c.IntIn(1, math.MaxInt64, errMaxCount)
	case c.Left() > 1 && c.Word("MAXSIZE"):
		r.maxSize = int(c.IntIn(1, math.MaxInt64, errMaxReply))
	case c.Left() > 1 && c.Word("STREAMS"):
		n := c.Left() / 2
		if c.Left()%2 != 0 && r.grouped {
			c.Refuse(errGroupUnbalanced)
		} else if c.Left()%2 != 0 {
			c.Refuse(errReadUnbalanced)
		}
		r.keys, r.ids = c.Next(n), c.Rest()
	case c.Left() > 2 && c.Word("GROUP"):
		if !r.grouped {
			c.Refuse(errReadGroup)
		}
		r.group, r.consumer = c.Arg(), c.Arg()
	case c.Left() > 1 && c.Engine.Release.Offers(claimsByReading) && c.Word("CLAIM"):
		if !r.grouped {
			c.Refuse(errReadClaim)
		}
		if r.idle = c.IntOr(errReadIdle); r.idle < 0 {
			c.Refuse(errReadIdleNegative)
		}
		r.claims = true
	case c.Word("NOACK"):
		if !r.grouped {
			c.Refuse(errReadNoAck)
		}
		r.noAck = true
	default:
		c.Refuse(engine.ErrSyntax)
	}
}

// full reports whether the reply takes no further entry. It takes one, however large.
func (r *readOptions) full(c *engine.Call) bool {
	return r.sent > 0 && (r.sent == r.maxCount || r.maxSize > 0 && c.Reply.Len()-r.start >= r.maxSize)
}

// enough reports whether the reply takes no further entry of a stream of which it has n.
func (r *readOptions) enough(c *engine.Call, n int64) bool { return n > 0 && n == r.count || r.full(c) }

// blockDeadline reads a timeout in milliseconds and returns it as a deadline, 0 for none.
func blockDeadline(c *engine.Call) int64 {
	n := c.IntOr(engine.ErrTimeoutInt)
	switch {
	case n < 0:
		c.Refuse(engine.ErrTimeoutNeg)
	case n > math.MaxInt64-c.World.Millis():
		if c.Has(readsAnew) {
			c.Refuse(engine.ErrTimeoutRange)
		}
	case n > 0:
		return c.World.Millis() + n
	}
	return 0
}

// startIDs appends, for each stream, the ID after which to read. They are settled before anything
// is delivered: an error for the last key leaves the first group as it was.
func startIDs(c *engine.Call, r *readOptions, from []stream.ID) []stream.ID {
	for i, key := range r.keys {
		s, found := findStream(c, key)
		switch {
		case c.Failed():
		case r.grouped && (!found || s.Group(r.group) == nil):
			refuseGroup(c, r, key, found)
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

// isStream reports whether the value at key is a stream.
func isStream(c *engine.Call, key []byte) bool {
	value, _ := c.DB.Peek(key)
	_, is := value.(*stream.Stream)
	return is
}

// findStream returns the stream at key.
func findStream(c *engine.Call, key []byte) (s *stream.Stream, found bool) {
	if c.Woken() && !c.Has(readsAnew) {
		return findOlder(c, key)
	}
	return engine.Read[*stream.Stream](c, key)
}

// refuseGroup latches the error of XREADGROUP for a key without the group. found says whether the
// key is a stream.
func refuseGroup(c *engine.Call, r *readOptions, key []byte, found bool) {
	switch {
	case !c.Woken() || c.Has(readsAnew):
		c.Refusef(errReadNoKeyOrGroup, command.CText(key), command.CText(r.group))
	case found:
		c.Refuse(errReadGroupGone)
	default:
		c.Refuse(errReadKeyGone)
	}
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
		if !c.Has(readsLast) {
			break
		}
		if grouped {
			c.Refuse(errReadPlus)
		}
		return beforeLast(c, s)
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

// beforeLast returns the ID after which only the last entry comes.
func beforeLast(c *engine.Call, s *stream.Stream) stream.ID {
	last, ok := s.LastEntry()
	if !c.Has(readsLastEntry) {
		last, ok = s.Last(), s != &emptyStream // although it may be deleted
	}
	if !ok {
		return stream.ID{}
	}
	last, ok = last.Prev()
	if !ok && !c.Has(readsFromZero) {
		c.Refuse(errReadNoLast)
	}
	return last
}

// blockOnStreams blocks the session. It replaces "$" in the arguments by the ID, so that it keeps
// the meaning that it had when the call arrived.
func blockOnStreams(c *engine.Call, r *readOptions, from []stream.ID) {
	if !r.grouped && c.MayBlock() && !c.Woken() {
		c.Args = slices.Clone(c.Args)
		for i, id := range from {
			if arg := &c.Args[len(c.Args)-len(from)+i]; string(*arg) == "$" {
				*arg = id.Append(nil)
			}
		}
	}
	c.BlockOnKeys(r.keys, r.deadline, engine.ReplyNullArray)
	if r.grouped && !c.Woken() {
		c.WakeOnDelete()
	}
	if r.claims {
		c.WakeAt(nextClaim(c, r) - c.Date() + c.World.Millis())
	}
}

// batch is what the reply contains of one stream: the entries from the current one of walk on, or
// the history of a consumer.
type batch struct {
	key      []byte
	from     stream.ID // exclusive
	stream   *stream.Stream
	group    *stream.Group
	consumer *stream.Consumer
	history  bool // the consumer's pending messages
	fresh    bool // there are entries
	walk     stream.Walk
	claimed  []*stream.Pending // the oldest first
}

// nextBatch returns what a stream has after an ID. ok is false if it has nothing. A history may be
// empty, but is never nothing.
//
// Reading for a group changes its last ID and its messages, so the stream is opened for editing,
// and deliver and replyHistory commit the change. Since 7.2 the consumer is created even if there
// is nothing to read.
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
	b.fresh = !b.history && b.walk.Next()
	if r.claims && !b.history {
		b.claimed = idleMessages(c, &b, r)
	}
	ok = b.history || b.fresh || len(b.claimed) > 0
	if r.grouped && (ok || c.Has(createsConsumers)) {
		b.consumer = readingConsumer(c, r, &b, ok)
		if !ok {
			c.DB.Commit(key)
		}
	}
	return b, ok
}

// readingConsumer returns the consumer that reads, and creates an absent one. If new entries
// follow, the journal and the replicas learn of it with the first of them. With NOACK there are no
// messages that could tell, so both receive a command that creates it. Where nothing follows only
// the journal does: in Redis, replicas do not learn of such a consumer.
func readingConsumer(c *engine.Call, r *readOptions, b *batch, ok bool) *stream.Consumer {
	consumer, created := upsertConsumer(c, b.key, b.group, r.consumer)
	switch {
	case !created, !c.Propagates():
	case r.noAck && len(b.claimed) == 0:
		c.Propagate(consumerLine(b.key, r.group, r.consumer)...)
	case b.history, !ok:
		c.PropagateToJournal(consumerLine(b.key, r.group, r.consumer)...)
	}
	return consumer
}

// replyStreams replies with the batches of the streams, and reports whether there was one. If not,
// it replies nothing. How many streams have something is known at the end, so the length of the
// reply is written then.
func replyStreams(c *engine.Call, r *readOptions, from []stream.ID) bool {
	at, n := 0, 0
	r.start = c.Reply.Len()
	for i := 0; i < len(r.keys) && !r.full(c); i++ {
		b, ok := nextBatch(c, r, r.keys[i], from[i])
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
		replyEntries(c, &b.walk, r)
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

// replyEntries replies with the entries of a walk from its current one on, until there are enough.
func replyEntries(c *engine.Call, w *stream.Walk, r *readOptions) {
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = !r.enough(c, n) && w.Next() {
		replyEntry(c, w)
		n++
		r.sent++
	}
	c.Reply.SetArray(at, int(n))
}

// deliver replies with the claimed messages and with new entries, and makes these pending messages
// of the consumer, unless NOACK is given. COUNT bounds both together, and the claimed ones come
// first.
func deliver(c *engine.Call, b *batch, r *readOptions) {
	key, g, w, advance := b.key, b.group, &b.walk, (*stream.Group).Advance
	if !c.Has(countsReads) {
		advance = (*stream.Group).OlderAdvance
	}
	at := c.Reply.Defer()
	n := deliverClaimed(c, b, r)
	read, last := false, g.Last
	for more := b.fresh && !r.enough(c, n); more; more = !r.enough(c, n) && w.Next() {
		read = advance(g, w.ID) || read
		if r.claims {
			replyClaimed(c, w, 0, 0)
		} else {
			replyEntry(c, w)
		}
		if !r.noAck {
			message := g.Deliver(w.ID, b.consumer)
			message.Delivered, message.Count = c.Date(), 1
			if !c.Has(claimsBefore) {
				last = g.Last
			}
			propagateMessage(c, key, r.group, last, message)
		}
		n++
		r.sent++
	}
	c.Reply.SetArray(at, int(n))
	b.consumer.Active = c.Date()
	if read {
		propagateProgress(c, b, r)
	}
	c.ChangedUnwatched(key, event.Event{})
}

// propagateProgress propagates how far the group has read. With the messages replicas learn the
// last ID, but the number of entries read only if that is sent as well.
func propagateProgress(c *engine.Call, b *batch, r *readOptions) {
	if !c.Has(knowsReads) {
		b.group.Read = stream.Unknown
	}
	switch {
	case r.noAck || c.Has(propagatesProgress):
		propagateGroup(c, b.key, r.group, b.group)
	case c.Propagates() && c.Has(knowsReads):
		c.PropagateToJournal(groupLine(c, b.key, r.group, b.group)...)
	}
}

// replyHistory replies with the consumer's pending messages after an ID, and counts this as another
// delivery. A message whose entry was deleted has nil in place of its fields.
func replyHistory(c *engine.Call, b *batch, r *readOptions) {
	from, _ := after(b.from)
	at, n := c.Reply.Defer(), int64(0)
	b.consumer.Each(from, func(p *stream.Pending) bool {
		if w := b.stream.Walk(p.ID, p.ID); w.Next() {
			replyEntry(c, &w)
			p = b.group.Deliver(p.ID, b.consumer)
			p.Delivered = c.Date()
			p.CountDelivery()
			if c.Propagates() {
				c.PropagateToJournal(messageLine(b.key, r.group, b.group.Last, p)...)
			}
		} else {
			c.Reply.Array(2)
			replyID(c, p.ID)
			c.Reply.NullArray()
		}
		n++
		r.sent++
		return !r.enough(c, n)
	})
	c.Reply.SetArray(at, int(n))
	c.DB.Commit(b.key) // as in Redis, for which that is no change
}
