package engine

import "github.com/miniserver-go/miniserver/ds/ziplist"

// HRANDFIELD key [count [WITHVALUES]]
func cmdHRandField(c *Call) {
	key := c.Arg()
	if !c.More() {
		c.randomField(key)
		return
	}
	count, withValues := c.draws("WITHVALUES")
	h, ok := c.readHash(key)
	if !ok {
		return
	}
	tell := func(field, value ziplist.Entry) bool {
		c.openPair(withValues)
		c.ReplyEntry(field)
		if withValues {
			c.ReplyEntry(value)
		}
		return true
	}
	c.openPairs(drawn(count, h.Len()), withValues)
	if count < 0 {
		h.Draw(-count, c.Engine.Dice, tell)
	} else {
		h.Sample(count, c.Engine.Dice, tell)
	}
}

// randomField replies with one field, or nil.
func (c *Call) randomField(key []byte) {
	h, ok := c.readHash(key)
	switch {
	case !ok:
	case h.Len() == 0:
		c.Reply.Null()
	default:
		field, _ := h.Random(c.Engine.Dice)
		c.ReplyEntry(field)
	}
}

// HSCAN key cursor [MATCH pattern] [COUNT count] [NOVALUES]
func cmdHScan(c *Call) {
	key, cursor := c.Arg(), c.cursor()
	h, ok := c.readHash(key)
	if !ok {
		return
	}
	if h.Len() == 0 {
		c.tellNoScan()
		return
	}
	o, noValues := newScan(), false
	for c.More() {
		switch {
		case c.scanOption(&o):
		case c.Word("NOVALUES"):
			noValues = true
		default:
			c.Refuse(ErrSyntax)
		}
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Len(), 0
	c.Reply.Defer()
	next := h.Scan(cursor, o.count, func(field, value ziplist.Entry) {
		if !o.takes(field.Text(c.Scratch())) {
			return
		}
		n++
		c.ReplyEntry(field)
		if !noValues {
			n++
			c.ReplyEntry(value)
		}
	})
	c.Reply.SetArray(at, n)
	c.tellCursor(at, next)
}
