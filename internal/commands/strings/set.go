package strings

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// setLines are the lines of the commands that set whole strings.
func setLines() []command.Line {
	const setCondition = "[NX|XX|IFEQ ifeq-value@8.4.0,valkey:8.1.0|IFNE ifne-value@8.4.0|IFDEQ " +
		"ifdeq-digest:integer@8.4.0|IFDNE ifdne-digest:integer@8.4.0]@2.6.12"
	return []command.Line{
		{Name: "set", Arity: -3, Flags: command.Write | command.DenyOOM,
			Keys: command.Key(1, "RW access update variable_flags").AccessBy(accessOfSet),
			Run:  cmdSet, Reply: "GET: text?; NX XX IFEQ IFNE IFDEQ IFDNE: status?; status", Since: "1.0.0",
			Was: []command.Was{{Before: release.NoValkey,
				Edit: command.Writes(setCondition, "[NX@2.6.12|XX@2.6.12|IFEQ comparison-value@valkey:8.1.0]")}},
			Syntax: "key value condition=" + setCondition + " [GET]@6.2.0 expiration=[EX seconds@2.6.12|PX " +
				"milliseconds@2.6.12|EXAT unix-time-seconds@6.2.0|PXAT unix-time-milliseconds@6.2.0|KEEPTTL@6.0.0]",
			Summary:    "Sets the string value of a key, ignoring its type. The key is created if it doesn't exist.",
			Complexity: "O(1)",
			History: "2.6.12 The options `EX`, `PX`, `NX` and `XX`.\n" +
				"6.0.0 The option `KEEPTTL`.\n" +
				"6.2.0 The options `GET`, `EXAT` and `PXAT`.\n" +
				"7.0.0 `NX` and `GET` may be used together.\n" +
				"8.4.0 The options `IFEQ`, `IFNE`, `IFDEQ` and `IFDNE`.\n" +
				"valkey:8.1.0 The option `IFEQ`."},
		{Name: "setnx", Arity: 3, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "OW insert"), Run: cmdSetNX, Reply: "integer", Since: "1.0.0",
			Syntax: "key value", Summary: "Set the string value of a key only when the key doesn't exist.",
			Complexity: "O(1)", Deprecated: "2.6.12@7.2.0 `SET`, with `NX`"},
		{Name: "setex", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "OW update"),
			Run: cmdSetEx, Reply: "status", Since: "2.0.0", Syntax: "key seconds value",
			Summary:    "Sets the string value and expiration time of a key. Creates the key if it doesn't exist.",
			Complexity: "O(1)", Deprecated: "2.6.12@7.2.0 `SET`, with `EX`"},
		{Name: "psetex", Arity: 4, Flags: command.Write | command.DenyOOM, Keys: command.Key(1, "OW update"),
			Run: cmdPSetEx, Reply: "status", Since: "2.6.0", Syntax: "key milliseconds value",
			Summary: "Sets both string value and expiration time in milliseconds of a key. " +
				"The key is created if it doesn't exist.",
			Complexity: "O(1)",
			Deprecated: "2.6.12@7.2.0 `SET`, with `PX`"},
		{Name: "getset", Arity: 3, Flags: command.Write | command.DenyOOM | command.Fast,
			Keys: command.Key(1, "RW access update"), Run: cmdGetSet, Reply: "text?", Since: "1.0.0",
			Syntax: "key value", Summary: "Returns the previous string value of a key after setting it to a new value.",
			Complexity: "O(1)", Deprecated: "6.2.0 `SET`, with `GET`"},
		{Name: "mset", Arity: -3, Flags: command.Write | command.DenyOOM, Keys: command.KeyRange(1, -1, 2, "OW update"),
			Run: cmdMSet, Reply: "status", Since: "1.0.1", Syntax: "data(/key_value)=<key value>...",
			Summary:    "Atomically creates or modifies the string values of one or more keys.",
			Tips:       "request_policy:multi_shard response_policy:all_succeeded",
			Complexity: "O(N), N being the number of keys"},
		{Name: "msetnx", Arity: -3, Flags: command.Write | command.DenyOOM,
			Keys: command.KeyRange(1, -1, 2, "OW insert"), Run: cmdMSetNX, Reply: "integer", Since: "1.0.1",
			Was: []command.Was{{Before: "7.2.0",
				Edit: command.Advises("request_policy:multi_shard response_policy:agg_min")}},
			Syntax:     "data(/key_value)=<key value>...",
			Summary:    "Atomically modifies the string values of one or more keys only when all keys don't exist.",
			Complexity: "O(N), N being the number of keys"},
		{Name: "msetex", Arity: -4, Flags: command.Write | command.DenyOOM, Keys: command.NumPairs(1, "OW update"),
			Run: cmdMSetEx, Reply: "integer", Since: "8.4.0 valkey:9.1.0",
			Syntax: "numkeys data=<key value>... condition=[NX|XX] expiration=[EX seconds|PX milliseconds|EXAT " +
				"unix-time-seconds|PXAT unix-time-milliseconds|KEEPTTL]",
			Summary: "Atomically sets multiple string keys with an optional shared expiration in a " +
				"single operation.",
			Tips:       "request_policy:multi_shard response_policy:all_succeeded",
			Complexity: "O(N), N being the number of keys"},
	}
}

