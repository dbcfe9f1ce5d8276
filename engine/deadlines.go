package engine

import "math"

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
func (c *Call) Deadline(u unit, least int64) int64 {
	n := c.Int()
	if c.err != "" {
		return 0
	}
	ms, ok := u.millis(n, c.Now())
	if !ok || n < least {
		c.Refusef(ErrExpireTime, c.Cmd.full)
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

// expireAt sets a key's deadline, if there is one. A deadline that has passed makes the key
// invisible at once, and the active side removes it.
func (c *Call) expireAt(key []byte, deadline int64) {
	if deadline != 0 {
		c.DB.SetDeadline(key, deadline)
	}
}
