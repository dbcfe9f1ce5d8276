package stream

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Group is a group of consumers that share the reading of a stream: each entry is delivered to one
// of them, and stays pending until it is acknowledged.
type Group struct {
	Last ID    // of the entry delivered last
	Read int64 // entries delivered, counted from the stream's first ever; Unknown

	stream    *Stream
	name      string
	pending   queue
	consumers []*Consumer // by name
	returned  int         // messages that no consumer has
	returns   int64       // how often one was returned
	frozen    *messageWalk
}

// Unknown stands for a number of entries read that is not known.
const Unknown = -1

// Consumer is one member of a group.
type Consumer struct {
	Seen   int64 // when it last tried something, in milliseconds since the epoch
	Active int64 // when it last got something; Never

	name    string
	pending queue
}

// Never is the Active of a consumer that got nothing yet.
const Never = -1

// Pending is a message: an entry that was delivered and not yet acknowledged. The entry itself may
// have been deleted since.
type Pending struct {
	ID        ID
	Delivered int64 // when, in milliseconds since the epoch
	Count     int64 // how often

	consumer *Consumer // nil for one that was returned to the group
	returned int64     // which return of the group's that was; 0 for one that a consumer has
}

// Consumer returns the consumer that has the message, nil for a message that was returned to the
// group.
func (p *Pending) Consumer() *Consumer { return p.consumer }

// CountDelivery counts one delivery more.
func (p *Pending) CountDelivery() {
	if p.Count < math.MaxInt64 {
		p.Count++
	}
}

