package engine

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
)

// reading is what XREAD and XREADGROUP are told.
type reading struct {
	keys, ids       [][]byte
	count           int64 // 0 for all
	blocks          bool
	deadline        int64
	grouped, noAck  bool
	group, consumer []byte
}

// latest, as the ID after which a group reads, stands for ">": all that nobody got yet.
var latest = stream.MaxID

// blockedCount is how many entries a client that had to wait gets at most, unless it says.
const blockedCount = 1000

// XREAD [COUNT count] [BLOCK milliseconds] STREAMS key [key ...] id [id ...]
func cmdXRead(c *Call) { c.readStreams(reading{}) }

// XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...]
// id [id ...]
func cmdXReadGroup(c *Call) { c.readStreams(reading{grouped: true}) }

func (c *Call) readStreams(r reading) {
	for r.keys == nil && c.More() {
		c.readOption(&r)
	}
	switch {
	case r.keys == nil:
		c.Refuse(ErrSyntax)
	case r.grouped && r.group == nil:
		c.Refuse(ErrReadNoGroup)
	}
	var room [4]stream.ID
	from := room[:0]
	if !c.Failed() {
		r.onlyReady(c)
		from = c.readFrom(&r, from)
	}
	switch {
	case !c.OK():
	case c.tellStreams(&r, from):
	case r.blocks:
		c.awaitStreams(&r, from)
	default:
		c.Reply.NullArray()
	}
	if c.Dirty() {
		c.LogNothing() // beyond what was logged for each message
	}
}

// readOption reads one option; STREAMS is the last.
func (c *Call) readOption(r *reading) {
	switch {
	case c.Left() > 1 && c.Word("BLOCK"):
		if c.Session.InScript() {
			c.Refusef(ErrReadInScript, CText(c.Args[0]))
		}
		r.blocks, r.deadline = true, c.timeoutMillis()
	case c.Left() > 1 && c.Word("COUNT"):
		r.count = max(c.Int(), 0)
	case c.Left() > 1 && c.Word("STREAMS"):
		n := c.Left() / 2
		if c.Left()%2 != 0 {
			c.Refuse(ErrReadUnbalanced)
		}
		r.keys, r.ids = c.Next(n), c.Rest()
	case c.Left() > 2 && c.Word("GROUP"):
		if !r.grouped {
			c.Refuse(ErrReadGroup)
		}
		r.group, r.consumer = c.Arg(), c.Arg()
	case c.Word("NOACK"):
		if !r.grouped {
			c.Refuse(ErrReadNoAck)
		}
		r.noAck = true
	default:
		c.Refuse(ErrSyntax)
	}
}

// timeoutMillis reads a timeout in milliseconds as a deadline; 0 for none.
func (c *Call) timeoutMillis() int64 {
	n := c.IntOr(ErrTimeoutInt)
	switch {
	case n < 0:
		c.Refuse(ErrTimeoutNeg)
	case n > 0 && n <= math.MaxInt64-c.Now():
		return c.Now() + n
	}
	return 0
}

// onlyReady leaves of the keys, for a client that waits, the one that became ready.
func (r *reading) onlyReady(c *Call) {
	if !c.Woken() {
		return
	}
	i := slices.IndexFunc(r.keys, func(key []byte) bool { return bytes.Equal(key, c.ReadyKey()) })
	r.keys, r.ids = r.keys[i:i+1], r.ids[i:i+1]
	if r.count == 0 {
		r.count = blockedCount
	}
}

// readFrom appends after which entry of each stream to read.
func (c *Call) readFrom(r *reading, from []stream.ID) []stream.ID {
	for i, key := range r.keys {
		s, found := c.streamToRead(key)
		switch {
		case c.Failed():
		case c.Woken() && r.grouped && !found:
			c.Refuse(ErrReadKeyGone)
		case c.Woken() && r.grouped && s.Group(r.group) == nil:
			c.Refuse(ErrReadGroupGone)
		case r.grouped && (!found || s.Group(r.group) == nil):
			c.Refusef(ErrReadNoSuchGroup, CText(key), CText(r.group))
		}
		if c.Failed() {
			break
		}
		if !found {
			s = &noStream
		}
		from = append(from, c.readID(r, r.ids[i], s))
	}
	return from
}

// streamToRead returns the stream at key. To those who waited another type is no error.
func (c *Call) streamToRead(key []byte) (s *stream.Stream, found bool) {
	if !c.Woken() {
		return Read[*stream.Stream](c, key)
	}
	value, _ := c.DB.Find(key)
	s, found = value.(*stream.Stream)
	return s, found
}

