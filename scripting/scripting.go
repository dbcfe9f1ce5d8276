// Package scripting runs Lua inside the engine: scripts for EVAL and its kin, and libraries of functions.
//
//	EVAL ─▶ cache ─▶ lua.State ─▶ redis.call ─▶ engine.RunNested ─▶ scratch reply ─▶ Lua value
//	         body    ▲            arguments        same table,
//	         or SHA1 │            by reference     same gate
//	FCALL ─▶ registry, by name ◀─ FUNCTION LOAD runs a library, which registers its functions
//
// There is one State. Programs run one at a time under the engine's lock, scripts in one sandbox and
// functions in another: globals and libraries are read-only, and KEYS and ARGV are refilled. So
// nothing that one run leaves is seen by the next, but for what the functions of a library share in
// its local variables. The place of a redis.call in a program remembers the command it resolved.
//
// Invariants:
//  1. A script's commands go through the engine's table and gate like anyone's.
//  2. A run past busy-reply-threshold lets go of the engine's lock; its commands take it one by one.
//  3. What a script wrote before it failed stays, as in Redis.
//  4. A script or function is journaled as the commands it executed, never as itself; libraries are
//     journaled as the commands that changed them.
//  5. The bytes of a string that a script can see are never written again.
//  6. A library is there whole or not at all: the registry changes when all of it has been loaded.
//
// Differences from Redis, on purpose: what a run may hold is bounded by script-memory-limit, and a
// reply too; an error that has no text is "unknown error" where Redis crashes; os.clock is offered, as
// in Redis 7.4, where 7.0 has no os; there is no debugger. A coroutine that a function leaves suspended
// ends with the run. Two functions of a library whose names differ in case only are refused: Redis takes
// them, and crashes when they go.
package scripting

import (
	"bytes"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Scripts is the script engine and its family of commands.
type Scripts struct {
	// Log receives what scripts say with redis.log, by level 0 (debug) to 3 (warning), from the level on that the
	// parameter loglevel names.
	Log func(level int, text string)
	// Profile follows what EVAL runs, line by line; nil for nothing. It counts for what is compiled later.
	Profile *lua.Profile

	engine  *engine.Engine
	session *engine.Session // executes the scripts' commands
	lua     *lua.State
	keys    *lua.Table
	argv    *lua.Table
	scripts sandbox
	cache   cache
	texts   texts
	args    [][]byte // of the command being called
	digits  []byte   // the numbers among them
	sent    int      // bytes of the others
	resp3   bool     // redis.setresp(3) was called

	functions sandbox
	sparse    *lua.Table // the globals of a library while it is loaded
	registry  registry
	loading   *library     // whose code runs
	passed    [2]lua.Value // the arguments of a function

	call    *engine.Call // the EVAL or FCALL under way
	running *program     // what it runs
	started int64        // microseconds
	born    int64        // the clock when the engine was made

	busyAfter   int64 // milliseconds: busy-reply-threshold
	memoryLimit int64 // bytes a run may hold: script-memory-limit
	logLevel    string
}

// logLevels are the values of loglevel: the levels of redis.log, and one above all of them.
var logLevels = []string{"debug", "verbose", "notice", "warning", "nothing"}

// defaultMemoryLimit bounds what one run may hold.
const defaultMemoryLimit = 512 << 20

// New returns the script engine of e, which Part adds to it.
func New(e *engine.Engine) *Scripts {
	s := &Scripts{
		Log: func(int, string) {}, engine: e, session: e.NewScriptSession(), cache: newCache(),
		busyAfter: 5000, memoryLimit: defaultMemoryLimit, logLevel: "notice", born: e.Clock(),
		scripts:   sandbox{chunk: "@user_script", busy: errBusyScript},
		functions: sandbox{chunk: "@user_function", busy: errBusyFunction},
	}
	s.lua = s.newState()
	return s
}

// Part returns what the script engine adds to its engine.
func (s *Scripts) Part() engine.Part {
	return engine.Part{
		Name:     "scripting",
		Families: []engine.Family{s.family()},
		Params: []engine.Param{
			engine.IntParam("busy-reply-threshold", &s.busyAfter, 0, 1<<62, "lua-time-limit"),
			engine.MemoryParam("script-memory-limit", &s.memoryLimit, 1<<20),
			engine.EnumParam("loglevel", &s.logLevel, logLevels...),
		},
		Sections: []engine.Section{
			{Name: "Memory", Fill: s.fillMemory},
			{Name: "Stats", Fill: func(b *bytes.Buffer) { engine.Fields(b, "evicted_scripts", s.cache.evicted) },
				Reset: func() { s.cache.evicted = 0 }},
		},
		Caches: []engine.Cache{
			{Name: "lua.caches", Bytes: s.cache.bytes},
			{Name: "functions.caches", Bytes: func() int { return s.registry.bytes() }},
		},
		Libraries: s,
	}
}

// fillMemory writes the scripts' lines of INFO memory.
func (s *Scripts) fillMemory(b *bytes.Buffer) {
	scripts, functions := s.cache.bytes(), s.registry.bytes()
	engine.Fields(b, "used_memory_scripts_eval", scripts, "number_of_cached_scripts", len(s.cache.bySHA),
		"number_of_functions", s.registry.count(), "number_of_libraries", len(s.registry.libraries),
		"used_memory_functions", functions, "used_memory_scripts", scripts+functions)
}

// fill makes t the array of args.
func (s *Scripts) fill(t *lua.Table, args [][]byte) {
	t.Refill(len(args))
	for i, a := range args {
		t.SetInt(nil, i+1, s.texts.value(a))
	}
}