// CompareDelivery compares the messages of a group: first those that were returned to it, in that
// order, then the others, the oldest delivery first. Two with the same time are equal.
func (p *Pending) CompareDelivery(q *Pending) int {
	if (p.consumer == nil) != (q.consumer == nil) {
		return one(q.consumer == nil) - one(p.consumer == nil)
	}
	return cmp.Or(cmp.Compare(p.returned, q.returned), cmp.Compare(p.Delivered, q.Delivered))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

const (
	groupSize    = int(unsafe.Sizeof(Group{}))
	consumerSize = int(unsafe.Sizeof(Consumer{}))
	pendingSize  = int(unsafe.Sizeof(Pending{}))
)

// search returns where name is, or would be, among values in order of their names.
func search[T any](all []T, name []byte, nameOf func(T) string) (i int, found bool) {
	return slices.BinarySearchFunc(all, string(name),
		func(v T, name string) int { return strings.Compare(nameOf(v), name) })
}

// Groups returns all groups, ordered by name. The slice belongs to the stream.
func (s *Stream) Groups() []*Group { return s.groups }

// Group returns the group of that name, or nil. O(log n).
func (s *Stream) Group(name []byte) *Group {
	if i, ok := search(s.groups, name, (*Group).Name); ok {
		return s.groups[i]
	}
	return nil
}

// AddGroup adds a group that has read up to an entry and returns it; nil if there is one of that
// name.
func (s *Stream) AddGroup(name []byte, last ID, read int64) *Group {
	i, ok := search(s.groups, name, (*Group).Name)
	if ok {
		return nil
	}
	g := &Group{Last: last, Read: read, stream: s, name: string(name)}
	s.groups = slices.Insert(s.groups, i, g)
	s.held += g.fixedBytes()
	return g
}

// RemoveGroup removes a group with all it knows, and reports whether there was one of that name.
func (s *Stream) RemoveGroup(name []byte) bool {
	i, ok := search(s.groups, name, (*Group).Name)
	if !ok {
		return false
	}
	s.held -= s.groups[i].bytes()
	s.groups = slices.Delete(s.groups, i, i+1)
	return true
}

// Name returns the group's name.
func (g *Group) Name() string { return g.name }

// Pending returns the number of messages. O(1).
func (g *Group) Pending() int { return g.pending.n }

// Consumers returns all consumers, ordered by name. The slice belongs to the group.
func (g *Group) Consumers() []*Consumer { return g.consumers }

// Consumer returns the consumer of that name, or nil. O(log n).
func (g *Group) Consumer(name []byte) *Consumer {
	if i, ok := search(g.consumers, name, (*Consumer).Name); ok {
		return g.consumers[i]
	}
	return nil
}

// AddConsumer adds a consumer, seen at a time and never active, and returns it; nil if there is one
// of that name.
func (g *Group) AddConsumer(name []byte, seen int64) *Consumer {
	i, ok := search(g.consumers, name, (*Consumer).Name)
	if ok {
		return nil
	}
	c := &Consumer{Seen: seen, Active: Never, name: string(name)}
	held := sizeclass.RoundScanned(cap(g.consumers) * 8)
	g.consumers = slices.Insert(g.consumers, i, c)
	g.stream.held += c.fixedBytes() + sizeclass.RoundScanned(cap(g.consumers)*8) - held
	return c
}

// RemoveConsumer removes a consumer and its messages, and returns how many it had; -1 if there is
// none of that name.
func (g *Group) RemoveConsumer(name []byte) (messages int) {
	i, ok := search(g.consumers, name, (*Consumer).Name)
	if !ok {
		return -1
	}
	c := g.consumers[i]
	messages = c.pending.n
	for c.pending.n > 0 {
		g.unlink(c.pending.first())
	}
	g.stream.held -= c.fixedBytes() + c.pending.bytes()
	g.consumers = slices.Delete(g.consumers, i, i+1)
	return messages
}

// Name returns the consumer's name, "" for nil.
func (c *Consumer) Name() string {
	if c == nil {
		return ""
	}
	return c.name
}

// Pending returns the number of the consumer's messages. O(1).
func (c *Consumer) Pending() int { return c.pending.n }

// Message returns the message of an ID, or nil. O(log n).
func (g *Group) Message(id ID) *Pending { return g.pending.get(id) }

// Bounds returns the smallest and the greatest ID of the messages; ok is false if there is none.
// O(1).
func (g *Group) Bounds() (first, last ID, ok bool) {
	if g.pending.n == 0 {
		return first, last, false
	}
	return g.pending.first().ID, g.pending.last().ID, true
}

// Each calls fn with the group's messages from an ID on, ascending, until fn returns false. The
// message at hand may be acknowledged or given to another consumer meanwhile, no other. Those of a
// frozen group can be read once, all of them, and come in no order.
func (g *Group) Each(from ID, fn func(p *Pending) bool) {
	if w := g.walk(); w != nil {
		w.each(fn)
		return
	}
	g.pending.each(from, fn)
}

// Each is that of a group, for the consumer's messages.
func (c *Consumer) Each(from ID, fn func(p *Pending) bool) { c.pending.each(from, fn) }

// Deliver gives the message of an ID to the consumer, takes it from any other, and returns it: a
// new one if there was none. The caller sets time and count, which may be set of no other message.
// O(log n).
func (g *Group) Deliver(id ID, c *Consumer) *Pending {
	p := g.pending.get(id)
	g.preserve(id, p)
	switch {
	case p == nil:
		p = &Pending{ID: id, consumer: c}
		g.change(&g.pending, (*queue).insert, p)
		g.change(&c.pending, (*queue).insert, p)
		g.stream.held += sizeclass.Round(pendingSize)
	case p.consumer != c:
		g.take(p)
		g.change(&c.pending, (*queue).insert, p)
		p.consumer = c
	}
	return p
}

// Return takes the message of an ID from its consumer and returns it, or a new one that was never
// delivered if there was none. No consumer has it then. It comes behind those that were returned
// before. The caller sets the count. O(log n).
func (g *Group) Return(id ID) *Pending {
	p := g.pending.get(id)
	g.preserve(id, p)
	if p == nil {
		p = &Pending{ID: id}
		g.change(&g.pending, (*queue).insert, p)
		g.stream.held += sizeclass.Round(pendingSize)
	} else {
		g.take(p)
	}
	g.returned++
	g.returns++
	p.Delivered, p.returned = 0, g.returns
	return p
}

// Returned returns the number of messages that no consumer has. O(1).
func (g *Group) Returned() int { return g.returned }

// EachReturned calls fn with the messages that no consumer has, in the order in which they were
// returned. O(1) if there are none, else O(n) for n messages of the group.
func (g *Group) EachReturned(fn func(p *Pending)) {
	if g.returned == 0 {
		return
	}
	if w := g.walk(); w != nil {
		w.eachReturned(fn)
		return
	}
	var all []*Pending
	g.Each(ID{}, func(p *Pending) bool {
		if p.consumer == nil {
			all = append(all, p)
		}
		return true
	})
	slices.SortFunc(all, (*Pending).CompareDelivery)
	for _, p := range all {
		fn(p)
	}
}

// take takes a message from its consumer, or from those that were returned.
func (g *Group) take(p *Pending) {
	if p.consumer == nil {
		g.returned--
	} else {
		g.change(&p.consumer.pending, (*queue).remove, p)
	}
	p.consumer, p.returned = nil, 0
}

// Ack forgets the message of an ID and reports whether there was one. O(log n).
func (g *Group) Ack(id ID) bool {
	p := g.pending.get(id)
	if p != nil {
		g.unlink(p)
	}
	return p != nil
}

// preserve keeps the message of an ID, which may be nil, before it is changed, removed or added.
func (g *Group) preserve(id ID, p *Pending) {
	if g.frozen != nil {
		g.frozen.preserve(id, p)
	}
}

func (g *Group) unlink(p *Pending) {
	g.preserve(p.ID, p)
	g.change(&g.pending, (*queue).remove, p)
	g.take(p)
	g.stream.held -= sizeclass.Round(pendingSize)
}

// change changes a queue and the account.
func (g *Group) change(q *queue, change func(*queue, *Pending), p *Pending) {
	held := q.bytes()
	change(q, p)
	g.stream.held += q.bytes() - held
}

func (g *Group) fixedBytes() int { return sizeclass.Round(groupSize) + sizeclass.Round(len(g.name)) }

func (c *Consumer) fixedBytes() int {
	return sizeclass.Round(consumerSize) + sizeclass.Round(len(c.name))
}

// bytes returns all that the group holds. O(consumers).
func (g *Group) bytes() int {
	n := g.fixedBytes() + g.pending.bytes() + g.pending.n*sizeclass.Round(pendingSize) +
		sizeclass.RoundScanned(cap(g.consumers)*8)
	for _, c := range g.consumers {
		n += c.fixedBytes() + c.pending.bytes()
	}
	return n
}
