package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// XRANGE key start end [COUNT count]
func cmdXRange(c *engine.Call) { replyRange(c, false) }

// XREVRANGE key end start [COUNT count]
func cmdXRevRange(c *engine.Call) { replyRange(c, true) }

// replyRange executes XRANGE, or XREVRANGE if reverse is set.
func replyRange(c *engine.Call, reverse bool) {
	key := c.Arg()
	if reverse {
		c.Skip(1) // Redis checks the start first, whatever its position
	}
	from := boundArg(c, false)
	if reverse {
		c.Skip(-2)
	}
	to := boundArg(c, true)
	c.Seek(4)
	count := countOption(c)
	if c.Failed() {
		c.OK()
		return
	}
	s, found := engine.Read[*stream.Stream](c, key)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Array(0)
	case count == 0:
		c.Reply.NullArray()
	case reverse:
		w := s.WalkBack(from, to)
		replyWalk(c, &w, count)
	default:
		w := s.Walk(from, to)
		replyWalk(c, &w, count)
	}
}

// countOption reads [COUNT count] and returns the last count, -1 if there is none.
func countOption(c *engine.Call) (count int64) {
	count = -1
	for c.More() {
		if c.Left() < 2 || !c.Word("COUNT") {
			c.Refuse(engine.ErrSyntax)
			return count
		}
		count = max(c.Int(), 0)
	}
	return count
}

// replyWalk replies with the entries of a walk: at most count, or all if count is negative.
func replyWalk(c *engine.Call, w *stream.Walk, count int64) {
	at, n := c.Reply.Defer(), int64(0)
	for n != count && w.Next() {
		replyEntry(c, w)
		n++
	}
	c.Reply.SetArray(at, int(n))
}

// replyEntry replies with the current entry of a walk: its ID, and its fields and values.
func replyEntry(c *engine.Call, w *stream.Walk) {
	c.Reply.Array(2)
	replyIDAndFields(c, w)
}

// replyIDAndFields replies with the two elements of an entry.
func replyIDAndFields(c *engine.Call, w *stream.Walk) {
	replyID(c, w.ID)
	c.Reply.Array(2 * w.Len)
	for range w.Len {
		field, value := w.Pair()
		c.ReplyEntry(field)
		c.ReplyEntry(value)
	}
}

// replyFirst replies with the first entry of a walk, nil if there is none.
func replyFirst(c *engine.Call, w stream.Walk) {
	if w.Next() {
		replyEntry(c, &w)
		return
	}
	c.Reply.Null()
}
