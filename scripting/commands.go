package scripting

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

const (
	runsReading = command.NoScript | command.Stale | command.SkipMonitor | command.NoMandatoryKeys | command.MayBeSlow | command.ReadOnly
	runs        = runsReading&^command.ReadOnly | command.MayReplicate
)

// family is the commands that run scripts and functions, and those that manage them.
var family = command.Family{Group: "scripting", Commands: lines(), Wordings: wordings}

func lines() []command.Line {
	runner := func(run func(*Scripts, *engine.Call), flagsOf func(s *Scripts, own *ownScripts, arg []byte) flags) engine.Method {
		return engine.Varying(engine.On(run), func(s *Scripts, w *engine.World, line command.Flags, args [][]byte) command.Flags {
			return flagsOf(s, s.of(w), args[1]).vary(line)
		})
	}
	body := runner((*Scripts).cmdEval, (*Scripts).flagsOfBody)
	sha := runner((*Scripts).cmdEvalSHA, (*Scripts).flagsOfSHA)
	name := runner((*Scripts).cmdFCall, (*Scripts).flagsOfFunction)
	read, written := command.NumKeys(2, "RO access"), command.NumKeys(2, "RW access update")
	const note = "A script may do anything with its keys: this is the worst case."
	return []command.Line{
		{Name: "eval", Arity: -3, Flags: runs, Keys: written.Noted(note), Run: body, Reply: "any", Since: "2.6.0",
			Syntax: "script numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a server-side Lua script.", Was: []command.Was{command.Before("7.0.0", "-stale")}},
		{Name: "eval_ro", Arity: -3, Flags: runsReading, Keys: read.Noted(note), Run: body, Reply: "any", Since: "7.0.0",
			Syntax: "script numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a read-only server-side Lua script."},
		{Name: "evalsha", Arity: -3, Flags: runs | command.ByDigest, Keys: written, Run: sha, Reply: "any", Since: "2.6.0",
			Syntax: "sha1 numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a server-side Lua script by SHA1 digest.", Was: []command.Was{command.Before("7.0.0", "-stale")}},
		{Name: "evalsha_ro", Arity: -3, Flags: runsReading | command.ByDigest, Keys: read, Run: sha, Reply: "any", Since: "7.0.0",
			Syntax: "sha1 numkeys [key...] [arg...]", Complexity: "Depends on the script",
			Summary: "Executes a read-only server-side Lua script by SHA1 digest."},
		{Name: "fcall", Arity: -3, Flags: runs, Keys: written.Noted(note), Run: name, Reply: "any", Since: "7.0.0",
			Syntax: "function numkeys [key...] [arg...]", Complexity: "Depends on the function",
			Summary: "Invokes a function."},
		{Name: "fcall_ro", Arity: -3, Flags: runsReading, Keys: read.Noted(note), Run: name, Reply: "any", Since: "7.0.0",
			Syntax: "function numkeys [key...] [arg...]", Complexity: "Depends on the function",
			Summary: "Invokes a read-only function."},
		functionCommands(),
		{Name: "script", Arity: -2, Since: "2.6.0", Complexity: "Depends on the subcommand", Summary: "A container for Lua scripts management commands.",
			Was: []command.Was{command.Before("7.0.0", "+may_replicate")},
			Subs: []command.Line{
				{Name: "debug", Arity: -3, Flags: command.NoScript, Run: engine.On((*Scripts).cmdDebug), Reply: "status", Since: "3.2.0",
					Was: []command.Was{{Before: "valkey:9.1.0", Edit: func(cmd *command.Line) {
						cmd.Arity, cmd.Syntax = 3, "mode=<YES|SYNC|NO>"
					}}},
					Syntax: "mode=<YES|SYNC|NO> [engine]@valkey:9.1.0", Summary: "Sets the debug mode of server-side Lua scripts.",
					Help:       "\nSet the debug mode for subsequent scripts executed.",
					Complexity: "O(1)"},
				{Name: "exists", Arity: -3, Flags: command.NoScript | command.Stale | command.Harmless, Was: []command.Was{command.Before("valkey:9.1.0", "-stale")}, Run: engine.On((*Scripts).cmdExists), Reply: "integers", Since: "2.6.0",
					Syntax: "sha1...", Summary: "Determines whether server-side Lua scripts exist in the script cache.",
					Help:       "\nReturn information about the existence of the scripts in the script cache.",
					Tips:       "request_policy:all_shards response_policy:agg_logical_and",
					Complexity: "O(N), N being the number of scripts asked for"},
				{Name: "flush", Arity: -2, Flags: command.NoScript | command.Stale, Was: []command.Was{command.Before("valkey:9.1.0", "-stale")}, Run: engine.On((*Scripts).cmdFlush), Reply: "status", Since: "2.6.0",
					Syntax: "flush-type(/async)=[ASYNC|SYNC]@6.2.0", Summary: "Removes all server-side Lua scripts from the script cache.",
					Help: "\nFlush the Lua scripts cache. Very dangerous on replicas.\n" +
						"When called without the optional mode argument, the behavior is determined by the\n" +
						"lazyfree-lazy-user-flush configuration directive. Valid modes are:\n" +
						"* ASYNC: Asynchronously flush the scripts cache.\n" +
						"* SYNC: Synchronously flush the scripts cache.",
					Tips:       "request_policy:all_nodes response_policy:all_succeeded",
					Complexity: "O(N), N being the number of scripts in the cache",
					History:    "6.2.0 The options `ASYNC` and `SYNC`."},
				{Name: "kill", Arity: 2, Flags: command.NoScript | command.AllowBusy, Run: engine.On((*Scripts).cmdScriptKill), Reply: "status", Since: "2.6.0",
					Summary: "Terminates a server-side Lua script during execution.",
					Help:    "\nKill the currently executing Lua script.",
					Tips:    "request_policy:all_shards response_policy:one_succeeded", Complexity: "O(1)"},
				{Name: "load", Arity: 3, Flags: command.NoScript | command.Stale, Run: engine.On((*Scripts).cmdLoad), Reply: "text", Since: "2.6.0", Was: []command.Was{command.Before("7.0.0", "-stale")},
					Syntax: "script", Summary: "Loads a server-side Lua script to the script cache.",
					Help:       "\nLoad a script into the scripts cache without executing it.",
					Tips:       "request_policy:all_nodes response_policy:all_succeeded",
					Complexity: "O(N), N being the length of the script"},
				{Name: "show", Arity: 3, Flags: command.NoScript | command.Stale | command.Harmless, Was: []command.Was{command.Before("valkey:9.1.0", "-stale")}, Run: engine.On((*Scripts).cmdShow), Reply: "text", Since: "valkey:8.0.0",
					Syntax: "sha1", Summary: "Returns a script of the script cache.", Complexity: "O(1)"},
				{Name: "lint", Arity: 3, Flags: command.NoScript | command.Stale | command.Harmless, Run: engine.On((*Scripts).cmdLint), Reply: "list", Since: "miniserver:0.1.0",
					Syntax: "script", Summary: "Looks for mistakes in a script or in a library of functions.",
					Help:       "\nReturn what looks wrong in a script or a library, a text for each. Not in Redis.",
					Complexity: "Depends on the script"},
				{Name: "coverage", Arity: -3, Flags: command.NoScript, Run: engine.On((*Scripts).cmdCoverage), Reply: "any", Since: "miniserver:0.1.0",
					Syntax: "action=<START|report=<REPORT [format=<LCOV|TEXT>]>|stop=<STOP [RESET]>>", Summary: "Counts the lines that scripts and functions run.",
					Help:       "<START|REPORT [LCOV|TEXT]|STOP [RESET]>\nCount the lines that scripts and functions run, and report that. Not in Redis.",
					Complexity: "O(N), N being the length of the scripts that ran"},
				{Name: "profile", Arity: -3, Flags: command.NoScript, Run: engine.On((*Scripts).cmdProfile), Reply: "any", Since: "miniserver:0.1.0",
					Syntax: "action=<START|report=<REPORT [format=<TEXT|PPROF|SVG>]>|stop=<STOP [RESET]>>", Summary: "Times the lines, functions and commands of scripts.",
					Help:       "<START|REPORT [TEXT|PPROF|SVG]|STOP [RESET]>\nTime what scripts and functions do, and report that. Not in Redis.",
					Complexity: "O(N), N being the number of different chains of calls"},
				engine.HelpLine("5.0.0"),
			}},
	}
}

