package elements

import (
	"math"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/resp"
)

// Deadlines of keys. A command gives a time in seconds or milliseconds, from now or since the
// epoch. A deadline is always in milliseconds since the epoch, and 0 stands for none.

// Unit is the unit of a command's time argument, and where it counts from.
type Unit struct {
	seconds  bool // else milliseconds
	absolute bool // since the epoch, else from now
}

var (
	InSeconds = Unit{seconds: true}
	InMillis  = Unit{}
	AtSeconds = Unit{seconds: true, absolute: true}
	AtMillis  = Unit{absolute: true}
)

// KeyDeadline reads the next argument as a deadline; see [ParseDeadline].
func KeyDeadline(c *engine.Call, u Unit, least int64) int64 {
	return ParseDeadline(c, c.Arg(), u, least)
}

// ParseDeadline returns the deadline that a time argument stands for. An amount below least, which
// is 1 where Redis refuses zero and negative times, or one that overflows latches
// [engine.ErrExpireTime].
func ParseDeadline(c *engine.Call, amount []byte, u Unit, least int64) int64 {
	if c.Failed() {
		return 0
	}
	n, ok := resp.ParseInt(amount)
	if !ok {
		c.Refuse(engine.ErrNotInt)
		return 0
	}
	ms, ok := u.millis(n, c)
	if !ok || n < least {
		c.Refusef(engine.ErrExpireTime, c.Cmd.FullName())
		return 0
	}
	return ms
}

// millis converts n to a deadline in milliseconds since the epoch; ok is false if it does not fit.
func (u Unit) millis(n int64, c *engine.Call) (ms int64, ok bool) {
	if u.seconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, false
		}
		n *= 1000
	}
	if u.absolute {
		return c.World.DeadlineAt(n), true
	}
	if n > math.MaxInt64-c.Now() {
		return 0, false
	}
	return n + c.Now(), true
}

// Expiry is the options of SET, GETEX and similar commands that concern a key's deadline. As in
// Redis, syntax errors come first: Deadline parses the amount after all options are read.
type Expiry struct {
	Given   bool // one of [ExpiryWords] with an amount
	unit    Unit
	amount  []byte
	word    string // of unit
	first   int    // position of the first amount
	last    int    // position of amount
	KeepTTL bool
	Persist bool
}

// ExpiryWords are the options that set a deadline.
var ExpiryWords = [...]struct {
	Word string
	Unit Unit
}{{"EX", InSeconds}, {"PX", InMillis}, {"EXAT", AtSeconds}, {"PXAT", AtMillis}}

// ParseOption moves past [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds] and reports whether it did. As in Redis, the same word may come again,
// and the last amount counts; a second word is an error.
func (x *Expiry) ParseOption(c *engine.Call) bool {
	if c.Left() < 2 || x.KeepTTL || x.Persist {
		return false
	}
	for _, w := range ExpiryWords {
		if (!x.Given || x.unit == w.Unit) && c.Word(w.Word) {
			if x.last = c.Pos(); !x.Given {
				x.first = x.last
			}
			x.Given, x.unit, x.word, x.amount = true, w.Unit, w.Word, c.Arg()
			return true
		}
	}
	return false
}

// Deadline returns the deadline that the options set, 0 for none.
func (x *Expiry) Deadline(c *engine.Call) int64 {
	if !x.Given {
		return 0
	}
	return ParseDeadline(c, x.amount, x.unit, 1)
}

// WithDeadline returns the arguments of the call with PXAT and the deadline where the options give
// a time, each time if they do so more than once: Redis replaces only the last one, and cannot
// replay that. The deadline itself stays as the client gave it.
func (x *Expiry) WithDeadline(c *engine.Call, deadline int64) [][]byte {
	args := slices.Clone(c.Args)
	for i := x.first; i <= x.last && !x.AtMillis(); i++ {
		if command.IsWord(args[i-1], x.word) {
			args[i-1], args[i] = []byte("PXAT"), resp.Decimal(deadline)
		}
	}
	return args
}

// AtMillis reports whether the options give the deadline itself, as PXAT.
func (x *Expiry) AtMillis() bool { return x.unit == AtMillis }

// Relative reports whether the options count from now.
func (x *Expiry) Relative() bool { return !x.unit.absolute }

// Relative reports whether the unit counts from now.
func (u Unit) Relative() bool { return !u.absolute }

// replicatesDeadlines is when replicas began to receive deadlines. Before, they received times from
// now where a client gave one. The journal has deadlines in every release.
var replicatesDeadlines = release.From("7.0.0")

