package engine

import "math"

// The commands about keys' deadlines. See deadlines.go for the forms in which time is given.

// expireLines returns the lines of the generic family that this file has.
func expireLines() []Command {
	return []Command{
		{Name: "expire", Arity: -3, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdExpire, Since: "1.0.0",
			Syntax: "key seconds [NX|XX|GT|LT]", Summary: "Sets the expiration time of a key in seconds.",
			Complexity: "O(1)"},
		{Name: "pexpire", Arity: -3, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdPExpire, Since: "2.6.0",
			Syntax: "key milliseconds [NX|XX|GT|LT]", Summary: "Sets the expiration time of a key in milliseconds.",
			Complexity: "O(1)"},
		{Name: "expireat", Arity: -3, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdExpireAt, Since: "1.2.0",
			Syntax:  "key unix-time-seconds [NX|XX|GT|LT]",
			Summary: "Sets the expiration time of a key to a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpireat", Arity: -3, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdPExpireAt, Since: "2.6.0",
			Syntax:  "key unix-time-milliseconds [NX|XX|GT|LT]",
			Summary: "Sets the expiration time of a key to a Unix milliseconds timestamp.", Complexity: "O(1)"},
		{Name: "persist", Arity: -2, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdPersist, Since: "2.2.0",
			Syntax: "key [member]", Summary: "Removes the expiration time of a key.", Complexity: "O(1)"},
		{Name: "ttl", Arity: -2, Flags: ReadOnly | Fast, Keys: Key(1, "RO access"), Run: cmdTTL, Since: "1.0.0",
			Syntax: "key [member]", Summary: "Returns the expiration time in seconds of a key.", Tips: "nondeterministic_output",
			Complexity: "O(1)"},
		{Name: "pttl", Arity: -2, Flags: ReadOnly | Fast, Keys: Key(1, "RO access"), Run: cmdPTTL, Since: "2.6.0",
			Syntax: "key [member]", Summary: "Returns the expiration time in milliseconds of a key.",
			Tips: "nondeterministic_output", Complexity: "O(1)"},
		{Name: "expiretime", Arity: 2, Flags: ReadOnly | Fast, Keys: Key(1, "RO access"), Run: cmdExpireTime, Since: "7.0.0",
			Syntax: "key", Summary: "Returns the expiration time of a key as a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpiretime", Arity: 2, Flags: ReadOnly | Fast, Keys: Key(1, "RO access"), Run: cmdPExpireTime, Since: "7.0.0",
			Syntax: "key", Summary: "Returns the expiration time of a key as a Unix milliseconds timestamp.",
			Complexity: "O(1)"},
	}
}

// EXPIRE key seconds [NX | XX | GT | LT]
func cmdExpire(c *Call) { c.expire(inSeconds) }

// PEXPIRE key milliseconds [NX | XX | GT | LT]
func cmdPExpire(c *Call) { c.expire(inMillis) }

// EXPIREAT key unix-time-seconds [NX | XX | GT | LT]
func cmdExpireAt(c *Call) { c.expire(atSeconds) }

// PEXPIREAT key unix-time-milliseconds [NX | XX | GT | LT]
func cmdPExpireAt(c *Call) { c.expire(atMillis) }

func (c *Call) expire(u unit) {
	key, amount := c.Arg(), c.Arg()
	on := c.parseExpireConditions()
	deadline := c.deadlineFrom(amount, u, math.MinInt64)
	if !c.OK() {
		return
	}
	old, ok := c.DB.Deadline(key)
	if !ok || !on.allow(old, deadline) {
		c.Reply.Int(0)
		return
	}
	c.expireAt(key, deadline)
	c.Reply.Int(1)
}

// PERSIST key [member]
func cmdPersist(c *Call) {
	if c.Left() > 1 {
		c.persistMember()
		return
	}
	if c.persist(c.Arg()) {
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// TTL key [member]
func cmdTTL(c *Call) { c.tellTTL(seconds) }

// PTTL key [member]
func cmdPTTL(c *Call) { c.tellTTL(millis) }

func (c *Call) tellTTL(count func(ms int64) int64) {
	if c.Left() > 1 {
		c.tellMemberTTL(count)
		return
	}
	c.tellDeadline(c.Now(), count)
}

// EXPIRETIME key
func cmdExpireTime(c *Call) { c.tellDeadline(0, seconds) }

// PEXPIRETIME key
func cmdPExpireTime(c *Call) { c.tellDeadline(0, millis) }

// tellDeadline replies with a key's deadline counted from a time: -2 for an absent key, -1 for none.
func (c *Call) tellDeadline(from int64, count func(ms int64) int64) {
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