// setOptions are the options of SET.
type setOptions struct {
	elements.Expiry
	comparison
	nx, xx, get bool
}

// accessOfSet returns the access of SET to its key: it reads the old value only for GET or a
// comparison.
func accessOfSet(args [][]byte) string {
	for _, arg := range args[3:] {
		isArg := func(k comparisonWord) bool { return command.IsWord(arg, k.word) }
		if command.IsWord(arg, "GET") || slices.ContainsFunc(comparisons[:], isArg) {
			return "RW access update"
		}
	}
	return "OW update"
}

// SET key value [NX | XX | IFEQ value | IFNE value | IFDEQ digest | IFDNE digest] [GET] [EX
// seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]
func cmdSet(c *engine.Call) {
	key, value := c.Arg(), c.Arg()
	o := parseSetOptions(c)
	deadline := o.Deadline(c)
	var old *str.Value
	var had bool
	if o.get || o.compares() {
		old, had = engine.Read[*str.Value](c, key)
	}
	refused := !c.Failed() && (o.nx || o.xx || o.compares()) && refusesSet(c, &o, key, old, had)
	if !c.OK() {
		return
	}
	switch {
	case o.get:
		replyString(c, old, had)
	case refused:
		c.Reply.Null()
	default:
		c.Reply.Status("OK")
	}
	switch {
	case refused:
	case o.Given && deadline <= c.Now() && !c.World.Keyspace.Replaying && c.Has(elements.ExpiresAtOnce):
		elements.ExpireNow(c, key)
	default:
		setWith(c, &o, key, value, deadline)
		propagateOptions(c, &o, key, value, deadline)
	}
}

// getsWithNX is when SET began to take NX and GET together.
var getsWithNX = release.From("7.0.0")

// joinsConditions is Redis, whose SET takes NX or XX after a comparison, and a comparison again.
// Valkey's does not.
var joinsConditions = release.From(release.NoValkey)

