// Package ratelimit is the families of commands for rate limiters: CL.THROTTLE of the module
// redis-cell in throttle.go, and INCREX of Redis 8.8, a counter with bounds and a deadline for
// limiters with fixed windows, in increx.go.
//
// CL.THROTTLE implements the generic cell rate algorithm (GCRA). A key is a bucket that leaks at a
// constant rate. Its value is one number, the theoretical arrival time (tat): the time at which the
// bucket will be empty. Times are nanoseconds since the epoch.
//
//	          now              tat            new tat
//	───────────┼────────────────┼────────────────┼──────────▶ time
//	           ├── content of the bucket ────────┤              at most the tolerance
//	                            ├─── increment ──┤              quantity emissions
//
// Replies are those of redis-cell 0.5.0, integer for integer. Differences:
//
//   - The journal and the replicas receive the result, SET key tat PXAT, and not the call. The
//     result of a call depends on the clock at the time of replay.
//   - A value that is no number is an error. It crashes redis-cell.
//   - Numbers that 64 bits cannot hold are errors.
//   - A negative quantity returns at most what was taken.
package ratelimit

import (
	"math/bits"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/commands/strings"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/resp"
)

// Throttle is the family of CL.THROTTLE.
var Throttle = command.Family{Group: "module", Module: "redis-cell", Commands: []command.Line{
	{Name: "cl.throttle", Arity: -1, Flags: command.Write, Keys: command.Key(1, "RW access update"), Run: cmdThrottle,
		Reply: "integers", Since: "cell:0.1.0", Syntax: "key max-burst:integer count period:integer [quantity:integer]",
		Summary: "Limits a rate: takes a quantity from a key's allowance, which refills over time, " +
			"or returns when to retry.",
		Complexity: "O(1)"},
}}

// CL.THROTTLE key max_burst count period [quantity]
//
// Replies: 1 if the call is limited, else 0; the limit; what remains of it; the seconds after which
// to retry, or -1; and the seconds after which the bucket is empty.
func cmdThrottle(c *engine.Call) {
	key, r := parseRate(c)
	now := c.World.KeyMicros() * 1000
	tat := now
	if v, ok := engine.Read[*str.Value](c, key); ok {
		tat = strings.ParseInt(c, v)
	}
	t := r.decide(now, tat)
	if t.overflow {
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

// parseRate reads the arguments of CL.THROTTLE. Its errors have no code, like those of redis-cell.
func parseRate(c *engine.Call) (key []byte, r rate) {
	if len(c.Args) != 5 && len(c.Args) != 6 {
		c.Refuse(errThrottleUsage)
	}
	key = c.Arg()
	burst, count, period, quantity := cellIntArg(c), cellIntArg(c), cellIntArg(c), int64(1)
	if c.More() {
		quantity = cellIntArg(c)
	}
	var x checked
	nanos := x.mul(period, 1e9)
	if count != 0 {
		r.emission = int64(float64(nanos) / float64(count))
	}
	r.limit = x.add(burst, 1)
	r.tolerance = x.mul(r.emission, r.limit)
	r.increment = x.mul(r.emission, quantity)
	switch {
	case x.overflow:
		c.Refuse(engine.ErrNotInt)
	case r.emission == 0:
		c.Refuse(errThrottleZero)
	}
	return key, r
}

// cellIntArg returns the next argument as an integer. Like redis-cell it accepts a plus sign and
// leading zeros.
func cellIntArg(c *engine.Call) int64 {
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

// storeArrival stores the time at which the bucket will be empty. It deletes the key of a bucket
// that is empty within a millisecond.
func storeArrival(c *engine.Call, key []byte, tat, millis int64) {
	switch deadline := c.Now() + millis; {
	case millis > 0:
		c.DB.SetUntil(key, c.World.Keyspace.Int(tat), deadline)
		c.Changed(key, event.String("set"))
		c.Changed(key, event.Expire)
		if c.Propagates() {
			strings.PropagateSet(c, key, resp.Decimal(tat), deadline, false)
		}
	case c.DB.Delete(key):
		c.Changed(key, event.Del)
		elements.PropagateKey(c, "DEL", key)
	}
}

// wholeSeconds rounds nanoseconds up to seconds, after it has cut them to milliseconds.
func wholeSeconds(nanos int64) int64 {
	s := nanos / 1e9
	if nanos%1e9/1e6 > 0 {
		s++
	}
	return s
}

// rate is the rate and the request of a call. All fields but limit are nanoseconds.
type rate struct {
	limit     int64 // capacity of the bucket, in units
	emission  int64 // time in which one unit leaks
	tolerance int64 // time in which a full bucket leaks
	increment int64 // time in which the quantity of the call leaks
}

// decision is the result of a call.
type decision struct {
	limited   bool
	remaining int64
	retry     int64 // nanoseconds; minus one second if not limited, or if a retry cannot succeed
	ttl       int64 // nanoseconds until the bucket is empty
	overflow  bool  // a number exceeds 64 bits
}

// decide decides whether a bucket that will be empty at tat has room for the increment.
func (r rate) decide(now, tat int64) (t decision) {
	var x checked
	filled := max(x.add(max(now, tat), r.increment), now)
	t.ttl, t.retry = filled-now, -1e9
	if excess := x.sub(t.ttl, r.tolerance); excess > 0 {
		t.limited, t.ttl = true, x.sub(tat, now)
		if r.increment <= r.tolerance {
			t.retry = excess
		}
	}
	if space := x.sub(r.tolerance, t.ttl); space > -r.emission {
		t.remaining = r.units(space)
	}
	t.overflow = x.overflow
	return t
}

// units returns how many emissions fit in a time. Like redis-cell it divides whole microseconds, or
// nanoseconds if an emission takes less than a microsecond.
func (r rate) units(nanos int64) int64 {
	if r.emission/1000 == 0 {
		return nanos / r.emission
	}
	return int64(float64(nanos/1000) / float64(r.emission/1000))
}

// checked calculates with int64. overflow is set once a result does not fit.
type checked struct{ overflow bool }

func (x *checked) add(a, b int64) int64 {
	s := a + b
	x.overflow = x.overflow || (s < a) != (b < 0)
	return s
}

func (x *checked) sub(a, b int64) int64 {
	d := a - b
	x.overflow = x.overflow || (d > a) != (b < 0)
	return d
}

func (x *checked) mul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Mul64 reads a negative factor as 2^64 too large. The upper half is then too large by the
	// other factor.
	if a < 0 {
		hi -= uint64(b)
	}
	if b < 0 {
		hi -= uint64(a)
	}
	x.overflow = x.overflow || int64(hi) != int64(lo)>>63
	return int64(lo)
}