// ReplicatesTimes reports whether replicas receive the time from now instead of the deadline.
func ReplicatesTimes(c *engine.Call) bool { return c.Propagates() && !c.Has(replicatesDeadlines) }

// TimeTo returns the milliseconds from now to a deadline.
func TimeTo(c *engine.Call, deadline int64) []byte { return resp.Decimal(deadline - c.Now()) }

// ExpiresAtOnce is when a deadline that has passed began to expire the key. Before, SET sets a key
// that then expires, and other commands delete it.
var ExpiresAtOnce = release.From("valkey:8.1.0")

// ExpireNow removes a key, if there is one, for which a past deadline was given.
func ExpireNow(c *engine.Call, key []byte) {
	deleted := false
	c.World.Keyspace.RemoveLazily(c.Engine.Config.LazyFree.Expire, func() { deleted = c.DB.Delete(key) })
	if !deleted {
		return
	}
	ev := event.Del
	if c.Has(ExpiresAtOnce) {
		ev = event.Expired
		c.CountExpired()
	}
	c.Changed(key, ev)
	c.PropagateRemoval(key, c.Engine.Config.LazyFree.Expire)
}

// PExpireAt is the command by which deadlines of keys are propagated.
var PExpireAt = []byte("PEXPIREAT")

// ExpireKey sets the deadline of a visible key, and propagates that as name, which is PEXPIREAT,
// with its options. A deadline that has passed deletes the key, but not during a replay: when the
// journal was written, the deadline was in the future and later commands may have moved it. It
// reports whether the key stays.
func ExpireKey(c *engine.Call, key []byte, deadline int64, name []byte, options ...[]byte) bool {
	if deadline <= c.Now() && !c.World.Keyspace.Replaying {
		ExpireNow(c, key)
		return false
	}
	c.DB.SetDeadline(key, deadline)
	c.Changed(key, event.Expire)
	if c.Propagates() {
		c.PropagateAs(append([][]byte{name, key, resp.Decimal(deadline)}, options...)...)
	}
	return true
}

// PersistKey removes a key's deadline and reports whether there was one.
func PersistKey(c *engine.Call, key []byte) bool {
	if deadline, _ := c.DB.Deadline(key); deadline == 0 {
		return false
	}
	c.DB.SetDeadline(key, 0)
	c.Changed(key, event.Persist)
	return true
}

// PropagateKey propagates a command whose only argument is a key.
func PropagateKey(c *engine.Call, name string, key []byte) {
	if c.Propagates() {
		c.PropagateAs([]byte(name), key)
	}
}

// ExpireConditions are EXPIRE's options. NX sets a deadline only if there is none, XX only if there
// is one, GT only to a later time, LT only to an earlier one.
type ExpireConditions struct{ nx, xx, gt, lt bool }

// ParseExpireConditions reads [NX | XX | GT | LT] up to the end. XX may stand beside GT or LT.
func ParseExpireConditions(c *engine.Call) (on ExpireConditions) {
	for c.More() {
		if !on.parse(c) {
			c.Refusef(errExpireOption, command.CText(c.Arg()))
		}
	}
	on.check(c)
	return on
}

// parse moves past [NX | XX | GT | LT] and reports whether it did.
func (on *ExpireConditions) parse(c *engine.Call) bool {
	switch {
	case c.Word("NX"):
		on.nx = true
	case c.Word("XX"):
		on.xx = true
	case c.Word("GT"):
		on.gt = true
	case c.Word("LT"):
		on.lt = true
	default:
		return false
	}
	return true
}

// check latches an error for conditions that exclude each other.
func (on ExpireConditions) check(c *engine.Call) {
	switch {
	case on.nx && (on.xx || on.gt || on.lt):
		c.Refuse(errExpireNX)
	case on.gt && on.lt:
		c.Refuse(errExpireGTLT)
	}
}

// Allow reports whether the conditions let a deadline replace the old one. No deadline, 0, is later
// than any.
func (on ExpireConditions) Allow(old, deadline int64) bool {
	switch {
	case on.nx && old != 0, on.xx && old == 0:
		return false
	case on.gt:
		return old != 0 && deadline > old
	case on.lt:
		return old == 0 || deadline < old
	}
	return true
}

// The units in which commands reply with a time.

// Millis returns milliseconds as they are.
func Millis(ms int64) int64 { return ms }

// RoundSeconds rounds milliseconds to the nearest second, as Redis does for keys.
func RoundSeconds(ms int64) int64 { return int64((uint64(ms) + 500) / 1000) }

// CeilSeconds rounds milliseconds up to seconds, as Redis does for elements; Valkey rounds them as
// keys.
func CeilSeconds(ms int64) int64 { return (ms + 999) / 1000 }
