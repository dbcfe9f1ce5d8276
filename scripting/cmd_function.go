package scripting

import (
	"strings"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/glob"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/persistence/rdb"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The commands of functions.

func functionCommands() command.Line {
	const write = command.Write | command.NoScript
	return command.Line{Name: "function", Arity: -2, Since: "7.0.0",
		Complexity: "Depends on the subcommand", Summary: "A container for function commands.",
		Subs: []command.Line{
			{Name: "load", Arity: -3, Flags: write | command.DenyOOM, Run: engine.On((*Scripts).cmdFunctionLoad), Reply: "text", Since: "7.0.0",
				Syntax: "[REPLACE] function-code", Summary: "Creates a library.",
				Help: "[REPLACE] <FUNCTION CODE>\n" +
					"Create a new library with the given library name and code.",
				Tips:       "request_policy:all_shards response_policy:all_succeeded",
				Complexity: "O(N), N being the length of the library's source"},
			{Name: "delete", Arity: 3, Flags: write, Run: engine.On((*Scripts).cmdFunctionDelete), Reply: "status", Since: "7.0.0",
				Syntax: "library-name", Summary: "Deletes a library and its functions.",
				Help: "<LIBRARY NAME>\n" +
					"Delete the given library.",
				Tips: "request_policy:all_shards response_policy:all_succeeded", Complexity: "O(1)"},
			{Name: "list", Arity: -2, Flags: command.NoScript | command.Harmless, Run: engine.On((*Scripts).cmdFunctionList), Reply: "array", Since: "7.0.0",
				Was:     []command.Was{{Before: "7.4.0 valkey:8.0.0", Edit: command.Helps("* Functions list", "* Library description\n* Functions list")}},
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
			{Name: "stats", Arity: 2, Flags: command.NoScript | command.AllowBusy | command.Harmless, Run: engine.On((*Scripts).cmdFunctionStats), Reply: "array", Since: "7.0.0",
				Summary: "Returns information about a function during execution.",
				Help: "\nReturn information about the current function running:\n" +
					"* Function name\n" +
					"* Command used to run the function\n" +
					"* Duration in MS that the function is running\n" +
					"If no function is running, return nil\n" +
					"In addition, returns a list of available engines.",
				Tips: "nondeterministic_output request_policy:all_shards response_policy:special", Complexity: "O(1)"},
			{Name: "kill", Arity: 2, Flags: command.NoScript | command.AllowBusy, Run: engine.On((*Scripts).cmdFunctionKill), Reply: "status", Since: "7.0.0",
				Summary: "Terminates a function during execution.",
				Help:    "\nKill the current running function.",
				Tips:    "request_policy:all_shards response_policy:one_succeeded", Complexity: "O(1)"},
			{Name: "flush", Arity: -2, Flags: write, Run: engine.On((*Scripts).cmdFunctionFlush), Reply: "status", Since: "7.0.0",
				Syntax: "flush-type(/async)=[ASYNC|SYNC]", Summary: "Deletes all libraries and functions.",
				Help: "\nDelete all the libraries.\n" +
					"When called without the optional mode argument, the behavior is determined by the\n" +
					"lazyfree-lazy-user-flush configuration directive. Valid modes are:\n" +
					"* ASYNC: Asynchronously flush the libraries.\n" +
					"* SYNC: Synchronously flush the libraries.",
				Tips:       "request_policy:all_shards response_policy:all_succeeded",
				Complexity: "O(N), N being the number of functions"},
			{Name: "dump", Arity: 2, Flags: command.NoScript | command.Harmless, Run: engine.On((*Scripts).cmdFunctionDump), Reply: "text", Since: "7.0.0",
				Summary:    "Dumps all libraries into a serialized binary payload.",
				Help:       "\nReturn a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE command",
				Complexity: "O(N), N being the number of functions"},
			{Name: "restore", Arity: -3, Flags: write | command.DenyOOM, Run: engine.On((*Scripts).cmdFunctionRestore), Reply: "status", Since: "7.0.0",
				Syntax: "serialized-value policy=[FLUSH|APPEND|REPLACE]", Summary: "Restores all libraries from a payload.",
				Help: "<PAYLOAD> [FLUSH|APPEND|REPLACE]\n" +
					"Restore the libraries represented by the given payload, it is possible to give a restore policy to\n" +
					"control how to handle existing libraries (default APPEND):\n" +
					"* FLUSH: delete all existing libraries.\n" +
					"* APPEND: appends the restored libraries to the existing libraries. On collision, abort.\n" +
					"* REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old\n" +
					"  libraries with the new libraries (notice that even on this option there is a chance of failure\n" +
					"  in case of functions name collision with another library).",
				Tips:       "request_policy:all_shards response_policy:all_succeeded",
				Complexity: "O(N), N being the number of functions in the payload"},
			engine.HelpLine("7.0.0"),
		}}
}

// FCALL function numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) cmdFCall(c *engine.Call) {
	c.ShowToMonitors()
	f := s.of(c.World).registry.find(c.Arg())
	if f == nil {
		c.Fail(errNoFunction)
		return
	}
	keys, argv := split(c, errBadKeys)
	if c.Session.Debug != engine.NoDebug {
		s.startDebugging(c, functionSubject(f), keys, argv, isReadOnly(c))
		return
	}
	if !c.OK() || !s.enter(c, &f.program, isReadOnly(c)) {
		return
	}
	s.declare(keys)
	s.fcallArgs = [2]lua.Value{s.argument(keys), s.argument(argv)}
	s.run(c, s.fcallArgs[:]...)
	s.fcallArgs = [2]lua.Value{}
}

// argument returns a new table of args. Each run needs its own: a function may keep it.
func (s *Scripts) argument(args [][]byte) lua.Value {
	t := lua.NewTable(len(args), 0)
	for i, a := range args {
		t.SetInt(nil, i+1, s.texts.value(a))
	}
	return t.Value()
}

// FUNCTION LOAD [REPLACE] code
func (s *Scripts) cmdFunctionLoad(c *engine.Call) {
	replace := false
	for c.Left() > 1 {
		if !c.Word("REPLACE") {
			c.Refusef(errLoadOption, cText(string(c.Arg())))
			break
		}
		replace = true
	}
	source := c.Arg()
	if !c.OK() {
		return
	}
	s.turnTo(c.World)
	taken := &s.own.registry
	if replace {
		taken = new(registry)
	}
	l, err := s.loadLibrary(source, taken)
	if err == nil {
		err = s.own.registry.join([]*library{l}, true)
	}
	if err != nil {
		c.Fail(err)
		return
	}
	c.ChangedAll(1)
	c.Reply.BulkString(l.name)
}

// FUNCTION DELETE library
func (s *Scripts) cmdFunctionDelete(c *engine.Call) {
	name := string(c.Arg())
	if !s.of(c.World).registry.remove(name) {
		c.Fail(errNoLibrary)
		return
	}
	c.ChangedAll(1)
	c.Reply.Status("OK")
}

// FUNCTION FLUSH [ASYNC | SYNC]
func (s *Scripts) cmdFunctionFlush(c *engine.Call) {
	if c.Left() > 1 {
		c.Refusef(engine.ErrSubArgs, typedSub(c), "FUNCTION")
	}
	async := c.Word("ASYNC") || !c.Word("SYNC") && c.Engine.Config.LazyFree.UserFlush
	if c.More() {
		c.Refuse(errFunctionFlush)
	}
	if !c.OK() {
		return
	}
	functions := &s.of(c.World).registry
	if n := functions.count(); async && n > keyspace.LazyThreshold {
		c.World.CountLazilyFreed(n + 1) // and the table of the engine Lua
	}
	*functions = registry{}
	c.ChangedAll(1)
	c.Reply.Status("OK")
}

// typedSub returns the subcommand as it was typed.
func typedSub(c *engine.Call) string {
	name := string(c.Args[1])
	return name[:min(len(name), 128)]
}

// FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]
func (s *Scripts) cmdFunctionList(c *engine.Call) {
	pattern, limited, code := "", false, false
	for c.More() {
		switch {
		case !code && c.Word("WITHCODE"):
			code = true
		case !limited && c.Word("LIBRARYNAME"):
			if limited = true; !c.More() {
				c.Refuse(errListName)
			} else {
				pattern = string(c.Arg())
			}
		default:
			c.Refusef(errListOption, cText(string(c.Arg())))
		}
	}
	if !c.OK() {
		return
	}
	at, n := c.Reply.Defer(), 0
	for _, l := range s.of(c.World).registry.inOrder() {
		if !limited || glob.MatchFold(pattern, l.name) {
			n++
			l.reply(c, code)
		}
	}
	c.Reply.SetArray(at, n)
}

// reply writes the library's entry of FUNCTION LIST.
func (l *library) reply(c *engine.Call, code bool) {
	w := c.Reply
	if code {
		w.Map(4)
	} else {
		w.Map(3)
	}
	w.BulkString("library_name")
	w.BulkString(l.name)
	w.BulkString("engine")
	w.BulkString("LUA")
	w.BulkString("functions")
	w.Array(len(l.functions))
	for _, f := range l.functions {
		f.reply(c)
	}
	if code {
		w.BulkString("library_code")
		w.BulkString(l.source)
	}
}

func (f *function) reply(c *engine.Call) {
	w := c.Reply
	w.Map(3)
	w.BulkString("name")
	w.BulkString(f.name)
	w.BulkString("description")
	if f.description != nil {
		w.BulkString(*f.description)
	} else {
		w.Null()
	}
	w.BulkString("flags")
	names := f.flags.names()
	w.Set(len(names))
	for _, name := range names {
		w.Status(name)
	}
}

// FUNCTION STATS
func (s *Scripts) cmdFunctionStats(c *engine.Call) {
	if busy, slow := s.engine.BusyScript(); slow && busy != s.functions.busy {
		c.Fail(busy)
		return
	}
	w, functions := c.Reply, &s.of(c.World).registry
	w.Map(2)
	w.BulkString("running_script")
	s.replyRunning(c)
	w.BulkString("engines")
	w.Map(1)
	w.BulkString("LUA")
	w.Map(2)
	w.BulkString("libraries_count")
	w.Int(int64(len(functions.libraries)))
	w.BulkString("functions_count")
	w.Int(int64(functions.count()))
}

// replyRunning writes the program that runs, its command, and its duration.
func (s *Scripts) replyRunning(c *engine.Call) {
	w := c.Reply
	if s.running == nil {
		w.Null()
		return
	}
	w.Map(3)
	w.BulkString("name")
	w.BulkString(s.running.name)
	w.BulkString("command")
	w.Array(len(s.call.Args))
	for _, arg := range s.call.Args {
		w.Bulk(arg)
	}
	w.BulkString("duration_ms")
	w.Int((s.engine.Watch() - s.started) / 1000)
}

// FUNCTION DUMP
func (s *Scripts) cmdFunctionDump(c *engine.Call) {
	c.Reply.Bulk(rdb.LibrariesPayload(s.Sources(c.World)))
}

// policies are the restore policies by name.
var policies = map[string]engine.RestorePolicy{"APPEND": engine.Append, "REPLACE": engine.Replace, "FLUSH": engine.Flush}

// FUNCTION RESTORE payload [FLUSH | APPEND | REPLACE]
func (s *Scripts) cmdFunctionRestore(c *engine.Call) {
	payload, how, known := c.Arg(), engine.Append, true
	if c.More() {
		how, known = policies[strings.ToUpper(string(c.Arg()))]
	}
	switch {
	case c.More():
		c.Refusef(engine.ErrSubArgs, typedSub(c), "FUNCTION")
	case !known:
		c.Refuse(errPolicy)
	case !rdb.ValidPayload(payload, rdb.VersionsOf(c.Engine.Release, c.Engine.RelaxesVersions())):
		c.Refuse(errPayload)
	}
	if !c.OK() {
		return
	}
	if err := s.restore(c.World, payload, how); err != nil {
		c.Fail(err)
		return
	}
	c.ChangedAll(1)
	c.Reply.Status("OK")
}

// payloadErrors maps errors of package rdb to those that clients see.
var payloadErrors = map[error]error{
	rdb.ErrNotLibrary: errNotFunction, rdb.ErrLibrary: errBadLibrary, rdb.ErrOldLibrary: errOldLibrary}

// restore loads the libraries of a payload.
func (s *Scripts) restore(w *engine.World, payload []byte, how engine.RestorePolicy) (err error) {
	s.turnTo(w)
	var fresh registry
	for source, err := range rdb.Libraries(payload) {
		if err != nil {
			return payloadErrors[err]
		}
		if err = s.loadInto(&fresh, source); err != nil {
			return err
		}
	}
	return s.adopt(fresh, how)
}
