package engine

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/zset"
)

// pop is what a command takes from which end, and how it tells.
type pop struct {
	max    bool // from the highest score down
	count  int
	key    bool // the key comes first in the reply
	nested bool // each member with its score in an array of its own
}

// ZPOPMIN key [count]
func cmdZPopMin(c *Call) { c.popOne(pop{}) }

// ZPOPMAX key [count]
func cmdZPopMax(c *Call) { c.popOne(pop{max: true}) }

// popOne is ZPOPMIN or ZPOPMAX.
func (c *Call) popOne(p pop) {
	keys := [1][]byte{c.Arg()}
	p.count = 1
	if c.Left() == 1 {
		p.count = int(c.IntIn(0, math.MaxInt64, ErrNotPositive))
		p.nested = c.Reply.Proto() == 3
	}
	c.End()
	key, s := c.firstSet(keys[:])
	switch {
	case !c.OK():
	case s == nil || p.count == 0:
		c.Reply.Array(0)
	default:
		c.pop(key, s, p)
	}
}

// BZPOPMIN key [key ...] timeout
func cmdBZPopMin(c *Call) { c.awaitOne(pop{count: 1, key: true}) }

// BZPOPMAX key [key ...] timeout
func cmdBZPopMax(c *Call) { c.awaitOne(pop{count: 1, key: true, max: true}) }

// awaitOne is BZPOPMIN or BZPOPMAX.
func (c *Call) awaitOne(p pop) {
	keys := c.Args[c.at : len(c.Args)-1]
	c.Skip(len(keys))
	c.popOrPark(keys, p, c.Timeout())
}

// ZMPOP numkeys key [key ...] <MIN | MAX> [COUNT count]
func cmdZMPop(c *Call) {
	keys, p := c.multiPop()
	key, s := c.firstSet(keys)
	switch {
	case !c.OK():
	case s == nil:
		c.Reply.NullArray()
	default:
		c.pop(key, s, p)
		c.logPop(key, p)
	}
}

// BZMPOP timeout numkeys key [key ...] <MIN | MAX> [COUNT count]
func cmdBZMPop(c *Call) {
	c.Skip(1)
	keys, p := c.multiPop()
	c.at = 1 // Redis reads the timeout last
	c.popOrPark(keys, p, c.Timeout())
}

// multiPop reads numkeys key [key ...] <MIN | MAX> [COUNT count].
func (c *Call) multiPop() (keys [][]byte, p pop) {
	n := c.IntIn(1, math.MaxInt64, ErrNumKeys)
	if n >= int64(c.Left()) {
		c.Refuse(ErrSyntax)
	}
	if c.err != "" {
		return nil, p
	}
	keys = c.Args[c.at : c.at+int(n)]
	c.Skip(int(n))
	p = pop{key: true, nested: true}
	if p.max = c.Word("MAX"); !p.max && !c.Word("MIN") {
		c.Refuse(ErrSyntax)
	}
	for c.More() {
		if p.count != 0 || c.Left() < 2 || !c.Word("COUNT") {
			c.Refuse(ErrSyntax)
			break
		}
		p.count = int(c.IntIn(1, math.MaxInt64, ErrPopCount))
	}
	p.count = max(p.count, 1)
	return keys, p
}

// popOrPark pops from the first of keys that holds members, or waits for one.
func (c *Call) popOrPark(keys [][]byte, p pop, deadline int64) {
	if !c.OK() {
		return
	}
	key, s := c.firstSet(keys)
	switch {
	case !c.OK():
	case s == nil:
		c.Park(keys, deadline, tellNothing)
	default:
		c.pop(key, s, p)
		c.logPop(key, p)
	}
}

// tellNothing is the reply of a command that waited in vain.
func tellNothing(s *Session) { s.Reply.NullArray() }

// firstSet returns the first of keys that exists and its set for changing; nil if there is none. A
// value of another type that comes first latches an error.
func (c *Call) firstSet(keys [][]byte) (key []byte, s *zset.Set) {
	for _, key := range keys {
		if s, found := Edit[*zset.Set](c, key); found || c.err != "" {
			return key, s
		}
	}
	return nil, nil
}

// pop removes members from the set at key and replies with them.
func (c *Call) pop(key []byte, s *zset.Set, p pop) {
	n := min(p.count, s.Len())
	c.openPop(key, n, p)
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
func (c *Call) openPop(key []byte, n int, p pop) {
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
func (c *Call) logPop(key []byte, p pop) {
	if c.Engine.log == nil {
		return
	}
	name := "ZPOPMIN"
	if p.max {
		name = "ZPOPMAX"
	}
	c.Log([]byte(name), key, c.decimal(int64(p.count)))
}
