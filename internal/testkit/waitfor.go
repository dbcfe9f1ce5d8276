package testkit

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/pubsub"
	"github.com/miniserver-go/miniserver/internal/engine"
)

// MINI.WAITFOR blocks its client until something is the case, so that a test need not sleep. It is
// a blocked command like BLPOP: the engine runs it again when a key that it looks at changes, or
// when a client blocks, subscribes or meets a fault. Nothing polls, but QUIET, which no event ends.
//
// Its TIMEOUT is real time. It says how long a test has patience, and a test that stopped the
// server's clock must end too. It is required, and passing it is an error that says what was found
// instead: a test that fails should say why. With TIMEOUT 0 the command looks once.

// condition is what a MINI.WAITFOR waits for. look returns whether it is the case, and what is
// there.
type condition struct {
	text string
	look func() (ok bool, found string)
}

func waitForLines() []command.Line {
	const waits = flags | command.Blocking
	line := func(name string, arity int, run engine.Method, syntax, summary string) command.Line {
		return command.Line{Name: name, Arity: arity, Flags: waits, Run: run, Reply: "status", Since: since,
			Syntax: syntax + " timeout=<TIMEOUT duration>", Summary: summary, Complexity: "O(1)"}
	}
	onKey := func(cmd command.Line) command.Line {
		cmd.Keys = command.Key(2, "RO access")
		return cmd
	}
	subs := []command.Line{
		line("blocked", 5, engine.On((*Kit).cmdWaitBlocked), "count",
			"Waits until that many clients are blocked, or none if the count is 0."),
		line("fault", 6, engine.On((*Kit).cmdWaitFault), "id count",
			"Waits until a fault has hit that many commands."),
		helpFor(),
		onKey(line("key", -5, engine.On((*Kit).cmdWaitKey), "key [value]",
			"Waits until a key exists, or has a string as its value.")),
		onKey(line("length", 6, engine.On((*Kit).cmdWaitLength), "key count",
			"Waits until a value has that many elements, or bytes, or none if the count is 0.")),
		line("outage", 5, engine.On((*Kit).cmdWaitOutage), "count",
			"Waits until the outage has hit connections that often."),
		line("quiet", 5, engine.On((*Kit).cmdWaitQuiet), "duration",
			"Waits until no command has ended for some time."),
		line("subscribers", 6, engine.On((*Kit).cmdWaitSubscribers), "channel count",
			"Waits until that many clients listen to a channel or pattern, or none if the count is 0."),
	}
	return []command.Line{{Name: "mini.waitfor", Arity: -2, Flags: waits, Since: since, Subs: subs,
		Summary:    "A container for commands that wait for what other clients do.",
		Complexity: "Depends on the subcommand"}}
}

// MINI.WAITFOR BLOCKED count TIMEOUT duration
//
// Other clients that wait in this command do not count.
func (k *Kit) cmdWaitBlocked(c *engine.Call) {
	world := c.World
	k.waitForCount(c, "blocked", func() (n int) {
		for _, b := range world.Blocked() {
			if b.Command().Group() != group {
				n++
			}
		}
		return n
	})
}

// MINI.WAITFOR SUBSCRIBERS channel count TIMEOUT duration
func (k *Kit) cmdWaitSubscribers(c *engine.Call) {
	world, channel := c.World, slices.Clone(c.Arg())
	k.waitForCount(c, fmt.Sprintf("subscribers %q", channel), func() int { return pubsub.Listeners(world, channel) })
}

// MINI.WAITFOR FAULT id count TIMEOUT duration
//
// It ends with an error if the fault is cleared meanwhile.
func (k *Kit) cmdWaitFault(c *engine.Call) {
	f, want := k.faultAdded(c), c.IntIn(1, math.MaxInt64, errFaultCount)
	if !c.OK() {
		return
	}
	k.waitFor(c, nil, condition{fmt.Sprintf("fault %q %d", f.id, want),
		func() (bool, string) { return f.hits >= want, strconv.FormatInt(f.hits, 10) }})
}

// MINI.WAITFOR OUTAGE count TIMEOUT duration
//
// When the outage is over the count is 0 again.
func (k *Kit) cmdWaitOutage(c *engine.Call) {
	want, w := c.IntIn(1, math.MaxInt64, errFaultCount), c.World
	k.waitFor(c, nil, condition{fmt.Sprintf("outage %d", want), func() (bool, string) {
		struck := int64(0)
		if o := k.outageFor(w); o != nil {
			struck = o.struck
		}
		return struck >= want, strconv.FormatInt(struck, 10)
	}})
}

// waitForCount reads a count, and waits for so many clients.
func (k *Kit) waitForCount(c *engine.Call, what string, count func() int) {
	want := readCount(c)
	k.waitFor(c, nil, condition{fmt.Sprintf("%s %d", what, want), func() (bool, string) {
		n := count()
		return enough(n, want), strconv.Itoa(n)
	}})
}

func readCount(c *engine.Call) int { return int(c.IntIn(0, math.MaxInt32, errWaitCount)) }

// enough reports whether n is as many as wanted: more will do, but for none.
func enough(n, want int) bool { return n == want || n > want && want > 0 }