// debugLines returns the subcommands of DEBUG about scripts.
func (s *Scripts) debugLines() []engine.DebugLine {
	return []engine.DebugLine{{Name: "script", Least: 1, Most: 1, Args: "<LIST|<sha>>", About: "Log the cached scripts, or one of them.", Run: s.cmdDebugScript,
		Since: "7.4.0"}}
}

// DEBUG SCRIPT LIST | sha1
func (s *Scripts) cmdDebugScript(c *engine.Call) {
	cache := &s.of(c.World).cache
	list := slices.Sorted(maps.Keys(cache.bySHA))
	if !c.Word("LIST") {
		list = []string{string(c.Arg())}
	}
	for _, sha := range list {
		switch sc := cache.find([]byte(sha)); {
		case len(sha) != digestLen:
			c.Refuse(c.SubSyntaxError())
		case sc == nil:
			c.Refuse(engine.ErrNoScript)
		default:
			c.Engine.Log('#', "SCRIPT SHA: %s\n%s", sha, sc.source)
		}
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

// isReadOnly reports whether the call runs a program that must not write: by the line of its command.
func isReadOnly(c *engine.Call) bool { return c.Cmd.Flags&command.ReadOnly != 0 }

func (s *Scripts) flagsOfBody(own *ownScripts, body []byte) flags {
	if sc := own.cache.byBody[string(body)]; sc != nil {
		return sc.flags
	}
	if !s.declares(string(body)) {
		return 0
	}
	f, _, _ := s.shebang(string(body))
	return f
}

func (*Scripts) flagsOfSHA(own *ownScripts, sha []byte) flags {
	if sc := own.cache.find(sha); sc != nil {
		return sc.flags
	}
	return 0
}

func (*Scripts) flagsOfFunction(own *ownScripts, name []byte) flags {
	if f := own.registry.find(name); f != nil {
		return f.flags
	}
	return 0
}

// EVAL script numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) cmdEval(c *engine.Call) {
	c.ShowToMonitors()
	body := c.Arg()
	keys, argv := split(c, engine.ErrNotInt)
	if c.Session.Debug != engine.NoDebug {
		s.startDebugging(c, scriptSubject(string(body)), keys, argv, isReadOnly(c))
		return
	}
	if !c.OK() {
		return
	}
	cache := &s.of(c.World).cache
	sc := cache.byBody[string(body)]
	if sc == nil {
		var err error
		if sc, err = s.compile(body); err != nil {
			c.Fail(err)
			return
		}
		cache.add(sc, false)
	}
	cache.touch(sc)
	s.runScript(c, sc, keys, argv, isReadOnly(c))
}

// EVALSHA sha1 numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) cmdEvalSHA(c *engine.Call) {
	c.ShowToMonitors()
	sha := c.Arg()
	if len(sha) != digestLen {
		c.Fail(engine.ErrNoScript)
		return
	}
	keys, argv := split(c, engine.ErrNotInt)
	if !c.OK() {
		return
	}
	cache := &s.of(c.World).cache
	sc := cache.find(sha)
	if sc == nil {
		c.Fail(engine.ErrNoScript)
		return
	}
	if c.Session.Debug != engine.NoDebug {
		s.startDebugging(c, scriptSubject(sc.source), keys, argv, isReadOnly(c))
		return
	}
	cache.touch(sc)
	s.runScript(c, sc, keys, argv, isReadOnly(c))
}

