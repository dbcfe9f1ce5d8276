package rdb

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// A stream has five types, of Redis 5, 7.0, 7.2, 8.6 and 8.8. What is in brackets exists from the
// type of that number on:
//
//	nodes { id listpack } | entries | last id | [2: first id | greatest deleted id | added]
//	groups { name | last id | [2: entries read]
//	         messages { raw id | delivered | count }
//	         consumers { name | seen | [3: active] messages { raw id } }
//	         [5: returned messages { raw id }] }
//	[4: seconds | most | producers { name | sent { idempotent id | id } }
//	    idempotent ids added | sent again]
//
// Without listpacks the first type is written for a stream from which nothing was ever deleted or
// trimmed; it loses nothing there. The third is written for one with a consumer that was seen after
// it was last active, if the readers know it. The fourth is written for a stream that has
// idempotent producers or limits for them, the fifth for one with messages that no consumer has.

// streamType returns the type in which a stream is written.
func (f Format) streamType(s *stream.Stream) byte {
	switch {
	case f.Version != 0 && f.Version < versionOf(typeStream2):
		return typeStream1
	case slices.ContainsFunc(s.Groups(), func(g *stream.Group) bool { return g.Returned() > 0 }) ||
		f.writes(typeStream5):
		return typeStream5
	case s.Producers() != nil || f.writes(typeStream4):
		return typeStream4
	case f.writes(typeStream3):
		return typeStream3
	case (f.Version == 0 || f.Version >= versionOf(typeStream3)) && hasIdleConsumer(s):
		return typeStream3
	case f.writes(typeStream2) || hasGaps(s):
		return typeStream2
	}
	return typeStream1
}

// hasGaps reports whether the counters of a stream say more than its entries.
func hasGaps(s *stream.Stream) bool {
	return s.Added() != int64(s.Len()) || !s.MaxDeleted().IsZero() ||
		slices.ContainsFunc(s.Groups(), func(g *stream.Group) bool { return g.Read != distance(s, g.Last) })
}

// hasIdleConsumer reports whether a consumer was last active at another time than it was last seen.
func hasIdleConsumer(s *stream.Stream) bool {
	return slices.ContainsFunc(s.Groups(), func(g *stream.Group) bool {
		return slices.ContainsFunc(g.Consumers(), func(c *stream.Consumer) bool { return c.Active != c.Seen })
	})
}

// distance returns the number of entries read that Redis assumes for a group if the type does not
// contain it.
func distance(s *stream.Stream, last stream.ID) int64 {
	if n, ok := s.Distance(last); ok {
		return n
	}
	return stream.Unknown
}

func (e *Encoder) id(id stream.ID) {
	e.length(id.Ms)
	e.length(id.Seq)
}

func (e *Encoder) rawID(id stream.ID) {
	e.buf = binary.BigEndian.AppendUint64(e.buf, id.Ms)
	e.buf = binary.BigEndian.AppendUint64(e.buf, id.Seq)
}

func (e *Encoder) stream(t byte, s *stream.Stream) {
	e.count(s.NodeCount())
	for id, pack := range s.Packs() {
		e.count(16)
		e.rawID(id)
		e.string(pack)
		e.yield(len(pack))
	}
	e.count(s.Len())
	e.id(s.Last())
	if t >= typeStream2 {
		e.id(s.First())
		e.id(s.MaxDeleted())
		e.length(uint64(s.Added()))
	}
	e.count(len(s.Groups()))
	for _, g := range s.Groups() {
		e.group(g, t)
	}
	if t >= typeStream4 {
		e.producers(s)
	}
}

func (e *Encoder) producers(s *stream.Stream) {
	limits := s.IDLimits()
	e.length(uint64(limits.Seconds))
	e.length(uint64(limits.Most))
	e.count(len(s.Producers().All()))
	for _, p := range s.Producers().All() {
		e.string(bytesOf(p.Name()))
		e.count(len(p.Sent()))
		for _, sent := range p.Sent() {
			e.string(bytesOf(sent.IID))
			e.id(sent.ID)
			e.yield(len(sent.IID))
		}
	}
	added, duplicates := s.Producers().Counts()
	e.length(uint64(added))
	e.length(uint64(duplicates))
}

func (e *Encoder) group(g *stream.Group, t byte) {
	e.string(bytesOf(g.Name()))
	e.id(g.Last)
	if t >= typeStream2 {
		e.length(uint64(g.Read))
	}
	e.count(g.Pending())
	g.Each(stream.ID{}, func(p *stream.Pending) bool {
		e.rawID(p.ID)
		e.millis(p.Delivered)
		e.length(uint64(p.Count))
		return e.yield(0)
	})
	e.count(len(g.Consumers()))
	for _, c := range g.Consumers() {
		e.string(bytesOf(c.Name()))
		e.millis(c.Seen)
		if t >= typeStream3 {
			e.millis(c.Active)
		}
		e.count(c.Pending())
		g.EachOf(c, func(p *stream.Pending) bool {
			e.rawID(p.ID)
			return e.yield(0)
		})
	}
	if t >= typeStream5 {
		e.count(g.Returned())
		g.EachReturned(func(p *stream.Pending) { e.rawID(p.ID) })
	}
}

func (d *decoder) id() stream.ID { return stream.ID{Ms: d.length(), Seq: d.length()} }

func (d *decoder) rawID() stream.ID {
	b := d.fixed(16)
	return stream.ID{Ms: binary.BigEndian.Uint64(b), Seq: binary.BigEndian.Uint64(b[8:])}
}

