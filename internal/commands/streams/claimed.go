package streams

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// XREADGROUP with CLAIM also reads messages that were delivered to some consumer long ago and not
// acknowledged. They come before new entries, and count as delivered once more, to this consumer.
// Each entry of the reply has the milliseconds since its last delivery and the number of deliveries
// before this one.

// idleMessages returns the messages of a group that a call may claim, the oldest delivery first,
// and before it what was returned to the group: as many as COUNT allows. O(pending messages of the
// group).
func idleMessages(c *engine.Call, b *batch, r *readOptions) (idle []*stream.Pending) {
	b.group.Each(stream.ID{}, func(p *stream.Pending) bool {
		if c.Date()-p.Delivered >= r.idle && b.stream.Has(p.ID) {
			idle = append(idle, p)
		}
		return true
	})
	slices.SortStableFunc(idle, (*stream.Pending).CompareDelivery)
	if r.count > 0 && int64(len(idle)) > r.count {
		idle = idle[:r.count]
	}
	return idle
}

// deliverClaimed replies with the claimed messages, gives them to the consumer, and returns how
// many. The reply has the time and the count of before, so it is written first.
func deliverClaimed(c *engine.Call, b *batch, r *readOptions) (n int64) {
	for _, p := range b.claimed {
		if r.full(c) {
			break
		}
		w := b.stream.Walk(p.ID, p.ID)
		w.Next()
		replyClaimed(c, &w, c.Date()-p.Delivered, p.Count)
		b.group.Deliver(p.ID, b.consumer)
		p.Delivered = c.Date()
		p.CountDelivery()
		propagateMessage(c, b.key, r.group, b.group.Last, p)
		n++
		r.sent++
	}
	return n
}

// replyClaimed replies with the current entry of a walk, how long ago it was delivered, and how
// often.
func replyClaimed(c *engine.Call, w *stream.Walk, idle, count int64) {
	c.Reply.Array(4)
	replyIDAndFields(c, w)
	c.Reply.Int(idle)
	c.Reply.Int(count)
}

// nextClaim returns when a blocked call should look for messages to claim: when the one that was
// delivered first has been idle for long enough. Without one it looks again after that time,
// because others may be delivered meanwhile.
func nextClaim(c *engine.Call, r *readOptions) int64 {
	const soonest = 10 // milliseconds
	first := c.Date()
	for _, key := range r.keys {
		value, _ := c.DB.Peek(key)
		s, ok := value.(*stream.Stream)
		if !ok {
			continue
		}
		s.Group(r.group).Each(stream.ID{}, func(p *stream.Pending) bool {
			if p.Delivered < first && s.Has(p.ID) {
				first = p.Delivered
			}
			return true
		})
	}
	return max(first+min(r.idle, math.MaxInt64-first), c.Date()+soonest)
}
