// Package keys is the families of commands on keys of any type, and on databases.
//
//	keys.go       DEL, EXISTS, TYPE, SCAN; the lines of the whole generic family
//	move.go       RENAME, COPY, MOVE
//	expire.go     EXPIRE, TTL, PERSIST
//	member.go     the same for one member of a collection, as in KeyDB and Dragonfly
//	object.go     OBJECT
//	sort.go       SORT
//	databases.go  SELECT, DBSIZE, FLUSHALL, SWAPDB
//
// UNLINK is DEL, and ASYNC is SYNC: the garbage collector frees a value's memory in the background
// in any case. DUMP, RESTORE and MIGRATE belong to package snapshot, which knows their format.
package keys

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// wordings are the errors that read otherwise in older releases.
var wordings = []command.Wording{
	{Before: "7.4.0 valkey:8.0.0", Error: errSortPattern, Was: "ERR %s option of SORT denied in Cluster mode."},
}

// Family is the family of commands on keys of any type.
var Family = command.Family{Group: "generic", Wordings: wordings, Commands: slices.Concat([]command.Line{
	{Name: "del", Arity: -2, Flags: command.Write, Keys: command.KeyRange(1, -1, 1, "RM delete"),
		Run: cmdDel, Reply: "integer", Since: "1.0.0", Syntax: "key...", Summary: "Deletes one or more keys.",
		Tips:       "request_policy:multi_shard response_policy:agg_sum",
		Complexity: "O(N), N being the number of keys, and of the elements of their collections"},
	{Name: "unlink", Arity: -2, Flags: command.Write | command.Fast, Keys: command.KeyRange(1, -1, 1, "RM delete"),
		Run: cmdUnlink, Reply: "integer", Since: "4.0.0",
		Syntax: "key...", Summary: "Asynchronously deletes one or more keys.",
		Tips: "request_policy:multi_shard response_policy:agg_sum", Complexity: "O(N), N being the number of keys"},
	{Name: "exists", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.KeyRange(1, -1, 1, "RO"),
		Run: cmdExists, Reply: "integer", Since: "1.0.0",
		Syntax: "key...", Summary: "Determines whether one or more keys exist.",
		Tips: "request_policy:multi_shard response_policy:agg_sum", Complexity: "O(N), N being the number of keys",
		History: "3.0.3 Takes several keys."},
	{Name: "touch", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.KeyRange(1, -1, 1, "RO"),
		Run: cmdTouch, Reply: "integer", Since: "3.2.1", Syntax: "key...",
		Summary: "Returns the number of existing keys out of those specified after updating the time they were " +
			"last accessed.",
		Tips: "request_policy:multi_shard response_policy:agg_sum", Complexity: "O(N), N being the number of keys"},
	{Name: "type", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdType, Reply: "status", Since: "1.0.0",
		Syntax: "key", Summary: "Determines the type of value stored at a key.", Complexity: "O(1)"},
	{Name: "keys", Arity: 2, Flags: command.ReadOnly, Run: cmdKeys, ACL: "dangerous", Reply: "list", Since: "1.0.0",
		Syntax: "pattern", Summary: "Returns all key names that match a pattern.",
		Tips:       "request_policy:all_shards nondeterministic_output_order",
		Complexity: "O(N), N being the number of keys in the database"},
	{Name: "scan", Arity: -2, Flags: command.ReadOnly | command.AnyKeys, Run: cmdScan, Reply: "array", Since: "2.8.0",
		Was: []command.Was{{Before: "7.2.0",
			Edit: command.Advises("nondeterministic_output request_policy:special")}},
		Syntax:     "cursor [MATCH pattern] [COUNT count] [TYPE type]@6.0.0",
		Summary:    "Iterates over the key names in the database.",
		Tips:       "nondeterministic_output request_policy:special response_policy:special",
		Complexity: "O(1) for each call, O(N) for a complete iteration, N being the number of keys of the database",
		History:    "6.0.0 The option `TYPE`."},
	{Name: "randomkey", Arity: 1, Flags: command.ReadOnly | command.AnyKeys,
		Run: cmdRandomKey, Reply: "text?", Since: "1.0.0", Was: []command.Was{{
			Before: "7.2.0", Edit: command.Advises("request_policy:all_shards nondeterministic_output"),
		}}, Summary: "Returns a random key name from the database.",
		Tips: "request_policy:all_shards response_policy:special nondeterministic_output", Complexity: "O(1)"},
}, moveLines(), expireLines(), objectLines(), sortLines(), memberLines())}