// runScript runs a script with its globals KEYS and ARGV.
func (s *Scripts) runScript(c *engine.Call, sc *script, keys, argv [][]byte, readOnly bool) {
	if !s.enter(c, &sc.program, readOnly) {
		return
	}
	s.declare(keys)
	s.setArray(s.keys, keys)
	s.setArray(s.argv, argv)
	s.run(c)
	s.keys.Refill(0)
	s.argv.Refill(0)
}

// split reads the number of keys and divides the arguments after it into keys and others.
func split(c *engine.Call, notInt error) (keys, argv [][]byte) {
	n := c.IntOr(notInt)
	left := int64(c.Left())
	switch {
	case n > left:
		c.Refuse(errKeysTooMany)
	case n < 0:
		c.Refuse(errKeysNegative)
	default:
		rest := c.Rest()
		return rest[:n], rest[n:]
	}
	return nil, nil
}

// ownCaches is when a replica and a journal ceased to receive the scripts of the cache.
var ownCaches = release.From("7.0.0")

// SCRIPT LOAD script
func (s *Scripts) cmdLoad(c *engine.Call) {
	body := c.Arg()
	cache := &s.of(c.World).cache
	sc := cache.byBody[string(body)]
	if sc == nil {
		var err error
		if sc, err = s.compile(body); err != nil {
			c.Fail(err)
			return
		}
		cache.add(sc, true)
	}
	cache.pin(sc)
	if !c.Has(ownCaches) {
		c.Propagate(c.Args...)
	}
	c.Reply.BulkString(sc.name)
}

