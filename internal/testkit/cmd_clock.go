package testkit

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func clockLines() []command.Line {
	return []command.Line{{Name: "mini.clock", Arity: -2, Flags: flags, Since: since,
		Summary: "A container for commands that steer the server's clock.", Complexity: "Depends on the subcommand",
		Subs: []command.Line{
			{Name: "advance", Arity: 3, Flags: flags,
				Run: engine.On((*Kit).cmdClockAdvance), Reply: "integer", Since: since, Syntax: "duration",
				Summary:    "Moves the clock ahead. All that is due on the way happens in order before the reply.",
				Complexity: "O(N), N being the number of keys, elements and blocked clients that are due"},
			{Name: "freeze", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdClockFreeze), Reply: "integer",
				Since: since, Summary: "Stops the clock.", Complexity: "O(1)"},
			helpFor(),
			{Name: "resume", Arity: 2, Flags: flags,
				Run: engine.On((*Kit).cmdClockResume), Reply: "integer", Since: since,
				Summary: "Lets the clock run at the machine's pace, from the time that it shows.", Complexity: "O(1)"},
			{Name: "scale", Arity: 3, Flags: flags,
				Run: engine.On((*Kit).cmdClockScale), Reply: "integer", Since: since, Syntax: "factor:double",
				Summary:    "Lets the clock run faster or slower than the machine's, from the time that it shows.",
				Complexity: "O(1)"},
			{Name: "set", Arity: 3, Flags: flags, Run: engine.On((*Kit).cmdClockSet), Reply: "integer", Since: since,
				Syntax: "<unix-time-milliseconds|date>",
				Summary: "Sets the clock. Ahead it moves as by ADVANCE; back it jumps, " +
					"and expiration times stay the same.",
				Complexity: "O(N), N being the number of keys, elements and blocked clients that are due"},
			{Name: "status", Arity: 2, Flags: flags, Run: engine.On((*Kit).cmdClockStatus), Reply: "array",
				Since: since, Summary: "Returns the time and how the clock runs.", Complexity: "O(1)"},
		}}}
}

// The commands that change the clock reply with the time that it shows then, in milliseconds since
// the epoch.

// MINI.CLOCK ADVANCE duration
func (k *Kit) cmdClockAdvance(c *engine.Call) {
	text := string(c.Arg())
	ms, ok := parseDuration(text)
	switch {
	case !ok:
		c.Refusef(errDuration, text)
	case ms < 0:
		c.Refuse(errAdvanceBack)
	case ms > maxTime-c.Now():
		c.Refuse(errLastTime)
	}
	if c.OK() {
		k.moveTo(c, c.World.Micros()+ms*1000)
	}
}

// MINI.CLOCK SET <unix-time-milliseconds | date>
func (k *Kit) cmdClockSet(c *engine.Call) {
	if at := readTime(c); c.OK() {
		k.moveTo(c, at)
	}
}

// moveTo moves the clock after the command, since what happens on the way happens between commands.
func (k *Kit) moveTo(c *engine.Call, at int64) {
	c.Reply.Int(at / 1000)
	w := c.World
	c.Afterwards(func() { clockOf(w).MoveTo(w, at) })
}

// MINI.CLOCK FREEZE
func (k *Kit) cmdClockFreeze(c *engine.Call) { k.runFrom(c, 0) }

// MINI.CLOCK RESUME
func (k *Kit) cmdClockResume(c *engine.Call) { k.runFrom(c, 1) }

// minScale and maxScale limit the pace: at the latter a day takes 86 milliseconds.
const minScale, maxScale = 1e-6, 1e6

// MINI.CLOCK SCALE factor
func (k *Kit) cmdClockScale(c *engine.Call) {
	factor := c.Float()
	if !c.Failed() && (factor < minScale || factor > maxScale) {
		c.Refuse(errScaleRange)
	}
	if c.OK() {
		k.runFrom(c, factor)
	}
}

// runFrom lets the clock run at a pace from the time of the batch.
func (k *Kit) runFrom(c *engine.Call, rate float64) {
	here(c).clock.run(c.World.Micros(), rate)
	c.World.TickBy(c.Now()) // the host has gone to sleep by the old pace
	c.Reply.Int(c.Now())
}

// MINI.CLOCK STATUS
//
// Replies: time, in milliseconds since the epoch; scale, 0 for a frozen clock; and ahead, in
// milliseconds, of the machine's clock.
func (k *Kit) cmdClockStatus(c *engine.Call) {
	c.Reply.Map(3)
	c.Reply.BulkString("time")
	c.Reply.Int(c.Now())
	c.Reply.BulkString("scale")
	c.Reply.BulkDouble(here(c).clock.motion.Load().rate)
	c.Reply.BulkString("ahead")
	c.Reply.Int((c.World.Micros() - k.engine.Machine()) / 1000)
}
