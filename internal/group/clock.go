package group

import (
	"math"
	"sync/atomic"
	"time"
)

// clock is the time of the data. At a leader it goes on from the time of the last entry, and
// follows the wall clock slowly. So keys do not expire at once if the wall clock jumps, or if a new
// leader's is ahead. Other members have the time of the last entry, and go on for as long as the
// leader needs to send the next one.
type clock struct {
	wall, nanos func() int64
	base        atomic.Pointer[base]
}

// base is a moment of the data's time, and when it was by the clock that never jumps.
type base struct {
	micros int64
	nanos  int64
	leads  bool
}

// drift is the part of the passing time by which a leader's clock may be faster or slower to
// approach the wall clock: an hour takes a day.
const drift = 24

func (c *clock) init(wall, nanos func() int64) {
	c.wall, c.nanos = wall, nanos
	c.set(wall(), false)
}

// set makes a time the present one.
func (c *clock) set(micros int64, leads bool) { c.base.Store(&base{micros, c.nanos(), leads}) }

// lead makes the clock that of a leader. If nobody has led since this process started, the group
// was down as a whole: then the wall clock says how much time has passed.
func (c *clock) lead(fresh bool) {
	now := c.Now()
	if fresh {
		now = max(now, c.wall())
	}
	c.set(now, true)
}

// Now implements engine.Clock.
func (c *clock) Now() int64 {
	b := c.base.Load()
	passed := (c.nanos() - b.nanos) / 1e3
	if !b.leads {
		return b.micros + min(passed, tickEvery/1e3)
	}
	now := b.micros + passed
	return now + max(-passed/drift, min(passed/drift, c.wall()-now))
}

// Wait implements engine.Clock.
func (c *clock) Wait(due int64) time.Duration {
	if due == 0 {
		return math.MaxInt64
	}
	return time.Duration(due*1000-c.Now()) * time.Microsecond
}

// tickEvery is how often the leader puts the time into the log, in nanoseconds, if nothing else
// happens.
const tickEvery = 1e9
