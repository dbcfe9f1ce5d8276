package scripting

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting/program"
)

const (
	runsReading = command.NoScript | command.Stale | command.SkipMonitor | command.NoMandatoryKeys | command.MayBeSlow |
		command.ScriptRunner | command.ReadOnly
	runs = runsReading&^command.ReadOnly | command.MayReplicate
)

// family is the commands that run scripts and functions, and those that manage them.
var family = command.Family{Group: "scripting", Commands: lines(), Wordings: wordings}

func lines() []command.Line {
	runner := func(run func(*Scripts, *engine.Call),
		flagsOf func(s *Scripts, own *ownScripts, arg []byte) program.Flags) engine.Method {
		return engine.Varying(engine.On(run),
			func(s *Scripts, w *engine.World, line command.Flags, args [][]byte) command.Flags {
				return flagsOf(s, s.of(w), args[1]).Vary(line)
			})
	}
	body := runner((*Scripts).cmdEval, (*Scripts).flagsOfBody)
	sha := runner((*Scripts).cmdEvalSHA, flagsOfSHA)
	name := runner((*Scripts).cmdFCall, flagsOfFunction)
	read, written := command.NumKeys(2, "RO access"), command.NumKeys(2, "RW access update")
	const note = "A script may do anything with its keys: this is the worst case."
	return []command.Line{
		{Name: "eval", Arity: -3, Flags: runs, Keys: written.Noted(note), Run: body, Reply: "any", Since: "2.6.0",
			Syntax: "script numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a server-side Lua script.", Was: []command.Was{command.Before("7.0.0", "-stale")}},
		{Name: "eval_ro", Arity: -3, Flags: runsReading, Keys: read.Noted(note), Run: body, Reply: "any",
			Since: "7.0.0", Syntax: "script numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a read-only server-side Lua script."},
		{Name: "evalsha", Arity: -3, Flags: runs | command.ByDigest, Keys: written, Run: sha, Reply: "any",
			Since: "2.6.0", Syntax: "sha1 numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a server-side Lua script by SHA1 digest.",
			Was:     []command.Was{command.Before("7.0.0", "-stale")}},
		{Name: "evalsha_ro", Arity: -3, Flags: runsReading | command.ByDigest, Keys: read, Run: sha, Reply: "any",
			Since: "7.0.0", Syntax: "sha1 numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a read-only server-side Lua script by SHA1 digest."},
		{Name: "fcall", Arity: -3, Flags: runs, Keys: written.Noted(note), Run: name, Reply: "any", Since: "7.0.0",
			Syntax: "function numkeys [key...] [arg...]", Complexity: "Depends on the function",
			Summary: "Invokes a function."},
		{Name: "fcall_ro", Arity: -3, Flags: runsReading, Keys: read.Noted(note), Run: name, Reply: "any",
			Since: "7.0.0", Syntax: "function numkeys [key...] [arg...]", Complexity: "Depends on the function",
			Summary: "Invokes a read-only function."},
		functionCommands(),
		scriptCommands(),
	}
}

