package engine

import (
	"math"

	"github.com/miniserver-go/miniserver/resp"
)

// Deadlines as commands give them: an amount in seconds or milliseconds, from now or absolute.

// unit is how a command's time argument counts.
type unit struct {
	seconds  bool // else milliseconds
	absolute bool // since the epoch, else from now
}

var (
	inSeconds = unit{seconds: true}
	inMillis  = unit{}
	atSeconds = unit{seconds: true, absolute: true}
	atMillis  = unit{absolute: true}
)

// Deadline reads the next argument as a time and returns it in milliseconds since the epoch. What
// cannot be a deadline latches the error "invalid expire time"; least is the smallest amount that
// can, 1 where Redis refuses zero and negative ones.
func (c *Call) Deadline(u unit, least int64) int64 { return c.deadlineFrom(c.Arg(), u, least) }

func (c *Call) deadlineFrom(amount []byte, u unit, least int64) int64 {
	if c.Failed() {
		return 0
	}
	n, ok := resp.ParseInt(amount)
	if !ok {
		c.Refuse(ErrNotInt)
		return 0
	}
	ms, ok := u.millis(n, c.Now())
	if !ok || n < least {
		c.Refusef(ErrExpireTime, c.Cmd.FullName())
		return 0
	}
	return ms
}

// millis converts n to milliseconds since the epoch; ok is false if it does not fit.
func (u unit) millis(n, now int64) (ms int64, ok bool) {
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
type expiry struct {
	given  bool
	unit   unit
	amount []byte
	keep   bool // KEEPTTL
	drop   bool // PERSIST
}

var expiryWords = [...]struct {
	word string
	unit unit
}{{"EX", inSeconds}, {"PX", inMillis}, {"EXAT", atSeconds}, {"PXAT", atMillis}}

// expiryOption moves past [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT
// unix-time-milliseconds] and reports whether it did. Redis takes the same word again, and the last
// amount counts; it takes no other.
func (c *Call) expiryOption(x *expiry) bool {
	if c.Left() < 2 || x.keep || x.drop {
		return false
	}
	for _, w := range expiryWords {
		if (!x.given || x.unit == w.unit) && c.Word(w.word) {
			x.given, x.unit, x.amount = true, w.unit, c.Arg()
			return true
		}
	}
	return false
}

// until returns the deadline that was asked for, in milliseconds since the epoch; 0 for none.
func (c *Call) until(x expiry) int64 {
	if !x.given {
		return 0
	}
	return c.deadlineFrom(x.amount, x.unit, 1)
}

// expireAt sets the deadline of a visible key. A deadline that has passed deletes the key, unless
// the deadline is a journal's: there it may have been in the future when the next lines were written.
func (c *Call) expireAt(key []byte, deadline int64) {
	if deadline <= c.Now() && !c.Engine.Keyspace.Replaying {
		c.DB.Delete(key)
		c.Changed(key, "gdel")
		c.logKey("DEL", key)
		return
	}
	c.DB.SetDeadline(key, deadline)
	c.Changed(key, "gexpire")
	if c.Propagates() {
		c.Log([]byte("PEXPIREAT"), key, Decimal(deadline))
	}
}

// persist removes a key's deadline and reports whether there was one.
func (c *Call) persist(key []byte) bool {
	if deadline, _ := c.DB.Deadline(key); deadline == 0 {
		return false
	}
	c.DB.SetDeadline(key, 0)
	c.Changed(key, "gpersist")
	c.logKey("PERSIST", key)
	return true
}

// logKey journals a command that has a key and nothing else.
func (c *Call) logKey(name string, key []byte) {
	if c.Propagates() {
		c.Log([]byte(name), key)
	}
}

// expireConditions are EXPIRE's options: set a deadline only if there is none, if there is one, to a
// later, to an earlier one.
type expireConditions struct{ nx, xx, gt, lt bool }

func (c *Call) parseExpireConditions() (on expireConditions) {
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
			c.Refusef(ErrExpireOption, CText(option))
		}
	}
	switch {
	case on.nx && (on.xx || on.gt || on.lt):
		c.Refuse(ErrExpireNX)
	case on.gt && on.lt:
		c.Refuse(ErrExpireGTLT)
	}
	return on
}

// allow reports whether the conditions let a deadline take the place of the old one, 0 for none,
// which is later than any.
func (on expireConditions) allow(old, deadline int64) bool {
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
func millis(ms int64) int64 { return ms }

// seconds rounds milliseconds to the nearest second, as Redis does for keys.
func seconds(ms int64) int64 { return int64((uint64(ms) + 500) / 1000) }

// secondsUp rounds milliseconds up, as Redis does for elements.
func secondsUp(ms int64) int64 { return (ms + 999) / 1000 }
