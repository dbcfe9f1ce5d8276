package scripting

import (
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/cache"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/redislib"
)

// SCRIPT DEBUG YES | SYNC | NO
func cmdDebug(c *engine.Call) {
	mode := engine.NoDebug
	switch {
	case c.Left() > 2:
		c.Refuse(c.SubSyntaxError())
	case c.Left() == 2 && !command.IsWord(c.Args[3], "LUA"):
		c.Refusef(errDebugEngine, c.Args[3])
	case c.Word("NO"):
	case c.Word("YES"):
		mode = engine.DebugCopy
	case c.Word("SYNC"):
		mode = engine.DebugData
	default:
		c.Refuse(errDebugMode)
	}
	if c.Nested() {
		c.Refuse(errDebugNested)
	}
	if mode != engine.NoDebug && onConnection == nil {
		c.Refusef(errNoTools, "debugger")
	}
	if c.Rest(); c.OK() {
		c.SetDebug(mode)
	}
}

// debugLines returns the subcommands of DEBUG about scripts.
func (s *Scripts) debugLines() []engine.DebugLine {
	return []engine.DebugLine{{Name: "script", Least: 1, Most: 1, Args: "<LIST|<sha>>",
		About: "Log the cached scripts, or one of them.", Run: s.cmdDebugScript, Since: "7.4.0"}}
}

// DEBUG SCRIPT LIST | sha1
func (s *Scripts) cmdDebugScript(c *engine.Call) {
	cache := s.of(c.World).cache
	list := cache.Digests()
	if !c.Word("LIST") {
		list = []string{string(c.Arg())}
	}
	for _, sha := range list {
		switch sc := cache.Find([]byte(sha)); {
		case len(sha) != program.DigestLen:
			c.Refuse(c.SubSyntaxError())
		case sc == nil:
			c.Refuse(engine.ErrNoScript)
		default:
			c.Engine.Log('#', "SCRIPT SHA: %s\n%s", sha, sc.Source)
		}
	}
	if c.OK() {
		c.Reply.Status("OK")
	}
}

func (s *Scripts) flagsOfBody(own *ownScripts, body []byte) program.Flags {
	if sc := own.cache.OfBody(body); sc != nil {
		return sc.Flags
	}
	if !s.interpreter.declares(string(body)) {
		return 0
	}
	f, _, _ := program.Shebang(s.engine, string(body))
	return f
}

func flagsOfSHA(_ *Scripts, own *ownScripts, sha []byte) program.Flags {
	if sc := own.cache.Find(sha); sc != nil {
		return sc.Flags
	}
	return 0
}

func flagsOfFunction(_ *Scripts, own *ownScripts, name []byte) program.Flags {
	if f := own.registry.Find(name); f != nil {
		return f.Flags
	}
	return 0
}

// EVAL script numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) cmdEval(c *engine.Call) {
	c.Show()
	body := c.Arg()
	keys, argv := split(c, engine.ErrNotInt)
	if c.Session.Debug != engine.NoDebug {
		s.startDebugging(c, subject{source: string(body)}, input{keys, argv, isReadOnly(c)})
		return
	}
	if !c.OK() {
		return
	}
	cache := s.of(c.World).cache
	sc := cache.OfBody(body)
	if sc == nil {
		var err error
		if sc, err = s.interpreter.compile(body); err != nil {
			c.Fail(err)
			return
		}
		cache.Add(sc, false)
	}
	cache.Touch(sc)
	s.run(c, &sc.Program, keys, argv)
}

// EVALSHA sha1 numkeys [key [key ...]] [arg [arg ...]]
func (s *Scripts) cmdEvalSHA(c *engine.Call) {
	c.Show()
	sha := c.Arg()
	if len(sha) != program.DigestLen {
		c.Fail(engine.ErrNoScript)
		return
	}
	keys, argv := split(c, engine.ErrNotInt)
	if !c.OK() {
		return
	}
	cache := s.of(c.World).cache
	sc := cache.Find(sha)
	if sc == nil {
		c.Fail(engine.ErrNoScript)
		return
	}
	if c.Session.Debug != engine.NoDebug {
		s.startDebugging(c, subject{source: sc.Source}, input{keys, argv, isReadOnly(c)})
		return
	}
	cache.Touch(sc)
	s.run(c, &sc.Program, keys, argv)
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
	cache := s.of(c.World).cache
	sc := cache.OfBody(body)
	if sc == nil {
		var err error
		if sc, err = s.interpreter.compile(body); err != nil {
			c.Fail(err)
			return
		}
		cache.Add(sc, true)
	}
	cache.Pin(sc)
	if !c.Has(ownCaches) {
		c.Propagate(c.Args...)
	}
	c.Reply.BulkString(sc.Name)
}

// Lint is what SCRIPT LINT does with a script: it returns the findings as texts. Package tools sets
// it; it is nil in a program without that package.
var Lint func(e *engine.Engine, source string) (findings []string)

// SCRIPT LINT script
func cmdLint(c *engine.Call) {
	if Lint == nil {
		c.Fail(c.Engine.Commands.Errorf(errNoTools, "linter"))
		return
	}
	findings := Lint(c.Engine, string(c.Arg()))
	c.Reply.Array(len(findings))
	for _, text := range findings {
		c.Reply.BulkString(text)
	}
}

// SCRIPT SHOW sha1
func (own *ownScripts) cmdShow(c *engine.Call) {
	sc := own.cache.Find(c.Arg())
	if sc == nil {
		c.Fail(errNotCached)
		return
	}
	c.Reply.BulkString(sc.Source)
}

// SCRIPT EXISTS sha1 [sha1 ...]
func (own *ownScripts) cmdExists(c *engine.Call) {
	shas := c.Rest()
	c.Reply.Array(len(shas))
	for _, sha := range shas {
		n := int64(0)
		if own.cache.Find(sha) != nil {
			n = 1
		}
		c.Reply.Int(n)
	}
}

// SCRIPT FLUSH [ASYNC | SYNC]
func (own *ownScripts) cmdFlush(c *engine.Call) {
	async := c.Word("ASYNC") || !c.Word("SYNC") && c.Engine.Config.LazyFree.UserFlush
	if c.More() {
		c.Fail(errFlush)
		return
	}
	if n := own.cache.Len(); async && n > keyspace.LazyThreshold {
		c.World.Keyspace.LazilyFreed += int64(n)
	}
	own.cache, own.json.scripts = cache.New(), redislib.NewJSONSettings()
	if !c.Has(ownCaches) {
		c.MarkDirty()
	}
	c.Reply.Status("OK")
}

// SCRIPT KILL
func (s *Scripts) cmdScriptKill(c *engine.Call) { s.kill(c, &s.interpreter.scripts) }

// FUNCTION KILL
func (s *Scripts) cmdFunctionKill(c *engine.Call) { s.kill(c, &s.interpreter.functions) }

func (s *Scripts) kill(c *engine.Call, of *program.Sandbox) {
	busy, slow := s.engine.Slow.Busy()
	switch {
	case !slow:
		c.Fail(errNotBusy)
	case s.interpreter.session.Wrote():
		c.Fail(errUnkillable)
	case busy != of.Busy:
		c.Fail(busy)
	default:
		s.engine.Slow.Kill()
		c.Reply.Status("OK")
	}
}
