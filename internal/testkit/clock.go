package testkit

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/miniserver-go/miniserver/internal/engine"
)

// Clock is a world's only clock once its part has joined. It starts as the machine's, and can stop,
// jump and run at any pace. Whatever knows the time follows it: keys, elements, TIME, scripts, IDs
// of streams, idle times, stamps, timeouts of blocked clients, save points. Only durations, such as
// the time limit of scripts, are measured with the machine's clock: a script in an endless loop
// must not depend on somebody who moves the time.
//
// Moving ahead is not a jump: what falls due on the way happens at its time and in order, with its
// messages, and clients that wait for it are served, before MoveTo returns. When the clock is set
// back, deadlines stay where they are.
//
// Now and Wait may be called from any goroutine, the other methods under the engine's lock.
type Clock struct {
	machine func() int64    // microseconds since the epoch
	worlds  []*engine.World // that it is the clock of, under the engine's lock
	motion  atomic.Pointer[motion]
	alarm   atomic.Int64 // the machine's time at which a Tick is needed in any case; 0 for never
}

// motion is how a clock moves: it shows the time at when the machine's clock shows from, and is
// rate times as fast.
type motion struct {
	from, at int64
	rate     float64 // 0 if it is frozen
}

// maxTime is the latest time to which a clock can be set, in milliseconds: the end of the
// year 9999.
const maxTime = 253402300799999

// NewClock returns a clock that shows an engine's time, and from then on stands in its place. It
// joins the engine by itself.
func NewClock(e *engine.Engine) *Clock {
	c := newClock(e)
	c.worlds = append(c.worlds, e.Home())
	e.Join(engine.Part{Name: "clock", Clock: c})
	return c
}

// newClock returns a clock that runs as the machine's.
func newClock(e *engine.Engine) *Clock {
	c := &Clock{machine: e.Machine}
	c.run(c.machine(), 1)
	return c
}

// Now returns the time in microseconds since the epoch.
func (c *Clock) Now() int64 { return c.motion.Load().now(c.machine) }

func (m *motion) now(machine func() int64) int64 {
	switch m.rate {
	case 0:
		return m.at
	case 1:
		return m.at + machine() - m.from
	}
	return m.at + int64(float64(machine()-m.from)*m.rate)
}

// Wait implements engine.Clock.
func (c *Clock) Wait(due int64) time.Duration {
	wait := time.Duration(math.MaxInt64)
	if m := c.motion.Load(); due != 0 && m.rate > 0 {
		left := float64(due) - float64(m.now(c.machine))/1000
		wait = time.Duration(min(max(0, left/m.rate), 1e9)) * time.Millisecond
	}
	if alarm := c.alarm.Load(); alarm != 0 {
		wait = min(wait, time.Duration(alarm-c.machine())*time.Microsecond)
	}
	return wait
}

// run makes the clock continue from a time, rate times as fast as the machine's.
func (c *Clock) run(at int64, rate float64) {
	c.motion.Store(&motion{from: c.machine(), at: at, rate: rate})
}

// set sets the clock while it stands still.
func (c *Clock) set(at int64) { c.run(at, 0) }

// MoveTo sets the clock, which is that of w and maybe of others, to a time in microseconds since
// the epoch. On the way ahead, all that is due happens in order. It is called between commands.
func (c *Clock) MoveTo(w *engine.World, at int64) {
	rate := c.motion.Load().rate
	if c.Freeze(); at > c.Now() {
		engine.Pass(c.worlds, at, c.set)
	}
	c.run(at, rate)
	for _, w := range c.worlds {
		w.TickNow()
	}
	w.TickBy(at / 1000) // the host has gone to sleep by the old time
}

// Advance moves the clock ahead.
func (c *Clock) Advance(w *engine.World, d time.Duration) {
	if now := c.Now(); d > 0 && d.Microseconds() <= maxTime*1000-now {
		c.MoveTo(w, now+d.Microseconds())
	}
}

// Freeze stops the clock at the time that it shows.
func (c *Clock) Freeze() { c.run(c.Now(), 0) }

// Resume lets the clock run at the machine's pace, from the time that it shows.
func (c *Clock) Resume(w *engine.World) {
	c.run(c.Now(), 1)
	w.TickBy(c.Now() / 1000) // the host has gone to sleep by the old pace
}

// Frozen reports whether the clock stands still.
func (c *Clock) Frozen() bool { return c.motion.Load().rate == 0 }
