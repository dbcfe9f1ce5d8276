package streams

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// claim is a running XCLAIM or XAUTOCLAIM.
type claim struct {
	key, name, consumer []byte // names of stream, group and consumer
	stream              *stream.Stream
	group               *stream.Group
	owner               *stream.Consumer // receives the messages; nil before the first

	idle int64 // milliseconds since the last delivery of a message, at least
	// The new delivery time, in milliseconds since the epoch. Until the options are read, negative
	// means now. One in the future would make a message unclaimable, and counts as now.
	delivered int64
	count     int64     // the new number of deliveries; negative to add one, or with justID nothing
	justID    bool      // reply with IDs, and do not count this as a delivery
	force     bool      // make a message of an entry that the group never delivered
	last      stream.ID // LASTID: how far the group has read at least

	created    bool // the owner is new
	propagated bool // a message was, and with it how far the group has read
}

// XCLAIM key group consumer min-idle-time id [id ...] [IDLE milliseconds] [TIME unix-milliseconds]
// [RETRYCOUNT count] [FORCE] [JUSTID] [LASTID last-id]
func cmdXClaim(c *engine.Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	cl, ok := newClaim(c, key, name, consumer)
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
	if cl.delivered < 0 || cl.delivered > c.Date() {
		cl.delivered = c.Date()
	}
	cl.createOwner(c)
	at, n := c.Reply.Defer(), 0
	for _, id := range ids {
		if claimMessage(c, id, &cl) == claimed {
			n++
		}
	}
	c.Reply.SetArray(at, n)
	if moved && !cl.propagated { // which says the last ID, too
		c.MarkDirty()
		propagateGroup(c, key, name, cl.group)
	}
	finishClaim(c, key, &cl)
}

// newClaim looks up the stream and the group of a claim. ok is false if an error was sent.
func newClaim(c *engine.Call, key, name, consumer []byte) (cl claim, ok bool) {
	s, found := engine.Edit[*stream.Stream](c, key)
	if !c.OK() {
		return cl, false
	}
	g := findGroup(c, s, found, key, name)
	return claim{key: key, name: name, consumer: consumer, stream: s, group: g, count: -1}, g != nil
}

// createOwner looks up the consumer that claims, or creates it. Redis did that only for the first
// message before 7.2.
func (cl *claim) createOwner(c *engine.Call) {
	if c.Has(createsConsumers) {
		cl.owner, cl.created = upsertConsumer(c, cl.key, cl.group, cl.consumer)
	}
}

// finishClaim commits the stream. The call itself is not propagated, because claimMessage has
// propagated each message, and with its first one a new consumer.
func finishClaim(c *engine.Call, key []byte, cl *claim) {
	if cl.created && cl.owner.Active == stream.Never && c.Propagates() {
		c.PropagateToJournal(consumerLine(key, cl.name, cl.consumer)...)
	}
	c.DB.Commit(key)
	c.PropagateNothing()
}

// claimIDs reads the IDs, which end at the first argument that is none.
func claimIDs(c *engine.Call) (ids []stream.ID) {
	for c.More() {
		id, ok := parseID(c.Arg(), 0)
		if !ok {
			c.Skip(-1)
			break
		}
		ids = append(ids, id)
	}
	return ids
}

// claimOption reads an option of XCLAIM.
func claimOption(c *engine.Call, cl *claim) {
	switch {
	case c.Word("FORCE"):
		cl.force = true
	case c.Word("JUSTID"):
		cl.justID = true
	case c.Left() > 1 && c.Word("IDLE"):
		cl.delivered = c.Date() - c.IntOr(errClaimIdleOption)
	case c.Left() > 1 && c.Word("TIME"):
		cl.delivered = c.IntOr(errClaimTime)
	case c.Left() > 1 && c.Word("RETRYCOUNT"):
		cl.count = c.IntOr(errClaimCount)
	case c.Left() > 1 && c.Word("LASTID"):
		cl.last = idArg(c, 0)
	default:
		opt := c.Arg()
		c.Refusef(errClaimOption, command.CText(opt))
	}
}

// outcome is the result of claiming a message.
type outcome uint8

const (
	skipped outcome = iota // not pending, or not idle for long enough
	gone                   // its entry was deleted
	claimed
)

