package keys

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// The commands on deadlines of keys.

// expireLines returns the lines of this file's commands.
func expireLines() []command.Line {
	return []command.Line{
		{Name: "expire", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdExpire, Reply: "integer", Since: "1.0.0", Was: []command.Was{command.Before("7.0.0", "arity=3")},
			Syntax:  "key seconds condition=[NX|XX|GT|LT]@7.0.0",
			Summary: "Sets the expiration time of a key in seconds.", Complexity: "O(1)",
			History: "7.0.0 The options `NX`, `XX`, `GT` and `LT`."},
		{Name: "pexpire", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdPExpire, Reply: "integer", Since: "2.6.0", Was: []command.Was{command.Before("7.0.0", "arity=3")},
			Syntax:  "key milliseconds condition=[NX|XX|GT|LT]@7.0.0",
			Summary: "Sets the expiration time of a key in milliseconds.", Complexity: "O(1)",
			History: "7.0.0 The options `NX`, `XX`, `GT` and `LT`."},
		{Name: "expireat", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdExpireAt, Reply: "integer", Since: "1.2.0", Was: []command.Was{command.Before("7.0.0", "arity=3")},
			Syntax:  "key unix-time-seconds condition=[NX|XX|GT|LT]@7.0.0",
			Summary: "Sets the expiration time of a key to a Unix timestamp.", Complexity: "O(1)",
			History: "7.0.0 The options `NX`, `XX`, `GT` and `LT`."},
		{Name: "pexpireat", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdPExpireAt, Reply: "integer", Since: "2.6.0", Was: []command.Was{command.Before("7.0.0", "arity=3")},
			Syntax:  "key unix-time-milliseconds condition=[NX|XX|GT|LT]@7.0.0",
			Summary: "Sets the expiration time of a key to a Unix milliseconds timestamp.", Complexity: "O(1)",
			History: "7.0.0 The options `NX`, `XX`, `GT` and `LT`."},
		{Name: "persist", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdPersist, Reply: "integer", Since: "2.2.0",
			Syntax: "key [member]@keydb:6.0.0", Summary: "Removes the expiration time of a key.", Complexity: "O(1)"},
		{Name: "ttl", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdTTL, Reply: "integer", Since: "1.0.0", Syntax: "key [member]@keydb:6.0.0",
			Summary: "Returns the expiration time in seconds of a key.", Tips: "nondeterministic_output",
			Complexity: "O(1)", History: "2.8.0 Replies with -2 for a key that does not exist."},
		{Name: "pttl", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdPTTL, Reply: "integer", Since: "2.6.0", Syntax: "key [member]@keydb:6.0.0",
			Summary: "Returns the expiration time in milliseconds of a key.", Tips: "nondeterministic_output",
			Complexity: "O(1)", History: "2.8.0 Replies with -2 for a key that does not exist."},
		{Name: "expiretime", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdExpireTime, Reply: "integer", Since: "7.0.0",
			Syntax: "key", Summary: "Returns the expiration time of a key as a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpiretime", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdPExpireTime, Reply: "integer", Since: "7.0.0", Syntax: "key",
			Summary: "Returns the expiration time of a key as a Unix milliseconds timestamp.", Complexity: "O(1)"},
	}
}

// EXPIRE key seconds [NX | XX | GT | LT]
func cmdExpire(c *engine.Call) { expire(c, elements.InSeconds) }

// PEXPIRE key milliseconds [NX | XX | GT | LT]
func cmdPExpire(c *engine.Call) { expire(c, elements.InMillis) }

// EXPIREAT key unix-time-seconds [NX | XX | GT | LT]
func cmdExpireAt(c *engine.Call) { expire(c, elements.AtSeconds) }

// PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT]
func cmdPExpireAt(c *engine.Call) { expire(c, elements.AtMillis) }

// expire is EXPIRE and its variants.
func expire(c *engine.Call, u elements.Unit) {
	key, amount := c.Arg(), c.Arg()
	on := elements.ParseExpireConditions(c)
	deadline := elements.ParseDeadline(c, amount, u, math.MinInt64)
	if !c.OK() {
		return
	}
	old, ok := c.DB.Deadline(key)
	if !ok || !on.Allow(old, deadline) {
		c.Reply.Int(0)
		return
	}
	name := elements.PExpireAt
	if u == elements.AtMillis {
		name = c.Args[0]
	}
	if elements.ExpireKey(c, key, deadline, name, c.Args[3:]...) && elements.ReplicatesTimes(c) {
		c.ReplicateAs(c.Args...)
	}
	c.Reply.Int(1)
}

// PERSIST key [member]
func cmdPersist(c *engine.Call) {
	if c.Left() > 1 {
		persistMember(c)
		return
	}
	if elements.PersistKey(c, c.Arg()) {
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// TTL key [member]
func cmdTTL(c *engine.Call) { replyTTL(c, elements.RoundSeconds) }

// PTTL key [member]
func cmdPTTL(c *engine.Call) { replyTTL(c, elements.Millis) }

func replyTTL(c *engine.Call, unit func(ms int64) int64) {
	if c.Left() > 1 {
		replyMemberTTL(c, unit)
		return
	}
	replyDeadline(c, c.Now(), unit)
}

// EXPIRETIME key
func cmdExpireTime(c *engine.Call) { replyDeadline(c, -c.World.Lag(), elements.RoundSeconds) }

// PEXPIRETIME key
func cmdPExpireTime(c *engine.Call) { replyDeadline(c, -c.World.Lag(), elements.Millis) }

// replyDeadline replies with a key's deadline, counted from a time and in a unit; -2 for an absent
// key, -1 for no deadline.
func replyDeadline(c *engine.Call, from int64, unit func(ms int64) int64) {
	key := c.Arg()
	deadline, ok := c.DB.Deadline(key)
	c.CountLookup(key, ok)
	switch {
	case !ok:
		c.Reply.Int(elements.Absent)
	case deadline == 0:
		c.Reply.Int(elements.NoDeadline)
	default:
		c.Reply.Int(unit(max(deadline-from, 0))) // who sees due keys sees 0
	}
}
