package hashes

import (
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// HRANDFIELD key [count [WITHVALUES]]
func cmdHRandField(c *engine.Call) {
	key := c.Arg()
	if !c.More() {
		randomField(c, key)
		return
	}
	count, withValues := elements.ParseDraw(c, "WITHVALUES")
	h, ok := readHash(c, key)
	if !ok {
		return
	}
	reply := func(field, value ziplist.Entry) bool {
		elements.OpenPair(c, withValues)
		c.ReplyEntry(field)
		if withValues {
			c.ReplyEntry(value)
		}
		return !c.Reply.Full()
	}
	elements.OpenPairs(c, elements.DrawLen(count, h.Len()), withValues)
	if count < 0 {
		h.Draw(-count, c.World.Dice, reply)
	} else {
		h.Sample(count, c.World.Dice, reply)
	}
}

// randomField replies with one field, or nil.
func randomField(c *engine.Call, key []byte) {
	h, ok := readHash(c, key)
	switch {
	case !ok:
	case h.Len() == 0:
		c.Reply.Null()
	default:
		field, _ := h.Random(c.World.Dice)
		c.ReplyEntry(field)
	}
}

// HSCAN key cursor [MATCH pattern] [COUNT count] [NOVALUES]
func cmdHScan(c *engine.Call) {
	key, cursor := c.Arg(), elements.ParseCursor(c)
	h, ok := readHash(c, key)
	if !ok {
		return
	}
	if h.Len() == 0 {
		elements.ReplyEmptyScan(c)
		return
	}
	o, noValues := elements.NewScan(), false
	for c.More() {
		switch {
		case c.Word("NOVALUES"):
			noValues = true
		case o.ParseOption(c):
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	next := h.Scan(cursor, o.Count, func(field, value ziplist.Entry) {
		if !elements.Matches(&o, field.Text(c.Scratch())) {
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
	elements.ReplyCursor(c, at, next)
}
