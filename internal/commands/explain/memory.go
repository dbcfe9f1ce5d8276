// Package explain is the command MEMORY. MEMORY EXPLAIN and MEMORY WHATIF exist only here: they
// show how a key is stored in memory, byte by byte, and what it would cost otherwise. Sizes come
// from the layouts that the data structures in ds account for, never from samples.
//
//	memory.go     the part; MEMORY USAGE, MEMORY PURGE
//	explain.go    MEMORY EXPLAIN: the layout of a key; what its value consists of tells its type
//	debug.go      DEBUG ZIPLIST and its like: what Redis tells of a value's layout
//	whatif.go     MEMORY WHATIF: other encodings and parameters
//	encodings.go  the encodings that a key's data can have, and their costs
//	doctor.go     MEMORY STATS, MEMORY MALLOC-STATS, MEMORY DOCTOR: the process
//	report.go     replies for people (RESP2) and for programs (RESP3)
package explain

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/defrag"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
)

// Part returns the part with MEMORY, and with the subcommands of DEBUG that show how values are
// stored.
func Part() engine.Part {
	return engine.Part{
		Families: []command.Family{memory},
		Debug:    debugLines(),
	}
}

var memory = command.Family{Group: "server", Commands: []command.Line{
	{Name: "memory", Arity: -2, Since: "4.0.0", Subs: memorySubs(),
		Complexity: "Depends on the subcommand", Summary: "A container for memory diagnostics commands.",
		Was: []command.Was{command.Before("7.0.0", "+random +movablekeys")}},
}}

// memorySubs returns the subcommands of MEMORY.
func memorySubs() []command.Line {
	loading := []command.Was{command.Before(release.NoValkey, "+loading")}
	return []command.Line{
		{Name: "doctor", Arity: 2, Flags: command.Harmless, Run: cmdMemoryDoctor, Reply: "text", Since: "4.0.0",
			Summary: "Outputs a memory problems report.",
			Tips:    "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
		{Name: "malloc-stats", Arity: 2, Flags: command.Harmless, Run: cmdMemoryMallocStats, Reply: "text",
			Since: "4.0.0", Was: loading, Summary: "Returns the allocator statistics.",
			Tips: "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
		{Name: "purge", Arity: 2, Run: cmdMemoryPurge, Reply: "status", Since: "4.0.0", Was: loading,
			Summary:    "Asks the allocator to release memory.",
			Tips:       "request_policy:all_shards response_policy:all_succeeded",
			Complexity: "O(N), N being the amount of memory in use"},
		{Name: "stats", Arity: 2, Flags: command.Harmless, Run: cmdMemoryStats, Reply: "array", Since: "4.0.0",
			Summary: "Returns details about memory usage.",
			Tips:    "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
		{Name: "usage", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(2, "RO"),
			Run: cmdMemoryUsage, Reply: "integer?", Since: "4.0.0",
			Syntax: "key [SAMPLES count]", Summary: "Estimates the memory usage of a key.", Complexity: "O(1)"},
		{Name: "explain", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(2, "RO access"),
			Run: cmdMemoryExplain, Reply: "array", Since: "miniserver:0.1.0",
			Syntax: "key [ENTRIES count]", Summary: "Shows how a key is stored in memory. Not in Redis.",
			Complexity: "O(N), N being the size of the value"},
		{Name: "whatif", Arity: -3, Flags: command.ReadOnly, Keys: command.Key(2, "RO access"),
			Run: cmdMemoryWhatIf, Reply: "array", Since: "miniserver:0.1.0", Syntax: "key [encoding|parameter value]",
			Summary:    "Shows what a key would cost in another encoding. Not in Redis.",
			Complexity: "O(N), N being the size of the value"},
		engine.HelpLine("4.0.0"),
	}
}

// MEMORY USAGE key [SAMPLES count]
//
// The reply is exact, so SAMPLES has no effect.
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
	c.Reply.Int(int64(c.DB.Usage().Key(key)))
}

// MEMORY PURGE
func cmdMemoryPurge(c *engine.Call) {
	defrag.Purge(c.Engine)
	c.Reply.Status("OK")
}