// parseSetOptions reads SET's options in any order.
func parseSetOptions(c *engine.Call) (o setOptions) {
	for c.More() {
		alone := o.compares() && !c.Has(joinsConditions)
		switch {
		case !o.xx && !alone && (!o.get || c.Has(getsWithNX)) && c.Word("NX"):
			o.nx = true
		case !o.nx && !alone && c.Word("XX"):
			o.xx = true
		case !o.nx && !o.xx && !alone && parseComparison(c, &o.comparison):
		case (!o.nx || c.Has(getsWithNX)) && c.Word("GET"):
			o.get = true
		case !o.Given && c.Word("KEEPTTL"):
			o.KeepTTL = true
		case o.ParseOption(c):
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	return o
}

// refusesSet reports whether the conditions prevent SET. old is the string at the key, read only if
// there is a comparison.
func refusesSet(c *engine.Call, o *setOptions, key []byte, old *str.Value, had bool) bool {
	switch {
	case (o.nx || o.xx) && c.DB.Exists(key) == o.nx:
		return true
	case !o.compares():
		return false
	case had:
		return !holds(c, old, &o.comparison)
	}
	return !o.differ
}

// packed returns a string as it is stored: as an integer if its text is one. Numbers that scripts
// set stay texts since Valkey 9.1.
func packed(c *engine.Call, text []byte) *str.Value {
	if c.Session.InScript() && c.Has(scriptsSetTexts) {
		return c.World.Keyspace.Text(text)
	}
	return c.World.Keyspace.String(text)
}

var scriptsSetTexts = release.From("valkey:9.1.0")

// setWith sets a string by the options, and reports the change.
func setWith(c *engine.Call, o *setOptions, key, value []byte, deadline int64) {
	if o.KeepTTL {
		was := c.Replacing(c.DB, key)
		c.DB.Set(key, packed(c, value), true)
		c.Replaced(c.DB, key, was)
		c.Changed(key, event.String("set"))
	} else {
		setUntil(c, key, value, deadline)
	}
}

// passesPXAT is when SET with PXAT began to be propagated as it came.
var passesPXAT = release.From("7.2.0")

// keepsName is when SET with a deadline and no other option began to be propagated by the name that
// the client gave.
var keepsName = release.From("8.6.0 valkey:9.1.0")

// propagateOptions propagates the effect of SET: with an absolute deadline, and otherwise without
// GET. The conditions hold again at a replay.
func propagateOptions(c *engine.Call, o *setOptions, key, value []byte, deadline int64) {
	switch {
	case !c.Propagates():
	case o.Given && o.AtMillis() && c.Has(passesPXAT):
	case o.Given:
		name := setName
		if c.Has(keepsName) && len(c.Args) == 5 {
			name = c.Args[0]
		}
		propagateUntil(c, name, key, value, deadline, o.Relative())
	case o.get:
		isGet := func(arg []byte) bool { return command.IsWord(arg, "GET") }
		args := c.Line(c.Args...)
		c.PropagateAs(append(args[:3], slices.DeleteFunc(args[3:], isGet)...)...)
	}
}

// replace sets a string with a deadline, 0 for none.
func replace(c *engine.Call, key, value []byte, deadline int64) {
	was := c.Replacing(c.DB, key)
	c.DB.SetUntil(key, packed(c, value), deadline)
	c.Replaced(c.DB, key, was)
}

// setUntil sets a string with a deadline, 0 for none, and reports the change.
func setUntil(c *engine.Call, key, value []byte, deadline int64) {
	replace(c, key, value, deadline)
	c.Changed(key, event.String("set"))
	if deadline != 0 {
		c.Changed(key, event.Expire)
		c.AddChanges(-1)
	}
}

// PropagateSet propagates the effect of a SET: unconditional, with an absolute deadline.
func PropagateSet(c *engine.Call, key, value []byte, deadline int64, keep bool) {
	if !c.Propagates() {
		return
	}
	switch {
	case keep:
		c.PropagateAs([]byte("SET"), key, value, []byte("KEEPTTL"))
	case deadline != 0:
		c.PropagateAs([]byte("SET"), key, value, []byte("PXAT"), resp.Decimal(deadline))
	default:
		c.PropagateAs([]byte("SET"), key, value)
	}
}

var setName = []byte("SET")

// propagateUntil propagates the effect of a SET with a deadline, as name. relative says that the
// client gave a time from now.
func propagateUntil(c *engine.Call, name, key, value []byte, deadline int64, relative bool) {
	if c.Propagates() {
		c.PropagateAs(name, key, value, []byte("PXAT"), resp.Decimal(deadline))
	}
	if relative && elements.ReplicatesTimes(c) {
		c.ReplicateAs([]byte("SET"), key, value, []byte("PX"), elements.TimeTo(c, deadline))
	}
}

// SETNX key value
func cmdSetNX(c *engine.Call) {
	key, value := c.Arg(), c.Arg()
	if c.DB.Exists(key) {
		c.Reply.Int(0)
		return
	}
	setUntil(c, key, value, 0)
	c.Reply.Int(1)
}

// SETEX key seconds value
func cmdSetEx(c *engine.Call) { setFor(c, elements.InSeconds) }

// PSETEX key milliseconds value
func cmdPSetEx(c *engine.Call) { setFor(c, elements.InMillis) }

func setFor(c *engine.Call, u elements.Unit) {
	key, deadline, value := c.Arg(), elements.KeyDeadline(c, u, 1), c.Arg()
	if !c.OK() {
		return
	}
	setUntil(c, key, value, deadline)
	propagateUntil(c, setName, key, value, deadline, u.Relative())
	c.Reply.Status("OK")
}

// GETSET key value
func cmdGetSet(c *engine.Call) {
	key, value := c.Arg(), c.Arg()
	old, had := engine.Read[*str.Value](c, key)
	if !c.OK() {
		return
	}
	replyString(c, old, had)
	setUntil(c, key, value, 0)
	PropagateSet(c, key, value, 0, false)
}

// MSET key value [key value ...]
func cmdMSet(c *engine.Call) {
	if pairs, ok := keysWithValues(c); ok {
		setAll(c, pairs)
		c.Reply.Status("OK")
	}
}

// MSETNX key value [key value ...]
func cmdMSetNX(c *engine.Call) {
	pairs, ok := keysWithValues(c)
	if !ok {
		return
	}
	for i := 0; i < len(pairs); i += 2 {
		if c.DB.Exists(pairs[i]) {
			c.Reply.Int(0)
			return
		}
	}
	setAll(c, pairs)
	c.Reply.Int(1)
}

// keysWithValues reads key value [key value ...] up to the end.
func keysWithValues(c *engine.Call) (pairs [][]byte, ok bool) {
	if c.Left()%2 != 0 {
		c.Refusef(engine.ErrPairsArity, c.Cmd.FullName(), "MSET")
	}
	return c.Rest(), c.OK()
}

func setAll(c *engine.Call, pairs [][]byte) {
	c.DB.Keys().Prefetch(pairs, 2)
	for i := 0; i < len(pairs); i += 2 {
		setUntil(c, pairs[i], pairs[i+1], 0)
	}
}

// MSETEX numkeys key value [key value ...] [NX | XX] [EX seconds | PX milliseconds |
// EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]
//
// It came with Redis 8.4 and Valkey 9.1.
func cmdMSetEx(c *engine.Call) {
	pairs := countedPairs(c)
	o := parseSetOptions(c)
	if o.get || o.compares() {
		c.Refuse(engine.ErrSyntax)
	}
	deadline := o.Deadline(c)
	if !c.OK() {
		return
	}
	for i := 0; i < len(pairs) && (o.nx || o.xx); i += 2 {
		if c.DB.Exists(pairs[i]) == o.nx {
			c.Reply.Int(0)
			return
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		setOneOf(c, &o, pairs[i], pairs[i+1], deadline)
	}
	if o.Given && c.Propagates() {
		c.PropagateAs(o.WithDeadline(c, deadline)...)
	}
	c.Reply.Int(1)
}

// setOneOf is setWith, but reports the deadline of Redis' MSETEX before the value.
func setOneOf(c *engine.Call, o *setOptions, key, value []byte, deadline int64) {
	if !o.Given || !c.Has(expiresFirst) {
		setWith(c, o, key, value, deadline)
		return
	}
	replace(c, key, value, deadline)
	c.Changed(key, event.Expire)
	c.Changed(key, event.String("set"))
	c.AddChanges(-1)
}

// expiresFirst is Redis. Valkey reports the value first.
var expiresFirst = release.From(release.NoValkey)

// countedPairs reads numkeys key value [key value ...].
func countedPairs(c *engine.Call) (pairs [][]byte) {
	n := c.IntIn(1, math.MaxInt32, errPairCount)
	if n > int64(c.Left()/2) {
		c.Refuse(errPairs)
	}
	if !c.Failed() {
		pairs = c.Next(int(2 * n))
	}
	return pairs
}
