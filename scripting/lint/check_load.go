package lint

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// extent returns how much the command replies with.
func (c *invocation) extent() command.Extent {
	if c.cmd == nil {
		return command.Bounded
	}
	return c.cmd.Extent()
}

// unbounded reports whether the reply may have any number of elements: a whole value, a range from
// the first to the last element, or an interval of scores without a limit. Ranges whose ends are
// not constant are taken for short ones.
func (c *invocation) unbounded() bool {
	switch c.extent() {
	case command.Whole:
		return true
	case command.AllKeys:
		return !c.hasCursor()
	case command.Range:
		return c.argument("start") == "0" && c.argument("stop") == "-1" && !c.hasWord("LIMIT")
	case command.Interval:
		return !c.open && !c.hasWord("LIMIT") && !c.isOneScore()
	}
	return false
}

// isOneScore reports whether both bounds of an interval are the same value from outside of the
// script: the elements of one moment, for example, which are few. Of a constant score there may be
// many: scripts give one to all elements to order them by name.
func (c *invocation) isOneScore() bool {
	least, most := c.named("min"), c.named("max")
	return least >= 0 && most >= 0 && !c.args[least].exact && c.isSame(least, most)
}

// hasCursor reports whether the command iterates.
func (c *invocation) hasCursor() bool { return c.cmd != nil && c.cmd.CursorAt() > 0 }

// argument returns the constant argument that has a name in the command's syntax, "" if there is
// none.
func (c *invocation) argument(name string) string {
	if i := c.named(name); i >= 0 {
		return c.args[i].text
	}
	return ""
}

// named returns the position of the argument that has a name in the command's syntax, -1 if there
// is none.
func (c *invocation) named(name string) int {
	return slices.IndexFunc(c.meanings(), func(a *command.Argument) bool { return a != nil && a.Name == name })
}

// loadRules are the rules about time and memory.
type loadRules struct {
	walks   map[*invocation]bool // replies whose loops were reported
	limits  []*invocation        // counters that were compared with a limit
	numbers []*invocation        // counters whose number was passed to a command, as an id or a score
	resets  []reset              // of the time of counters
	times   []*invocation        // ZADD of members that are their scores
	expires bool                 // some command sets a deadline
}

// reset is an EXPIRE that runs whenever a counter is raised.
type reset struct{ counter, by *invocation }

// check looks at a command.
func (l *loadRules) check(c *invocation) {
	l.checkReading(c)
	l.expires = l.expires || c.setsDeadline()
	for _, v := range c.args {
		if v.raw != nil && v.raw == v.counts && c.run.silent == 0 {
			l.numbers = append(l.numbers, v.raw)
		}
	}
	switch s := c.run.scope; {
	case c.run.silent > 0 || c.open:
	case c.name == "incr" || c.name == "incrby":
		s.raise(c)
	case (c.name == "expire" || c.name == "pexpire") && len(c.args) == 2 && s.raised[c.args[0].name()] != nil:
		l.resets = append(l.resets, reset{s.raised[c.args[0].name()], c})
	case c.name == "zadd" && len(c.args) == 3 && c.isSame(1, 2):
		l.times = append(l.times, c)
	}
}

// isSame reports whether two arguments are the same value: one variable, or one element of ARGV.
func (c *invocation) isSame(i, j int) bool {
	if c.skip+j < len(c.call.Args) {
		if v := variableOf(c.call.Args[c.skip+i]); v != nil && v == variableOf(c.call.Args[c.skip+j]) {
			return true
		}
	}
	return isInput(c.args[i]) && isInput(c.args[j]) && c.args[i].name() == c.args[j].name()
}

