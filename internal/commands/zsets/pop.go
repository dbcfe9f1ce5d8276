package zsets

import (
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// popLines are the lines of the commands that remove the lowest or highest members.
func popLines() []command.Line {
	return []command.Line{
		{Name: "zpopmin", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
			Run: cmdZPopMin, Reply: "list", Since: "5.0.0",
			Syntax: "key [count]", Summary: "Returns the lowest-scoring members from a sorted set after removing them.",
			Complexity: "O(M log N), N being the number of members of the sorted set, " +
				"and M the number of those returned"},
		{Name: "zpopmax", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
			Run: cmdZPopMax, Reply: "list", Since: "5.0.0", Syntax: "key [count]",
			Summary: "Returns the highest-scoring members from a sorted set after removing them.",
			Complexity: "O(M log N), N being the number of members of the sorted set, " +
				"and M the number of those returned"},
		{Name: "bzpopmin", Arity: -3, Flags: command.Write | command.Blocking | command.Fast,
			Keys: command.KeyRange(1, -2, 1, "RW access delete"), Run: cmdBZPopMin, Reply: "list?", Since: "5.0.0",
			Was: []command.Was{command.Before("7.2.0", "+noscript")}, Syntax: "key... timeout",
			Summary: "Removes and returns the member with the lowest score from one or more sorted sets. " +
				"Blocks until one is available.",
			Complexity: "O(log N), N being the number of members",
			History:    "6.0.0 The timeout may be a fraction."},
		{Name: "bzpopmax", Arity: -3, Flags: command.Write | command.Blocking | command.Fast,
			Keys: command.KeyRange(1, -2, 1, "RW access delete"), Run: cmdBZPopMax, Reply: "list?", Since: "5.0.0",
			Was: []command.Was{command.Before("7.2.0", "+noscript")}, Syntax: "key... timeout",
			Summary: "Removes and returns the member with the highest score from one or more sorted sets. " +
				"Blocks until one is available.",
			Complexity: "O(log N), N being the number of members",
			History:    "6.0.0 The timeout may be a fraction."},
		{Name: "zmpop", Arity: -4, Flags: command.Write, Keys: command.NumKeys(1, "RW access delete"),
			Run: cmdZMPop, Reply: "array?", Since: "7.0.0", Syntax: "numkeys key... where=<MIN|MAX> [COUNT count]",
			Summary: "Returns the highest- or lowest-scoring members from one or more sorted sets after " +
				"removing them.",
			Complexity: "O(K + M log N), K being the number of keys, N the number of members of the sorted set, " +
				"and M the number of those returned"},
		{Name: "bzmpop", Arity: -5, Flags: command.Write | command.Blocking,
			Keys: command.NumKeys(2, "RW access delete"), Run: cmdBZMPop, Reply: "array?", Since: "7.0.0",
			Syntax:  "timeout numkeys key... where=<MIN|MAX> [COUNT count]",
			Summary: "Removes and returns members from one or more sorted sets. Blocks until one is available.",
			Complexity: "O(K + M log N), K being the number of keys, N the number of members of the sorted set, " +
				"and M the number of those returned"},
	}
}

// pop is the number and end of the members that a command pops, and the shape of its reply.
type pop struct {
	max    bool // from the highest score down
	count  int
	key    bool // the key comes first in the reply
	nested bool // each member with its score in an array of its own
}

// ZPOPMIN key [count]
func cmdZPopMin(c *engine.Call) { popNow(c, pop{}) }

// ZPOPMAX key [count]
func cmdZPopMax(c *engine.Call) { popNow(c, pop{max: true}) }

// popNow is ZPOPMIN or ZPOPMAX.
func popNow(c *engine.Call, p pop) {
	keys := [1][]byte{c.Arg()}
	p.count = 1
	if c.Left() == 1 {
		p.count = popCount(c)
		p.nested = c.Reply.Proto() == 3
	}
	c.End()
	if p.count == 0 && !c.Has(refusesNegative) {
		if c.OK() {
			c.Reply.Array(0)
		}
		return
	}
	key, s, _ := engine.First[*zset.Set](c, keys[:])
	switch {
	case !c.OK():
	case s == nil || p.count == 0:
		c.Reply.Array(0)
	default:
		popScored(c, key, s, p)
	}
}

// refusesNegative is when ZPOPMIN and ZPOPMAX began to refuse negative counts, and to look at the
// key even for none.
var refusesNegative = release.From("7.0.0")

// popCount reads the count of ZPOPMIN or ZPOPMAX.
func popCount(c *engine.Call) int {
	if c.Has(refusesNegative) {
		return int(c.IntIn(0, math.MaxInt64, engine.ErrNotPositive))
	}
	return int(max(c.Int(), 0))
}

// BZPOPMIN key [key ...] timeout
func cmdBZPopMin(c *engine.Call) { blockingPop(c, pop{count: 1, key: true}) }

// BZPOPMAX key [key ...] timeout
func cmdBZPopMax(c *engine.Call) { blockingPop(c, pop{count: 1, key: true, max: true}) }

// blockingPop is BZPOPMIN or BZPOPMAX.
func blockingPop(c *engine.Call, p pop) {
	keys := c.Next(c.Left() - 1)
	popOrBlock(c, keys, p, c.Timeout())
}

// ZMPOP numkeys key [key ...] <MIN | MAX> [COUNT count]
func cmdZMPop(c *engine.Call) {
	keys, p := parseMultiPop(c)
	key, s, _ := engine.First[*zset.Set](c, keys)
	switch {
	case !c.OK():
	case s == nil:
		c.Reply.NullArray()
	default:
		p.count = min(p.count, s.Len())
		popScored(c, key, s, p)
		propagatePop(c, key, p)
	}
}

// BZMPOP timeout numkeys key [key ...] <MIN | MAX> [COUNT count]
func cmdBZMPop(c *engine.Call) {
	c.Skip(1)
	keys, p := parseMultiPop(c)
	c.Seek(1) // Redis reads the timeout last
	popOrBlock(c, keys, p, c.Timeout())
}

// parseMultiPop reads numkeys key [key ...] <MIN | MAX> [COUNT count].
func parseMultiPop(c *engine.Call) (keys [][]byte, p pop) {
	p = pop{key: true, nested: true}
	keys, p.max, p.count = elements.ParseMultiPop(c, "MIN", "MAX")
	return keys, p
}

// popOrBlock pops from the first sorted set among keys, or blocks until there is one.
func popOrBlock(c *engine.Call, keys [][]byte, p pop, deadline int64) {
	if !c.OK() {
		return
	}
	key, s, _ := engine.First[*zset.Set](c, keys)
	switch {
	case !c.OK():
	case s == nil:
		c.BlockOnKeys(keys, deadline, engine.ReplyNullArray)
	default:
		p.count = min(p.count, s.Len())
		popScored(c, key, s, p)
		propagatePop(c, key, p)
	}
}

// popScored removes members from the set at key and replies with them.
func popScored(c *engine.Call, key []byte, s *zset.Set, p pop) {
	n := min(p.count, s.Len())
	openPop(c, key, n, p)
	reply := func(member []byte, score float64) {
		if p.nested {
			c.Reply.Array(2)
		}
		c.Reply.Bulk(member)
		c.Reply.Double(score)
	}
	ev := event.ZSet("zpopmin")
	if p.max {
		ev = event.ZSet("zpopmax")
		s.PopMax(n, reply)
	} else {
		s.PopMin(n, reply)
	}
	c.Changed(key, ev)
	c.AddChanges(n - 1)
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

// servesByCommand is when a client blocked in BZPOPMIN began to be served as if it sent its command
// then. Before, the pop was propagated under the name in lower case.
var servesByCommand = release.From("7.0.0")

// propagatePop propagates a pop from several keys as ZPOPMIN or ZPOPMAX of one, which does not
// block.
func propagatePop(c *engine.Call, key []byte, p pop) {
	if !c.Propagates() {
		return
	}
	name := "ZPOPMIN"
	if p.max {
		name = "ZPOPMAX"
	}
	if c.Woken() && !c.Has(servesByCommand) {
		name = strings.ToLower(name)
	}
	if !p.nested { // BZPOPMIN and BZPOPMAX
		c.PropagateAs([]byte(name), key)
		return
	}
	c.PropagateAs([]byte(name), key, resp.Decimal(int64(p.count)))
}
