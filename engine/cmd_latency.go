package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/release"
)

// latencySubs are the subcommands of LATENCY.
func latencySubs() []command.Line {
	const flags = command.Admin | command.NoScript | command.Loading | command.Stale
	return []command.Line{
		{Name: "doctor", Arity: 2, Flags: flags | command.Harmless, Run: cmdLatencyDoctor, Reply: "text", Since: "2.8.13",
			Summary: "Returns a human-readable latency analysis report.",
			Tips:    "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "graph", Arity: 3, Flags: flags | command.Harmless, Run: cmdLatencyGraph, Reply: "text", Since: "2.8.13",
			Syntax: "event", Summary: "Returns a latency graph for an event.",
			Tips: "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "history", Arity: 3, Flags: flags | command.Harmless, Run: cmdLatencyHistory, Reply: "array", Since: "2.8.13",
			Syntax: "event", Summary: "Returns timestamp-latency samples for an event.",
			Tips: "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "latest", Arity: 2, Flags: flags | command.Harmless, Run: cmdLatencyLatest, Reply: "array", Since: "2.8.13",
			Summary: "Returns the latest latency samples for all events.",
			Tips:    "nondeterministic_output request_policy:all_nodes response_policy:special", Complexity: "O(1)"},
		{Name: "reset", Arity: -2, Flags: flags, Run: cmdLatencyReset, Reply: "integer", Since: "2.8.13",
			Syntax: "[event...]", Summary: "Resets the latency data for one or more events.",
			Tips: "request_policy:all_nodes response_policy:agg_sum",
			Was:  []command.Was{{Before: "7.2.0", Edit: command.Advises("request_policy:all_nodes response_policy:all_succeeded")}}, Complexity: "O(1)"},
		{Name: "histogram", Arity: -2, Flags: flags | command.Harmless, Run: cmdLatencyHistogram, Reply: "array", Since: "7.0.0",
			Syntax:  "[command...]",
			Summary: "Returns the cumulative distribution of latencies of a subset or all commands.",
			Tips:    "nondeterministic_output request_policy:all_nodes response_policy:special",
			Help:    "[COMMAND ...]", Complexity: "O(N), N being the number of commands asked for"},
		HelpLine("2.8.13"),
	}
}

// showsSums is when LATENCY LATEST began to show the sum and the number of all samples.
var showsSums = release.From("valkey:8.1.0")

// LATENCY LATEST
func cmdLatencyLatest(c *Call) {
	events := c.Engine.latency.events
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
func cmdLatencyHistory(c *Call) {
	var samples []latencySample
	if s := c.Engine.latency.events[string(c.Arg())]; s != nil {
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
func cmdLatencyReset(c *Call) {
	events := c.Engine.latency.events
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
func cmdLatencyDoctor(c *Call) {
	l := &c.Engine.latency
	var text string
	switch {
	case l.threshold == 0:
		text = "Latency monitoring is off. CONFIG SET latency-monitor-threshold <milliseconds> turns it on.\n"
	case len(l.events) == 0:
		text = fmt.Sprintf("Nothing took %d milliseconds or longer since the monitoring was turned on or reset.\n", l.threshold)
	default:
		text = "What took long; of commands SLOWLOG GET shows which:\n"
		for _, name := range slices.Sorted(maps.Keys(l.events)) {
			s := l.events[name]
			text += fmt.Sprintf("%s: %d samples, the longest %d milliseconds\n", name, len(s.samples), s.longest)
		}
	}
	c.Reply.Verbatim("txt", []byte(text))
}

// LATENCY HISTOGRAM [command [command ...]]
func cmdLatencyHistogram(c *Call) {
	at, n := c.Reply.Defer(), 0
	tell := func(cmd *command.Command) {
		if c.Engine.of(cmd).latency.total > 0 {
			n++
			c.replyHistogram(cmd)
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

func (c *Call) replyHistogram(cmd *command.Command) {
	c.Reply.BulkString(cmd.FullName())
	c.Reply.Map(2)
	c.Reply.BulkString("calls")
	c.Reply.Int(c.Engine.of(cmd).latency.total)
	c.Reply.BulkString("histogram_usec")
	at, n := c.Reply.Defer(), 0
	c.Engine.of(cmd).latency.cumulative(func(micros, count int64) {
		n++
		c.Reply.Int(micros)
		c.Reply.Int(count)
	})
	c.Reply.SetMap(at, n)
}
