// Package sets is the family of set commands.
//
//	sets.go     the lines of all commands; SADD, SREM, SMOVE, SISMEMBER, SMEMBERS, SSCAN
//	random.go   SPOP and SRANDMEMBER
//	combine.go  SINTER, SUNION, SDIFF and their STORE forms
//	expiry.go   SADDEX
//
// SPOP is propagated as the removal of the members that it chose.
//
// Members may have deadlines, which Redis does not know: SEXPIRE and the rest are
// [elements.ExpiryLines]. SADDEX is Dragonfly's.
package sets

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Family is the family of set commands.
var Family = command.Family{Group: "set", Commands: slices.Concat([]command.Line{
	{Name: "sadd", Arity: -3, Flags: command.Write | command.DenyOOM | command.Fast, Keys: command.Key(1, "RW insert"),
		Run: cmdSAdd, Reply: "integer", Since: "1.0.0",
		Syntax: "key member...", Summary: "Adds one or more members to a set.",
		Complexity: "O(N), N being the number of elements added", History: "2.4.0 Takes several members."},
	{Name: "saddex", Arity: -4, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW update"), Run: cmdSAddEx, Reply: "integer", Since: "miniserver:0.1.0",
		Syntax:     "key [KEEPTTL] seconds member...",
		Summary:    "Adds members to a set and sets their expiration time in seconds.",
		Complexity: "O(N), N being the number of elements added"},
	{Name: "srem", Arity: -3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete"), Run: cmdSRem,
		Reply: "integer", Since: "1.0.0", Syntax: "key member...", Summary: "Removes one or more members from a set.",
		Complexity: "O(N), N being the number of members removed", History: "2.4.0 Takes several members."},
	{Name: "smove", Arity: 4, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete").
		And(command.Key(2, "RW insert")), Run: cmdSMove, Reply: "integer", Since: "1.0.0",
		Syntax: "source destination member", Summary: "Moves a member from one set to another.", Complexity: "O(1)"},
	{Name: "sismember", Arity: 3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdSIsMember, Reply: "integer", Since: "1.0.0",
		Syntax: "key member", Summary: "Determines whether a member belongs to a set.", Complexity: "O(1)"},
	{Name: "smismember", Arity: -3, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdSMIsMember, Reply: "integers", Since: "6.2.0",
		Syntax: "key member...", Summary: "Determines whether multiple members belong to a set.",
		Complexity: "O(N), N being the number of members asked for"},
	{Name: "scard", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdSCard, Reply: "integer", Since: "1.0.0",
		Syntax: "key", Summary: "Returns the number of members in a set.", Complexity: "O(1)"},
	{Name: "smembers", Arity: 2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdSMembers, Reply: "list", Since: "1.0.0", Syntax: "key", Summary: "Returns all members of a set.",
		Tips: "nondeterministic_output_order", Complexity: "O(N), N being the number of members"},
	{Name: "sscan", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdSScan, Reply: "array", Since: "2.8.0", Syntax: "key cursor [MATCH pattern] [COUNT count]",
		Summary: "Iterates over members of a set.", Tips: "nondeterministic_output",
		Complexity: "O(1) for each call, O(N) for a complete iteration, N being the number of elements"},
	{Name: "spop", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
		Run: cmdSPop, Reply: "1: text?; list", Since: "1.0.0", Syntax: "key [count]@3.2.0",
		Summary: "Returns one or more random members from a set after removing them.", Tips: "nondeterministic_output",
		Complexity: "O(N), N being the number of members returned", History: "3.2.0 Takes a count."},
	{Name: "srandmember", Arity: -2, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdSRandMember, Reply: "1: text?; list", Since: "1.0.0", Syntax: "key [count]@2.6.0",
		Summary: "Returns one or more random members from a set.", Tips: "nondeterministic_output",
		Complexity: "O(N), N being the number of members returned", History: "2.6.0 Takes a count."},
	{Name: "sinter", Arity: -2, Flags: command.ReadOnly, Keys: command.KeyRange(1, -1, 1, "RO access"),
		Run: cmdSInter, Reply: "list", Since: "1.0.0",
		Syntax: "key...", Summary: "Returns the intersect of multiple sets.", Tips: "nondeterministic_output_order",
		Complexity: "O(N * M), N being the size of the smallest set, and M the number of sets"},
	{Name: "sintercard", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
		Run: cmdSInterCard, Reply: "integer", Since: "7.0.0", Syntax: "numkeys key... [LIMIT limit]",
		Summary:    "Returns the number of members of the intersect of multiple sets.",
		Complexity: "O(N * M), N being the size of the smallest set, and M the number of sets"},
	{Name: "sunioncard", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
		Run: cmdSUnionCard, Reply: "integer", Since: "8.10.0", Syntax: "numkeys key... [APPROX] [LIMIT limit]",
		Summary:    "Returns the number of members of the union of multiple sets.",
		Complexity: "O(N), N being the number of members of all sets"},
	{Name: "sdiffcard", Arity: -3, Flags: command.ReadOnly, Keys: command.NumKeys(1, "RO access"),
		Run: cmdSDiffCard, Reply: "integer", Since: "8.10.0", Syntax: "numkeys key... [LIMIT limit]",
		Summary:    "Returns the number of members of the difference of multiple sets.",
		Complexity: "O(N), N being the number of members of all sets"},
	{Name: "sinterstore", Arity: -3, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "OW update").And(command.KeyRange(2, -1, 1, "RO access")),
		Run:  cmdSInterStore, Reply: "integer", Since: "1.0.0",
		Was: []command.Was{{Before: "7.4.0 valkey:8.0.0", Edit: func(cmd *command.Line) {
			cmd.Keys = command.Key(1, "RW update").And(command.KeyRange(2, -1, 1, "RO access"))
		}}},
		Syntax: "destination key...", Summary: "Stores the intersect of multiple sets in a key.",
		Complexity: "O(N * M), N being the size of the smallest set, and M the number of sets"},
	{Name: "sunion", Arity: -2, Flags: command.ReadOnly, Keys: command.KeyRange(1, -1, 1, "RO access"),
		Run: cmdSUnion, Reply: "list", Since: "1.0.0", Syntax: "key...", Summary: "Returns the union of multiple sets.",
		Tips: "nondeterministic_output_order", Complexity: "O(N), N being the number of members of all sets"},
	{Name: "sunionstore", Arity: -3, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "OW update").And(command.KeyRange(2, -1, 1, "RO access")),
		Run:  cmdSUnionStore, Reply: "integer", Since: "1.0.0",
		Syntax: "destination key...", Summary: "Stores the union of multiple sets in a key.",
		Complexity: "O(N), N being the number of members of all sets"},
	{Name: "sdiff", Arity: -2, Flags: command.ReadOnly, Keys: command.KeyRange(1, -1, 1, "RO access"), Run: cmdSDiff,
		Reply: "list", Since: "1.0.0", Syntax: "key...", Summary: "Returns the difference of multiple sets.",
		Tips: "nondeterministic_output_order", Complexity: "O(N), N being the number of members of all sets"},
	{Name: "sdiffstore", Arity: -3, Flags: command.Write | command.DenyOOM,
		Keys: command.Key(1, "OW update").And(command.KeyRange(2, -1, 1, "RO access")),
		Run:  cmdSDiffStore, Reply: "integer", Since: "1.0.0",
		Syntax: "destination key...", Summary: "Stores the difference of multiple sets in a key.",
		Complexity: "O(N), N being the number of members of all sets"},
}, elements.ExpiryLines(Type.Elements, "miniserver:0.1.0"))}

