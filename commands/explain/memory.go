package explain

import "github.com/miniserver-go/miniserver/engine"

// Memory is the part of MEMORY, and of the subcommands of DEBUG that show how a value is encoded.
func Part() engine.Part {
	return engine.Part{
		Families: []engine.Family{{Group: "server", Commands: []engine.Command{
			{Name: "memory", Arity: -2, Since: "4.0.0", Subs: memorySubs(),
				Complexity: "Depends on the subcommand", Summary: "A container for memory diagnostics commands."},
		}}},
		Debug: []engine.DebugLine{
			{Name: "listpack", Least: 1, Most: 1, Args: "<key>", About: "Show the entries of a packed value.", Run: cmdDebugZiplist},
			{Name: "ziplist", Least: 1, Most: 1, Args: "<key>", About: "Show the entries of a packed value.", Run: cmdDebugZiplist},
		},
	}
}

// memorySubs are the subcommands of MEMORY.
func memorySubs() []engine.Command {
	return []engine.Command{
		{Name: "usage", Arity: -3, Flags: engine.ReadOnly, Keys: engine.Key(2, "RO"), Run: cmdMemoryUsage, Since: "4.0.0",
			Syntax: "key [SAMPLES count]", Summary: "Estimates the memory usage of a key.", Complexity: "O(1)"},
		{Name: "stats", Arity: 2, Run: cmdMemoryStats, Since: "4.0.0",
			Summary: "Returns details about memory usage.",
			Tips:    "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
		{Name: "doctor", Arity: 2, Run: cmdMemoryDoctor, Since: "4.0.0",
			Summary: "Outputs a memory problems report.",
			Tips:    "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
		{Name: "malloc-stats", Arity: 2, Run: cmdMemoryMallocStats, Since: "4.0.0",
			Summary: "Returns the allocator statistics.",
			Tips:    "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
		{Name: "purge", Arity: 2, Run: cmdMemoryPurge, Since: "4.0.0",
			Summary:    "Asks the allocator to release memory.",
			Tips:       "request_policy:all_shards response_policy:all_succeeded",
			Complexity: "O(N), N being the amount of memory in use"},
		{Name: "explain", Arity: -3, Flags: engine.ReadOnly, Keys: engine.Key(2, "RO access"), Run: cmdMemoryExplain, Since: "7.4.0",
			Syntax: "key [ENTRIES count]", Summary: "Draws how a key lies in memory; only here.",
			Complexity: "O(N), N being the size of the value"},
		{Name: "whatif", Arity: -3, Flags: engine.ReadOnly, Keys: engine.Key(2, "RO access"), Run: cmdMemoryWhatIf, Since: "7.4.0",
			Syntax:     "key [encoding|parameter value]",
			Summary:    "Tells what a key would cost in another encoding; only here.",
			Complexity: "O(N), N being the size of the value"},
		engine.HelpLine("4.0.0"),
	}
}

// MEMORY USAGE key [SAMPLES count]. The answer is exact, so that nothing has to be sampled.
func cmdMemoryUsage(c *engine.Call) {
	key := c.Arg()
	for c.More() {
		switch {
		case c.Left() > 1 && c.Word("SAMPLES"):
			if c.Int() < 0 {
				c.Refuse(engine.ErrSyntax)
			}
		default:
			c.Refuse(engine.ErrSyntax)
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

// MEMORY PURGE
func cmdMemoryPurge(c *engine.Call) {
	c.Engine.Purge()
	c.Reply.Status("OK")
}
