package strings

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// editLines are the lines of the commands that change a string.
func editLines() []command.Line {
	return []command.Line{
		{Name: "append", Arity: 3, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW insert"), Run: cmdAppend, Reply: "integer", Since: "2.0.0", Syntax: "key value",
			Summary:    "Appends a string to the value of a key. Creates the key if it doesn't exist.",
			Complexity: "O(N), N being the length of the value"},
		{Name: "setrange", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "RW update"),
			Run: cmdSetRange, Reply: "integer", Since: "2.2.0", Syntax: "key offset value",
			Summary: "Overwrites a part of a string value with another by an offset. " +
				"Creates the key if it doesn't exist.",
			Complexity: "O(N), N being the length of the value"},
		{Name: "incr", Arity: 2, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW access update"), Run: cmdIncr, Reply: "integer", Since: "1.0.0", Syntax: "key",
			Summary: "Increments the integer value of a key by one. " +
				"Uses 0 as initial value if the key doesn't exist.",
			Complexity: "O(1)"},
		{Name: "decr", Arity: 2, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW access update"), Run: cmdDecr, Reply: "integer", Since: "1.0.0", Syntax: "key",
			Summary: "Decrements the integer value of a key by one. " +
				"Uses 0 as initial value if the key doesn't exist.",
			Complexity: "O(1)"},
		{Name: "incrby", Arity: 3, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW access update"),
			Run:  cmdIncrBy, Reply: "integer", Since: "1.0.0", Syntax: "key increment",
			Summary: "Increments the integer value of a key by a number. " +
				"Uses 0 as initial value if the key doesn't exist.",
			Complexity: "O(1)"},
		{Name: "decrby", Arity: 3, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW access update"),
			Run:  cmdDecrBy, Reply: "integer", Since: "1.0.0", Syntax: "key decrement",
			Summary: "Decrements a number from the integer value of a key. " +
				"Uses 0 as initial value if the key doesn't exist.",
			Complexity: "O(1)"},
		{Name: "incrbyfloat", Arity: 3, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW access update"),
			Run:  cmdIncrByFloat, Reply: "text", Since: "2.6.0", Syntax: "key increment:double",
			Summary: "Increment the floating point value of a key by a number. " +
				"Uses 0 as initial value if the key doesn't exist.",
			Complexity: "O(1)"},
	}
}

// The commands that change a part of a string, or the number that it holds.

// APPEND key value
func cmdAppend(c *engine.Call) {
	key, tail := c.Arg(), c.Arg()
	n := len(tail)
	v, ok := engine.Edit[*str.Value](c, key)
	if ok {
		limitLength(c, int64(v.Len()), len(tail))
	}
	if !c.OK() {
		return
	}
	if ok {
		n = v.Append(tail)
	} else {
		c.DB.Set(key, packed(c, tail), false)
	}
	c.Changed(key, event.String("append"))
	c.Reply.Int(int64(n))
}

// limitLength latches an error if a string of n + more bytes is longer than proto-max-bulk-len.
func limitLength(c *engine.Call, n int64, more int) {
	if n > c.Engine.Config.ProtoMaxBulk-int64(more) {
		c.Refuse(errStringTooLong)
	}
}

// SETRANGE key offset value
func cmdSetRange(c *engine.Call) {
	key, offset, patch := c.Arg(), c.Int(), c.Arg()
	if offset < 0 {
		c.Refuse(errOffset)
	}
	v, ok := engine.Edit[*str.Value](c, key)
	if len(patch) > 0 {
		limitLength(c, offset, len(patch))
	}
	if !c.OK() {
		return
	}
	if len(patch) == 0 { // changes nothing and creates nothing
		n := 0
		if ok {
			n = v.Len()
		}
		c.Reply.Int(int64(n))
		return
	}
	if !ok {
		v = c.DB.Create(key, keyspace.String).(*str.Value)
	}
	copy(v.Edit(int(offset) + len(patch))[offset:], patch)
	n := v.Len()
	c.Changed(key, event.String("setrange"))
	c.Reply.Int(int64(n))
}

// INCR key
func cmdIncr(c *engine.Call) { incrBy(c, c.Arg(), 1) }

// DECR key
func cmdDecr(c *engine.Call) { incrBy(c, c.Arg(), -1) }

// INCRBY key increment
func cmdIncrBy(c *engine.Call) {
	key, by := c.Arg(), c.Int()
	incrBy(c, key, by)
}

// DECRBY key decrement
func cmdDecrBy(c *engine.Call) {
	key, by := c.Arg(), c.Int()
	if by == math.MinInt64 && c.Has(refusesLowest) {
		c.Refuse(errDecrement) // its negative overflows, to itself
	}
	incrBy(c, key, -by)
}

// refusesLowest is when DECRBY began to refuse the lowest integer. Before, that is added.
var refusesLowest = release.From("7.0.0")

func incrBy(c *engine.Call, key []byte, by int64) {
	v, ok := engine.Edit[*str.Value](c, key)
	n := int64(0)
	if ok {
		n = ParseInt(c, v)
	}
	sum := n + by
	if (sum > n) != (by > 0) && by != 0 {
		c.Refuse(engine.ErrOverflow)
	}
	if !c.OK() {
		return
	}
	if ok {
		*v = str.OfInt(sum)
	} else {
		c.DB.Set(key, c.World.Keyspace.Int(sum), false)
	}
	c.Changed(key, event.String("incrby"))
	c.Reply.Int(sum)
}

// ParseInt returns the integer that a string holds. Any other text latches [engine.ErrNotInt].
func ParseInt(c *engine.Call, v *str.Value) int64 {
	n, ok := v.Int()
	if !ok { // APPEND leaves the digits of an integer as text
		if n, ok = resp.ParseInt(v.Text(nil)); !ok {
			c.Refuse(engine.ErrNotInt)
		}
	}
	return n
}

// INCRBYFLOAT key increment
func cmdIncrByFloat(c *engine.Call) {
	key, by := c.Arg(), c.Arg()
	var sum resp.LongDouble
	if v, ok := engine.Edit[*str.Value](c, key); ok {
		sum = c.LongDouble(v.Text(c.Scratch()))
	}
	sum = sum.Add(c.LongDouble(by))
	if !sum.IsFinite() {
		c.Refuse(engine.ErrFloatOverflow)
	}
	if !c.OK() {
		return
	}
	text := sum.AppendHuman(c.Scratch())
	c.DB.Set(key, c.World.Keyspace.Text(text), true)
	c.Changed(key, event.String("incrbyfloat"))
	PropagateSet(c, key, text, 0, true) // the sum: a replay must not depend on rounding
	c.Reply.Bulk(text)
}