// claimMessage makes a message pending for the claim's consumer and replies with it. If
// the entry was deleted, there is nothing left to handle: the message is acknowledged instead, also
// if it was not idle for long enough. Before 7.0 it is claimed, and the reply is nil.
func claimMessage(c *engine.Call, id stream.ID, cl *claim) outcome {
	p := cl.group.Message(id)
	if p == nil && !cl.force {
		return skipped
	}
	w := cl.stream.Walk(id, id)
	exists := w.Next()
	switch {
	case !exists && p == nil:
		return skipped
	case !exists && c.Has(forgetsDeleted):
		cl.forget(c, p)
		return gone
	case p != nil && !cl.takes(c, p):
		return skipped
	}
	if cl.owner == nil {
		cl.owner, _ = upsertConsumer(c, cl.key, cl.group, cl.consumer)
	}
	fresh := p == nil
	if p = cl.group.Deliver(id, cl.owner); fresh {
		p.Count = 1
	}
	redeliver(c, p, cl)
	switch {
	case cl.justID:
		replyID(c, id)
	case exists:
		replyEntry(c, &w)
	default:
		c.Reply.Null()
	}
	return claimed
}

// takes reports whether a message was idle for long enough. One that no consumer has is claimed in
// any case.
func (cl *claim) takes(c *engine.Call, p *stream.Pending) bool {
	return p.Consumer() == nil || c.Date()-p.Delivered >= cl.idle
}

// forget removes a message whose entry was deleted from the group. The replica gets XCLAIM, finds
// no entry either, and removes the message too. XCLAIM needs a consumer; for a message without one
// the replica gets XACK.
func (cl *claim) forget(c *engine.Call, p *stream.Pending) {
	if p.Consumer() != nil {
		cl.propagate(c, p)
	} else {
		c.MarkDirty()
		c.Propagate([]byte("XACK"), cl.key, cl.name, p.ID.Append(nil))
	}
	cl.group.Ack(p.ID)
}

// redeliver sets the delivery time and the number of deliveries of a claimed message.
func redeliver(c *engine.Call, p *stream.Pending, cl *claim) {
	p.Delivered = cl.delivered
	switch {
	case cl.count >= 0:
		p.Count = cl.count
	case !cl.justID:
		p.CountDelivery()
	}
	cl.owner.Active = c.Date()
	cl.propagate(c, p)
}

// propagate propagates the state of a message. A server that does not have its entry forgets the
// message.
func (cl *claim) propagate(c *engine.Call, p *stream.Pending) {
	c.MarkDirty()
	propagateMessage(c, cl.key, cl.name, cl.group.Last, p)
	cl.propagated = true
}

// XAUTOCLAIM key group consumer min-idle-time start [COUNT count] [JUSTID]
func cmdXAutoClaim(c *engine.Call) {
	key, name, consumer := c.Arg(), c.Arg(), c.Arg()
	c.DB.Exists(key) // which goes if it is due, whatever the other arguments are
	idle := max(c.IntOr(errAutoClaimIdle), 0)
	from, count, justID := boundArg(c, false), int64(100), false
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("COUNT"):
			count = c.IntIn(1, maxClaimed, errAutoClaimCount)
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
	cl, ok := newClaim(c, key, name, consumer)
	if !ok {
		return
	}
	cl.idle, cl.justID, cl.delivered = idle, justID, c.Date()
	cl.createOwner(c)
	claimAll(c, from, count, &cl)
	finishClaim(c, key, &cl)
}

// maxClaimed is the highest COUNT that Redis accepts: its array of as many IDs, 16 bytes each, must
// be addressable.
const maxClaimed = math.MaxInt64 / 16

// claimAll claims up to count messages from an ID on. It replies with the ID to continue from, the
// claimed messages, and the IDs of those whose entry was deleted, of which there are none before
// 7.0.
func claimAll(c *engine.Call, from stream.ID, count int64, cl *claim) {
	ids, next := claimable(c, from, count, cl)
	forgets := c.Has(forgetsDeleted)
	c.Reply.Array(2 + one(forgets))
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
	if !forgets {
		return
	}
	c.Reply.Array(len(deleted))
	for _, id := range deleted {
		replyID(c, id)
	}
}

// claimable returns the IDs of up to count messages, from an ID on, that were idle for long enough
// or whose entry was deleted. next is the ID of the message to continue from, zero at the end. It
// inspects at most 10 * count messages, as Redis does.
func claimable(c *engine.Call, from stream.ID, count int64, cl *claim) (ids []stream.ID, next stream.ID) {
	attempts, forgets := count*10, c.Has(forgetsDeleted)
	cl.group.Each(from, func(p *stream.Pending) bool {
		if attempts == 0 || int64(len(ids)) == count {
			next = p.ID
			return false
		}
		attempts--
		if cl.takes(c, p) || forgets && !cl.stream.Has(p.ID) {
			ids = append(ids, p.ID)
		}
		return true
	})
	return ids, next
}
