package streams

import (
	"bytes"
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/engine"
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
func cmdXRead(c *engine.Call) { readStreams(c, reading{}) }

// XREADGROUP GROUP group consumer [COUNT count] [BLOCK milliseconds] [NOACK] STREAMS key [key ...]
// id [id ...]
func cmdXReadGroup(c *engine.Call) { readStreams(c, reading{grouped: true}) }

func readStreams(c *engine.Call, r reading) {
	for r.keys == nil && c.More() {
		readOption(c, &r)
	}
	switch {
	case r.keys == nil:
		c.Refuse(engine.ErrSyntax)
	case r.grouped && r.group == nil:
		c.Refuse(errReadNoGroup)
	}
	var room [4]stream.ID
	from := room[:0]
	if !c.Failed() {
		r.onlyReady(c)
		from = readFrom(c, &r, from)
	}
	switch {
	case !c.OK():
	case replyStreams(c, &r, from):
	case r.blocks:
		awaitStreams(c, &r, from)
	default:
		c.Reply.NullArray()
	}
	if c.Dirty() {
		c.PropagateNothing() // beyond what was logged for each message
	}
}

// readOption reads one option; STREAMS is the last.
func readOption(c *engine.Call, r *reading) {
	switch {
	case c.Left() > 1 && c.Word("BLOCK"):
		if c.Session.InScript() {
			c.Refusef(errReadInScript, engine.CText(c.Args[0]))
		}
		r.blocks, r.deadline = true, timeoutMillis(c)
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

// timeoutMillis reads a timeout in milliseconds as a deadline; 0 for none.
func timeoutMillis(c *engine.Call) int64 {
	n := c.IntOr(engine.ErrTimeoutInt)
	switch {
	case n < 0:
		c.Refuse(engine.ErrTimeoutNeg)
	case n > 0 && n <= math.MaxInt64-c.Now():
		return c.Now() + n
	}
	return 0
}

// onlyReady leaves of the keys, for a client that waits, the one that became ready.
func (r *reading) onlyReady(c *engine.Call) {
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
func readFrom(c *engine.Call, r *reading, from []stream.ID) []stream.ID {
	for i, key := range r.keys {
		s, found := streamToRead(c, key)
		switch {
		case c.Failed():
		case c.Woken() && r.grouped && !found:
			c.Refuse(errReadKeyGone)
		case c.Woken() && r.grouped && s.Group(r.group) == nil:
			c.Refuse(errReadGroupGone)
		case r.grouped && (!found || s.Group(r.group) == nil):
			c.Refusef(errReadNoSuchGroup, engine.CText(key), engine.CText(r.group))
		}
		if c.Failed() {
			break
		}
		if !found {
			s = &noStream
		}
		from = append(from, readID(c, r, r.ids[i], s))
	}
	return from
}

// streamToRead returns the stream at key. To those who waited another type is no error.
func streamToRead(c *engine.Call, key []byte) (s *stream.Stream, found bool) {
	if !c.Woken() {
		return engine.Read[*stream.Stream](c, key)
	}
	value, _ := c.DB.Find(key)
	s, found = value.(*stream.Stream)
	return s, found
}

// readID returns the ID after which to read a stream.
func readID(c *engine.Call, r *reading, arg []byte, s *stream.Stream) stream.ID {
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
			c.Refuse(errReadNew)
		}
		return latest
	}
	id, ok := parseStreamID(arg, 0)
	if !ok {
		c.Refuse(errStreamID)
	}
	return id
}

// awaitStreams parks the session. What "$" and "+" stood for when it came is what counts.
func awaitStreams(c *engine.Call, r *reading, from []stream.ID) {
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
func readPortion(c *engine.Call, r *reading, key []byte, from stream.ID) (p portion, ok bool) {
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

// replyStreams replies with what there is, and reports whether there was anything.
func replyStreams(c *engine.Call, r *reading, from []stream.ID) bool {
	at, n := 0, 0
	for i, key := range r.keys {
		p, ok := readPortion(c, r, key, from[i])
		if !ok {
			continue
		}
		if n++; n == 1 {
			at = c.Reply.Defer()
		}
		replyPortion(c, r, &p)
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

func replyPortion(c *engine.Call, r *reading, p *portion) {
	if c.Reply.Proto() == 2 {
		c.Reply.Array(2)
	}
	c.Reply.Bulk(p.key)
	switch {
	case p.history:
		replyHistory(c, p, r)
	case r.grouped:
		deliver(c, p, r)
	default:
		replyEntries(c, &p.walk, r.count)
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

// replyEntries replies with the entries from the one a walk is at on.
func replyEntries(c *engine.Call, w *stream.Walk, count int64) {
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = n != count && w.Next() {
		replyStreamEntry(c, w)
		n++
	}
	c.Reply.SetArray(at, int(n))
}

// deliver gives a portion to a consumer of a group, which is created where there is none of that name.
func deliver(c *engine.Call, p *portion, r *reading) {
	key, g, w := p.key, p.group, &p.walk
	member := member(c, key, g, r.group, r.consumer)
	at, n := c.Reply.Defer(), int64(0)
	for more := true; more; more = n != r.count && w.Next() {
		g.Advance(w.ID)
		replyStreamEntry(c, w)
		if !r.noAck {
			message := g.Deliver(w.ID, member)
			message.Delivered, message.Count = c.Now(), 1
			logMessage(c, key, r.group, g, message)
		}
		n++
	}
	c.Reply.SetArray(at, int(n))
	member.Active = c.Now()
	c.ChangedUnwatched(key, "")
	logGroup(c, key, r.group, g)
}

// replyHistory replies with the messages that a consumer has, from behind an ID on, and counts this as
// another delivery. Of those that were deleted only the ID is left.
func replyHistory(c *engine.Call, p *portion, r *reading) {
	key, s, g := p.key, p.stream, p.group
	member := member(c, key, g, r.group, r.consumer)
	from, _ := after(p.from)
	at, n := c.Reply.Defer(), int64(0)
	member.Each(from, func(p *stream.Pending) bool {
		if w := s.Walk(p.ID, p.ID); w.Next() {
			replyStreamEntry(c, &w)
			p.Delivered = c.Now()
			p.Count++
			logMessage(c, key, r.group, g, p)
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
