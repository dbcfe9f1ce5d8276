package engine

import "github.com/miniserver-go/miniserver/ds/stream"

// XRANGE key start end [COUNT count]
func cmdXRange(c *Call) { c.entries(false) }

// XREVRANGE key end start [COUNT count]
func cmdXRevRange(c *Call) { c.entries(true) }

// entries is XRANGE or XREVRANGE.
func (c *Call) entries(reverse bool) {
	key := c.Arg()
	if reverse {
		c.Skip(1) // Redis reads the start first, wherever it stands
	}
	from := c.bound(false)
	if reverse {
		c.Skip(-2)
	}
	to := c.bound(true)
	c.Seek(4)
	count := c.countOption()
	if c.Failed() {
		c.OK()
		return
	}
	s, found := Read[*stream.Stream](c, key)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Array(0)
	case count == 0:
		c.Reply.NullArray()
	case reverse:
		w := s.WalkBack(from, to)
		c.tellWalk(&w, count)
	default:
		w := s.Walk(from, to)
		c.tellWalk(&w, count)
	}
}

// countOption reads [COUNT count], the last one counting; -1 if there is none.
func (c *Call) countOption() (count int64) {
	count = -1
	for c.More() {
		if c.Left() < 2 || !c.Word("COUNT") {
			c.Refuse(ErrSyntax)
			return count
		}
		count = max(c.Int(), 0)
	}
	return count
}

// tellWalk replies with the entries of a walk, count at most, or all if count is negative.
func (c *Call) tellWalk(w *stream.Walk, count int64) {
	at, n := c.Reply.Defer(), int64(0)
	for n != count && w.Next() {
		c.tellStreamEntry(w)
		n++
	}
	c.Reply.SetArray(at, int(n))
}

// tellStreamEntry replies with an entry: its ID, and its fields and values.
func (c *Call) tellStreamEntry(w *stream.Walk) {
	c.Reply.Array(2)
	c.tellID(w.ID)
	c.Reply.Array(2 * w.Len)
	for range w.Len {
		field, value := w.Pair()
		c.ReplyEntry(field)
		c.ReplyEntry(value)
	}
}

// tellFirst replies with the first entry of a walk, or nil.
func (c *Call) tellFirst(w stream.Walk) {
	if w.Next() {
		c.tellStreamEntry(&w)
		return
	}
	c.Reply.Null()
}
