// Package strings is the family of string commands.
//
//	strings.go  the lines of all commands; those that read: GET, GETEX, MGET, GETRANGE
//	set.go      those that replace a value: SET and its relatives
//	edit.go     those that change a value: APPEND, SETRANGE, INCR
//	compare.go  conditions on the old value: SET IFEQ, DELEX, DELIFEQ, DIGEST
//	lcs.go      LCS
//	debug.go    DEBUG POPULATE
//
// Replies are those of Redis 7.0. MSETEX, DELEX, DIGEST and the comparisons of SET are from Redis
// 8.4, DELIFEQ is from Valkey 9.0: compare-and-set saves locks and counters a script. As in Redis,
// a command whose effect depends on the clock, on a condition or on rounding is propagated as the
// SET or DEL with the same effect.
package strings

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Family is the family of string commands.
var Family = command.Family{Group: "string", Commands: slices.Concat([]command.Line{
	{Name: "get", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdGet, Reply: "text?", Since: "1.0.0",
		Syntax: "key", Summary: "Returns the string value of a key.", Complexity: "O(1)"},
	{Name: "getdel", Arity: 2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access delete"),
		Run: cmdGetDel, Reply: "text?", Since: "6.2.0",
		Syntax: "key", Summary: "Returns the string value of a key after deleting the key.", Complexity: "O(1)"},
	{Name: "getex", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW access update"),
		Run: cmdGetEx, Reply: "text?", Since: "6.2.0",
		Syntax: "key expiration=[EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT " +
			"unix-time-milliseconds|PERSIST]",
		Summary: "Returns the string value of a key after setting its expiration time.", Complexity: "O(1)"},
	{Name: "mget", Arity: -2, Flags: command.ReadOnly | command.Fast, Keys: command.KeyRange(1, -1, 1, "RO access"),
		Run: cmdMGet, Reply: "texts?", Since: "1.0.0",
		Syntax: "key...", Summary: "Atomically returns the string values of one or more keys.",
		Tips: "request_policy:multi_shard", Complexity: "O(N), N being the number of keys"},
	{Name: "strlen", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO"),
		Run: cmdStrLen, Reply: "integer", Since: "2.2.0",
		Syntax: "key", Summary: "Returns the length of a string value.", Complexity: "O(1)"},
	{Name: "getrange", Arity: 4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGetRange, Reply: "text", Since: "2.4.0",
		Syntax: "key start:integer end:integer", Summary: "Returns a substring of the string stored at a key.",
		Complexity: "O(N), N being the length of the string returned"},
	{Name: "substr", Arity: 4, Flags: command.ReadOnly, Keys: command.Key(1, "RO access"),
		Run: cmdGetRange, Reply: "text", Since: "1.0.0",
		Syntax: "key start:integer end:integer", Summary: "Returns a substring from a string value.",
		Complexity: "O(N), N being the length of the string returned", Deprecated: "2.0.0 `GETRANGE`"},
	{Name: "lcs", Arity: -3, Flags: command.ReadOnly, Keys: command.KeyRange(1, 2, 1, "RO access"),
		Run: cmdLCS, Reply: "LEN: integer; IDX: array; text", Since: "7.0.0",
		Syntax:     "key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len(/len)] [WITHMATCHLEN]",
		Summary:    "Finds the longest common substring.",
		Complexity: "O(N * M), N and M being the lengths of the strings"},

	{Name: "stralgo", Arity: -2, Flags: command.ReadOnly, Keys: command.UnknownKeys("RO access").FoundBy(algoKeys),
		Run: cmdStrAlgo, Since: "6.0.0", Until: "7.0.0",
		Syntax: "LCS <KEYS key1 key2|STRINGS string1 string2> [LEN] [IDX] [MINMATCHLEN min-match-len(/len)] " +
			"[WITHMATCHLEN]",
		Summary:    "Finds the longest common substring.",
		Complexity: "O(N * M), N and M being the lengths of the strings"},
	{Name: "digest", Arity: 2, Flags: command.ReadOnly | command.Fast, Keys: command.Key(1, "RO access"),
		Run: cmdDigest, Reply: "text?", Since: "8.4.0",
		Syntax: "key", Summary: "Returns the hash digest of a string value as a hexadecimal string.",
		Complexity: "O(N), N being the length of the string"},
	{Name: "delex", Arity: -2, Flags: command.Write | command.Fast, Keys: command.Key(1, "RW delete variable_flags").
		AccessBy(accessOfDelEx), Run: cmdDelEx, Reply: "integer", Since: "8.4.0",
		Syntax: "key condition=[IFEQ ifeq-value|IFNE ifne-value|IFDEQ ifdeq-digest:integer|IFDNE " +
			"ifdne-digest:integer]",
		Summary:    "Conditionally removes the specified key based on value or hash digest comparison.",
		Complexity: "O(N), N being the length of the string"},
	{Name: "delifeq", Arity: 3, Flags: command.Write | command.Fast, Keys: command.Key(1, "RM delete"),
		Run: cmdDelIfEq, Reply: "integer", Since: "valkey:9.0.0",
		Syntax: "key value", Summary: "Deletes a key if its value matches the given string. A command of Valkey.",
		Complexity: "O(N), N being the length of the string"},
}, setLines(), editLines())}