// MINI.WAITFOR KEY key [value] TIMEOUT duration
func (k *Kit) cmdWaitKey(c *engine.Call) {
	db, key := c.DB, slices.Clone(c.Arg())
	if c.Left() == 2 {
		k.waitFor(c, key,
			condition{fmt.Sprintf("key %q", key), func() (bool, string) { return db.Exists(key), "none" }})
		return
	}
	want := string(c.Arg())
	k.waitFor(c, key, condition{fmt.Sprintf("key %q %q", key, want), func() (bool, string) {
		v, exists := db.Peek(key)
		if text, isText := v.(*str.Value); isText {
			found := string(text.Text(nil))
			return found == want, strconv.Quote(found)
		} else if exists {
			return false, "a " + v.Type().String()
		}
		return false, "none"
	}})
}

// MINI.WAITFOR LENGTH key count TIMEOUT duration
func (k *Kit) cmdWaitLength(c *engine.Call) {
	db, key, want := c.DB, slices.Clone(c.Arg()), readCount(c)
	k.waitFor(c, key, condition{fmt.Sprintf("length %q %d", key, want), func() (bool, string) {
		n := 0
		if v, exists := db.Peek(key); exists {
			n = v.Len()
		}
		return enough(n, want), strconv.Itoa(n)
	}})
}

// MINI.WAITFOR QUIET duration TIMEOUT duration
//
// The duration is real time, too.
func (k *Kit) cmdWaitQuiet(c *engine.Call) {
	span := readDuration(c, 0)
	q := &quiet{world: c.World, span: span * 1000, executed: c.World.Executed(), since: k.engine.Machine()}
	w := k.waitFor(c, nil, condition{fmt.Sprintf("quiet %d", span), func() (bool, string) {
		passed := q.passed(k)
		return passed >= q.span, fmt.Sprintf("%d milliseconds", passed/1000)
	}})
	if w != nil {
		w.quiet = q
		k.wakeHost()
	}
}

// passed returns for how long no command has ended, as far as it is known.
func (q *quiet) passed(k *Kit) int64 {
	now := k.engine.Machine()
	if n := q.world.Executed(); n != q.executed {
		q.executed, q.since = n, now
	}
	return now - q.since
}

// waitFor reads the timeout, and replies if the condition is met. If not it blocks the client, on a
// key or, without one, on what other clients wait for and listen to. It returns the waiter; nil if
// the command has replied, or runs again.
func (k *Kit) waitFor(c *engine.Call, key []byte, what condition) *waiter {
	patience := readTimeout(c)
	if !c.OK() {
		return nil
	}
	met, found := what.look()
	switch {
	case met:
		c.Reply.Status("OK")
		return nil
	case c.Woken():
		c.BlockOnKeys(nil, 0, nil) // again
		return nil
	case patience == 0:
		c.Fail(c.Engine.Commands.Errorf(errTimeout, 0, what.text, found))
		return nil
	}
	w := &waiter{deadline: k.engine.Machine() + patience*1000}
	keys := [][]byte{key}
	if key == nil {
		keys = nil
	}
	w.blocked = c.BlockOnKeys(keys, 0, func(s *engine.Session) {
		if met, found := what.look(); met || w.met {
			s.Reply.Status("OK")
		} else {
			s.Reply.Error(k.engine.Commands.Errorf(errTimeout, patience, what.text, found))
		}
	})
	if key == nil {
		c.WakeOnClients()
	} else {
		c.WakeOnDelete()
	}
	k.waiters = append(k.waiters, w)
	k.wakeHost()
	return w
}

// readTimeout reads TIMEOUT duration at the end of the arguments.
func readTimeout(c *engine.Call) int64 {
	if !c.Failed() && !c.Word("TIMEOUT") {
		c.Refuse(errNoTimeout)
	}
	patience := readDuration(c, 0)
	c.End()
	return patience
}

// endWaits ends what has waited long enough, by the machine's clock.
func (k *Kit) endWaits() (next int64) {
	if len(k.waiters) == 0 {
		return 0
	}
	for _, w := range k.waiters {
		w.met = w.quiet != nil && w.quiet.passed(k) >= w.quiet.span // before any of them ends, which is a command
	}
	for _, w := range k.waiters {
		if !w.blocked.Ended() && (w.met || k.engine.Machine() >= w.deadline) {
			w.blocked.End()
		}
	}
	k.waiters = slices.DeleteFunc(k.waiters, func(w *waiter) bool { return w.blocked.Ended() })
	k.Clock.alarm.Store(k.nextWait())
	return 0
}

// wakeHost tells the host that something is due by the machine's clock.
func (k *Kit) wakeHost() {
	k.Clock.alarm.Store(k.nextWait())
	k.engine.Home().TickBy(k.engine.Home().Micros() / 1000)
}

// nextWait returns the machine's time at which the first waiter ends if nothing happens; 0 if there
// is none.
func (k *Kit) nextWait() (next int64) {
	for _, w := range k.waiters {
		at := w.deadline
		if w.quiet != nil {
			at = min(at, w.quiet.since+w.quiet.span)
		}
		if next == 0 || at < next {
			next = at
		}
	}
	return next
}
