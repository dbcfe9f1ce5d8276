package slowlog

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// family is SLOWLOG and COMMANDLOG, with which Valkey replaced it.
var family = command.Family{Group: "server", Commands: []command.Line{
	{Name: "commandlog", Arity: -2, Since: "valkey:8.1.0", Subs: commandlogSubs(),
		Complexity: "Depends on the subcommand", Summary: "A container for the logs of slow and of large commands."},
	{Name: "slowlog", Arity: -2, Deprecated: "valkey:8.1.0 `COMMANDLOG`", Since: "2.2.12",
		Was: []command.Was{command.Before("7.0.0", "+random")}, Subs: slowlogSubs(),
		Complexity: "Depends on the subcommand", Summary: "A container for slow log commands."},
}}

// Errors with the texts of Redis and Valkey.
const (
	errCount   = command.Error("ERR count should be greater than or equal to -1")
	errLogType = command.Error("ERR type should be one of the following: slow, large-request, large-reply")
)

const (
	resets = command.Admin | command.Loading | command.Stale
	reads  = resets | command.Harmless
)

// commandlogSubs are the subcommands of COMMANDLOG.
func commandlogSubs() []command.Line {
	const logType = "type=<SLOW|LARGE-REQUEST|LARGE-REPLY>"
	// COMMAND DOCS took the words for values
	values := []command.Was{{Before: "valkey:9.1.0", Edit: command.Writes(logType, strings.ToLower(logType))}}
	return []command.Line{
		{Name: "get", Arity: 4, Flags: reads,
			Run: engine.On((*Logs).cmdCommandlogGet), Reply: "array", Since: "valkey:8.1.0", Was: values,
			Syntax: "count " + logType, Summary: "Returns entries of one of the logs, the newest first; all with -1.",
			Help: "<count> <type>", Tips: "request_policy:all_nodes nondeterministic_output",
			Complexity: "O(N), N being the number of entries returned"},
		{Name: "len", Arity: 3, Flags: reads,
			Run: engine.On((*Logs).cmdCommandlogLen), Reply: "integer", Since: "valkey:8.1.0", Was: values,
			Syntax: logType, Summary: "Returns the number of entries in one of the logs.", Help: "<type>",
			Tips: "request_policy:all_nodes response_policy:agg_sum nondeterministic_output", Complexity: "O(1)"},
		{Name: "reset", Arity: 3, Flags: resets, Run: engine.On((*Logs).cmdCommandlogReset), Reply: "status",
			Since: "valkey:8.1.0", Was: values, Syntax: logType, Summary: "Clears one of the logs.", Help: "<type>",
			Tips:       "request_policy:all_nodes response_policy:all_succeeded",
			Complexity: "O(N), N being the number of entries"},
		engine.HelpLine("valkey:8.1.0"),
	}
}

// named reads the type of a log.
func (l *Logs) named(c *engine.Call) *list {
	switch {
	case c.Word("SLOW"):
		return &l.slow
	case c.Word("LARGE-REQUEST"):
		return &l.requests
	case c.Word("LARGE-REPLY"):
		return &l.replies
	}
	c.Refuse(errLogType)
	return nil
}

// COMMANDLOG GET count SLOW | LARGE-REQUEST | LARGE-REPLY
func (l *Logs) cmdCommandlogGet(c *engine.Call) {
	count := c.IntIn(-1, 1<<31-1, errCount)
	if of := l.named(c); c.OK() {
		of.reply(c, count, false)
	}
}

// COMMANDLOG LEN SLOW | LARGE-REQUEST | LARGE-REPLY
func (l *Logs) cmdCommandlogLen(c *engine.Call) {
	if of := l.named(c); c.OK() {
		c.Reply.Int(int64(len(of.entries)))
	}
}

// COMMANDLOG RESET SLOW | LARGE-REQUEST | LARGE-REPLY
func (l *Logs) cmdCommandlogReset(c *engine.Call) {
	if of := l.named(c); c.OK() {
		of.entries = nil
		c.Reply.Status("OK")
	}
}

