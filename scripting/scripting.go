// Package scripting runs Lua scripts inside the engine: EVAL and its kin.
//
//	EVAL ─▶ cache ─▶ lua.State ─▶ redis.call ─▶ engine.RunNested ─▶ scratch reply ─▶ Lua value
//	         body                 arguments        same table,
//	         or SHA1              by reference     same gate
//
// There is one State. Scripts run one at a time under the engine's lock, each in the same sandbox:
// globals and libraries are read-only, KEYS and ARGV are refilled, so nothing that one run leaves is
// seen by the next. The place of a redis.call in a script remembers the command it resolved.
//
// Invariants:
//  1. A script's commands go through the engine's table and gate like anyone's.
//  2. A run past busy-reply-threshold lets go of the engine's lock; its commands take it one by one.
//  3. What a script wrote before it failed stays, as in Redis.
//  4. A script is journaled as the commands it executed, never as itself.
//  5. The bytes of a string that a script can see are never written again.
//
// Differences from Redis, on purpose: what a run may hold is bounded by script-memory-limit, and a
// reply too; an error that has no text is "unknown error" where Redis crashes; os.clock is offered, as
// in Redis 7.4, where 7.0 has no os; there is no debugger.
package scripting

import (
	"bytes"

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
	keys    *lua.Table
	argv    *lua.Table
	cache   cache
	texts   texts
	args    [][]byte // of the command being called
	digits  []byte   // the numbers among them
	sent    int      // bytes of the others
	resp3   bool     // redis.setresp(3) was called

	call    *engine.Call // the EVAL under way
	started int64        // microseconds
	born    int64        // the clock when the engine was made

	busyAfter   int64 // milliseconds: busy-reply-threshold
	memoryLimit int64 // bytes a run may hold: script-memory-limit
}

// defaultMemoryLimit bounds what one run may hold.
const defaultMemoryLimit = 512 << 20

// New returns the script engine of e and registers its parameters.
func New(e *engine.Engine) *Scripts {
	s := &Scripts{
		Log: func(int, string) {}, engine: e, session: e.NewScriptSession(), cache: newCache(),
		busyAfter: 5000, memoryLimit: defaultMemoryLimit, born: e.Clock(),
	}
	s.lua = s.newState()
	e.AddParams(
		engine.IntParam("busy-reply-threshold", &s.busyAfter, 0, 1<<62, "lua-time-limit"),
		engine.MemoryParam("script-memory-limit", &s.memoryLimit, 1<<20))
	e.AddSections(
		engine.Section{Name: "Memory", Fill: func(b *bytes.Buffer) {
			engine.Fields(b, "used_memory_scripts_eval", s.cache.bytes(), "number_of_cached_scripts", len(s.cache.bySHA))
		}},
		engine.Section{Name: "Stats", Fill: func(b *bytes.Buffer) { engine.Fields(b, "evicted_scripts", s.cache.evicted) },
			Reset: func() { s.cache.evicted = 0 }})
	return s
}

// run executes a script and replies with what it returned.
func (s *Scripts) run(c *engine.Call, sc *script, keys, argv [][]byte, readOnly bool) {
	short := s.engine.MemoryShort() && !sc.allowOOM
	if refusal := sc.refusal(c, readOnly, short); refusal != "" {
		c.Fail(refusal)
		return
	}
	s.enter(c, keys, argv, readOnly || sc.readOnly, short)
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
		s.answer(c.Reply, results[0], sc.sha)
	}
	s.leave()
}

// enter prepares the sandbox for a run.
func (s *Scripts) enter(c *engine.Call, keys, argv [][]byte, readOnly, short bool) {
	s.session.EnterScript(c.Session, readOnly, short)
	s.call, s.resp3 = c, false
	s.started = s.engine.Clock()
	s.engine.Revive()
	s.lua.SetMemoryLimit(int(s.memoryLimit))
	s.fill(s.keys, keys)
	s.fill(s.argv, argv)
}

// fill makes t the array of args.
func (s *Scripts) fill(t *lua.Table, args [][]byte) {
	t.Refill(len(args))
	for i, a := range args {
		t.SetInt(nil, i+1, s.texts.value(a))
	}
}

// maxKept is the size up to which what a run has used is kept for the next.
const maxKept = 64 << 10

// leave lets go of what a run has left behind.
func (s *Scripts) leave() {
	s.call = nil
	clear(s.args[:cap(s.args)])
	if cap(s.args) > maxKept/16 {
		s.args = nil
	}
	if cap(s.digits) > maxKept {
		s.digits = nil
	}
	if cap(s.session.Reply.Bytes()) > maxKept {
		s.session.Reply.Swap(nil)
	}
	s.keys.Refill(0)
	s.argv.Refill(0)
	if s.lua.Held() > maxKept {
		s.lua.Forget()
	}
}

// interrupt is the State's hook: it lets go of the lock when the run has become slow, and ends it when
// it was killed.
func (s *Scripts) interrupt() error {
	if s.busyAfter > 0 && s.engine.Clock()-s.started > s.busyAfter*1000 {
		s.call.Leave()
	}
	if s.engine.Killed() {
		return killed{}
	}
	return nil
}

// killed is the error that no script can catch.
type killed struct{}

func (killed) Error() string { return engine.ErrScriptKilled }
