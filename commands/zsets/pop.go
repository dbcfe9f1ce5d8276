package zsets

import (
	"math"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
)

// pop is what a command takes from which end, and how it tells.
type pop struct {
	max    bool // from the highest score down
	count  int
	key    bool // the key comes first in the reply
	nested bool // each member with its score in an array of its own
}

// ZPOPMIN key [count]
func cmdZPopMin(c *engine.Call) { popOne(c, pop{}) }

// ZPOPMAX key [count]
func cmdZPopMax(c *engine.Call) { popOne(c, pop{max: true}) }

// popOne is ZPOPMIN or ZPOPMAX.
func popOne(c *engine.Call, p pop) {
	keys := [1][]byte{c.Arg()}
	p.count = 1
	if c.Left() == 1 {
		p.count = int(c.IntIn(0, math.MaxInt64, engine.ErrNotPositive))
		p.nested = c.Reply.Proto() == 3
	}
	c.End()
	key, s, _ := engine.First[*zset.Set](c, keys[:])
	switch {
	case !c.OK():
	case s == nil || p.count == 0:
		c.Reply.Array(0)
	default:
		popScored(c, key, s, p)
	}
}

// BZPOPMIN key [key ...] timeout
func cmdBZPopMin(c *engine.Call) { awaitOne(c, pop{count: 1, key: true}) }

// BZPOPMAX key [key ...] timeout
func cmdBZPopMax(c *engine.Call) { awaitOne(c, pop{count: 1, key: true, max: true}) }

// awaitOne is BZPOPMIN or BZPOPMAX.
func awaitOne(c *engine.Call, p pop) {
	keys := c.Next(c.Left() - 1)
	popOrPark(c, keys, p, c.Timeout())
}

// ZMPOP numkeys key [key ...] <MIN | MAX> [COUNT count]
func cmdZMPop(c *engine.Call) {
	keys, p := multiPopSets(c)
	key, s, _ := engine.First[*zset.Set](c, keys)
	switch {
	case !c.OK():
	case s == nil:
		c.Reply.NullArray()
	default:
		popScored(c, key, s, p)
		logPop(c, key, p)
	}
}

// BZMPOP timeout numkeys key [key ...] <MIN | MAX> [COUNT count]
func cmdBZMPop(c *engine.Call) {
	c.Skip(1)
	keys, p := multiPopSets(c)
	c.Seek(1) // Redis reads the timeout last
	popOrPark(c, keys, p, c.Timeout())
}

// multiPopSets reads numkeys key [key ...] <MIN | MAX> [COUNT count].
func multiPopSets(c *engine.Call) (keys [][]byte, p pop) {
	p = pop{key: true, nested: true}
	keys, p.max, p.count = elements.MultiPop(c, "MIN", "MAX")
	return keys, p
}

// popOrPark pops from the first of keys that holds members, or waits for one.
func popOrPark(c *engine.Call, keys [][]byte, p pop, deadline int64) {
	if !c.OK() {
		return
	}
	key, s, _ := engine.First[*zset.Set](c, keys)
	switch {
	case !c.OK():
	case s == nil:
		c.BlockOnKeys(keys, deadline, engine.ReplyNullArray)
	default:
		popScored(c, key, s, p)
		logPop(c, key, p)
	}
}

// popScored removes members from the set at key and replies with them.
func popScored(c *engine.Call, key []byte, s *zset.Set, p pop) {
	n := min(p.count, s.Len())
	openPop(c, key, n, p)
	tell := func(member []byte, score float64) {
		if p.nested {
			c.Reply.Array(2)
		}
		c.Reply.Bulk(member)
		c.Reply.Double(score)
	}
	event := "zzpopmin"
	if p.max {
		event = "zzpopmax"
		s.PopMax(n, tell)
	} else {
		s.PopMin(n, tell)
	}
	c.Changed(key, event)
}

// openPop opens the reply of n popped members.
func openPop(c *engine.Call, key []byte, n int, p pop) {
	switch {
	case p.key && p.nested:
		c.Reply.Array(2)
		c.Reply.Bulk(key)
		c.Reply.Array(n)
	case p.key:
		c.Reply.Array(3)
		c.Reply.Bulk(key)
	case p.nested:
		c.Reply.Array(n)
	default:
		c.Reply.Array(2 * n)
	}
}

// logPop journals a pop by its effect: the key is known, and nobody waits.
func logPop(c *engine.Call, key []byte, p pop) {
	if !c.Propagates() {
		return
	}
	name := "ZPOPMIN"
	if p.max {
		name = "ZPOPMAX"
	}
	c.Propagate([]byte(name), key, engine.Decimal(int64(p.count)))
}