// SCRIPT LINT script
func (s *Scripts) cmdLint(c *engine.Call) {
	findings := lint.New(c.Engine, c.Engine.Release).Lint(string(c.Arg()))
	c.Reply.Array(len(findings))
	for _, f := range findings {
		c.Reply.BulkString(f.String())
	}
}

// SCRIPT SHOW sha1
func (s *Scripts) cmdShow(c *engine.Call) {
	sc := s.of(c.World).cache.find(c.Arg())
	if sc == nil {
		c.Fail(errNotCached)
		return
	}
	c.Reply.BulkString(sc.source)
}

// SCRIPT EXISTS sha1 [sha1 ...]
func (s *Scripts) cmdExists(c *engine.Call) {
	shas := c.Rest()
	c.Reply.Array(len(shas))
	for _, sha := range shas {
		n := int64(0)
		if s.of(c.World).cache.find(sha) != nil {
			n = 1
		}
		c.Reply.Int(n)
	}
}

// SCRIPT FLUSH [ASYNC | SYNC]
func (s *Scripts) cmdFlush(c *engine.Call) {
	async := c.Word("ASYNC") || !c.Word("SYNC") && c.Engine.Config.LazyFree.UserFlush
	if c.More() {
		c.Fail(errFlush)
		return
	}
	own := s.of(c.World)
	if n := len(own.cache.bySHA); async && n > keyspace.LazyThreshold {
		c.World.CountLazilyFreed(n)
	}
	own.cache = newCache()
	if !c.Has(ownCaches) {
		c.MarkDirty()
	}
	c.Reply.Status("OK")
}

// SCRIPT KILL
func (s *Scripts) cmdScriptKill(c *engine.Call) { s.kill(c, &s.scripts) }

// FUNCTION KILL
func (s *Scripts) cmdFunctionKill(c *engine.Call) { s.kill(c, &s.functions) }

func (s *Scripts) kill(c *engine.Call, of *sandbox) {
	busy, slow := s.engine.BusyScript()
	switch {
	case !slow:
		c.Fail(errNotBusy)
	case s.session.Wrote():
		c.Fail(errUnkillable)
	case busy != of.busy:
		c.Fail(busy)
	default:
		s.engine.KillScript()
		c.Reply.Status("OK")
	}
}
