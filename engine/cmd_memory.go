package engine

import "fmt"

// memorySubs are the subcommands of MEMORY.
func memorySubs() []Command {
	return []Command{
		{Name: "usage", Arity: -3, Flags: ReadOnly, Keys: Key(2), Run: cmdMemoryUsage, Since: "4.0.0", Args: "<key> [SAMPLES <count>]",
			Summary: "Estimates the memory usage of a key."},
		{Name: "stats", Arity: 2, Run: cmdMemoryStats, Since: "4.0.0",
			Summary: "Returns details about memory usage."},
		{Name: "doctor", Arity: 2, Run: cmdMemoryDoctor, Since: "4.0.0",
			Summary: "Outputs a memory problems report."},
		{Name: "malloc-stats", Arity: 2, Run: cmdMemoryMallocStats, Since: "4.0.0",
			Summary: "Returns the allocator statistics."},
		{Name: "purge", Arity: 2, Run: cmdMemoryPurge, Since: "4.0.0",
			Summary: "Asks the allocator to release memory."},
		helpLine("4.0.0"),
	}
}

// MEMORY USAGE key [SAMPLES count]. The answer is exact, so that nothing has to be sampled.
func cmdMemoryUsage(c *Call) {
	key := c.Arg()
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("SAMPLES"):
			if c.Int() < 0 {
				c.Refuse(ErrSyntax)
			}
		default:
			c.Refuse(ErrSyntax)
		}
	}
	if !c.OK() {
		return
	}
	if !c.DB.Exists(key) {
		c.Reply.Null()
		return
	}
	c.Reply.Int(int64(c.DB.KeyBytes(key)))
}

// MEMORY STATS
func cmdMemoryStats(c *Call) {
	e := c.Engine
	used, dataset, keys := e.usedMemory(), e.Keyspace.Bytes(), 0
	for i := range e.Keyspace.Len() {
		keys += e.Keyspace.DB(i).Len()
	}
	e.info.peak = max(e.info.peak, used)
	figures := []struct {
		name string
		n    int
	}{
		{"peak.allocated", e.info.peak}, {"total.allocated", used}, {"startup.allocated", 0}, {"replication.backlog", 0},
		{"clients.slaves", 0}, {"clients.normal", e.sessions.bytes()}, {"overhead.total", used - dataset}, {"keys.count", keys},
		{"keys.bytes-per-key", dataset / max(1, keys)}, {"dataset.bytes", dataset},
	}
	c.Reply.Map(len(figures) + 2)
	for _, f := range figures {
		c.Reply.BulkString(f.name)
		c.Reply.Int(int64(f.n))
	}
	c.Reply.BulkString("dataset.percentage")
	c.Reply.Double(float64(dataset) * 100 / float64(max(1, used)))
	c.Reply.BulkString("peak.percentage")
	c.Reply.Double(float64(used) * 100 / float64(max(1, e.info.peak)))
}

// MEMORY DOCTOR
func cmdMemoryDoctor(c *Call) {
	used := c.Engine.usedMemory()
	text := fmt.Sprintf("The dataset and %d connections hold %s; %s at their peak.", len(c.Engine.sessions.byID), human(used),
		human(max(used, c.Engine.info.peak)))
	if limit := c.Engine.Config.MaxMemory; limit > 0 {
		text += fmt.Sprintf(" maxmemory is %s.", human(int(limit)))
	}
	c.Reply.Verbatim("txt", []byte(text+"\n"))
}

// MEMORY MALLOC-STATS
func cmdMemoryMallocStats(c *Call) {
	c.Reply.BulkString("Stats not supported for the current allocator")
}

// MEMORY PURGE
func cmdMemoryPurge(c *Call) {
	c.Engine.purge()
	c.Reply.Status("OK")
}

// purge gives freed memory back to the system.
func (e *Engine) purge() {
	if e.hooks.Purge != nil {
		e.hooks.Purge()
	}
}
