package lists

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// LPOP key [count]
func cmdLPop(c *engine.Call) { popNow(c, list.Head) }

// RPOP key [count]
func cmdRPop(c *engine.Call) { popNow(c, list.Tail) }

// popNow is LPOP or RPOP.
func popNow(c *engine.Call, end list.End) {
	key, n, counted := c.Arg(), 1, c.More()
	if c.Left() > 1 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	if counted {
		n = int(c.IntIn(0, math.MaxInt64, engine.ErrNotPositive))
	}
	l, found := engine.Edit[*list.List](c, key)
	switch {
	case !c.OK():
	case !found && counted:
		c.Reply.NullArray()
	case !found:
		c.Reply.Null()
	case n == 0:
		c.Reply.Array(0)
	case counted:
		n = min(n, l.Len())
		c.Reply.Array(n)
		pop(c, key, l, end, n)
	default:
		pop(c, key, l, end, 1)
	}
}

// pop removes n elements at an end of the list at key, and replies with them.
func pop(c *engine.Call, key []byte, l *list.List, end list.End, n int) {
	left := n
	l.Each(end, 0, func(e ziplist.Entry) bool {
		c.ReplyEntry(e)
		left--
		return left > 0
	})
	l.RemoveEnd(end, n)
	l.Shrink(c.Engine.Config.List)
	c.Changed(key, popEvents[end])
	c.AddChanges(n - 1)
}

// BLPOP key [key ...] timeout
func cmdBLPop(c *engine.Call) { popOrBlock(c, list.Head) }

// BRPOP key [key ...] timeout
func cmdBRPop(c *engine.Call) { popOrBlock(c, list.Tail) }

// popOrBlock is BLPOP or BRPOP.
func popOrBlock(c *engine.Call, end list.End) {
	keys := c.Next(c.Left() - 1)
	deadline := c.Timeout()
	if !c.OK() {
		return
	}
	key, l, found := engine.First[*list.List](c, keys)
	switch {
	case !c.OK():
	case !found:
		c.BlockOnKeys(keys, deadline, engine.ReplyNullArray)
	default:
		c.Reply.Array(2)
		c.Reply.Bulk(key)
		pop(c, key, l, end, 1)
		elements.PropagateKey(c, popNames[end], key)
	}
}

// popNames are the commands that pop, by end.
var popNames = [...]string{list.Head: "LPOP", list.Tail: "RPOP"}

// LMPOP numkeys key [key ...] <LEFT | RIGHT> [COUNT count]
func cmdLMPop(c *engine.Call) {
	keys, right, count := elements.ParseMultiPop(c, "LEFT", "RIGHT")
	if !popFirst(c, keys, right, count) && c.OK() {
		c.Reply.NullArray()
	}
}

// BLMPOP timeout numkeys key [key ...] <LEFT | RIGHT> [COUNT count]
func cmdBLMPop(c *engine.Call) {
	c.Skip(1)
	keys, right, count := elements.ParseMultiPop(c, "LEFT", "RIGHT")
	c.Seek(1) // Redis reads the timeout last
	deadline := c.Timeout()
	if !popFirst(c, keys, right, count) && c.OK() {
		c.BlockOnKeys(keys, deadline, engine.ReplyNullArray)
	}
}

// popFirst pops up to count elements of the first list among keys, replies, and propagates. It
// returns false, without a reply, if all keys are absent or an error was latched.
func popFirst(c *engine.Call, keys [][]byte, right bool, count int) bool {
	if c.Failed() {
		return false
	}
	key, l, found := engine.First[*list.List](c, keys)
	if !found {
		return false
	}
	end := list.Head
	if right {
		end = list.Tail
	}
	n := min(count, l.Len())
	c.Reply.Array(2)
	c.Reply.Bulk(key)
	c.Reply.Array(n)
	pop(c, key, l, end, n)
	if c.Propagates() {
		c.PropagateAs([]byte(popNames[end]), key, resp.Decimal(int64(n)))
	}
	return true
}
