package latency

import (
	"fmt"
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// family is LATENCY.
var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "latency", Arity: -2, Since: "2.8.13", Subs: subs(),
		Complexity: "Depends on the subcommand", Summary: "A container for latency diagnostics commands."},
}}

// subs are the subcommands of LATENCY.
func subs() []command.Line {
	const flags = command.Admin | command.NoScript | command.Loading | command.Stale
	return []command.Line{
		{Name: "doctor", Arity: 2, Flags: flags | command.Harmless, Run: engine.On((*Monitor).cmdDoctor), Reply: "text",
			Since: "2.8.13", Summary: "Returns a human-readable latency analysis report.",
			Tips: "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "graph", Arity: 3, Flags: flags | command.Harmless, Run: engine.On((*Monitor).cmdGraph), Reply: "text",
			Since: "2.8.13", Syntax: "event", Summary: "Returns a latency graph for an event.",
			Tips: "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "history", Arity: 3, Flags: flags | command.Harmless,
			Run: engine.On((*Monitor).cmdHistory), Reply: "array", Since: "2.8.13",
			Syntax: "event", Summary: "Returns timestamp-latency samples for an event.",
			Tips: "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "latest", Arity: 2, Flags: flags | command.Harmless, Run: engine.On((*Monitor).cmdLatest),
			Reply: "array", Since: "2.8.13", Summary: "Returns the latest latency samples for all events.",
			Tips: "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "reset", Arity: -2, Flags: flags, Run: engine.On((*Monitor).cmdReset), Reply: "integer", Since: "2.8.13",
			Syntax: "[event...]", Summary: "Resets the latency data for one or more events.",
			Tips: "request_policy:all_nodes response_policy:agg_sum",
			Was: []command.Was{{Before: "7.2.0",
				Edit: command.Advises("request_policy:all_nodes response_policy:all_succeeded")}}, Complexity: "O(1)"},
		{Name: "histogram", Arity: -2, Flags: flags | command.Harmless,
			Run: engine.On((*Monitor).cmdHistogram), Reply: "array", Since: "7.0.0", Syntax: "[command...]",
			Summary: "Returns the cumulative distribution of latencies of a subset or all commands.",
			Tips:    "nondeterministic_output request_policy:all_nodes response_policy:special",
			Help:    "[COMMAND ...]", Complexity: "O(N), N being the number of commands asked for"},
		engine.HelpLine("2.8.13"),
	}
}

// showsSums is when LATENCY LATEST began to show the sum and the number of all samples.
var showsSums = release.From("valkey:8.1.0")

// LATENCY LATEST
func (m *Monitor) cmdLatest(c *engine.Call) {
	events := m.events
	c.Reply.Array(len(events))
	for _, name := range slices.Sorted(maps.Keys(events)) {
		s := events[name]
		last := s.samples[len(s.samples)-1]
		fields := []int64{last.unix, last.millis, s.longest, s.sum, s.count}
		if !c.Has(showsSums) {
			fields = fields[:3]
		}
		c.Reply.Array(1 + len(fields))
		c.Reply.BulkString(name)
		for _, n := range fields {
			c.Reply.Int(n)
		}
	}
}

// LATENCY HISTORY event
func (m *Monitor) cmdHistory(c *engine.Call) {
	var samples []sample
	if s := m.events[string(c.Arg())]; s != nil {
		samples = s.samples
	}
	c.Reply.Array(len(samples))
	for _, p := range samples {
		c.Reply.Array(2)
		c.Reply.Int(p.unix)
		c.Reply.Int(p.millis)
	}
}

// LATENCY RESET [event [event ...]]
func (m *Monitor) cmdReset(c *engine.Call) {
	events := m.events
	n := len(events)
	if !c.More() {
		clear(events)
	}
	for c.More() {
		delete(events, string(c.Arg()))
	}
	c.Reply.Int(int64(n - len(events)))
}

// LATENCY DOCTOR
func (m *Monitor) cmdDoctor(c *engine.Call) {
	var text string
	switch {
	case m.threshold == 0:
		text = "Latency monitoring is off. CONFIG SET latency-monitor-threshold <milliseconds> turns it on.\n"
	case len(m.events) == 0:
		text = fmt.Sprintf("Nothing took %d milliseconds or longer since the monitoring was turned on or reset.\n",
			m.threshold)
	default:
		text = "What took long; of commands SLOWLOG GET shows which:\n"
		for _, name := range slices.Sorted(maps.Keys(m.events)) {
			s := m.events[name]
			text += fmt.Sprintf("%s: %d samples, the longest %d milliseconds\n", name, len(s.samples), s.longest)
		}
	}
	c.Reply.Verbatim("txt", []byte(text))
}

// LATENCY HISTOGRAM [command [command ...]]
func (m *Monitor) cmdHistogram(c *engine.Call) {
	at, n := c.Reply.Defer(), 0
	tell := func(cmd *command.Command) {
		if m.of(cmd).total > 0 {
			n++
			m.of(cmd).reply(c, cmd)
		}
	}
	if !c.More() {
		c.Engine.Commands.Each(tell)
	}
	for c.More() {
		cmd := c.Engine.Commands.Named(string(c.Arg()))
		if cmd == nil {
			continue
		}
		tell(cmd)
		for _, sub := range cmd.Subs {
			tell(sub)
		}
	}
	c.Reply.SetMap(at, n)
}

// reply writes the histogram of a command.
func (h *histogram) reply(c *engine.Call, cmd *command.Command) {
	c.Reply.BulkString(cmd.FullName())
	c.Reply.Map(2)
	c.Reply.BulkString("calls")
	c.Reply.Int(h.total)
	c.Reply.BulkString("histogram_usec")
	at, n := c.Reply.Defer(), 0
	h.cumulative(func(micros, count int64) {
		n++
		c.Reply.Int(micros)
		c.Reply.Int(count)
	})
	c.Reply.SetMap(at, n)
}
