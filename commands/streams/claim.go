package streams

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
)

// claim is what XCLAIM and XAUTOCLAIM do to messages.
type claim struct {
	key, name, consumer []byte // the stream's, the group's and the consumer's names
	stream              *stream.Stream
	group               *stream.Group
	member              *stream.Consumer // who gets them; nil before the first

	idle      int64 // for how long they must have been idle
	delivered int64 // to be set
	count     int64 // to be set; negative to count one up, unless only the ID is wanted
	justID    bool
	force     bool
	last      stream.ID
}

// XCLAIM key group consumer min-idle-time id [id ...] [IDLE milliseconds] [TIME unix-milliseconds]
// [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID last-id]
func cmdXClaim(c *engine.Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	cl, ok := claimFrom(c, key, name, consumer)
	if !ok {
		return
	}
	cl.idle, cl.delivered = max(c.IntOr(errClaimIdle), 0), -1
	ids := claimIDs(c)
	for c.More() {
		claimOption(c, &cl)
	}
	if !c.OK() {
		return
	}
	moved := cl.group.Last.Before(cl.last)
	if moved {
		cl.group.Last = cl.last
	}
	if cl.delivered < 0 || cl.delivered > c.Now() {
		cl.delivered = c.Now()
	}
	at, n := c.Reply.Defer(), 0
	for _, id := range ids {
		if claimMessage(c, id, &cl) == claimed {
			n++
		}
	}
	c.Reply.SetArray(at, n)
	if moved {
		c.MarkDirty()
		logGroup(c, key, name, cl.group)
	}
	endClaim(c, key)
}

// claimFrom begins a claim of messages of a group; ok is false if an error was sent.
func claimFrom(c *engine.Call, key, name, consumer []byte) (cl claim, ok bool) {
	s, found := engine.Edit[*stream.Stream](c, key)
	if !c.OK() {
		return cl, false
	}
	g := groupIn(c, s, found, key, name)
	return claim{key: key, name: name, consumer: consumer, stream: s, group: g, count: -1}, g != nil
}

// endClaim settles what was claimed. The journal has it already, message by message.
func endClaim(c *engine.Call, key []byte) {
	c.DB.Commit(key)
	c.PropagateNothing()
}

// claimIDs returns the IDs up to the first option.
func claimIDs(c *engine.Call) (ids []stream.ID) {
	for c.More() {
		id, ok := parseStreamID(c.Arg(), 0)
		if !ok {
			c.Skip(-1)
			break
		}
		ids = append(ids, id)
	}
	return ids
}

func claimOption(c *engine.Call, cl *claim) {
	switch {
	case c.Word("FORCE"):
		cl.force = true
	case c.Word("JUSTID"):
		cl.justID = true
	case c.Left() > 1 && c.Word("IDLE"):
		cl.delivered = c.Now() - c.IntOr(errClaimIdleOption)
	case c.Left() > 1 && c.Word("TIME"):
		cl.delivered = c.IntOr(errClaimTime)
	case c.Left() > 1 && c.Word("RETRYCOUNT"):
		cl.count = c.IntOr(errClaimCount)
	case c.Left() > 1 && c.Word("LASTID"):
		cl.last = streamID(c, 0)
	default:
		opt := c.Arg()
		c.Refusef(errClaimOption, engine.CText(opt))
	}
}

// outcome is what came of claiming a message.
type outcome uint8

const (
	passed outcome = iota // it is nobody's, or was not idle for long enough
	gone                  // its entry does not exist any more
	claimed
)

// claimMessage makes a message the consumer's and tells it. One whose entry was deleted is forgotten.
func claimMessage(c *engine.Call, id stream.ID, cl *claim) outcome {
	p := cl.group.Message(id)
	if p == nil && !cl.force {
		return passed
	}
	w := cl.stream.Walk(id, id)
	switch exists := w.Next(); {
	case !exists && p == nil:
		return passed
	case !exists:
		cl.group.Ack(id)
		c.MarkDirty()
		c.Propagate([]byte("XACK"), cl.key, cl.name, id.Append(nil))
		return gone
	case p != nil && c.Now()-p.Delivered < cl.idle:
		return passed
	}
	if cl.member == nil {
		cl.member = member(c, cl.key, cl.group, cl.name, cl.consumer)
	}
	fresh := p == nil
	if p = cl.group.Deliver(id, cl.member); fresh {
		p.Count = 1
	}
	redeliver(c, p, cl)
	if cl.justID {
		replyID(c, id)
	} else {
		replyStreamEntry(c, &w)
	}
	return claimed
}

// redeliver sets a claimed message's time and count.
func redeliver(c *engine.Call, p *stream.Pending, cl *claim) {
	p.Delivered = cl.delivered
	switch {
	case cl.count >= 0:
		p.Count = cl.count
	case !cl.justID:
		p.Count++
	}
	cl.member.Active = c.Now()
	c.MarkDirty()
	logMessage(c, cl.key, cl.name, cl.group, p)
}

// XAUTOCLAIM key group consumer min-idle-time start [COUNT count] [JUSTID]
func cmdXAutoClaim(c *engine.Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	idle := max(c.IntOr(errAutoClaimIdle), 0)
	from, count, justID := bound(c, false), int64(100), false
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("COUNT"):
			count = c.IntIn(1, mostClaimed, errAutoClaimCount)
		case c.Word("JUSTID"):
			justID = true
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if c.Failed() {
		c.OK()
		return
	}
	cl, ok := claimFrom(c, key, name, consumer)
	if !ok {
		return
	}
	cl.idle, cl.justID, cl.delivered = idle, justID, c.Now()
	claimAll(c, from, count, &cl)
	endClaim(c, key)
}

// mostClaimed is the highest count that Redis takes, by the bytes it would need.
const mostClaimed = math.MaxInt64 / 16

// claimAll claims up to count messages from an ID on. It tells where to go on, what it claimed, and which
// of them exist no more.
func claimAll(c *engine.Call, from stream.ID, count int64, cl *claim) {
	ids, next := claimable(c, from, count, cl)
	c.Reply.Array(3)
	replyID(c, next)
	at, n, deleted := c.Reply.Defer(), 0, ids[:0]
	for _, id := range ids {
		if claimMessage(c, id, cl) == claimed {
			n++
		} else {
			deleted = append(deleted, id)
		}
	}
	c.Reply.SetArray(at, n)
	c.Reply.Array(len(deleted))
	for _, id := range deleted {
		replyID(c, id)
	}
}

// claimable returns up to count messages from an ID on that were idle for long enough, or whose entry
// does not exist any more, and the ID of the message that would come next, zero if none. It looks at
// ten times as many at most.
func claimable(c *engine.Call, from stream.ID, count int64, cl *claim) (ids []stream.ID, next stream.ID) {
	attempts := count * 10
	cl.group.Each(from, func(p *stream.Pending) bool {
		if attempts == 0 || int64(len(ids)) == count {
			next = p.ID
			return false
		}
		attempts--
		if c.Now()-p.Delivered >= cl.idle || !cl.stream.Has(p.ID) {
			ids = append(ids, p.ID)
		}
		return true
	})
	return ids, next
}
