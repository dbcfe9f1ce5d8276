// Package hashes is the family of hash commands.
//
//	hashes.go  the lines of all commands; HSET, HGET, HDEL, HINCRBY and what else concerns named
//	           fields
//	scan.go    HRANDFIELD and HSCAN
//	expiry.go  HGETEX, HSETEX and HGETDEL, which came with Redis 8
//	import.go  HIMPORT, which came with Redis 8.10
//
// HEXPIRE and the other commands on deadlines of fields, from Redis 7.4, are
// [elements.ExpiryLines], since the other collections have them too. A field is gone for every
// command in the millisecond of its deadline, whereas Redis still counts, copies and deletes
// expired fields until its cron removes them.
package hashes

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Family is the family of hash commands.
var Family = command.Family{Group: "hash", Commands: slices.Concat([]command.Line{
	{Name: "hset", Arity: -4, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW update"),
		Run: cmdHSet, Reply: "integer", Since: "2.0.0", Syntax: "key data(/field_value)=<field value>...",
		Summary:    "Creates or modifies the value of a field in a hash.",
		Complexity: "O(N), N being the number of fields set", History: "4.0.0 Takes several fields and values."},
	{Name: "hmset", Arity: -4, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW update"),
		Run: cmdHMSet, Reply: "status", Since: "2.0.0",
		Syntax: "key data(/field_value)=<field value>...", Summary: "Sets the values of multiple fields.",
		Complexity: "O(N), N being the number of fields set", Deprecated: "4.0.0 `HSET`, which takes several fields"},
	{Name: "hsetnx", Arity: 4, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW insert"),
		Run: cmdHSetNX, Reply: "integer", Since: "2.0.0", Syntax: "key field value",
		Summary: "Sets the value of a field in a hash only when the field doesn't exist.", Complexity: "O(1)"},
	{Name: "hget", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdHGet, Reply: "text?", Since: "2.0.0",
		Syntax: "key field", Summary: "Returns the value of a field in a hash.", Complexity: "O(1)"},
	{Name: "hmget", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"), Run: cmdHMGet,
		Reply: "texts?", Since: "2.0.0", Syntax: "key field...", Summary: "Returns the values of all fields in a hash.",
		Complexity: "O(N), N being the number of fields asked for"},
	{Name: "hgetall", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdHGetAll, Reply: "list", Since: "2.0.0",
		Syntax: "key", Summary: "Returns all fields and values in a hash.",
		Tips: "nondeterministic_output_order", Was: []command.Was{command.Before("7.0.0", "+random")},
		Complexity: "O(N), N being the number of fields of the hash"},
	{Name: "hkeys", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"), Run: cmdHKeys, Reply: "list",
		Since: "2.0.0", Syntax: "key", Summary: "Returns all fields in a hash.", Tips: "nondeterministic_output_order",
		Complexity: "O(N), N being the number of fields of the hash"},
	{Name: "hvals", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"), Run: cmdHVals, Reply: "list",
		Since: "2.0.0", Syntax: "key", Summary: "Returns all values in a hash.", Tips: "nondeterministic_output_order",
		Complexity: "O(N), N being the number of fields of the hash"},
	{Name: "hlen", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdHLen, Reply: "integer", Since: "2.0.0",
		Syntax: "key", Summary: "Returns the number of fields in a hash.", Complexity: "O(1)"},
	{Name: "hexists", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdHExists, Reply: "integer", Since: "2.0.0",
		Syntax: "key field", Summary: "Determines whether a field exists in a hash.", Complexity: "O(1)"},
	{Name: "hdel", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"),
		Run: cmdHDel, Reply: "integer", Since: "2.0.0",
		Syntax: "key field...", Summary: "Deletes one or more fields and their values from a hash.",
		Complexity: "O(N), N being the number of fields removed", History: "2.4.0 Takes several fields."},
	{Name: "hstrlen", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdHStrLen, Reply: "integer", Since: "3.2.0",
		Syntax: "key field", Summary: "Returns the length of the value of a field.", Complexity: "O(1)"},
	{Name: "hincrby", Arity: 4, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW access update"),
		Run:  cmdHIncrBy, Reply: "integer", Since: "2.0.0", Syntax: "key field increment",
		Summary: "Increments the integer value of a field in a hash by a number.", Complexity: "O(1)"},
	{Name: "hincrbyfloat", Arity: 4, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW access update"),
		Run:  cmdHIncrByFloat, Reply: "text", Since: "2.6.0", Syntax: "key field increment:double",
		Summary: "Increments the floating point value of a field by a number.", Complexity: "O(1)"},
	{Name: "hrandfield", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdHRandField, Reply: "1: text?; list", Since: "6.2.0",
		Syntax: "key options=[count [WITHVALUES]]", Summary: "Returns one or more random fields from a hash.",
		Tips: "nondeterministic_output", Complexity: "O(N), N being the number of fields returned"},
	{Name: "hscan", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdHScan, Reply: "array", Since: "2.8.0",
		Syntax:  "key cursor [MATCH pattern] [COUNT count] [NOVALUES]@(7.4.0,valkey:8.0.0)",
		Summary: "Iterates over fields and values of a hash.", Tips: "nondeterministic_output",
		Complexity: "O(1) for each call, O(N) for a complete iteration, N being the number of elements"},
}, elements.ExpiryLines(Type.Elements, "7.4.0 valkey:9.0.0"), expiryLines())}

