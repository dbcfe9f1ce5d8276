package ratelimit

import (
	"math/bits"
	"strconv"

	"github.com/miniserver-go/miniserver/commands/elements"
	"github.com/miniserver-go/miniserver/commands/strings"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// Throttling is the family of the module redis-cell, whose one command limits rates.
//
// The generic cell rate algorithm keeps one number for each key, the theoretical arrival time: when
// the bucket will have leaked dry. Times are nanoseconds since the epoch.
//
//	          now              tat            new tat
//	───────────┼────────────────┼────────────────┼──────────▶ time
//	           ├── what is in the bucket ────────┤              at most the tolerance
//	                            ├─── increment ──┤              quantity emissions
//
// Replies are those of redis-cell 0.5.0, integer for integer. Unlike there, the journal holds what
// came of a call, SET key tat PXAT, and not the call, which would be decided by the clock of whoever
// replays it; a value that is no number is an error instead of a crash; numbers that 64 bits cannot
// hold are refused; and a negative quantity gives back no more than was taken.
func Throttle() engine.Family {
	return engine.Family{Group: "module", Commands: []engine.Command{
		{Name: "cl.throttle", Arity: -1, Flags: engine.Write, Keys: engine.Key(1, "RW update"), Run: cmdThrottle, Since: "4.0.0",
			Syntax:     "key max-burst:integer count period:integer [quantity:integer]",
			Summary:    "Takes from the allowance of a key, which refills at a given rate, or tells when to retry.",
			Complexity: "O(1)"},
	}}
}

// CL.THROTTLE key max_burst count period [quantity]
//
// Replies: whether limited, the limit, what remains of it, the seconds after which to retry or -1, and
// the seconds after which all of it is there again.
func cmdThrottle(c *engine.Call) {
	key, r := parseRate(c)
	now := c.Engine.Micros() * 1000
	tat := now
	if v, ok := engine.Read[*str.Value](c, key); ok {
		tat = strings.Number(c, v)
	}
	t := r.take(now, tat)
	if t.lost {
		c.Refuse(engine.ErrNotInt)
	}
	if !c.OK() {
		return
	}
	refused := int64(1)
	if !t.limited {
		refused = 0
		storeArrival(c, key, now+t.ttl, t.ttl/1e6)
	}
	c.Reply.Array(5)
	c.Reply.Int(refused)
	c.Reply.Int(r.limit)
	c.Reply.Int(t.remaining)
	c.Reply.Int(wholeSeconds(t.retry))
	c.Reply.Int(wholeSeconds(t.ttl))
}

// parseRate reads the arguments of CL.THROTTLE. Its errors have no code in front, as a module's may.
func parseRate(c *engine.Call) (key []byte, r rate) {
	if len(c.Args) != 5 && len(c.Args) != 6 {
		c.Refuse(errThrottleUsage)
	}
	key = c.Arg()
	burst, count, period, quantity := cellInt(c), cellInt(c), cellInt(c), int64(1)
	if c.More() {
		quantity = cellInt(c)
	}
	var x exact
	nanos := x.times(period, 1e9)
	if count != 0 {
		r.emission = int64(float64(nanos) / float64(count))
	}
	r.limit = x.plus(burst, 1)
	r.tolerance = x.times(r.emission, r.limit)
	r.increment = x.times(r.emission, quantity)
	switch {
	case x.lost:
		c.Refuse(engine.ErrNotInt)
	case r.emission == 0:
		c.Refuse(errThrottleZero)
	}
	return key, r
}

// cellInt returns the next argument as an integer, with a sign and leading zeros if one likes.
func cellInt(c *engine.Call) int64 {
	arg := c.Arg()
	n, ok := resp.ParseInt(arg)
	if ok {
		return n
	}
	n, err := strconv.ParseInt(string(arg), 10, 64)
	if err != nil {
		c.Refusef(errThrottleInt, arg)
	}
	return n
}

// storeArrival stores when the bucket will be empty. One that will be within a millisecond is as good
// as none.
func storeArrival(c *engine.Call, key []byte, tat, millis int64) {
	switch deadline := c.Now() + millis; {
	case millis > 0:
		c.DB.SetUntil(key, c.Engine.Keyspace.Int(tat), deadline)
		c.Changed(key, "$set")
		c.Changed(key, "gexpire")
		if c.Propagates() {
			strings.LogSet(c, key, engine.Decimal(tat), deadline, false)
		}
	case c.DB.Delete(key):
		c.Changed(key, "gdel")
		elements.LogKey(c, "DEL", key)
	}
}

// wholeSeconds rounds nanoseconds up to seconds, but for less than a millisecond.
func wholeSeconds(nanos int64) int64 {
	s := nanos / 1e9
	if nanos%1e9/1e6 > 0 {
		s++
	}
	return s
}

// rate is what a call asks of a bucket. All but the limit are nanoseconds.
type rate struct {
	limit     int64 // how much the bucket takes
	emission  int64 // in which one unit leaks
	tolerance int64 // in which the full bucket does
	increment int64 // in which what the call adds does
}

// taking is the outcome of a call.
type taking struct {
	limited   bool
	remaining int64
	retry     int64 // nanoseconds; one second below zero for never or no need
	ttl       int64 // nanoseconds until the bucket is empty
	lost      bool  // some number does not fit 64 bits
}

// take decides whether a bucket that is going to be empty at tat takes an increment.
func (r rate) take(now, tat int64) (t taking) {
	var x exact
	filled := max(x.plus(max(now, tat), r.increment), now)
	t.ttl, t.retry = filled-now, -1e9
	if excess := x.minus(t.ttl, r.tolerance); excess > 0 {
		t.limited, t.ttl = true, x.minus(tat, now)
		if r.increment <= r.tolerance {
			t.retry = excess
		}
	}
	if space := x.minus(r.tolerance, t.ttl); space > -r.emission {
		t.remaining = r.units(space)
	}
	t.lost = x.lost
	return t
}

// units returns how many emissions there are in a time, as redis-cell does: of both only whole
// microseconds count, unless an emission takes less than one.
func (r rate) units(nanos int64) int64 {
	if r.emission/1000 == 0 {
		return nanos / r.emission
	}
	return int64(float64(nanos/1000) / float64(r.emission/1000))
}

// exact calculates and remembers whether a result did not fit 64 bits.
type exact struct{ lost bool }

func (x *exact) plus(a, b int64) int64 {
	s := a + b
	x.lost = x.lost || (s < a) != (b < 0)
	return s
}

func (x *exact) minus(a, b int64) int64 {
	d := a - b
	x.lost = x.lost || (d > a) != (b < 0)
	return d
}

func (x *exact) times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// The product of the unsigned readings is too great by the other factor, in its upper half, for
	// each negative factor.
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	x.lost = x.lost || int64(hi) != int64(lo)>>63
	return int64(lo)
}