// slowlogSubs are the subcommands of SLOWLOG.
func slowlogSubs() []command.Line {
	help := engine.HelpLine("6.2.0")
	help.Deprecated = "valkey:8.1.0 `COMMANDLOG HELP`"
	return []command.Line{
		{Name: "get", Arity: -2, Flags: reads, Run: engine.On((*Logs).cmdSlowlogGet), Reply: "array", Since: "2.2.12",
			Syntax: "[count]", Summary: "Returns the slow log's entries, the newest first; 10 of them, or all with -1.",
			Tips:       "request_policy:all_nodes nondeterministic_output",
			Complexity: "O(N), N being the number of entries returned",
			History: "4.0.0 Shows the address and the name of the client.\n" +
				"8.10.0 Shows the number of arguments.",
			Deprecated: "valkey:8.1.0 `COMMANDLOG GET <count> SLOW`"},
		{Name: "len", Arity: 2, Flags: reads, Run: engine.On((*Logs).cmdSlowlogLen), Reply: "integer", Since: "2.2.12",
			Summary: "Returns the number of entries in the slow log.",
			Tips:    "request_policy:all_nodes response_policy:agg_sum nondeterministic_output", Complexity: "O(1)",
			Deprecated: "valkey:8.1.0 `COMMANDLOG LEN SLOW`"},
		{Name: "reset", Arity: 2, Flags: resets,
			Run: engine.On((*Logs).cmdSlowlogReset), Reply: "status", Since: "2.2.12",
			Summary: "Clears the slow log.", Tips: "request_policy:all_nodes response_policy:all_succeeded",
			Complexity: "O(N), N being the number of entries", Deprecated: "valkey:8.1.0 `COMMANDLOG RESET SLOW`"},
		help,
	}
}

// SLOWLOG GET [count]
func (l *Logs) cmdSlowlogGet(c *engine.Call) {
	count := int64(10)
	if c.More() {
		count = entriesShown(c)
	}
	if c.More() {
		c.Refuse(c.SubSyntaxError())
	}
	if c.OK() {
		l.slow.reply(c, count, c.Has(countsArgs))
	}
}

// entriesShown reads how many entries to show. Before 7.0 each negative number is all of them.
func entriesShown(c *engine.Call) int64 {
	if !c.Has(command.Splits) {
		return c.Int()
	}
	return c.IntIn(-1, 1<<31-1, errCount)
}

// reply replies with the newest entries of a log, all of them for -1, and with counts also with the
// number of their arguments.
func (l *list) reply(c *engine.Call, count int64, counts bool) {
	all := l.entries
	if count < 0 || count > int64(len(all)) {
		count = int64(len(all))
	}
	c.Reply.Array(int(count))
	for i := range count {
		all[len(all)-1-int(i)].reply(c, counts)
	}
}

func (e *entry) reply(c *engine.Call, counts bool) {
	if counts {
		c.Reply.Array(7)
	} else {
		c.Reply.Array(6)
	}
	c.Reply.Int(e.id)
	c.Reply.Int(e.unix)
	c.Reply.Int(e.value)
	c.Reply.Array(len(e.args))
	for _, arg := range e.args {
		c.Reply.BulkString(arg)
	}
	c.Reply.BulkString(e.addr)
	c.Reply.BulkString(e.client)
	if counts {
		c.Reply.Int(int64(e.count))
	}
}

// countsArgs is when SLOWLOG GET began to tell how many arguments a command had.
var countsArgs = release.From("8.10.0")

// SLOWLOG LEN
func (l *Logs) cmdSlowlogLen(c *engine.Call) { c.Reply.Int(int64(len(l.slow.entries))) }

// SLOWLOG RESET
func (l *Logs) cmdSlowlogReset(c *engine.Call) {
	l.slow.entries = nil
	c.Reply.Status("OK")
}
