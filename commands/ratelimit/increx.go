package ratelimit

import (
	"math"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/commands/strings"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// INCREX, a command of Redis 8.8: a counter with bounds and a deadline, as limiters of fixed windows
// want it.

// increx is the options of INCREX. Numbers are read once the syntax is known to be right.
type increx struct {
	elements.Expiry
	by, lower, upper amount
	float            bool // BYFLOAT
	saturate         bool
	ifNone           bool // ENX
}

// amount is a number that may be given.
type amount struct {
	given bool
	text  []byte
}

// Increments is the family of INCREX.
func Increments() engine.Family {
	return engine.Family{Group: "string", Commands: []engine.Command{
		{Name: "increx", Arity: -2, Flags: engine.Write | engine.DenyOOM | engine.Fast, Keys: engine.Key(1, "RW access update"), Run: cmdIncrEx, Since: "8.8.0",
			Syntax:     "key [BYFLOAT increment:double|BYINT increment] [LBOUND lowerbound] [UBOUND upperbound] [SATURATE] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|PERSIST] [ENX]",
			Summary:    "Increments the numeric value of a key by a number and sets its expiration time. Uses 0 as initial value if the key doesn't exist.",
			Complexity: "O(1)"},
	}}
}

// INCREX key [BYFLOAT increment | BYINT increment] [LBOUND lowerbound] [UBOUND upperbound] [SATURATE]
// [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | PERSIST] [ENX]
//
// Replies: the new value and what was added to the old one. A sum out of bounds changes nothing, unless
// it is to be cut to them.
func cmdIncrEx(c *engine.Call) {
	key := c.Arg()
	var o increx
	for c.More() && increxOption(c, &o) {
	}
	c.End()
	switch {
	case o.ifNone && !o.Given:
		c.Refuse(errOnlyIfNone)
		c.OK()
	case o.float:
		increxFloat(c, key, &o)
	default:
		increxInt(c, key, &o)
	}
}

// increxOption moves past an option and reports whether there is one that may stand here. None may be
// given twice.
func increxOption(c *engine.Call, o *increx) bool {
	switch {
	case !o.by.given && amountOption(c, "BYINT", &o.by):
	case !o.by.given && amountOption(c, "BYFLOAT", &o.by):
		o.float = true
	case !o.lower.given && amountOption(c, "LBOUND", &o.lower):
	case !o.upper.given && amountOption(c, "UBOUND", &o.upper):
	case !o.saturate && c.Word("SATURATE"):
		o.saturate = true
	case !o.ifNone && !o.Drop && c.Word("ENX"):
		o.ifNone = true
	case !o.Given && !o.Drop && !o.ifNone && c.Word("PERSIST"):
		o.Drop = true
	case !o.Given && elements.ExpiryOption(c, &o.Expiry):
	default:
		return false
	}
	return true
}

// amountOption moves past a word and the number after it and reports whether it did.
func amountOption(c *engine.Call, word string, a *amount) bool {
	if c.Left() < 2 || !c.Word(word) {
		return false
	}
	*a = amount{true, c.Arg()}
	return true
}

// intOr returns the amount as an integer, or the default; latches ErrBoundInt with the name.
func intOr(c *engine.Call, a amount, otherwise int64, name string) int64 {
	if !a.given {
		return otherwise
	}
	n, ok := resp.ParseInt(a.text)
	if !ok {
		c.Refusef(errBoundInt, name)
	}
	return n
}

// floatOr is intOr for a long double.
func floatOr(c *engine.Call, a amount, otherwise resp.LongDouble, name string) resp.LongDouble {
	if !a.given {
		return otherwise
	}
	x, ok := resp.ParseLongDouble(a.text)
	if !ok {
		c.Refusef(errBoundFloat, name)
	}
	return x
}

func increxInt(c *engine.Call, key []byte, o *increx) {
	by := intOr(c, o.by, 1, "Increment")
	lower := intOr(c, o.lower, math.MinInt64, "LBOUND")
	upper := intOr(c, o.upper, math.MaxInt64, "UBOUND")
	if lower > upper {
		c.Refuse(errBoundOrder)
	}
	deadline := elements.Until(c, o.Expiry)
	old := int64(0)
	if v, ok := engine.Edit[*str.Value](c, key); ok {
		old = strings.Number(c, v)
	}
	var x, applied exact
	sum := x.plus(old, by)
	if x.lost { // the sign tells on which side
		sum = math.MaxInt64 ^ by>>63
	}
	bounded := min(max(sum, lower), upper)
	beyond := x.lost || bounded != sum
	delta := applied.minus(bounded, old)
	if beyond && !o.saturate {
		bounded, delta = old, 0
	} else if applied.lost {
		c.Refuse(errApplied)
	}
	if !c.OK() {
		return
	}
	if !beyond || o.saturate {
		storeSum(c, key, c.Engine.Keyspace.Int(bounded), "$incrby", o, deadline)
	}
	c.Reply.Array(2)
	c.Reply.Int(bounded)
	c.Reply.Int(delta)
}

func increxFloat(c *engine.Call, key []byte, o *increx) {
	by := floatOr(c, o.by, resp.LongDouble{}, "Increment")
	if !by.IsFinite() {
		c.Refuse(errIncrementInf)
	}
	lower := floatOr(c, o.lower, resp.MaxLongDouble.Neg(), "LBOUND")
	upper := floatOr(c, o.upper, resp.MaxLongDouble, "UBOUND")
	if upper.Less(lower) {
		c.Refuse(errBoundOrder)
	}
	deadline := elements.Until(c, o.Expiry)
	var old resp.LongDouble
	if v, ok := engine.Edit[*str.Value](c, key); ok {
		if old = c.LongDouble(v.Text(c.Scratch())); !old.IsFinite() {
			c.Refuse(errInfinite)
		}
	}
	bounded, beyond := within(old.Add(by), lower, upper)
	if beyond && !o.saturate {
		bounded = old
	}
	delta := bounded.Add(old.Neg())
	if !delta.IsFinite() {
		c.Refuse(errAppliedInf)
	}
	if !c.OK() {
		return
	}
	text := bounded.AppendHuman(c.Scratch())
	if !beyond || o.saturate {
		storeSum(c, key, c.Engine.Keyspace.Text(text), "$incrbyfloat", o, deadline)
	}
	c.Reply.Array(2)
	c.Reply.DecimalText(text)
	c.Reply.DecimalText(delta.AppendHuman(c.Scratch()))
}

// within returns x, or the bound it lies beyond.
func within(x, lower, upper resp.LongDouble) (bounded resp.LongDouble, beyond bool) {
	switch {
	case x.Less(lower):
		return lower, true
	case upper.Less(x):
		return upper, true
	}
	return x, false
}

// storeSum sets key to a sum and does to its deadline what the options say. A deadline that has passed
// deletes the key. The journal gets what came of it.
func storeSum(c *engine.Call, key []byte, sum *str.Value, event string, o *increx, deadline int64) {
	old, _ := c.DB.Deadline(key)
	sets := o.Given && !(o.ifNone && old != 0)
	if sets && deadline <= c.Now() {
		if c.DB.Delete(key) {
			c.Changed(key, "gdel")
			elements.LogKey(c, "DEL", key)
		}
		return
	}
	c.DB.Set(key, sum, true)
	c.Changed(key, event)
	switch {
	case sets:
		c.DB.SetDeadline(key, deadline)
		c.Changed(key, "gexpire")
	case o.Drop && old != 0:
		c.DB.SetDeadline(key, 0)
		c.Changed(key, "gpersist")
	}
	if c.Propagates() {
		strings.LogSet(c, key, sum.Text(nil), deadline, !sets && !o.Drop)
	}
}