// noHash stands for an absent key. It stays empty.
var noHash hash.Hash

// readHash returns the hash at key for reading, noHash if the key is absent. ok is false if an
// error was sent.
func readHash(c *engine.Call, key []byte) (h *hash.Hash, ok bool) {
	h, found := engine.Read[*hash.Hash](c, key)
	if !found {
		h = &noHash
	}
	return h, c.OK()
}

// replyValue replies with the value of a field, or nil.
func replyValue(c *engine.Call, h *hash.Hash, field []byte) {
	if v, ok := h.Lookup(field); ok {
		c.ReplyEntry(v)
		return
	}
	c.Reply.Null()
}

// HSET key field value [field value ...]
func cmdHSet(c *engine.Call) {
	if created, ok := setFields(c); ok {
		c.Reply.Int(created)
	}
}

// HMSET key field value [field value ...]
func cmdHMSet(c *engine.Call) {
	if _, ok := setFields(c); ok {
		c.Reply.Status("OK")
	}
}

// setFields is HSET without its reply: it returns the number of new fields. ok is false if an error
// was sent.
func setFields(c *engine.Call) (created int64, ok bool) {
	key, pairs := c.Arg(), c.Rest()
	if len(pairs)%2 != 0 {
		c.Refusef(command.ErrArity, c.Cmd.FullName())
	}
	h, _ := engine.Upsert[*hash.Hash](c, key, keyspace.Hash)
	if !c.OK() {
		return 0, false
	}
	for i := 0; i < len(pairs); i += 2 {
		if h.Set(pairs[i], pairs[i+1], c.World.HashLimits()) {
			created++
		}
	}
	c.Changed(key, event.Hash("hset"), fieldsOf(c, pairs)...)
	c.AddChanges(len(pairs)/2 - 1)
	return created, true
}

// fieldsOf returns the fields of pairs of fields and values if subscribers want to know them; nil
// otherwise.
func fieldsOf(c *engine.Call, pairs [][]byte) (fields [][]byte) {
	for i := 0; c.TellsFields() && i < len(pairs); i += 2 {
		fields = append(fields, pairs[i])
	}
	return fields
}

// HSETNX key field value
func cmdHSetNX(c *engine.Call) {
	key, field, value := c.Arg(), c.Arg(), c.Arg()
	h, _ := engine.Upsert[*hash.Hash](c, key, keyspace.Hash)
	if !c.OK() {
		return
	}
	if h.Has(field) {
		if !c.Has(keepsSmall) {
			h.Prepare(field, value, c.World.HashLimits())
			c.DB.Commit(key)
		}
		c.Reply.Int(0)
		return
	}
	h.Set(field, value, c.World.HashLimits())
	c.Changed(key, event.Hash("hset"), field)
	c.Reply.Int(1)
}

// keepsSmall is when HSETNX began to leave the encoding alone if it sets nothing.
var keepsSmall = release.From("7.0.0")

// HGET key field
func cmdHGet(c *engine.Call) {
	key, field := c.Arg(), c.Arg()
	if h, ok := readHash(c, key); ok {
		replyValue(c, h, field)
	}
}

// HMGET key field [field ...]
func cmdHMGet(c *engine.Call) {
	key, fields := c.Arg(), c.Rest()
	h, ok := readHash(c, key)
	if !ok {
		return
	}
	c.Reply.Array(len(fields))
	for _, field := range fields {
		replyValue(c, h, field)
	}
}

// HGETALL key
func cmdHGetAll(c *engine.Call) {
	h, ok := readHash(c, c.Arg())
	if !ok {
		return
	}
	c.Reply.Map(h.Len())
	h.Each(func(field, value ziplist.Entry) bool {
		c.ReplyEntry(field)
		c.ReplyEntry(value)
		return true
	})
}

// HKEYS key
func cmdHKeys(c *engine.Call) {
	h, ok := readHash(c, c.Arg())
	if !ok {
		return
	}
	c.Reply.Array(h.Len())
	h.Each(func(field, _ ziplist.Entry) bool {
		c.ReplyEntry(field)
		return true
	})
}

// HVALS key
func cmdHVals(c *engine.Call) {
	h, ok := readHash(c, c.Arg())
	if !ok {
		return
	}
	c.Reply.Array(h.Len())
	h.Each(func(_, value ziplist.Entry) bool {
		c.ReplyEntry(value)
		return true
	})
}

// HLEN key
func cmdHLen(c *engine.Call) {
	if h, ok := readHash(c, c.Arg()); ok {
		c.Reply.Int(int64(h.Len()))
	}
}

// HEXISTS key field
func cmdHExists(c *engine.Call) {
	key, field := c.Arg(), c.Arg()
	h, ok := readHash(c, key)
	if !ok {
		return
	}
	n := int64(0)
	if h.Has(field) {
		n = 1
	}
	c.Reply.Int(n)
}