// GET key
func cmdGet(c *engine.Call) {
	v, ok := engine.Read[*str.Value](c, c.Arg())
	if !c.OK() {
		return
	}
	replyString(c, v, ok)
}

// replyString replies with a string value, or nil.
func replyString(c *engine.Call, v *str.Value, ok bool) {
	if !ok {
		c.Reply.Null()
		return
	}
	c.Reply.Bulk(v.Text(c.Scratch()))
}

// GETDEL key
func cmdGetDel(c *engine.Call) {
	key := c.Arg()
	v, ok := engine.Read[*str.Value](c, key)
	if !c.OK() {
		return
	}
	replyString(c, v, ok)
	if ok {
		c.DB.Delete(key)
		c.Changed(key, event.Del)
		c.PropagateRemoval(key, c.Engine.Config.LazyFree.UserDel && !c.Has(getDelDeletes))
	}
}

// getDelDeletes is when GETDEL began to be propagated as DEL, even if lazyfree-lazy-user-del is
// set.
var getDelDeletes = release.From("7.2.0")

// checksTimesFirst is since when GETEX looks at the time before the key. Redis replies nil for an
// absent key even if the time is not a number.
var checksTimesFirst = release.From("valkey:9.1.0")

// GETEX key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds |
// PERSIST]
func cmdGetEx(c *engine.Call) {
	key := c.Arg()
	x := parseGetExOptions(c)
	deadline, first := int64(0), c.Has(checksTimesFirst)
	if first {
		deadline = x.Deadline(c)
	}
	v, ok := engine.Read[*str.Value](c, key)
	if ok && !first {
		deadline = x.Deadline(c)
	}
	if !c.OK() {
		return
	}
	replyString(c, v, ok)
	switch {
	case !ok:
	case x.Persist:
		if elements.PersistKey(c, key) {
			elements.PropagateKey(c, "PERSIST", key)
		}
	case x.Given:
		stays := elements.ExpireKey(c, key, deadline, elements.PExpireAt)
		if stays && x.Relative() && elements.ReplicatesTimes(c) {
			c.ReplicateAs([]byte("PEXPIRE"), key, elements.TimeTo(c, deadline))
		}
	}
}

// parseGetExOptions reads GETEX's options. As in Redis, one kind of option may come several times.
func parseGetExOptions(c *engine.Call) (x elements.Expiry) {
	for c.More() {
		switch {
		case !x.Given && c.Word("PERSIST"):
			x.Persist = true
		case x.ParseOption(c):
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	return x
}

// MGET key [key ...]
func cmdMGet(c *engine.Call) {
	keys := c.RestOfKeys()
	c.Reply.Array(len(keys))
	for _, key := range keys {
		v, _ := engine.Read[keyspace.Value](c, key)
		s, ok := v.(*str.Value) // a value of another type reads as nil
		replyString(c, s, ok)
	}
}

// STRLEN key
func cmdStrLen(c *engine.Call) {
	n := 0
	if v, ok := engine.Read[*str.Value](c, c.Arg()); ok {
		n = v.Len()
	}
	if c.OK() {
		c.Reply.Int(int64(n))
	}
}

// GETRANGE key start end
func cmdGetRange(c *engine.Call) {
	key := c.Arg()
	start, end := c.Int(), c.Int()
	var text []byte
	if v, ok := engine.Read[*str.Value](c, key); ok {
		text = v.Text(c.Scratch())
	}
	if c.OK() {
		c.Reply.Bulk(substring(text, start, end))
	}
}

// substring returns the bytes from start to end, both included. Negative positions count from the
// end of the text; positions outside of it are clamped.
func substring(text []byte, start, end int64) []byte {
	n := int64(len(text))
	if start < 0 && end < 0 && start > end {
		return nil // Redis compares before it clamps: -1 to -100 is empty, not byte 0
	}
	if start < 0 {
		start = max(start+n, 0)
	}
	if end < 0 {
		end = max(end+n, 0)
	}
	if end = min(end, n-1); start > end {
		return nil
	}
	return text[start : end+1]
}
