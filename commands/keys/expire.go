package keys

import (
	"math"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/engine"
)

// The commands about keys' deadlines. See deadlines.go for the forms in which time is given.

// expireLines returns the lines of the generic family that this file has.
func expireLines() []engine.Command {
	return []engine.Command{
		{Name: "expire", Arity: -3, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdExpire, Since: "1.0.0",
			Syntax: "key seconds [NX|XX|GT|LT]", Summary: "Sets the expiration time of a key in seconds.",
			Complexity: "O(1)"},
		{Name: "pexpire", Arity: -3, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdPExpire, Since: "2.6.0",
			Syntax: "key milliseconds [NX|XX|GT|LT]", Summary: "Sets the expiration time of a key in milliseconds.",
			Complexity: "O(1)"},
		{Name: "expireat", Arity: -3, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdExpireAt, Since: "1.2.0",
			Syntax:  "key unix-time-seconds [NX|XX|GT|LT]",
			Summary: "Sets the expiration time of a key to a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpireat", Arity: -3, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdPExpireAt, Since: "2.6.0",
			Syntax:  "key unix-time-milliseconds [NX|XX|GT|LT]",
			Summary: "Sets the expiration time of a key to a Unix milliseconds timestamp.", Complexity: "O(1)"},
		{Name: "persist", Arity: -2, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdPersist, Since: "2.2.0",
			Syntax: "key [member]", Summary: "Removes the expiration time of a key.", Complexity: "O(1)"},
		{Name: "ttl", Arity: -2, Flags: engine.ReadOnly | engine.Fast, Keys: engine.Key(1, "RO access"), Run: cmdTTL, Since: "1.0.0",
			Syntax: "key [member]", Summary: "Returns the expiration time in seconds of a key.", Tips: "nondeterministic_output",
			Complexity: "O(1)"},
		{Name: "pttl", Arity: -2, Flags: engine.ReadOnly | engine.Fast, Keys: engine.Key(1, "RO access"), Run: cmdPTTL, Since: "2.6.0",
			Syntax: "key [member]", Summary: "Returns the expiration time in milliseconds of a key.",
			Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "expiretime", Arity: 2, Flags: engine.ReadOnly | engine.Fast, Keys: engine.Key(1, "RO access"), Run: cmdExpireTime, Since: "7.0.0",
			Syntax: "key", Summary: "Returns the expiration time of a key as a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpiretime", Arity: 2, Flags: engine.ReadOnly | engine.Fast, Keys: engine.Key(1, "RO access"), Run: cmdPExpireTime, Since: "7.0.0",
			Syntax: "key", Summary: "Returns the expiration time of a key as a Unix milliseconds timestamp.",
			Complexity: "O(1)"},
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

func expire(c *engine.Call, u elements.Unit) {
	key, amount := c.Arg(), c.Arg()
	on := elements.ParseExpireConditions(c)
	deadline := elements.DeadlineFrom(c, amount, u, math.MinInt64)
	if !c.OK() {
		return
	}
	old, ok := c.DB.Deadline(key)
	if !ok || !on.Allow(old, deadline) {
		c.Reply.Int(0)
		return
	}
	elements.ExpireAt(c, key, deadline)
	c.Reply.Int(1)
}

// PERSIST key [member]
func cmdPersist(c *engine.Call) {
	if c.Left() > 1 {
		persistMember(c)
		return
	}
	if elements.Persist(c, c.Arg()) {
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// TTL key [member]
func cmdTTL(c *engine.Call) { replyTTL(c, elements.Seconds) }

// PTTL key [member]
func cmdPTTL(c *engine.Call) { replyTTL(c, elements.Millis) }

func replyTTL(c *engine.Call, count func(ms int64) int64) {
	if c.Left() > 1 {
		replyMemberTTL(c, count)
		return
	}
	replyDeadline(c, c.Now(), count)
}

// EXPIRETIME key
func cmdExpireTime(c *engine.Call) { replyDeadline(c, 0, elements.Seconds) }

// PEXPIRETIME key
func cmdPExpireTime(c *engine.Call) { replyDeadline(c, 0, elements.Millis) }

// replyDeadline replies with a key's deadline counted from a time: -2 for an absent key, -1 for none.
func replyDeadline(c *engine.Call, from int64, count func(ms int64) int64) {
	key := c.Arg()
	deadline, ok := c.DB.Deadline(key)
	c.CountLookup(key, ok)
	switch {
	case !ok:
		c.Reply.Int(-2)
	case deadline == 0:
		c.Reply.Int(-1)
	default:
		c.Reply.Int(count(deadline - from))
	}
}
