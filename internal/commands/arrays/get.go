package arrays

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// replyAt replies with the element at an index, or nil.
func replyAt(c *engine.Call, a *array.Array, index uint64) {
	if e, ok := a.Get(index); ok {
		c.ReplyEntry(e)
	} else {
		c.Reply.Null()
	}
}

// ARGET key index
func cmdARGet(c *engine.Call) {
	a, found := engine.Read[*array.Array](c, c.Arg()) // before the index is read, as in Redis
	index := indexArg(c, array.MaxIndex)
	if !c.OK() {
		return
	}
	if !found {
		a = &noArray
	}
	replyAt(c, a, index)
}

// ARMGET key index [index ...]
func cmdARMGet(c *engine.Call) {
	a, found := engine.Read[*array.Array](c, c.Arg()) // before the indexes are read, as in Redis
	indexes := indexesArg(c)
	if !c.OK() {
		return
	}
	if !found {
		a = &noArray
	}
	c.Reply.Array(len(indexes))
	for _, index := range indexes {
		replyAt(c, a, index)
	}
}

// ARGETRANGE key start end
func cmdARGetRange(c *engine.Call) {
	key, start, end := c.Arg(), indexArg(c, array.MaxIndex), indexArg(c, array.MaxIndex)
	a, ok := read(c, key)
	if !ok {
		return
	}
	low, high := min(start, end), max(start, end)
	if high-low >= mostItems {
		c.Fail(command.Errorf(errRangeLong, mostItems))
		return
	}
	n := high - low + 1
	c.Reply.Array(int(n))
	replyRange(c, a, low, n, start > end)
}

// replyRange replies with what is at n indexes from the lowest one on, or down to it.
func replyRange(c *engine.Call, a *array.Array, low, n uint64, down bool) {
	if n == 0 {
		return
	}
	sent := uint64(0)
	nils := func(upTo uint64) {
		for ; sent < upTo && !c.Reply.Full(); sent++ {
			c.Reply.Null()
		}
	}
	high := low + n - 1
	from, to := low, high
	if down {
		from, to = high, low
	}
	a.Scan(from, to, func(index uint64, e ziplist.Entry) bool {
		if down {
			nils(high - index)
		} else {
			nils(index - low)
		}
		c.ReplyEntry(e)
		sent++
		return !c.Reply.Full()
	})
	nils(n)
}

// ARSCAN key start end [LIMIT limit]
func cmdARScan(c *engine.Call) {
	key, start, end := c.Arg(), indexArg(c, array.MaxIndex), indexArg(c, array.MaxIndex)
	left := int64(math.MaxInt64)
	switch c.Left() {
	case 0:
	case 2:
		if !c.Word("LIMIT") {
			c.Refuse(engine.ErrSyntax)
		}
		left = limitArg(c)
	default:
		refuseArity(c)
	}
	a, ok := read(c, key)
	if !ok {
		return
	}
	at, n := c.Reply.Defer(), 0
	a.Scan(start, end, func(index uint64, e ziplist.Entry) bool {
		replyPair(c, index, e)
		n++
		left--
		return left > 0 && !c.Reply.Full()
	})
	c.Reply.SetArray(at, n)
}

// limitArg reads the next argument, of LIMIT.
func limitArg(c *engine.Call) int64 {
	n := c.Int()
	if n <= 0 {
		c.Refuse(errLimit)
	}
	return n
}

// replyPair replies with an index and its element.
func replyPair(c *engine.Call, index uint64, e ziplist.Entry) {
	c.Reply.Array(2)
	c.Reply.Uint(index)
	c.ReplyEntry(e)
}

// ARLEN key
func cmdARLen(c *engine.Call) {
	if a, ok := read(c, c.Arg()); ok {
		c.Reply.Uint(a.Span())
	}
}

// ARCOUNT key
func cmdARCount(c *engine.Call) {
	if a, ok := read(c, c.Arg()); ok {
		c.Reply.Int(int64(a.Len()))
	}
}