// scriptCommands is the line of SCRIPT.
func scriptCommands() command.Line {
	return command.Line{Name: "script", Arity: -2, Since: "2.6.0", Complexity: "Depends on the subcommand",
		Summary: "A container for Lua scripts management commands.",
		Was:     []command.Was{command.Before("7.0.0", "+may_replicate")},
		Subs: []command.Line{
			{Name: "debug", Arity: -3, Flags: command.NoScript, Run: cmdDebug, Reply: "status", Since: "3.2.0",
				Was: []command.Was{{Before: "valkey:9.1.0", Edit: func(cmd *command.Line) {
					cmd.Arity, cmd.Syntax = 3, "mode=<YES|SYNC|NO>"
				}}},
				Syntax:  "mode=<YES|SYNC|NO> [engine]@valkey:9.1.0",
				Summary: "Sets the debug mode of server-side Lua scripts.",
				Help:    "\nSet the debug mode for subsequent scripts executed.", Complexity: "O(1)"},
			{Name: "exists", Arity: -3, Flags: command.NoScript | command.Stale | command.Harmless,
				Was: []command.Was{command.Before("valkey:9.1.0", "-stale")},
				Run: onWorld((*ownScripts).cmdExists), Reply: "integers", Since: "2.6.0",
				Syntax: "sha1...", Summary: "Determines whether server-side Lua scripts exist in the script cache.",
				Help:       "\nReturn information about the existence of the scripts in the script cache.",
				Tips:       "request_policy:all_shards response_policy:agg_logical_and",
				Complexity: "O(N), N being the number of scripts asked for"},
			{Name: "flush", Arity: -2, Flags: command.NoScript | command.Stale,
				Was: []command.Was{command.Before("valkey:9.1.0", "-stale")},
				Run: onWorld((*ownScripts).cmdFlush), Reply: "status", Since: "2.6.0",
				Syntax:  "flush-type(/async)=[ASYNC|SYNC]@6.2.0",
				Summary: "Removes all server-side Lua scripts from the script cache.",
				Help: "\nFlush the Lua scripts cache. Very dangerous on replicas.\n" +
					"When called without the optional mode argument, the behavior is determined by the\n" +
					"lazyfree-lazy-user-flush configuration directive. Valid modes are:\n" +
					"* ASYNC: Asynchronously flush the scripts cache.\n" +
					"* SYNC: Synchronously flush the scripts cache.",
				Tips:       "request_policy:all_nodes response_policy:all_succeeded",
				Complexity: "O(N), N being the number of scripts in the cache",
				History:    "6.2.0 The options `ASYNC` and `SYNC`."},
			{Name: "kill", Arity: 2, Flags: command.NoScript | command.AllowBusy,
				Run: engine.On((*Scripts).cmdScriptKill), Reply: "status", Since: "2.6.0",
				Summary: "Terminates a server-side Lua script during execution.",
				Help:    "\nKill the currently executing Lua script.",
				Tips:    "request_policy:all_shards response_policy:one_succeeded", Complexity: "O(1)"},
			{Name: "load", Arity: 3, Flags: command.NoScript | command.Stale, Run: engine.On((*Scripts).cmdLoad),
				Reply: "text", Since: "2.6.0", Was: []command.Was{command.Before("7.0.0", "-stale")},
				Syntax: "script", Summary: "Loads a server-side Lua script to the script cache.",
				Help:       "\nLoad a script into the scripts cache without executing it.",
				Tips:       "request_policy:all_nodes response_policy:all_succeeded",
				Complexity: "O(N), N being the length of the script"},
			{Name: "show", Arity: 3, Flags: command.NoScript | command.Stale | command.Harmless,
				Was: []command.Was{command.Before("valkey:9.1.0", "-stale")},
				Run: onWorld((*ownScripts).cmdShow), Reply: "text", Since: "valkey:8.0.0",
				Syntax: "sha1", Summary: "Returns a script of the script cache.", Complexity: "O(1)"},
			{Name: "lint", Arity: 3, Flags: command.NoScript | command.Stale | command.Harmless,
				Run: cmdLint, Reply: "list", Since: "miniserver:0.1.0",
				Syntax: "script", Summary: "Looks for mistakes in a script or in a library of functions.",
				Help:       "\nReturn what looks wrong in a script or a library, a text for each. Not in Redis.",
				Complexity: "Depends on the script"},
			{Name: "coverage", Arity: -3, Flags: command.NoScript,
				Run: engine.On((*Scripts).cmdCoverage), Reply: "any", Since: "miniserver:0.1.0",
				Syntax:  "action=<START|report=<REPORT [format=<LCOV|TEXT>]>|stop=<STOP [RESET]>>",
				Summary: "Counts the lines that scripts and functions run.",
				Help: "<START|REPORT [LCOV|TEXT]|STOP [RESET]>\n" +
					"Count the lines that scripts and functions run, and report that. Not in Redis.",
				Complexity: "O(N), N being the length of the scripts that ran"},
			{Name: "profile", Arity: -3, Flags: command.NoScript,
				Run: engine.On((*Scripts).cmdProfile), Reply: "any", Since: "miniserver:0.1.0",
				Syntax:  "action=<START|report=<REPORT [format=<TEXT|PPROF|SVG>]>|stop=<STOP [RESET]>>",
				Summary: "Times the lines, functions and commands of scripts.",
				Help: "<START|REPORT [TEXT|PPROF|SVG]|STOP [RESET]>\n" +
					"Time what scripts and functions do, and report that. Not in Redis.",
				Complexity: "O(N), N being the number of different chains of calls"},
			engine.HelpLine("5.0.0"),
		}}
}

// onWorld returns the Method of a command that concerns only what its world has.
func onWorld(run func(own *ownScripts, c *engine.Call)) engine.Method {
	return engine.On(func(s *Scripts, c *engine.Call) { run(s.of(c.World), c) })
}

