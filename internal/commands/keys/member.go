package keys

import (
	"math"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Other servers' commands on deadlines of elements: KeyDB's EXPIREMEMBER and Dragonfly's
// FIELDEXPIRE, which work on collections of any type. In contrast to KeyDB, an expired member is
// never visible, the deadline of a removed member is removed with it, and lists are supported.

// memberLines returns the lines of this file's commands.
func memberLines() []command.Line {
	return []command.Line{
		{Name: "expiremember", Arity: -4, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdExpireMember, Reply: "integer", Since: "keydb:6.0.0", Syntax: "key member delay:integer [unit]",
			Summary: "Sets the expiration time of a member of a collection.", Complexity: "O(1)"},
		{Name: "expirememberat", Arity: 4, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdExpireMemberAt, Reply: "integer", Since: "keydb:6.0.0", Syntax: "key member unix-time-seconds",
			Summary: "Sets the expiration time of a member of a collection to a Unix timestamp.", Complexity: "O(1)"},
		{Name: "pexpirememberat", Arity: 4, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdPExpireMemberAt, Reply: "integer", Since: "keydb:6.0.0",
			Syntax:     "key member unix-time-milliseconds",
			Summary:    "Sets the expiration time of a member of a collection to a Unix milliseconds timestamp.",
			Complexity: "O(1)"},
		{Name: "fieldexpire", Arity: -4, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW update"),
			Run: cmdFieldExpire, Reply: "integers", Since: "miniserver:0.1.0", Syntax: "key seconds element...",
			Summary:    "Sets the expiration time of elements of a collection in seconds.",
			Complexity: "O(N), N being the number of elements named"},
		{Name: "fieldttl", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
			Run: cmdFieldTTL, Reply: "integer", Since: "miniserver:0.1.0", Syntax: "key element",
			Summary: "Returns the expiration time in seconds of an element of a collection.", Complexity: "O(1)"},
		{Name: "lapse", Arity: 3, Flags: command.Write, Keys: command.Key(1, "RW update"),
			Run: cmdLapse, Reply: "integer", Since: "miniserver:0.1.0", Syntax: "key unix-time-milliseconds",
			Summary:    "Removes the elements of a collection that were due at a time, when a journal is replayed.",
			Complexity: "O(N), N being the number of elements that are due"},
	}
}

// anyCollection returns the collection at key with its kind; nil if the key is absent. A value of
// another type latches the error unsupported.
func anyCollection(c *engine.Call, key []byte, edits bool,
	unsupported error) (v keyspace.Collection, k *engine.Elements) {
	if k = c.Engine.Parts.Types.Of(c.DB.Type(key)).Elements; k == nil {
		if c.DB.Exists(key) {
			c.Refuse(unsupported)
		}
		return nil, nil
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

// expireMember is EXPIREMEMBER and its variants.
func expireMember(c *engine.Call, key, member, amount []byte, u elements.Unit) {
	deadline := min(elements.ParseDeadline(c, amount, u, math.MinInt64), keyspace.MaxElementDeadline)
	v, k := anyCollection(c, key, true, errMemberType)
	if !c.OK() {
		return
	}
	x := elements.Expiration{Call: c, Kind: k, Key: key, Deadline: deadline}
	if v != nil && x.Expire(v, member) != elements.Absent {
		x.Report()
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
	c.Changed(key, k.Persist, member)
	c.Reply.Int(1)
}

// replyMemberTTL is TTL key member.
func replyMemberTTL(c *engine.Call, unit func(ms int64) int64) {
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
		c.Reply.Int(max(elements.TTL(v, member, c.Now(), unit), elements.NoDeadline))
	case c.DB.Exists(key):
		c.Reply.Int(elements.NoDeadline)
	default:
		c.Reply.Int(elements.Absent)
	}
}

// FIELDEXPIRE key seconds element [element ...]
func cmdFieldExpire(c *engine.Call) {
	key := c.Arg()
	deadline := elements.Deadline(c, elements.InSeconds)
	names := c.Rest()
	v, k := anyCollection(c, key, true, engine.ErrWrongType)
	if !c.OK() {
		return
	}
	x := elements.Expiration{Call: c, Kind: k, Key: key, Deadline: deadline}
	x.Reply(v, names)
}

// FIELDTTL key element
func cmdFieldTTL(c *engine.Call) {
	const noElement = -3
	key, element := c.Arg(), c.Arg()
	v, _ := anyCollection(c, key, false, engine.ErrWrongType)
	if !c.OK() {
		return
	}
	left := elements.TTL(v, element, c.Now(), elements.CeilSeconds)
	if v != nil && left == elements.Absent {
		left = noElement
	}
	c.Reply.Int(left)
}

// LAPSE key unix-time-milliseconds
//
// LAPSE removes the elements that were due at a time, and replies with their number. Only a
// replayed journal needs it: expired elements of a list cannot be named there, since several may
// have the same text. Outside of a replay it removes nothing, since due elements are gone before a
// command sees them.
func cmdLapse(c *engine.Call) {
	key := c.Arg()
	until, ok := resp.ParseInt(c.Arg())
	if !ok {
		c.Refuse(engine.ErrNotInt)
	}
	v, found := c.DB.Edit(key)
	collection, ok := v.(keyspace.Collection)
	if found && !ok {
		c.Refuse(engine.ErrWrongType)
	}
	if !c.OK() {
		return
	}
	removed := 0
	if found && c.World.Keyspace.Replaying {
		removed = collection.Expire(until, math.MaxInt, nil)
	}
	if removed > 0 {
		c.Changed(key, event.Event{})
	}
	c.Reply.Int(int64(removed))
}