// stream reads a stream. What its header says of the entries does not count where they say
// something else, as little as in Redis.
func (d *decoder) stream(t byte) keyspace.Value {
	s := &stream.Stream{}
	d.nodes(s)
	n, last := d.length(), d.id()
	if d.err == nil && n != 0 && s.NodeCount() == 0 {
		d.fail("a stream has no entries, but its header says %d", n)
	}
	if d.err != nil {
		return nil
	}
	if !last.Before(s.Last()) {
		s.SetLast(last)
	}
	if t != typeStream1 {
		d.id() // of the first entry, which the nodes contain
		s.SetMaxDeleted(d.id())
		s.SetAdded(max(int64(min(d.length(), math.MaxInt64)), int64(s.Len())))
	}
	for n := d.count(); n > 0 && d.err == nil; n-- {
		d.group(s, t)
	}
	if t >= typeStream4 {
		d.producers(s)
	}
	return d.orNil(s)
}

func (d *decoder) producers(s *stream.Stream) {
	seconds, most := d.length(), d.length()
	greatest := stream.MaxIDLimits
	if d.err == nil && (seconds < 1 || seconds > uint64(greatest.Seconds) || most < 1 || most > uint64(greatest.Most)) {
		d.fail("a stream remembers %d idempotent IDs for %d seconds", most, seconds)
	}
	if d.err != nil {
		return
	}
	s.SetIDLimits(stream.IDLimits{Seconds: int(seconds), Most: int(most)})
	for n := d.count(); n > 0 && d.err == nil; n-- {
		d.first = append(d.first[:0], d.text()...)
		for n := d.count(); n > 0 && d.err == nil; n-- {
			d.sent(s, d.first, d.text())
		}
	}
	added, duplicates := d.length(), d.length()
	if d.err == nil && (added > math.MaxInt64 || duplicates > math.MaxInt64) {
		d.fail("a stream has had %d idempotent IDs, %d of them again", added, duplicates)
	}
	if s.Producers() != nil || added > 0 || duplicates > 0 {
		s.SetProducerCounts(int64(added), int64(duplicates))
	}
}

// sent reads which entry has an idempotent ID.
func (d *decoder) sent(s *stream.Stream, producer, iid []byte) {
	name := string(iid)
	id := d.id()
	if d.err != nil {
		return
	}
	if _, twice := s.Sent(producer, bytesOf(name), stream.Always); twice {
		d.fail("an idempotent ID appears twice in a producer")
		return
	}
	s.Remember(producer, bytesOf(name), id, stream.Always)
}

func (d *decoder) nodes(s *stream.Stream) {
	for n := d.count(); n > 0 && d.err == nil; n-- {
		if size := d.length(); size != 16 {
			d.fail("the ID of a stream's node has %d bytes", size)
		}
		id := d.rawID()
		pack := d.text()
		if d.err == nil {
			if err := s.AddPack(id, pack); err != nil {
				d.fail("%v", err)
			}
		}
	}
}

func (d *decoder) group(s *stream.Stream, t byte) {
	d.first = append(d.first[:0], d.text()...)
	last := d.id()
	read := int64(0)
	if t == typeStream1 {
		read = distance(s, last)
	} else {
		read = int64(d.length())
	}
	if d.err != nil {
		return
	}
	g := s.AddGroup(d.first, last, read)
	if g == nil {
		d.fail("a group appears twice in a stream")
		return
	}
	messages := d.messages()
	for n := d.count(); n > 0 && d.err == nil; n-- {
		d.consumer(g, t, messages)
	}
	if t >= typeStream5 {
		d.returned(g, messages)
	}
	if d.err == nil && g.Pending() != len(messages) {
		d.fail("%d messages of a group belong to no consumer", len(messages)-g.Pending())
	}
}

// message is the delivery time and count of a pending entry.
type message struct{ delivered, count int64 }

func (d *decoder) messages() map[stream.ID]message {
	n := d.count()
	all := make(map[stream.ID]message, min(n, 1024))
	for ; n > 0 && d.err == nil; n-- {
		id := d.rawID()
		m := message{d.millis(), int64(d.length())}
		if _, twice := all[id]; twice {
			d.fail("a message appears twice in a group")
		}
		all[id] = m
	}
	return all
}

// returned reads the messages that no consumer has.
func (d *decoder) returned(g *stream.Group, messages map[stream.ID]message) {
	for n := d.count(); n > 0 && d.err == nil; n-- {
		if id := d.rawID(); d.pending(g, id, messages) {
			g.Return(id).Count = messages[id].count
		}
	}
}

// pending reports whether a message is in its group and not taken yet. If not, it fails.
func (d *decoder) pending(g *stream.Group, id stream.ID, messages map[stream.ID]message) bool {
	if _, known := messages[id]; d.err == nil && (!known || g.Message(id) != nil) {
		d.fail("a message of a consumer is not pending in the group, or belongs to another consumer, too")
	}
	return d.err == nil
}

func (d *decoder) consumer(g *stream.Group, t byte, messages map[stream.ID]message) {
	name := append(d.first[:0], d.text()...)
	d.first = name
	seen := d.millis()
	active := seen
	if t >= typeStream3 {
		active = d.millis()
	}
	if d.err != nil {
		return
	}
	c := g.AddConsumer(name, seen)
	if c == nil {
		d.fail("a consumer appears twice in a group")
		return
	}
	c.Active = active
	for n := d.count(); n > 0 && d.err == nil; n-- {
		id := d.rawID()
		if d.pending(g, id, messages) {
			p, m := g.Deliver(id, c), messages[id]
			p.Delivered, p.Count = m.delivered, m.count
		}
	}
}