func functionCommands() command.Line {
	const write = command.Write | command.NoScript
	return command.Line{Name: "function", Arity: -2, Since: "7.0.0",
		Complexity: "Depends on the subcommand", Summary: "A container for function commands.",
		Subs: []command.Line{
			{Name: "load", Arity: -3, Flags: write | command.DenyOOM, Run: engine.On((*Scripts).cmdFunctionLoad),
				Reply: "text", Since: "7.0.0", Syntax: "[REPLACE] function-code", Summary: "Creates a library.",
				Help: "[REPLACE] <FUNCTION CODE>\n" +
					"Create a new library with the given library name and code.",
				Tips:       "request_policy:all_shards response_policy:all_succeeded",
				Complexity: "O(N), N being the length of the library's source"},
			{Name: "delete", Arity: 3, Flags: write, Run: onWorld((*ownScripts).cmdFunctionDelete), Reply: "status",
				Since: "7.0.0", Syntax: "library-name", Summary: "Deletes a library and its functions.",
				Help: "<LIBRARY NAME>\n" +
					"Delete the given library.",
				Tips: "request_policy:all_shards response_policy:all_succeeded", Complexity: "O(1)"},
			{Name: "list", Arity: -2, Flags: command.NoScript | command.Harmless,
				Run: onWorld((*ownScripts).cmdFunctionList), Reply: "array", Since: "7.0.0",
				Was: []command.Was{{Before: "7.4.0 valkey:8.0.0",
					Edit: command.Helps("* Functions list", "* Library description\n* Functions list")}},
				Syntax:  "[LIBRARYNAME library-name-pattern] [WITHCODE]",
				Summary: "Returns information about all libraries.",
				Help: "[LIBRARYNAME PATTERN] [WITHCODE]\n" +
					"Return general information on all the libraries:\n" +
					"* Library name\n" +
					"* The engine used to run the Library\n" +
					"* Functions list\n" +
					"* Library code (if WITHCODE is given)\n" +
					"It also possible to get only function that matches a pattern using LIBRARYNAME argument.",
				Tips:       "nondeterministic_output_order",
				Complexity: "O(N), N being the number of functions"},
			{Name: "stats", Arity: 2, Flags: command.NoScript | command.AllowBusy | command.Harmless,
				Run: engine.On((*Scripts).cmdFunctionStats), Reply: "array", Since: "7.0.0",
				Summary: "Returns information about a function during execution.",
				Help: "\nReturn information about the current function running:\n" +
					"* Function name\n" +
					"* Command used to run the function\n" +
					"* Duration in MS that the function is running\n" +
					"If no function is running, return nil\n" +
					"In addition, returns a list of available engines.",
				Tips: "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
			{Name: "kill", Arity: 2, Flags: command.NoScript | command.AllowBusy,
				Run: engine.On((*Scripts).cmdFunctionKill), Reply: "status", Since: "7.0.0",
				Summary: "Terminates a function during execution.", Help: "\nKill the current running function.",
				Tips: "request_policy:all_shards response_policy:one_succeeded", Complexity: "O(1)"},
			{Name: "flush", Arity: -2, Flags: write,
				Run: onWorld((*ownScripts).cmdFunctionFlush), Reply: "status", Since: "7.0.0",
				Syntax: "flush-type(/async)=[ASYNC|SYNC]", Summary: "Deletes all libraries and functions.",
				Help: "\nDelete all the libraries.\n" +
					"When called without the optional mode argument, the behavior is determined by the\n" +
					"lazyfree-lazy-user-flush configuration directive. Valid modes are:\n" +
					"* ASYNC: Asynchronously flush the libraries.\n" +
					"* SYNC: Synchronously flush the libraries.",
				Tips:       "request_policy:all_shards response_policy:all_succeeded",
				Complexity: "O(N), N being the number of functions"},
			{Name: "dump", Arity: 2, Flags: command.NoScript | command.Harmless,
				Run: onWorld((*ownScripts).cmdFunctionDump), Reply: "text", Since: "7.0.0",
				Summary: "Dumps all libraries into a serialized binary payload.",
				Help: "\nReturn a serialized payload representing the current libraries, " +
					"can be restored using FUNCTION RESTORE command",
				Complexity: "O(N), N being the number of functions"},
			{Name: "restore", Arity: -3, Flags: write | command.DenyOOM,
				Run: engine.On((*Scripts).cmdFunctionRestore), Reply: "status", Since: "7.0.0",
				Syntax:  "serialized-value policy=[FLUSH|APPEND|REPLACE]",
				Summary: "Restores all libraries from a payload.",
				Help: "<PAYLOAD> [FLUSH|APPEND|REPLACE]\n" +
					"Restore the libraries represented by the given payload, " +
					"it is possible to give a restore policy to\n" +
					"control how to handle existing libraries (default APPEND):\n" +
					"* FLUSH: delete all existing libraries.\n" +
					"* APPEND: appends the restored libraries to the existing libraries. On collision, abort.\n" +
					"* REPLACE: appends the restored libraries to the existing libraries, On collision, " +
					"replace the old\n" +
					"  libraries with the new libraries (notice that even on this option there is a chance " +
					"of failure\n" +
					"  in case of functions name collision with another library).",
				Tips:       "request_policy:all_shards response_policy:all_succeeded",
				Complexity: "O(N), N being the number of functions in the payload"},
			engine.HelpLine("7.0.0"),
		}}
}