// noSet stands for an absent key. It stays empty.
var noSet set.Set

// readSet returns the set at key for reading, noSet if the key is absent. ok is false if an error
// was sent.
func readSet(c *engine.Call, key []byte) (s *set.Set, ok bool) {
	s, found := engine.Read[*set.Set](c, key)
	if !found {
		s = &noSet
	}
	return s, c.OK()
}

// SADD key member [member ...]
func cmdSAdd(c *engine.Call) {
	key, members := c.Arg(), c.Rest()
	s, _ := engine.Upsert[*set.Set](c, key, keyspace.Set)
	if !c.OK() {
		return
	}
	lim, n := c.World.SetLimits(), len(members)
	if n > lim.MaxInts && !c.Has(countsTogether) {
		n = 1
	}
	converted := s.Expect(n, members[0], lim)
	added := int64(0)
	for _, member := range members {
		if s.Add(member, lim) {
			added++
		}
	}
	switch {
	case added > 0:
		c.Changed(key, event.Set("sadd"))
		c.AddChanges(int(added) - 1)
	case converted: // only the encoding changed, so there is no change to report
		c.DB.Commit(key)
	}
	c.Reply.Int(added)
}

// countsTogether is when Redis began to choose the encoding by the number of members that come
// together.
var countsTogether = release.From("7.2.0")