// checkReading finds commands that read very much, or are called very often. Of the commands in a
// loop over a reply it reports the first: they all would be mended by the same limit.
func (l *loadRules) checkReading(c *invocation) {
	r := c.run
	switch {
	case c.extent() == command.AllKeys:
		r.report("keys-command", c.call.At,
			"%s iterates over all keys of the database: keep their names in a set, or let the client use SCAN.", c)
	case c.extent() == command.Whole:
		r.report("unbounded-read", c.call.At,
			"%s reads the whole value and blocks the server meanwhile: make sure that the value stays small.", c)
	case c.unbounded():
		r.report("unbounded-read", c.call.At,
			"%s reads everything and blocks the server meanwhile: give it a limit.", c)
	}
	if c.hasCursor() && r.frame.allLoops() > 0 {
		r.report("scan-loop", c.call.At,
			"%s in a loop blocks the server until everything is read: loop in the client, or read a bounded part.", c)
	}
	for _, reply := range r.frame.walked() {
		if reply.unbounded() && !l.walks[reply] {
			l.walks[reply] = r.silent == 0
			r.report("command-per-element", c.call.At, "%s is called for each element of %s, "+
				"which may have many: limit how many are read at once.", name(c), reply)
			return
		}
	}
}

// maxUnpacked is about how many results unpack may have.
const maxUnpacked = 8000

// unpacks finds an unpack of a reply that may be long. With three arguments the script itself says
// which elements, and takes them in groups; or it has looked that there are not too many.
func (r *run) unpacks(e *syntax.CallExpr, list *value) {
	if len(e.Args) >= 3 || list.table == nil || list.table.reply == nil || !list.table.reply.unbounded() {
		return
	}
	if most, known := r.scope.most[list.table.reply]; !known || most >= maxUnpacked {
		r.report("unpack-limit", e.At, "unpack fails if %s has more than about %d elements: pass them in groups.",
			list.table.reply, maxUnpacked)
	}
}

// setsDeadline reports whether the command gives a key or an element a deadline, or might: if there
// are words that nobody knows here, and the command has an option for it.
func (c *invocation) setsDeadline() bool {
	if !c.isWrite() || c.cmd.Flags&command.Blocking != 0 { // which may wait for milliseconds
		return false
	}
	given := slices.ContainsFunc(c.meanings(), func(a *command.Argument) bool { return a != nil && a.IsDeadline() })
	return given || c.hasUnknowns() && c.cmd.MayExpire()
}

// counts reports whether the reply is the number of events that a limiter compares with its limit.
// That is an idiom, and no fact about these commands.
func (c *invocation) counts() bool {
	return c.name == "incr" || c.name == "incrby" || c.name == "zcard" || c.name == "zcount"
}

// report applies the rules about limiters. A counter that numbers things is none: who compares it
// with a limit removes old ones.
func (l *loadRules) report(r *run) {
	l.limits = slices.DeleteFunc(l.limits, func(c *invocation) bool {
		return strings.HasPrefix(c.name, "incr") && hasCall(l.numbers, c)
	})
	for _, w := range l.resets {
		if hasCall(l.limits, w.counter) {
			r.report("extended-window", w.by.call.At, "%s begins the time of the counter anew with each event, "+
				"so who goes on stays over the limit: call it when the count is 1.", w.by)
		}
	}
	if r.names["zremrangebyscore"] && (r.names["zcard"] || r.names["zcount"]) {
		for _, c := range l.times {
			r.report("time-member", c.call.At,
				"The member is its time, so two events at the same time are counted once: add what makes them differ.")
		}
	}
	if !l.expires && !r.dynamic {
		l.reportMissing(r)
	}
}

// hasCall reports whether one of the invocations is at the place of another.
func hasCall(list []*invocation, other *invocation) bool {
	return slices.ContainsFunc(list, func(c *invocation) bool { return c.call == other.call })
}

// reportMissing finds counters that are compared with a limit in a program that sets no deadline. A
// program that also counts down is no limiter but a lock for several.
func (l *loadRules) reportMissing(r *run) {
	for _, c := range l.limits {
		window := r.names["zadd"] && r.names["zremrangebyscore"] && strings.HasPrefix(c.name, "zc")
		counter := strings.HasPrefix(c.name, "incr") && !r.names["decr"] && !r.names["decrby"] && !r.names["del"]
		if window || counter {
			r.report("missing-expire", c.call.At, "The count of %s is compared with a limit, "+
				"but its key never expires: call EXPIRE or PEXPIRE for it.", c)
			return
		}
	}
}
