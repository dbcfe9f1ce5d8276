package engine

// slowlogSubs are the subcommands of SLOWLOG.
func slowlogSubs() []Command {
	return []Command{
		{Name: "get", Arity: -2, Flags: Admin | Loading | Stale, Run: cmdSlowlogGet, Since: "2.2.12",
			Syntax: "[count]", Summary: "Returns the slow log's entries, the newest first; 10 of them, or all with -1.",
			Tips:       "request_policy:all_nodes nondeterministic_output",
			Complexity: "O(N), N being the number of entries returned",
			History:    "4.0.0 Shows the address and the name of the client."},
		{Name: "len", Arity: 2, Flags: Admin | Loading | Stale, Run: cmdSlowlogLen, Since: "2.2.12",
			Summary: "Returns the number of entries in the slow log.",
			Tips:    "request_policy:all_nodes response_policy:agg_sum nondeterministic_output", Complexity: "O(1)"},
		{Name: "reset", Arity: 2, Flags: Admin | Loading | Stale, Run: cmdSlowlogReset, Since: "2.2.12",
			Summary: "Clears the slow log.", Tips: "request_policy:all_nodes response_policy:all_succeeded",
			Complexity: "O(N), N being the number of entries"},
		HelpLine("6.2.0"),
	}
}

// SLOWLOG GET [count]
func cmdSlowlogGet(c *Call) {
	count := int64(10)
	if c.More() {
		count = c.IntIn(-1, 1<<31-1, ErrSlowlogCount)
	}
	if c.More() {
		c.Refuse(c.SubSyntaxError())
	}
	if !c.OK() {
		return
	}
	all := c.Engine.slowlog.entries
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
	c.Reply.Int(s.micros)
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
