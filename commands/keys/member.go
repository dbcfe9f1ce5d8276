package keys

import (
	"math"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// The names that other servers have for deadlines of elements: KeyDB's, which are for one member of
// any collection, and Dragonfly's. Unlike there a member that is due is never seen, removing one ends
// its deadline, and lists have them too.

// memberLines returns the lines of the generic family that this file has.
func memberLines() []engine.Command {
	return []engine.Command{
		{Name: "expiremember", Arity: -4, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdExpireMember, Since: "6.0.0",
			Syntax: "key member delay:integer [unit]", Summary: "Sets the expiration time of a member of a collection.",
			Complexity: "O(1)"},
		{Name: "expirememberat", Arity: 4, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdExpireMemberAt, Since: "6.0.0",
			Syntax:  "key member unix-time-seconds",
			Summary: "Sets the expiration time of a member of a collection to a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpirememberat", Arity: 4, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdPExpireMemberAt, Since: "6.0.0",
			Syntax:     "key member unix-time-milliseconds",
			Summary:    "Sets the expiration time of a member of a collection to a Unix milliseconds timestamp.",
			Complexity: "O(1)"},
		{Name: "fieldexpire", Arity: -4, Flags: engine.Write | engine.Fast, Keys: engine.Key(1, "RW update"), Run: cmdFieldExpire, Since: "1.0.0",
			Syntax: "key seconds element...", Summary: "Sets the expiration time of elements of a collection in seconds.",
			Complexity: "O(N), N being the number of elements named"},
		{Name: "fieldttl", Arity: 3, Flags: engine.ReadOnly | engine.Fast, Keys: engine.Key(1, "RO access"), Run: cmdFieldTTL, Since: "1.0.0",
			Syntax: "key element", Summary: "Returns the expiration time in seconds of an element of a collection.",
			Complexity: "O(1)"},
		{Name: "lapse", Arity: 3, Flags: engine.Write, Keys: engine.Key(1, "RW update"), Run: elements.ExpireAsOf, Since: "1.0.0",
			Syntax:     "key unix-time-milliseconds",
			Summary:    "Removes the elements of a collection that were due at a time, when a journal is replayed.",
			Complexity: "O(N), N being the number of elements that are due"},
	}
}

// anyCollection returns the value at key, nil if it is absent, with its kind. A value that has no
// elements with deadlines latches an error.
func anyCollection(c *engine.Call, key []byte, edits bool, unsupported error) (v keyspace.Collection, k engine.ElementKind) {
	k, ok := engine.ElementKindOf(c.DB.Type(key))
	if !ok {
		if c.DB.Exists(key) {
			c.Refuse(unsupported)
		}
		return nil, k
	}
	return elements.Collection(c, key, k, edits), k
}

// EXPIREMEMBER key member delay [s | ms]
func cmdExpireMember(c *engine.Call) {
	key, member, amount := c.Arg(), c.Arg(), c.Arg()
	u := elements.InSeconds
	switch {
	case c.Left() > 1:
		c.Refuse(errMemberArgs)
	case c.Word("MS"):
		u = elements.InMillis
	case c.More() && !c.Word("S"):
		c.Refuse(errMemberUnit)
	}
	expireMember(c, key, member, amount, u)
}

// EXPIREMEMBERAT key member unix-time-seconds
func cmdExpireMemberAt(c *engine.Call) {
	expireMember(c, c.Arg(), c.Arg(), c.Arg(), elements.AtSeconds)
}

// PEXPIREMEMBERAT key member unix-time-milliseconds
func cmdPExpireMemberAt(c *engine.Call) {
	expireMember(c, c.Arg(), c.Arg(), c.Arg(), elements.AtMillis)
}

func expireMember(c *engine.Call, key, member, amount []byte, u elements.Unit) {
	deadline := min(elements.DeadlineFrom(c, amount, u, math.MinInt64), keyspace.MaxElementDeadline)
	v, k := anyCollection(c, key, true, errMemberType)
	if !c.OK() {
		return
	}
	x := elements.Changes{Call: c, K: k, Key: key}
	if v != nil && x.Expire(v, member, deadline, elements.ExpireConditions{}) != elements.Absent {
		x.Report(deadline)
		c.Reply.Int(1)
		return
	}
	c.Reply.Int(0)
}

// persistMember is PERSIST key member.
func persistMember(c *engine.Call) {
	key, member := c.Arg(), c.Arg()
	if c.More() {
		c.Refuse(errMemberTTL)
	}
	v, k := anyCollection(c, key, true, errMemberType)
	if !c.OK() {
		return
	}
	if v == nil || elements.TTL(v, member, 0, elements.Millis) < 0 {
		c.Reply.Int(0)
		return
	}
	v.SetDeadline(member, 0, c.Dice())
	c.Changed(key, k.Event("persist"))
	c.Reply.Int(1)
}

// replyMemberTTL is TTL key member.
func replyMemberTTL(c *engine.Call, count func(ms int64) int64) {
	key, member := c.Arg(), c.Arg()
	if c.More() {
		c.Refuse(errMemberTTL)
	}
	if !c.OK() {
		return
	}
	v, _ := anyCollection(c, key, false, nil)
	switch {
	case v != nil:
		c.Reply.Int(max(elements.TTL(v, member, c.Now(), count), elements.NoTTL))
	case c.DB.Exists(key):
		c.Reply.Int(elements.NoTTL)
	default:
		c.Reply.Int(elements.Absent)
	}
}

// FIELDEXPIRE key seconds element [element ...]
func cmdFieldExpire(c *engine.Call) {
	key := c.Arg()
	deadline := elements.ElementDeadline(c, elements.InSeconds)
	names := c.Rest()
	v, k := anyCollection(c, key, true, engine.ErrWrongType)
	if !c.OK() {
		return
	}
	elements.ExpireEach(c, key, v, k, deadline, elements.ExpireConditions{}, names)
}

// FIELDTTL key element
func cmdFieldTTL(c *engine.Call) {
	const noElement = -3
	key, element := c.Arg(), c.Arg()
	v, _ := anyCollection(c, key, false, engine.ErrWrongType)
	if !c.OK() {
		return
	}
	left := elements.TTL(v, element, c.Now(), elements.SecondsUp)
	if v != nil && left == elements.Absent {
		left = noElement
	}
	c.Reply.Int(left)
}