// HSTRLEN key field
func cmdHStrLen(c *engine.Call) {
	key, field := c.Arg(), c.Arg()
	if h, ok := readHash(c, key); ok {
		c.Reply.Int(int64(h.StrLen(field)))
	}
}

// HDEL key field [field ...]
func cmdHDel(c *engine.Call) { elements.Remove(c, event.Hash("hdel"), (*hash.Hash).Delete) }

// HINCRBY key field increment
func cmdHIncrBy(c *engine.Call) {
	key, field, by := c.Arg(), c.Arg(), c.Int()
	h, _ := engine.Upsert[*hash.Hash](c, key, keyspace.Hash)
	if !c.OK() {
		return
	}
	n := int64(0)
	if old, ok := h.Lookup(field); ok {
		if n, ok = entryInt(old); !ok {
			c.Fail(errHashNotInt)
			return
		}
	}
	sum := n + by
	if (sum > n) != (by > 0) {
		c.Fail(engine.ErrOverflow)
		return
	}
	deadline, _ := h.Deadline(field)
	h.UpdateInt(field, sum, sumLimits(c))
	c.Changed(key, event.Hash("hincrby"), field)
	if deadline != 0 && c.Propagates() && elements.AsValkey(c, Type.Elements) {
		propagateSum(c, key, field, resp.Decimal(sum))
	}
	c.Reply.Int(sum)
}

// entryInt returns the integer that e is or spells.
func entryInt(e ziplist.Entry) (n int64, ok bool) {
	if e.IsInt() {
		return e.Int, true
	}
	return resp.ParseInt(e.Str)
}

// measuresSums is when the lengths of fields and sums began to count for the encoding.
var measuresSums = release.From("7.0.0")

// sumLimits returns the limits of a packed hash that count for HINCRBY and HINCRBYFLOAT.
func sumLimits(c *engine.Call) hash.Limits {
	lim := c.World.HashLimits()
	if !c.Has(measuresSums) {
		lim.MaxValue = math.MaxInt
	}
	return lim
}

// HINCRBYFLOAT key field increment
func cmdHIncrByFloat(c *engine.Call) {
	key, field, by := c.Arg(), c.Arg(), finiteArg(c)
	h, _ := engine.Upsert[*hash.Hash](c, key, keyspace.Hash)
	if !c.OK() {
		return
	}
	if old, found := h.Lookup(field); found {
		x, ok := resp.ParseLongDouble(old.Text(c.Scratch()))
		if !ok {
			c.Fail(errHashNotFloat)
			return
		}
		by = x.Add(by)
	}
	if !by.IsFinite() {
		c.Fail(engine.ErrFloatOverflow)
		return
	}
	sum := by.AppendHuman(c.Scratch())
	h.Update(field, sum, sumLimits(c))
	c.Changed(key, event.Hash("hincrbyfloat"), field)
	if c.Propagates() { // the sum: a replay must not depend on rounding
		propagateSum(c, key, field, sum)
	}
	c.Reply.Bulk(sum)
}

// keepsDeadlines is when HSETEX came, which sets a field that keeps its deadline.
var keepsDeadlines = release.From("8.0.0 valkey:9.0.0")

// setsSums is when HINCRBYFLOAT began to be propagated as HSETEX also if no field has a deadline.
var setsSums = release.From("8.6.0")

// propagateSum propagates the new value of a field, which keeps its deadline. Replicas of older
// releases lose the deadline, as with Redis.
func propagateSum(c *engine.Call, key, field, sum []byte) {
	v, _ := c.DB.Peek(key)
	h := v.(*hash.Hash)
	deadline, _ := h.Deadline(field)
	asValkey := elements.AsValkey(c, Type.Elements)
	switch {
	case asValkey && deadline != 0:
		c.PropagateAs([]byte("HSETEX"), key, []byte("PXAT"), resp.Decimal(deadline), []byte("FIELDS"),
			[]byte("1"), field, sum)
	case asValkey, h.Volatile() == 0 && !c.Has(setsSums):
		c.PropagateAs([]byte("HSET"), key, field, sum)
	case c.Has(keepsDeadlines):
		c.PropagateAs([]byte("HSETEX"), key, []byte("KEEPTTL"), []byte("FIELDS"), []byte("1"), field, sum)
	default:
		c.Propagate([]byte("HSET"), key, field, sum)
		if deadline != 0 {
			c.PropagateToJournal([]byte("HPEXPIREAT"), key, resp.Decimal(deadline), []byte("FIELDS"),
				[]byte("1"), field)
		}
	}
}

// finiteArg reads the next argument as a long double. Other text, or an infinite number, latches an
// error.
func finiteArg(c *engine.Call) resp.LongDouble {
	x, ok := resp.ParseLongDouble(c.Arg())
	switch {
	case !ok:
		c.Refuse(engine.ErrNotFloat)
	case !x.IsFinite():
		c.Refuse(errNotFinite)
	}
	return x
}
