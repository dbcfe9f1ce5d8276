// Package scripting runs Lua scripts inside the engine: EVAL and its kin.
//
//	EVAL ─▶ cache ─▶ lua.State ─▶ redis.call ─▶ engine.RunNested ─▶ scratch reply ─▶ Lua value
//	         body                 arguments        same table,
//	         or SHA1              by reference     same gate
//
// There is one State. Scripts run one at a time under the engine's lock, each in the same sandbox:
// globals and libraries are read-only, so nothing of one run is left for the next, and the text of
// replies can live in an arena that the next run uses again. KEYS and ARGV are refilled, not rebuilt.
//
// Invariants:
//  1. A script's commands go through the engine's table and gate like anyone's.
//  2. A run past busy-reply-threshold lets go of the engine's lock; its commands take it one by one.
//  3. What a script wrote before it failed stays, as in Redis.
//  4. A script is journaled as the commands it executed, never as itself.
package scripting

import (
	"errors"
	"fmt"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// chunkName is how errors name a script, as in Redis 7; the sign says that it is a name, not source.
const chunkName = "@user_script"

// Scripts is the script engine and its family of commands.
type Scripts struct {
	// Log receives what scripts say with redis.log, by level 0 (debug) to 3 (warning).
	Log func(level int, text string)

	engine  *engine.Engine
	session *engine.Session // executes the scripts' commands
	lua     *lua.State
	random  *lua.Random
	keys    *lua.Table
	argv    *lua.Table
	cache   cache
	arena   arena
	args    [][]byte
	resp3   bool // redis.setresp(3) was called

	call    *engine.Call // the EVAL under way
	started int64        // microseconds
	wrote   bool         // the run called a command that writes

	busyAfter   int64 // milliseconds: busy-reply-threshold
	memoryLimit int64 // bytes a run may hold: script-memory-limit
}

// defaultMemoryLimit bounds what one run may hold.
const defaultMemoryLimit = 512 << 20

// New returns the script engine of e and registers its parameters.
func New(e *engine.Engine) *Scripts {
	s := &Scripts{
		Log: func(int, string) {}, engine: e, session: e.NewScriptSession(), cache: newCache(),
		busyAfter: 5000, memoryLimit: defaultMemoryLimit,
	}
	s.lua = s.newState()
	e.AddParams(
		engine.IntParam("busy-reply-threshold", &s.busyAfter, 0, 1<<62, "lua-time-limit"),
		engine.MemoryParam("script-memory-limit", &s.memoryLimit, 1<<20))
	return s
}

// Scripts returns how many scripts are cached and how many the bound on EVAL scripts has evicted.
func (s *Scripts) Cached() (n, evicted int) { return len(s.cache.bySHA), s.cache.evicted }

// run executes a script and replies with what it returned.
func (s *Scripts) run(c *engine.Call, sc *script, keys, argv [][]byte, readOnly bool) {
	s.enter(c, keys, argv, readOnly || sc.readOnly)
	c.OpenTx()
	results, err := s.lua.Run(sc.fn)
	c.Rejoin()
	c.CloseTx()
	switch {
	case err != nil:
		c.Reply.Error(s.describe(err, sc.sha))
	case len(results) == 0:
		c.Reply.Null()
	default:
		s.reply(c.Reply, results[0], 0)
	}
	s.call = nil
}

// enter prepares the sandbox for a run.
func (s *Scripts) enter(c *engine.Call, keys, argv [][]byte, readOnly bool) {
	s.session.EnterScript(c.Session, readOnly)
	s.call, s.resp3, s.wrote = c, false, false
	s.started = s.engine.Clock()
	s.engine.Revive()
	s.arena.reset()
	s.random.Seed(0)
	s.fill(s.keys, keys)
	s.fill(s.argv, argv)
	s.lua.SetMemoryLimit(int(s.memoryLimit))
}

// fill makes t the array of args.
func (s *Scripts) fill(t *lua.Table, args [][]byte) {
	t.Refill(len(args))
	for i, a := range args {
		t.SetInt(s.lua, i+1, s.text(a))
	}
}

// interrupt is the State's hook: it lets go of the lock when the run has become slow, and ends it when
// it was killed.
func (s *Scripts) interrupt() error {
	if s.engine.Clock()-s.started > s.busyAfter*1000 {
		s.call.Leave()
	}
	if s.engine.Killed() {
		return killed{}
	}
	return nil
}

// killed is the error that no script can catch.
type killed struct{}

func (killed) Error() string { return errKilled }

// describe words what ended a run as Redis does, with the script and the line.
func (s *Scripts) describe(err error, sha string) string {
	var thrown *lua.Error
	switch {
	case !errors.As(err, &thrown):
		return fmt.Sprintf("%s script: %s", err, sha)
	case thrown.Line == 0:
		return fmt.Sprintf("%s script: %s", errorText(thrown.Value), sha)
	}
	return fmt.Sprintf("%s script: %s, on @%s:%d.", errorText(thrown.Value), sha, thrown.Chunk, thrown.Line)
}

// errorText returns the text of a value that was thrown.
func errorText(v lua.Value) string {
	if t := v.AsTable(); t != nil {
		if text, ok := t.GetString("err").ToString(); ok {
			return text
		}
		return errUnknownThrown
	}
	switch text, ok := v.ToString(); {
	case ok:
		return "ERR " + text
	case v.Kind() == lua.KindBoolean:
		return fmt.Sprint("ERR ", v.AsBool())
	}
	return "ERR " + v.TypeName()
}
