package arrays

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/array"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
)

// ARINSERT key value [value ...]
func cmdARInsert(c *engine.Call) {
	key, values := c.Arg(), c.Rest()
	a, ok := upsert(c, key)
	if !ok {
		return
	}
	next := a.Next()
	if uint64(len(values)) > math.MaxUint64-next {
		c.Fail(errInsertOverflow)
		return
	}
	a.SetAll(next, values, limits(c))
	next += uint64(len(values))
	a.Seek(next)
	changed(c, key, "arinsert", len(values))
	c.Reply.Uint(next - 1)
}

// ARRING key size value [value ...]
func cmdARRing(c *engine.Call) {
	key, n := c.Arg(), c.IntOr(errSize)
	if n <= 0 {
		c.Refuse(errSizePositive)
	}
	values := c.Rest()
	a, ok := upsert(c, key)
	if !ok {
		return
	}
	size := uint64(n)
	a.Reshape(size, limits(c))
	last := uint64(0)
	for _, value := range values {
		last = a.Next() % size
		a.Set(last, value, limits(c))
		a.Seek(last + 1)
	}
	changed(c, key, "arring", len(values))
	c.Reply.Uint(last)
}

// ARNEXT key
func cmdARNext(c *engine.Call) {
	a, ok := read(c, c.Arg())
	switch {
	case !ok:
	case a.Next() == array.Exhausted:
		c.Reply.Null()
	default:
		c.Reply.Uint(a.Next())
	}
}

// ARSEEK key index
func cmdARSeek(c *engine.Call) {
	key, index := c.Arg(), indexArg(c, array.Exhausted)
	a, found := engine.Edit[*array.Array](c, key)
	switch {
	case !c.OK():
	case !found:
		c.Reply.Int(0)
	default:
		a.Seek(index)
		c.Changed(key, event.Array("arseek"))
		c.Reply.Int(1)
	}
}

// ARLASTITEMS key count [REV]
//
// It walks over indexes, not over elements, from the one before the next index, and from 0 on to
// the end of the array.
func cmdARLastItems(c *engine.Call) {
	key, count := c.Arg(), c.IntOr(errCount)
	if count <= 0 {
		if c.OK() {
			c.Reply.Array(0)
		}
		return
	}
	oldestFirst := true
	switch c.Left() {
	case 0:
	case 1:
		if oldestFirst = !c.Word("REV"); oldestFirst {
			c.Refuse(engine.ErrSyntax)
		}
	default:
		refuseArity(c)
	}
	a, ok := read(c, key)
	if !ok {
		return
	}
	span := a.Span()
	n := min(uint64(count), span)
	if n > uint64(a.Len()) && n > mostItems {
		c.Fail(command.Errorf(errCountLong, mostItems))
		return
	}
	newest := span - 1
	if next := a.Next(); next > 0 && next <= span {
		newest = next - 1
	}
	replyRing(c, a, newest, n, oldestFirst)
}

// replyRing replies with what is at the n indexes up to the newest one, in a ring of all indexes of
// the array.
func replyRing(c *engine.Call, a *array.Array, newest, n uint64, oldestFirst bool) {
	c.Reply.Array(int(n))
	if n == 0 {
		return
	}
	// The newest part ends at newest, the older one at the end of the array.
	late := min(n, newest+1)
	early := n - late
	if oldestFirst {
		replyRange(c, a, a.Span()-early, early, false)
		replyRange(c, a, newest+1-late, late, false)
		return
	}
	replyRange(c, a, newest+1-late, late, true)
	replyRange(c, a, a.Span()-early, early, true)
}
