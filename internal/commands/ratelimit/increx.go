package ratelimit

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/resp"
)

// incrExOptions are the options of INCREX. Numbers are parsed after the syntax has been checked,
// because a syntax error takes precedence.
type incrExOptions struct {
	elements.Expiry
	by, lower, upper amount
	float            bool // BYFLOAT
	saturate         bool
	enx              bool // ENX: set the deadline only if the key has none
}

// amount is an optional number.
type amount struct {
	given bool
	text  []byte
}

// IncrEx is the family of INCREX.
var IncrEx = command.Family{Group: "string", Commands: []command.Line{
	{Name: "increx", Arity: -2, Flags: command.Write | command.DenyOOM | command.Fast,
		Keys: command.Key(1, "RW access update"), Run: cmdIncrEx, Reply: "array", Since: "8.8.0",
		Syntax: "key [BYFLOAT increment:double|BYINT increment] [LBOUND lowerbound] [UBOUND upperbound] " +
			"[SATURATE] [EX seconds|PX milliseconds|EXAT unix-time-seconds|PXAT unix-time-milliseconds|PERSIST] [ENX]",
		Summary: "Increments the numeric value of a key by a number and sets its expiration time. " +
			"Uses 0 as initial value if the key doesn't exist.",
		Complexity: "O(1)"},
}}

// INCREX key [BYFLOAT increment | BYINT increment] [LBOUND lowerbound] [UBOUND upperbound]
// [SATURATE] [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds |
// PERSIST] [ENX]
//
// Replies: the new value and the difference from the old one. A sum out of bounds changes nothing,
// or with SATURATE sets the value to the bound.
func cmdIncrEx(c *engine.Call) {
	key := c.Arg()
	var o incrExOptions
	for c.More() && incrExOption(c, &o) {
	}
	c.End()
	switch {
	case o.enx && !o.Given:
		c.Refuse(errEnxAlone)
		c.OK()
	case o.float:
		incrExFloat(c, key, &o)
	default:
		incrExInt(c, key, &o)
	}
}

// incrExOption reads an option and reports whether it found one that is allowed here. No option may
// appear twice.
func incrExOption(c *engine.Call, o *incrExOptions) bool {
	switch {
	case !o.by.given && amountOption(c, "BYINT", &o.by):
	case !o.by.given && amountOption(c, "BYFLOAT", &o.by):
		o.float = true
	case !o.lower.given && amountOption(c, "LBOUND", &o.lower):
	case !o.upper.given && amountOption(c, "UBOUND", &o.upper):
	case !o.saturate && c.Word("SATURATE"):
		o.saturate = true
	case !o.enx && !o.Persist && c.Word("ENX"):
		o.enx = true
	case !o.Given && !o.Persist && !o.enx && c.Word("PERSIST"):
		o.Persist = true
	case !o.Given && o.ParseOption(c):
	default:
		return false
	}
	return true
}

// amountOption reads a word and a number and reports whether it found the word.
func amountOption(c *engine.Call, word string, a *amount) bool {
	if c.Left() < 2 || !c.Word(word) {
		return false
	}
	*a = amount{true, c.Arg()}
	return true
}

// intOr returns the amount as an integer, def if it is absent. Anything else latches errBoundInt
// with the name.
func intOr(c *engine.Call, a amount, def int64, name string) int64 {
	if !a.given {
		return def
	}
	n, ok := resp.ParseInt(a.text)
	if !ok {
		c.Refusef(errBoundInt, name)
	}
	return n
}

// floatOr is intOr for a long double.
func floatOr(c *engine.Call, a amount, def resp.LongDouble, name string) resp.LongDouble {
	if !a.given {
		return def
	}
	x, ok := resp.ParseLongDouble(a.text)
	if !ok {
		c.Refusef(errBoundFloat, name)
	}
	return x
}