// DEL key [key ...]
func cmdDel(c *engine.Call) {
	c.World.Keyspace.RemoveLazily(c.Engine.Config.LazyFree.UserDel, func() { remove(c) })
}

// UNLINK key [key ...]
func cmdUnlink(c *engine.Call) { c.World.Keyspace.RemoveLazily(true, func() { remove(c) }) }

// remove removes the keys, and replies how many there were.
func remove(c *engine.Call) {
	n, remove := 0, c.DB.Delete
	if c.World.Keyspace.KeepExpired {
		remove = c.DB.Erase // as in Redis: a due key that nobody has removed counts
	}
	for _, key := range c.RestOfKeys() {
		if remove(key) {
			c.Changed(key, event.Del)
			n++
		}
	}
	c.Reply.Int(int64(n))
}

// EXISTS key [key ...]
func cmdExists(c *engine.Call) {
	n := 0
	for _, key := range c.RestOfKeys() {
		if c.Exists(key) {
			n++
		}
	}
	c.Reply.Int(int64(n))
}

// TOUCH key [key ...]
func cmdTouch(c *engine.Call) {
	c.World.Keyspace.Access.NoTouch = false // TOUCH marks an access even after CLIENT NO-TOUCH
	n := 0
	for _, key := range c.RestOfKeys() {
		ok := c.DB.Touch(key)
		c.CountLookup(key, ok)
		if ok {
			n++
		}
	}
	c.Reply.Int(int64(n))
}

// TYPE key
func cmdType(c *engine.Call) {
	key := c.Arg()
	t := c.DB.Type(key)
	c.CountLookup(key, t != keyspace.None)
	c.Reply.Status(t.String())
}

// KEYS pattern
func cmdKeys(c *engine.Call) {
	o := elements.Scan{Pattern: string(c.Arg())}
	at, n := c.Reply.Defer(), 0
	c.DB.Keys().Each(func(key string, _ keyspace.Type) bool {
		if elements.Matches(&o, key) {
			c.Reply.BulkString(key)
			n++
		}
		return true
	})
	c.Reply.SetArray(at, n)
}

// keyScan is the options of SCAN.
type keyScan struct {
	elements.Scan
	typed bool
	typ   keyspace.Type // None for an unknown name, which no key's type matches
}

// hasType reports whether keys of a type are wanted.
func (o *keyScan) hasType(t keyspace.Type) bool { return !o.typed || t == o.typ }

// typeFirst is since when SCAN leaves expired keys of other types alone. Otherwise it removes all
// that match the pattern.
var typeFirst = release.From("valkey:8.0.0")

// SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]
func cmdScan(c *engine.Call) {
	cursor := elements.ParseCursor(c)
	o := parseKeyScan(c)
	if !c.OK() {
		return
	}
	byType := c.Has(typeFirst)
	match := func(key string, t keyspace.Type) bool {
		return (!byType || o.hasType(t)) && elements.Matches(&o.Scan, key)
	}
	at, n := c.Reply.Defer(), 0
	next := c.DB.Keys().Scan(cursor, o.Count, match, func(key string, t keyspace.Type) {
		if byType || o.hasType(t) {
			c.Reply.BulkString(key)
			n++
		}
	})
	c.Reply.SetArray(at, n)
	elements.ReplyCursor(c, at, next)
}

// knowsTypes is since when SCAN refuses types that do not exist.
var knowsTypes = release.From("valkey:8.1.0")

func parseKeyScan(c *engine.Call) keyScan {
	o := keyScan{Scan: elements.NewScan()}
	for c.More() {
		if !o.parseOption(c) {
			c.Refuse(engine.ErrSyntax)
		}
	}
	return o
}

// parseOption moves past an option, and reports whether it did.
func (o *keyScan) parseOption(c *engine.Call) bool {
	switch {
	case o.ParseOption(c):
	case c.Left() > 1 && c.Word("TYPE"):
		o.typed = true
		name, known := c.Arg(), false
		if o.typ, known = c.World.Keyspace.TypeNamed(string(name)); !known && c.Has(knowsTypes) {
			c.Refusef(errTypeName, command.CText(name))
		}
	default:
		return false
	}
	return true
}

// RANDOMKEY
func cmdRandomKey(c *engine.Call) {
	key, ok := c.DB.Keys().Random()
	if !ok {
		c.Reply.Null()
		return
	}
	c.Reply.BulkString(key)
}
