package engine

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/ds/str"
)

// The commands that set whole strings.

// setOptions are the options of SET.
type setOptions struct {
	expiry
	comparison
	nx, xx, get bool
}

// any reports whether there is an option whose effect may depend on when it is executed.
func (o *setOptions) any() bool { return o.given || o.nx || o.xx || o.asked() }

// accessOfSet returns what SET does with its key: only with GET or a comparison it reads.
func accessOfSet(args [][]byte) string {
	for _, arg := range args[3:] {
		isArg := func(k comparisonWord) bool { return IsWord(arg, k.word) }
		if IsWord(arg, "GET") || slices.ContainsFunc(comparisons[:], isArg) {
			return "RW access update"
		}
	}
	return "OW update"
}

// SET key value [NX | XX | IFEQ value | IFNE value | IFDEQ digest | IFDNE digest] [GET] [EX seconds |
// PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]
func cmdSet(c *Call) {
	key, value := c.Arg(), c.Arg()
	o := c.parseSetOptions()
	deadline := c.until(o.expiry)
	var old *str.Value
	var had bool
	if o.get || o.asked() {
		old, had = Read[*str.Value](c, key)
	}
	refused := (o.nx || o.xx || o.asked()) && c.refusesSet(&o, key, old, had)
	if !c.OK() {
		return
	}
	switch {
	case o.get:
		c.tellString(old, had)
	case refused:
		c.Reply.Null()
	default:
		c.Reply.Status("OK")
	}
	if !refused {
		c.setBy(&o, key, value, deadline)
	}
}

// parseSetOptions reads SET's options in any order.
func (c *Call) parseSetOptions() (o setOptions) {
	for c.More() {
		switch {
		case !o.xx && !o.asked() && c.Word("NX"):
			o.nx = true
		case !o.nx && !o.asked() && c.Word("XX"):
			o.xx = true
		case !o.nx && !o.xx && !o.asked() && c.comparisonOption(&o.comparison):
		case c.Word("GET"):
			o.get = true
		case !o.given && c.Word("KEEPTTL"):
			o.keep = true
		case c.expiryOption(&o.expiry):
		default:
			c.Refuse(ErrSyntax)
		}
	}
	return o
}

// refusesSet reports whether the conditions forbid to set a key, whose string old is looked up if they
// ask for a comparison.
func (c *Call) refusesSet(o *setOptions, key []byte, old *str.Value, had bool) bool {
	switch {
	case !o.asked():
		return c.DB.Exists(key) == o.nx
	case had:
		return !c.meets(old, &o.comparison)
	}
	return !o.differ
}

// setBy sets a string as the options say, reports it, and journals what came of it.
func (c *Call) setBy(o *setOptions, key, value []byte, deadline int64) {
	if o.keep {
		c.DB.Set(key, c.Engine.Keyspace.String(value), true)
		c.Changed(key, "$set")
	} else {
		c.setUntil(key, value, deadline)
	}
	if o.any() {
		c.logSet(key, value, deadline, o.keep)
	}
}

// setUntil sets a string with a deadline, 0 for none, and reports it.
func (c *Call) setUntil(key, value []byte, deadline int64) {
	c.DB.SetUntil(key, c.Engine.Keyspace.String(value), deadline)
	c.Changed(key, "$set")
	if deadline != 0 {
		c.Changed(key, "gexpire")
	}
}

// logSet journals a SET by its effect: unconditional, with an absolute deadline.
func (c *Call) logSet(key, value []byte, deadline int64, keep bool) {
	if !c.Propagates() {
		return
	}
	switch {
	case keep:
		c.Log([]byte("SET"), key, value, []byte("KEEPTTL"))
	case deadline != 0:
		c.Log([]byte("SET"), key, value, []byte("PXAT"), Decimal(deadline))
	default:
		c.Log([]byte("SET"), key, value)
	}
}

// SETNX key value
func cmdSetNX(c *Call) {
	key, value := c.Arg(), c.Arg()
	if c.DB.Exists(key) {
		c.Reply.Int(0)
		return
	}
	c.setUntil(key, value, 0)
	c.Reply.Int(1)
}

// SETEX key seconds value
func cmdSetEx(c *Call) { c.setFor(inSeconds) }

// PSETEX key milliseconds value
func cmdPSetEx(c *Call) { c.setFor(inMillis) }

func (c *Call) setFor(u unit) {
	key, deadline, value := c.Arg(), c.Deadline(u, 1), c.Arg()
	if !c.OK() {
		return
	}
	c.setUntil(key, value, deadline)
	c.logSet(key, value, deadline, false)
	c.Reply.Status("OK")
}

// GETSET key value
func cmdGetSet(c *Call) {
	key, value := c.Arg(), c.Arg()
	old, had := Read[*str.Value](c, key)
	if !c.OK() {
		return
	}
	c.tellString(old, had)
	c.setUntil(key, value, 0)
}

// MSET key value [key value ...]
func cmdMSet(c *Call) {
	if pairs, ok := c.keysWithValues(); ok {
		c.setAll(pairs)
		c.Reply.Status("OK")
	}
}

// MSETNX key value [key value ...]
func cmdMSetNX(c *Call) {
	pairs, ok := c.keysWithValues()
	if !ok {
		return
	}
	for i := 0; i < len(pairs); i += 2 {
		if c.DB.Exists(pairs[i]) {
			c.Reply.Int(0)
			return
		}
	}
	c.setAll(pairs)
	c.Reply.Int(1)
}

// keysWithValues returns the arguments left, a key before each value.
func (c *Call) keysWithValues() (pairs [][]byte, ok bool) {
	if c.Left()%2 != 0 {
		c.Refusef(ErrArity, c.Cmd.FullName())
	}
	return c.Rest(), c.OK()
}

func (c *Call) setAll(pairs [][]byte) {
	c.DB.Prefetch(pairs, 2)
	for i := 0; i < len(pairs); i += 2 {
		c.setUntil(pairs[i], pairs[i+1], 0)
	}
}

// MSETEX numkeys key value [key value ...] [NX | XX] [EX seconds | PX milliseconds |
// EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]
//
// A command of Redis 8.4, and of Valkey 9.1.
func cmdMSetEx(c *Call) {
	pairs := c.countedPairs()
	o := c.parseSetOptions()
	if o.get || o.asked() {
		c.Refuse(ErrSyntax)
	}
	deadline := c.until(o.expiry)
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
		c.setBy(&o, pairs[i], pairs[i+1], deadline)
	}
	c.Reply.Int(1)
}

// countedPairs reads a number of keys, and as many keys, each with its value.
func (c *Call) countedPairs() (pairs [][]byte) {
	n := c.IntIn(1, math.MaxInt32, ErrPairCount)
	if n > int64(c.Left()/2) {
		c.Refuse(ErrPairs)
	}
	if !c.Failed() {
		pairs = c.Next(int(2 * n))
	}
	return pairs
}