// incrExInt executes INCREX with integers.
func incrExInt(c *engine.Call, key []byte, o *incrExOptions) {
	by := intOr(c, o.by, 1, "Increment")
	lower := intOr(c, o.lower, math.MinInt64, "LBOUND")
	upper := intOr(c, o.upper, math.MaxInt64, "UBOUND")
	if lower > upper {
		c.Refuse(errBoundOrder)
	}
	deadline := o.Deadline(c)
	old := int64(0)
	if v, ok := engine.Edit[*str.Value](c, key); ok {
		old = strings.ParseInt(c, v)
	}
	var x, applied checked
	sum := x.add(old, by)
	if x.overflow { // saturate on the side of the sign
		sum = math.MaxInt64 ^ by>>63
	}
	bounded := min(max(sum, lower), upper)
	beyond := x.overflow || bounded != sum
	delta := applied.sub(bounded, old)
	if beyond && !o.saturate {
		bounded, delta = old, 0
	} else if applied.overflow {
		c.Refuse(errDeltaOverflow)
	}
	if !c.OK() {
		return
	}
	if !beyond || o.saturate {
		store(c, key, c.World.Keyspace.Int(bounded), event.String("incrby"), o, deadline)
	}
	c.Reply.Array(2)
	c.Reply.Int(bounded)
	c.Reply.Int(delta)
}

// incrExFloat executes INCREX with BYFLOAT, in long doubles like INCRBYFLOAT.
func incrExFloat(c *engine.Call, key []byte, o *incrExOptions) {
	by := floatOr(c, o.by, resp.LongDouble{}, "Increment")
	if !by.IsFinite() {
		c.Refuse(errInfiniteIncrement)
	}
	lower := floatOr(c, o.lower, resp.MaxLongDouble.Neg(), "LBOUND")
	upper := floatOr(c, o.upper, resp.MaxLongDouble, "UBOUND")
	if upper.Less(lower) {
		c.Refuse(errBoundOrder)
	}
	deadline := o.Deadline(c)
	var old resp.LongDouble
	if v, ok := engine.Edit[*str.Value](c, key); ok {
		if old = c.LongDouble(v.Text(c.Scratch())); !old.IsFinite() {
			c.Refuse(errInfiniteValue)
		}
	}
	bounded, beyond := clamp(old.Add(by), lower, upper)
	if beyond && !o.saturate {
		bounded = old
	}
	delta := bounded.Add(old.Neg())
	if !delta.IsFinite() {
		c.Refuse(errInfiniteDelta)
	}
	if !c.OK() {
		return
	}
	text := bounded.AppendHuman(c.Scratch())
	if !beyond || o.saturate {
		store(c, key, c.World.Keyspace.Text(text), event.String("incrbyfloat"), o, deadline)
	}
	c.Reply.Array(2)
	c.Reply.DecimalText(text)
	c.Reply.DecimalText(delta.AppendHuman(c.Scratch()))
}

// clamp returns x, or the bound that it exceeds.
func clamp(x, lower, upper resp.LongDouble) (bounded resp.LongDouble, beyond bool) {
	switch {
	case x.Less(lower):
		return lower, true
	case upper.Less(x):
		return upper, true
	}
	return x, false
}

// store sets key to a sum and applies the expiry options. A deadline in the past deletes the key.
// It propagates the result, DEL or SET, instead of the call.
func store(c *engine.Call, key []byte, sum *str.Value, ev event.Event, o *incrExOptions, deadline int64) {
	old, _ := c.DB.Deadline(key)
	sets := o.Given && !(o.enx && old != 0)
	if sets && deadline <= c.Now() {
		if c.DB.Delete(key) {
			c.Changed(key, event.Del)
			elements.PropagateKey(c, "DEL", key)
		}
		return
	}
	c.DB.Set(key, sum, true)
	c.Changed(key, ev)
	switch {
	case sets:
		c.DB.SetDeadline(key, deadline)
		c.Changed(key, event.Expire)
	case o.Persist && old != 0:
		c.DB.SetDeadline(key, 0)
		c.Changed(key, event.Persist)
	}
	if c.Propagates() {
		strings.PropagateSet(c, key, sum.Text(nil), deadline, !sets && !o.Persist)
	}
}
