package engine

import (
	"strings"

	"github.com/miniserver-go/miniserver/internal/command"
)

// commandlogSubs are the subcommands of COMMANDLOG, with which Valkey replaced SLOWLOG.
func commandlogSubs() []command.Line {
	const logType = "type=<SLOW|LARGE-REQUEST|LARGE-REPLY>"
	values := []command.Was{{Before: "valkey:9.1.0", Edit: command.Writes(logType, strings.ToLower(logType))}} // COMMAND DOCS took the words for values
	return []command.Line{
		{Name: "get", Arity: 4, Flags: command.Admin | command.Loading | command.Stale | command.Harmless, Run: cmdCommandlogGet, Reply: "array", Since: "valkey:8.1.0", Was: values,
			Syntax: "count " + logType, Summary: "Returns entries of one of the logs, the newest first; all with -1.",
			Help: "<count> <type>", Tips: "request_policy:all_nodes nondeterministic_output", Complexity: "O(N), N being the number of entries returned"},
		{Name: "len", Arity: 3, Flags: command.Admin | command.Loading | command.Stale | command.Harmless, Run: cmdCommandlogLen, Reply: "integer", Since: "valkey:8.1.0", Was: values,
			Syntax: logType, Summary: "Returns the number of entries in one of the logs.", Help: "<type>",
			Tips: "request_policy:all_nodes response_policy:agg_sum nondeterministic_output", Complexity: "O(1)"},
		{Name: "reset", Arity: 3, Flags: command.Admin | command.Loading | command.Stale, Run: cmdCommandlogReset, Reply: "status", Since: "valkey:8.1.0", Was: values,
			Syntax: logType, Summary: "Clears one of the logs.", Help: "<type>",
			Tips: "request_policy:all_nodes response_policy:all_succeeded", Complexity: "O(N), N being the number of entries"},
		HelpLine("valkey:8.1.0"),
	}
}

// commandlog reads the type of a log.
func (c *Call) commandlog() *slowlog {
	e := c.Engine
	for name, l := range map[string]*slowlog{"SLOW": &e.slowlog, "LARGE-REQUEST": &e.sizelogs.requests, "LARGE-REPLY": &e.sizelogs.replies} {
		if c.Word(name) {
			return l
		}
	}
	c.Refuse(ErrLogType)
	return nil
}

// COMMANDLOG GET count SLOW | LARGE-REQUEST | LARGE-REPLY
func cmdCommandlogGet(c *Call) {
	count := c.IntIn(-1, 1<<31-1, ErrSlowlogCount)
	if l := c.commandlog(); c.OK() {
		c.replyLog(l, count)
	}
}

// COMMANDLOG LEN SLOW | LARGE-REQUEST | LARGE-REPLY
func cmdCommandlogLen(c *Call) {
	if l := c.commandlog(); c.OK() {
		c.Reply.Int(int64(len(l.entries)))
	}
}

// COMMANDLOG RESET SLOW | LARGE-REQUEST | LARGE-REPLY
func cmdCommandlogReset(c *Call) {
	if l := c.commandlog(); c.OK() {
		l.entries = nil
		c.Reply.Status("OK")
	}
}

// slowlogSubs are the subcommands of SLOWLOG.
func slowlogSubs() []command.Line {
	help := HelpLine("6.2.0")
	help.Deprecated = "valkey:8.1.0 `COMMANDLOG HELP`"
	return []command.Line{
		{Name: "get", Arity: -2, Flags: command.Admin | command.Loading | command.Stale | command.Harmless, Run: cmdSlowlogGet, Reply: "array", Since: "2.2.12",
			Syntax: "[count]", Summary: "Returns the slow log's entries, the newest first; 10 of them, or all with -1.",
			Tips:       "request_policy:all_nodes nondeterministic_output",
			Complexity: "O(N), N being the number of entries returned",
			History:    "4.0.0 Shows the address and the name of the client.",
			Deprecated: "valkey:8.1.0 `COMMANDLOG GET <count> SLOW`"},
		{Name: "len", Arity: 2, Flags: command.Admin | command.Loading | command.Stale | command.Harmless, Run: cmdSlowlogLen, Reply: "integer", Since: "2.2.12",
			Summary: "Returns the number of entries in the slow log.",
			Tips:    "request_policy:all_nodes response_policy:agg_sum nondeterministic_output", Complexity: "O(1)",
			Deprecated: "valkey:8.1.0 `COMMANDLOG LEN SLOW`"},
		{Name: "reset", Arity: 2, Flags: command.Admin | command.Loading | command.Stale, Run: cmdSlowlogReset, Reply: "status", Since: "2.2.12",
			Summary: "Clears the slow log.", Tips: "request_policy:all_nodes response_policy:all_succeeded",
			Complexity: "O(N), N being the number of entries", Deprecated: "valkey:8.1.0 `COMMANDLOG RESET SLOW`"},
		help,
	}
}

// SLOWLOG GET [count]
func cmdSlowlogGet(c *Call) {
	count := int64(10)
	if c.More() {
		count = c.slowlogCount()
	}
	if c.More() {
		c.Refuse(c.SubSyntaxError())
	}
	if !c.OK() {
		return
	}
	c.replyLog(&c.Engine.slowlog, count)
}

// slowlogCount returns the argument that says how many entries to show. Before 7.0 each negative number is all of them.
func (c *Call) slowlogCount() int64 {
	if !c.Has(command.Splits) {
		return c.Int()
	}
	return c.IntIn(-1, 1<<31-1, ErrSlowlogCount)
}

// replyLog replies with the newest entries of a log, all of them for -1.
func (c *Call) replyLog(l *slowlog, count int64) {
	all := l.entries
	if count < 0 || count > int64(len(all)) {
		count = int64(len(all))
	}
	c.Reply.Array(int(count))
	for i := range count {
		c.replySlow(&all[len(all)-1-int(i)])
	}
}

func (c *Call) replySlow(s *slowEntry) {
	c.Reply.Array(6)
	c.Reply.Int(s.id)
	c.Reply.Int(s.unix)
	c.Reply.Int(s.value)
	c.replyStrings(s.args)
	c.Reply.BulkString(s.addr)
	c.Reply.BulkString(s.name)
}

// replyStrings replies with an array of strings.
func (c *Call) replyStrings(list []string) {
	c.Reply.Array(len(list))
	for _, s := range list {
		c.Reply.BulkString(s)
	}
}

// SLOWLOG LEN
func cmdSlowlogLen(c *Call) { c.Reply.Int(int64(len(c.Engine.slowlog.entries))) }

// SLOWLOG RESET
func cmdSlowlogReset(c *Call) {
	c.Engine.slowlog.entries = nil
	c.Reply.Status("OK")
}
