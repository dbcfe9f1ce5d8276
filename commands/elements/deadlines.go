package elements

import (
	"math"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Deadlines as commands give them: an amount in seconds or milliseconds, from now or absolute.

// unit is how a command's time argument counts.
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

// Deadline reads the next argument as a time and returns it in milliseconds since the epoch. What
// cannot be a deadline latches the error "invalid expire time"; least is the smallest amount that
// can, 1 where Redis refuses zero and negative ones.
func Deadline(c *engine.Call, u Unit, least int64) int64 { return DeadlineFrom(c, c.Arg(), u, least) }

func DeadlineFrom(c *engine.Call, amount []byte, u Unit, least int64) int64 {
	if c.Failed() {
		return 0
	}
	n, ok := resp.ParseInt(amount)
	if !ok {
		c.Refuse(engine.ErrNotInt)
		return 0
	}
	ms, ok := u.millis(n, c.Now())
	if !ok || n < least {
		c.Refusef(engine.ErrExpireTime, c.Cmd.FullName())
		return 0
	}
	return ms
}

// millis converts n to milliseconds since the epoch; ok is false if it does not fit.
func (u Unit) millis(n, now int64) (ms int64, ok bool) {
	if u.seconds {
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return 0, false
		}
		n *= 1000
	}
	if !u.absolute {
		if n > math.MaxInt64-now {
			return 0, false
		}
		n += now
	}
	return n, true
}

// expiry is what SET, GETEX and their kin are told about a key's deadline. The amount is read as a
// number only once all options are known to be well-formed.
type Expiry struct {
	Given  bool
	unit   Unit
	amount []byte
	Keep   bool // KEEPTTL
	Drop   bool // PERSIST
}

var ExpiryWords = [...]struct {
	Word string
	Unit Unit
}{{"EX", InSeconds}, {"PX", InMillis}, {"EXAT", AtSeconds}, {"PXAT", AtMillis}}

// expiryOption moves past [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds] and reports whether it did. Redis takes the same word again, and the last
// amount counts; it takes no other.
func ExpiryOption(c *engine.Call, x *Expiry) bool {
	if c.Left() < 2 || x.Keep || x.Drop {
		return false
	}
	for _, w := range ExpiryWords {
		if (!x.Given || x.unit == w.Unit) && c.Word(w.Word) {
			x.Given, x.unit, x.amount = true, w.Unit, c.Arg()
			return true
		}
	}
	return false
}

// until returns the deadline that was asked for, in milliseconds since the epoch; 0 for none.
func Until(c *engine.Call, x Expiry) int64 {
	if !x.Given {
		return 0
	}
	return DeadlineFrom(c, x.amount, x.unit, 1)
}

// expireAt sets the deadline of a visible key. A deadline that has passed deletes the key, unless
// the deadline is a journal's: there it may have been in the future when the next lines were written.
func ExpireAt(c *engine.Call, key []byte, deadline int64) {
	if deadline <= c.Now() && !c.Engine.Keyspace.Replaying {
		c.DB.Delete(key)
		c.Changed(key, "gdel")
		LogKey(c, "DEL", key)
		return
	}
	c.DB.SetDeadline(key, deadline)
	c.Changed(key, "gexpire")
	if c.Propagates() {
		c.Propagate([]byte("PEXPIREAT"), key, engine.Decimal(deadline))
	}
}

// persist removes a key's deadline and reports whether there was one.
func Persist(c *engine.Call, key []byte) bool {
	if deadline, _ := c.DB.Deadline(key); deadline == 0 {
		return false
	}
	c.DB.SetDeadline(key, 0)
	c.Changed(key, "gpersist")
	LogKey(c, "PERSIST", key)
	return true
}

// logKey journals a command that has a key and nothing else.
func LogKey(c *engine.Call, name string, key []byte) {
	if c.Propagates() {
		c.Propagate([]byte(name), key)
	}
}

// expireConditions are EXPIRE's options: set a deadline only if there is none, if there is one, to a
// later, to an earlier one.
type ExpireConditions struct{ nx, xx, gt, lt bool }

func ParseExpireConditions(c *engine.Call) (on ExpireConditions) {
	for c.More() {
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
			option := c.Arg()
			c.Refusef(errExpireOption, engine.CText(option))
		}
	}
	switch {
	case on.nx && (on.xx || on.gt || on.lt):
		c.Refuse(errExpireNX)
	case on.gt && on.lt:
		c.Refuse(errExpireGTLT)
	}
	return on
}

// allow reports whether the conditions let a deadline take the place of the old one, 0 for none,
// which is later than any.
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

// millis leaves milliseconds as they are.
func Millis(ms int64) int64 { return ms }

// seconds rounds milliseconds to the nearest second, as Redis does for keys.
func Seconds(ms int64) int64 { return int64((uint64(ms) + 500) / 1000) }

// secondsUp rounds milliseconds up, as Redis does for elements.
func SecondsUp(ms int64) int64 { return (ms + 999) / 1000 }