// readID returns the ID after which to read a stream.
func (c *Call) readID(r *reading, arg []byte, s *stream.Stream) stream.ID {
	last, grouped := s.Last(), r.grouped
	switch string(arg) {
	case "$":
		if grouped {
			c.Refuse(ErrReadDollar)
		}
		return last
	case "+":
		if grouped {
			c.Refuse(ErrReadPlus)
		}
		if top, ok := s.LastEntry(); ok {
			last, _ = top.Prev()
		}
		return last
	case ">":
		if !grouped {
			c.Refuse(ErrReadNew)
		}
		return latest
	}
	id, ok := parseStreamID(arg, 0)
	if !ok {
		c.Refuse(ErrStreamID)
	}
	return id
}

// awaitStreams parks the session. What "$" and "+" stood for when it came is what counts.
func (c *Call) awaitStreams(r *reading, from []stream.ID) {
	if !r.grouped && c.mayPark() && !c.Woken() {
		c.Args = slices.Clone(c.Args)
		for i, id := range from {
			c.Args[len(c.Args)-len(from)+i] = id.Append(nil)
		}
	}
	c.Park(r.keys, r.deadline, ReplyNullArray)
	if r.grouped && !c.Woken() {
		c.WakeOrphaned()
	}
}

// portion is what one stream has to give: the entries from the one that walk is at on, or a consumer's
// history.
type portion struct {
	key     []byte
	from    stream.ID // after which
	stream  *stream.Stream
	group   *stream.Group
	history bool
	walk    stream.Walk
}

// readPortion returns what a stream has to give after an entry; ok is false if it has nothing. There is
// always a history.
func (c *Call) readPortion(r *reading, key []byte, from stream.ID) (p portion, ok bool) {
	find := c.DB.Find
	if r.grouped {
		find = c.DB.Edit
	}
	value, _ := find(key)
	p.key, p.from = key, from
	if p.stream, ok = value.(*stream.Stream); !ok {
		return p, false
	}
	if r.grouped {
		p.group, p.history = p.stream.Group(r.group), from != latest
		if !p.history {
			from = p.group.Last
		}
	}
	p.walk = p.stream.Walk(after(from))
	return p, p.history || p.walk.Next()
}

// tellStreams replies with what there is, and reports whether there was anything.
func (c *Call) tellStreams(r *reading, from []stream.ID) bool {
	at, n := 0, 0
	for i, key := range r.keys {
		p, ok := c.readPortion(r, key, from[i])
		if !ok {
			continue
		}
		if n++; n == 1 {
			at = c.Reply.Defer()
		}
		c.tellPortion(r, &p)
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

func (c *Call) tellPortion(r *reading, p *portion) {
	if c.Reply.Proto() == 2 {
		c.Reply.Array(2)
	}
	c.Reply.Bulk(p.key)
	switch {
	case p.history:
		c.tellHistory(p, r)
	case r.grouped:
		c.deliver(p, r)
	default:
		c.tellEntries(&p.walk, r.count)
	}
}

// after returns the ends of a walk over all behind an ID.
func after(id stream.ID) (from, to stream.ID) {
	from, ok := id.Next()
	if !ok {
		return stream.MaxID, stream.ID{} // nothing
	}
	return from, stream.MaxID
}

// tellEntries replies with the entries from the one a walk is at on.
func (c *Call) tellEntries(w *stream.Walk, count int64) {
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = n != count && w.Next() {
		c.tellStreamEntry(w)
		n++
	}
	c.Reply.SetArray(at, int(n))
}

// deliver gives a portion to a consumer of a group, which is created where there is none of that name.
func (c *Call) deliver(p *portion, r *reading) {
	key, g, w := p.key, p.group, &p.walk
	member := c.member(key, g, r.group, r.consumer)
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = n != r.count && w.Next() {
		g.Advance(w.ID)
		c.tellStreamEntry(w)
		if !r.noAck {
			message := g.Deliver(w.ID, member)
			message.Delivered, message.Count = c.Now(), 1
			c.logMessage(key, r.group, g, message)
		}
		n++
	}
	c.Reply.SetArray(at, int(n))
	member.Active = c.Now()
	c.Noted(key, "")
	c.logGroup(key, r.group, g)
}

// tellHistory replies with the messages that a consumer has, from behind an ID on, and counts this as
// another delivery. Of those that were deleted only the ID is left.
func (c *Call) tellHistory(p *portion, r *reading) {
	key, s, g := p.key, p.stream, p.group
	member := c.member(key, g, r.group, r.consumer)
	from, _ := after(p.from)
	at, n := c.Reply.Defer(), int64(0)
	member.Each(from, func(p *stream.Pending) bool {
		if w := s.Walk(p.ID, p.ID); w.Next() {
			c.tellStreamEntry(&w)
			p.Delivered = c.Now()
			p.Count++
			c.logMessage(key, r.group, g, p)
		} else {
			c.Reply.Array(2)
			c.tellID(p.ID)
			c.Reply.NullArray()
		}
		n++
		return n != r.count
	})
	c.Reply.SetArray(at, int(n))
	c.Noted(key, "")
}
