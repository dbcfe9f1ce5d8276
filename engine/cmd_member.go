package engine

import (
	"math"

	"github.com/miniserver-go/miniserver/keyspace"
)

// The names that other servers have for deadlines of elements: KeyDB's, which are for one member of
// any collection, and Dragonfly's. Unlike there a member that is due is never seen, removing one ends
// its deadline, and lists have them too.

// memberLines returns the lines of the generic family that this file has.
func memberLines() []Command {
	return []Command{
		{Name: "expiremember", Arity: -4, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdExpireMember, Since: "6.0.0",
			Syntax: "key member delay:integer [unit]", Summary: "Sets the expiration time of a member of a collection.",
			Complexity: "O(1)"},
		{Name: "expirememberat", Arity: 4, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdExpireMemberAt, Since: "6.0.0",
			Syntax:  "key member unix-time-seconds",
			Summary: "Sets the expiration time of a member of a collection to a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpirememberat", Arity: 4, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdPExpireMemberAt, Since: "6.0.0",
			Syntax:     "key member unix-time-milliseconds",
			Summary:    "Sets the expiration time of a member of a collection to a Unix milliseconds timestamp.",
			Complexity: "O(1)"},
		{Name: "fieldexpire", Arity: -4, Flags: Write | Fast, Keys: Key(1, "RW update"), Run: cmdFieldExpire, Since: "1.0.0",
			Syntax: "key seconds element...", Summary: "Sets the expiration time of elements of a collection in seconds.",
			Complexity: "O(N), N being the number of elements named"},
		{Name: "fieldttl", Arity: 3, Flags: ReadOnly | Fast, Keys: Key(1, "RO access"), Run: cmdFieldTTL, Since: "1.0.0",
			Syntax: "key element", Summary: "Returns the expiration time in seconds of an element of a collection.",
			Complexity: "O(1)"},
		{Name: "lapse", Arity: 3, Flags: Write, Keys: Key(1, "RW update"), Run: cmdLapse, Since: "1.0.0",
			Syntax:     "key unix-time-milliseconds",
			Summary:    "Removes the elements of a collection that were due at a time, when a journal is replayed.",
			Complexity: "O(N), N being the number of elements that are due"},
	}
}

// anyCollection returns the value at key, nil if it is absent, with its kind. A value that has no
// elements with deadlines latches an error.
func (c *Call) anyCollection(key []byte, edits bool, unsupported error) (v keyspace.Collection, k kind) {
	k, ok := kindOf(c.DB.Type(key))
	if !ok {
		if c.DB.Exists(key) {
			c.Refuse(unsupported)
		}
		return nil, k
	}
	return c.collection(key, k, edits), k
}

// EXPIREMEMBER key member delay [s | ms]
func cmdExpireMember(c *Call) {
	key, member, amount := c.Arg(), c.Arg(), c.Arg()
	u := inSeconds
	switch {
	case c.Left() > 1:
		c.Refuse(ErrMemberArgs)
	case c.Word("MS"):
		u = inMillis
	case c.More() && !c.Word("S"):
		c.Refuse(ErrMemberUnit)
	}
	c.expireMember(key, member, amount, u)
}

// EXPIREMEMBERAT key member unix-time-seconds
func cmdExpireMemberAt(c *Call) { c.expireMember(c.Arg(), c.Arg(), c.Arg(), atSeconds) }

// PEXPIREMEMBERAT key member unix-time-milliseconds
func cmdPExpireMemberAt(c *Call) { c.expireMember(c.Arg(), c.Arg(), c.Arg(), atMillis) }

func (c *Call) expireMember(key, member, amount []byte, u unit) {
	deadline := min(c.deadlineFrom(amount, u, math.MinInt64), keyspace.MaxElementDeadline)
	v, k := c.anyCollection(key, true, ErrMemberType)
	if !c.OK() {
		return
	}
	x := elementChanges{call: c, k: k, key: key}
	if v != nil && x.expire(v, member, deadline, expireConditions{}) != elementAbsent {
		x.report(deadline)
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// persistMember is PERSIST key member.
func (c *Call) persistMember() {
	key, member := c.Arg(), c.Arg()
	if c.More() {
		c.Refuse(ErrMemberTTL)
	}
	v, k := c.anyCollection(key, true, ErrMemberType)
	if !c.OK() {
		return
	}
	if v == nil || elementTime(v, member, 0, millis) < 0 {
		c.Reply.Int(0)
		return
	}
	v.SetDeadline(member, 0, c.Dice())
	c.Changed(key, k.event("persist"))
	c.Reply.Int(1)
}

// tellMemberTTL is TTL key member.
func (c *Call) tellMemberTTL(count func(ms int64) int64) {
	key, member := c.Arg(), c.Arg()
	if c.More() {
		c.Refuse(ErrMemberTTL)
	}
	if !c.OK() {
		return
	}
	v, _ := c.anyCollection(key, false, nil)
	switch {
	case v != nil:
		c.Reply.Int(max(elementTime(v, member, c.Now(), count), elementNoTTL))
	case c.DB.Exists(key):
		c.Reply.Int(elementNoTTL)
	default:
		c.Reply.Int(elementAbsent)
	}
}

// FIELDEXPIRE key seconds element [element ...]
func cmdFieldExpire(c *Call) {
	key := c.Arg()
	deadline := c.elementDeadline(inSeconds)
	names := c.Rest()
	v, k := c.anyCollection(key, true, ErrWrongType)
	if !c.OK() {
		return
	}
	c.expireEach(key, v, k, deadline, expireConditions{}, names)
}

// FIELDTTL key element
func cmdFieldTTL(c *Call) {
	const noElement = -3
	key, element := c.Arg(), c.Arg()
	v, _ := c.anyCollection(key, false, ErrWrongType)
	if !c.OK() {
		return
	}
	left := elementTime(v, element, c.Now(), secondsUp)
	if v != nil && left == elementAbsent {
		left = noElement
	}
	c.Reply.Int(left)
}
