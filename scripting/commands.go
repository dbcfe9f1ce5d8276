package scripting

import (
	"github.com/miniserver-go/miniserver/engine"
)

const evalFlags = engine.NoScript | engine.Stale | engine.SkipMonitor | engine.NoMandatoryKeys | engine.MayBeSlow

// Family is the EVAL and SCRIPT commands.
func (s *Scripts) Family() engine.Family {
	keys := engine.NumKeys(0, 2)
	return engine.Family{Group: "scripting", Commands: []engine.Command{
		{Name: "eval", Arity: -3, Flags: evalFlags, Keys: keys, Run: s.evalBody(false), Since: "2.6.0",
			Summary: "Executes a server-side Lua script."},
		{Name: "eval_ro", Arity: -3, Flags: evalFlags | engine.ReadOnly, Keys: keys, Run: s.evalBody(true), Since: "7.0.0",
			Summary: "Executes a read-only server-side Lua script."},
		{Name: "evalsha", Arity: -3, Flags: evalFlags, Keys: keys, Run: s.evalSHA(false), Since: "2.6.0",
			Summary: "Executes a server-side Lua script by SHA1 digest."},
		{Name: "evalsha_ro", Arity: -3, Flags: evalFlags | engine.ReadOnly, Keys: keys, Run: s.evalSHA(true), Since: "7.0.0",
			Summary: "Executes a read-only server-side Lua script by SHA1 digest."},
		{Name: "script", Arity: -2, Since: "2.6.0", Summary: "A container for Lua scripts management commands.",
			Subs: []engine.Command{
				{Name: "help", Arity: 2, Flags: engine.Loading | engine.Stale, Run: cmdHelp, Since: "5.0.0",
					Summary: "Returns helpful text about the different subcommands."},
				{Name: "load", Arity: 3, Flags: engine.NoScript | engine.Stale, Run: s.cmdLoad, Since: "2.6.0",
					Summary: "Loads a server-side Lua script to the script cache."},
				{Name: "exists", Arity: -3, Flags: engine.NoScript, Run: s.cmdExists, Since: "2.6.0",
					Summary: "Determines whether server-side Lua scripts exist in the script cache."},
				{Name: "flush", Arity: -2, Flags: engine.NoScript, Run: s.cmdFlush, Since: "2.6.0",
					Summary: "Removes all server-side Lua scripts from the script cache."},
				{Name: "kill", Arity: 2, Flags: engine.NoScript | engine.AllowBusy, Run: s.cmdKill, Since: "2.6.0",
					Summary: "Terminates a server-side Lua script during execution."},
				{Name: "debug", Arity: 3, Flags: engine.NoScript, Run: s.cmdDebug, Since: "3.2.0",
					Summary: "Sets the debug mode of server-side Lua scripts."},
			}},
	}}
}

// EVAL script numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) evalBody(readOnly bool) engine.Handler {
	return func(c *engine.Call) {
		body := c.Arg()
		keys, argv := split(c)
		if !c.OK() {
			return
		}
		sc := s.cache.byBody[string(body)]
		if sc == nil {
			var refusal string
			if sc, refusal = s.compile(body); refusal != "" {
				c.Fail(refusal)
				return
			}
			s.cache.add(sc, false)
		}
		s.cache.touch(sc)
		s.run(c, sc, keys, argv, readOnly)
	}
}

// EVALSHA sha1 numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) evalSHA(readOnly bool) engine.Handler {
	return func(c *engine.Call) {
		sha := c.Arg()
		if len(sha) != digestLen {
			c.Fail(errNoScript)
			return
		}
		keys, argv := split(c)
		if !c.OK() {
			return
		}
		sc := s.cache.find(sha)
		if sc == nil {
			c.Fail(errNoScript)
			return
		}
		s.cache.touch(sc)
		s.run(c, sc, keys, argv, readOnly)
	}
}

// split reads the number of keys and parts the arguments after it.
func split(c *engine.Call) (keys, argv [][]byte) {
	n := c.Int()
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

// SCRIPT LOAD script
func (s *Scripts) cmdLoad(c *engine.Call) {
	body := c.Arg()
	sc := s.cache.byBody[string(body)]
	if sc == nil {
		var refusal string
		if sc, refusal = s.compile(body); refusal != "" {
			c.Fail(refusal)
			return
		}
		s.cache.add(sc, true)
	}
	s.cache.pin(sc)
	c.Reply.BulkString(sc.sha)
}

// SCRIPT EXISTS sha1 [sha1 ...]
func (s *Scripts) cmdExists(c *engine.Call) {
	shas := c.Rest()
	c.Reply.Array(len(shas))
	for _, sha := range shas {
		n := int64(0)
		if s.cache.find(sha) != nil {
			n = 1
		}
		c.Reply.Int(n)
	}
}

// SCRIPT FLUSH [ASYNC | SYNC]
func (s *Scripts) cmdFlush(c *engine.Call) {
	if c.More() && !c.Word("ASYNC") && !c.Word("SYNC") || c.More() {
		c.Fail(errFlush)
		return
	}
	s.cache = newCache()
	c.Reply.Status("OK")
}

// SCRIPT KILL
func (s *Scripts) cmdKill(c *engine.Call) {
	switch {
	case !s.engine.Slow():
		c.Fail(errNotBusy)
	case s.session.Wrote():
		c.Fail(errUnkillable)
	default:
		s.engine.Kill()
		c.Reply.Status("OK")
	}
}

// SCRIPT DEBUG YES|SYNC|NO: there is no debugger here, so only NO succeeds.
func (s *Scripts) cmdDebug(c *engine.Call) {
	switch {
	case c.Word("NO"):
		c.Reply.Status("OK")
	case c.Word("YES"), c.Word("SYNC"):
		c.Fail(errNoDebugger)
	default:
		c.Fail(errDebugMode)
	}
}

// SCRIPT HELP
func cmdHelp(c *engine.Call) {
	c.Help(
		"DEBUG (YES|SYNC|NO)",
		"    Set the debug mode for subsequent scripts executed.",
		"EXISTS <sha1> [<sha1> ...]",
		"    Return information about the existence of the scripts in the script cache.",
		"FLUSH [ASYNC|SYNC]",
		"    Flush the Lua scripts cache. Very dangerous on replicas.",
		"    When called without the optional mode argument, the behavior is determined by the",
		"    lazyfree-lazy-user-flush configuration directive. Valid modes are:",
		"    * ASYNC: Asynchronously flush the scripts cache.",
		"    * SYNC: Synchronously flush the scripts cache.",
		"KILL",
		"    Kill the currently executing Lua script.",
		"LOAD <script>",
		"    Load a script into the scripts cache without executing it.")
}