// SREM key member [member ...]
func cmdSRem(c *engine.Call) { elements.Remove(c, event.Set("srem"), (*set.Set).Remove) }

// SMOVE source destination member
func cmdSMove(c *engine.Call) {
	source, destination, member := c.Arg(), c.Arg(), c.Arg()
	from, found := engine.Edit[*set.Set](c, source)
	if !found && c.OK() {
		c.Reply.Int(0) // even if the destination is not a set
	}
	if !found {
		c.DB.Exists(destination) // which goes if it is due: Redis looks both up first
		return
	}
	to, _ := engine.Upsert[*set.Set](c, destination, keyspace.Set)
	switch {
	case !c.OK():
	case string(source) == string(destination):
		replyBool(c, from.Has(member))
	case !from.Remove(member):
		c.Reply.Int(0)
	default:
		c.Changed(source, event.Set("srem"))
		if to.Add(member, c.World.SetLimits()) {
			c.Changed(destination, event.Set("sadd"))
		}
		c.Reply.Int(1)
	}
}

// replyBool replies 1 or 0.
func replyBool(c *engine.Call, yes bool) {
	n := int64(0)
	if yes {
		n = 1
	}
	c.Reply.Int(n)
}

// SISMEMBER key member
func cmdSIsMember(c *engine.Call) {
	key, member := c.Arg(), c.Arg()
	if s, ok := readSet(c, key); ok {
		replyBool(c, s.Has(member))
	}
}

// SMISMEMBER key member [member ...]
func cmdSMIsMember(c *engine.Call) {
	key, members := c.Arg(), c.Rest()
	s, ok := readSet(c, key)
	if !ok {
		return
	}
	c.Reply.Array(len(members))
	for _, member := range members {
		replyBool(c, s.Has(member))
	}
}

// SCARD key
func cmdSCard(c *engine.Call) {
	if s, ok := readSet(c, c.Arg()); ok {
		c.Reply.Int(int64(s.Len()))
	}
}

// SMEMBERS key
func cmdSMembers(c *engine.Call) {
	if s, ok := readSet(c, c.Arg()); ok {
		replyMembers(c, s)
	}
}

// replyMembers replies with all members of s.
func replyMembers(c *engine.Call, s *set.Set) {
	c.Reply.Set(s.Len())
	s.Each(replyNext(c))
}

// replyNext returns a callback of iterations that replies with a member and continues.
func replyNext(c *engine.Call) func(member ziplist.Entry) bool {
	return func(member ziplist.Entry) bool {
		c.ReplyEntry(member)
		return !c.Reply.Full()
	}
}

// SSCAN key cursor [MATCH pattern] [COUNT count]
func cmdSScan(c *engine.Call) {
	key, cursor := c.Arg(), elements.ParseCursor(c)
	s, ok := readSet(c, key)
	if !ok {
		return
	}
	if s.Len() == 0 {
		elements.ReplyEmptyScan(c)
		return
	}
	o := elements.ParseScan(c)
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	next := s.Scan(cursor, o.Count, func(member ziplist.Entry) {
		if elements.Matches(&o, member.Text(c.Scratch())) {
			n++
			c.ReplyEntry(member)
		}
	})
	c.Reply.SetArray(at, n)
	elements.ReplyCursor(c, at, next)
}
