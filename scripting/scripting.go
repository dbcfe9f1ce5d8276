// Package scripting runs Lua inside the engine: scripts for EVAL and related commands, and libraries of functions.
//
//	EVAL ─▶ cache ─▶ lua.State ─▶ redis.call ─▶ engine.RunNested ─▶ scratch reply ─▶ Lua value
//	         body    ▲            arguments        same table,
//	         or SHA1 │            by reference     same gate
//	FCALL ─▶ registry, by name ◀─ FUNCTION LOAD runs a library, which registers its functions
//
// There is one State. Programs run one at a time under the engine's lock, scripts in one sandbox and
// functions in another. Globals and libraries are read-only, and each run gets new KEYS and ARGV. So a run
// leaves nothing to the next, except in the local variables that the functions of a library share. Each
// redis.call in a program caches the command that it resolved.
//
// A recording of a world counts and times what its programs do. The code of each that runs is exchanged for code that does so,
// in place, until the recording stops; see recording.go.
//
// Invariants:
//  1. A script's commands go through the engine's table and gate like all others.
//  2. A run past busy-reply-threshold releases the engine's lock; its commands take the lock one by one.
//  3. Writes of a script that fails stay, as in Redis.
//  4. The journal of a script or function is the commands it executed, never itself; the journal of libraries
//     is the commands that changed them.
//  5. The bytes of a string that a script can see never change.
//  6. A library is loaded whole or not at all: the registry changes after all of it has been loaded.
//
// Deliberate differences from Redis: script-memory-limit bounds the memory of a run and of its reply; an error
// without a text is "unknown error" where Redis crashes. A
// coroutine that a function leaves suspended ends with the run. A library may not have two functions whose names differ
// only in case: Redis accepts them, and crashes when it deletes them.
package scripting

import (
	"bytes"
	"math"
	"sync"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Scripts is the script engine and its family of commands.
type Scripts struct {
	// Log receives the messages of redis.log from the parameter loglevel on: level 0 (debug) to 3 (warning).
	Log func(level int, text string)
	// Nanos reads the machine's monotonic clock, in nanoseconds, for profiles. By default it has the engine's microseconds.
	Nanos func() int64

	engine  *engine.Engine
	session *engine.Session // executes the scripts' commands
	lua     *lua.State
	keys    *lua.Table
	argv    *lua.Table
	scripts sandbox
	world   *engine.World // whose scripts run, or ran last
	own     *ownScripts   // of this world
	texts   texts
	args    [][]byte // of the command being called
	digits  []byte   // text of the numbers among args
	sent    int      // bytes of the strings among args
	resp3   bool     // redis.setresp(3) was called
	all17   bool     // the numbers among args have 17 digits
	bare    bool     // errors are texts, not tables
	sized   bool     // the tables of replies have their size from the beginning

	names hostNames // for profiles; none until they are needed

	functions sandbox
	sparse    *lua.Table   // the globals of a library while it is loaded
	loading   *library     // the library whose code runs; nil for none
	fcallArgs [2]lua.Value // the arguments of a function
	random    *lua.Random  // behind math.random
	unseeded  lua.Random   // as it begins

	debugging *debugging // whose script engine this is; nil for none
	directs   sync.Map   // *engine.Session to *direct, for Debug

	call    *engine.Call // the EVAL or FCALL that runs; nil for none
	running *program     // the program it runs
	room    int          // bytes of a reply that the caller may still get
	started int64        // microseconds

	strict strict // the keys of the run

	debugged *engine.Account // the memory of the scripts that are debugged

	deprecated  bool   // lua-enable-deprecated-api: scripts have getfenv, setfenv and newproxy
	strictKeys  string // script-strict-keys
	busyAfter   int64  // milliseconds: busy-reply-threshold
	memoryLimit int64  // bytes a run may hold: script-memory-limit
	logLevel    string
}

// logLevels are the values of loglevel: the levels of redis.log, and one above all of them.
var logLevels = []string{"debug", "verbose", "notice", "warning", "nothing"}

// defaultMemoryLimit bounds the memory of one run, in bytes.
const defaultMemoryLimit = 512 << 20

// New returns the script engine of e. Join its Part to e.
func New(e *engine.Engine) *Scripts {
	s := &Scripts{
		Log: func(int, string) {}, Nanos: func() int64 { return 1000 * e.Watch() }, engine: e, session: e.NewScriptSession(),
		busyAfter: 5000, strictKeys: strictness[0], memoryLimit: defaultMemoryLimit, logLevel: "notice",
		all17:     !e.Release.Has(shortNumbers),
		bare:      !e.Release.Has(tableErrors),
		sized:     e.Release.Has(sizedTables),
		debugged:  e.Open("scripts.debugged", 0),
		scripts:   sandbox{chunk: "@user_script", busy: errBusyScript, killer: "SCRIPT"},
		functions: sandbox{chunk: "@user_function", busy: errBusyFunction, killer: "FUNCTION"},
	}
	s.lua = s.newState()
	s.unseeded = *s.random
	s.world, s.own = e.Home(), s.ownOf(e.Home())
	return s
}

// Part returns the part that the script engine adds to its engine.
func (s *Scripts) Part() engine.Part {
	return engine.Part{
		Name:     "scripting",
		State:    s,
		Families: []command.Family{family},
		Debug:    s.debugLines(),
		Params: []config.Param{
			config.Int("busy-reply-threshold", &s.busyAfter, 0, math.MaxInt64, "lua-time-limit"),
			config.Memory("script-memory-limit", &s.memoryLimit, 1<<20),
			config.Enum("script-strict-keys", &s.strictKeys, strictness...),
			config.Enum("loglevel", &s.logLevel, logLevels...),
			s.deprecatedParam(),
		},
		Sections: []engine.Section{
			{Name: "Memory", Fill: s.fillMemory},
			{Name: "Stats", Fill: func(w *engine.World, b *bytes.Buffer) { engine.Fields(b, "evicted_scripts", s.of(w).cache.evicted) },
				Reset: func(w *engine.World) { s.of(w).cache.evicted = 0 }},
		},
		Caches: []engine.Cache{
			{Name: "lua.caches", Bytes: func(w *engine.World) int { return s.of(w).cache.bytes() }},
			{Name: "functions.caches", Bytes: func(w *engine.World) int { return s.of(w).registry.bytes() }},
		},
		Libraries: s,
		Reset: func(w *engine.World) {
			own := s.of(w)
			own.cache, own.registry = newCache(), registry{}
		},
		Forget: func(w *engine.World) { s.of(w).cache = newCache() },
		Reseed: func(w *engine.World, seed uint64) {
			s.turnTo(w)
			s.random.Seed(int32(seed))
		},
	}
}

// ownScripts is what each world has for itself: the cached scripts and the libraries of functions.
type ownScripts struct {
	cache     cache
	registry  registry
	recording *recording // nil for none
	recorder  *recording // the same while it goes on
	random    lua.Random // behind math.random while code of other worlds runs
}

// of returns what a world has for itself.
func (s *Scripts) of(w *engine.World) *ownScripts {
	if w == s.world {
		return s.own
	}
	return s.ownOf(w)
}

// ownOf is of for a world whose scripts did not run last.
func (s *Scripts) ownOf(w *engine.World) *ownScripts {
	own := engine.PerWorld[ownScripts](w)
	if own.cache.used == nil {
		own.cache, own.random = newCache(), s.unseeded
	}
	return own
}

// turnTo prepares for code of a world: own is what that world has. Code of another world must not be under way.
func (s *Scripts) turnTo(w *engine.World) {
	if w == s.world {
		return
	}
	s.own.random = *s.random
	s.world, s.own = w, s.ownOf(w)
	*s.random = s.own.random
}

// fillMemory writes the fields of INFO memory about scripts.
func (s *Scripts) fillMemory(w *engine.World, b *bytes.Buffer) {
	own := s.of(w)
	scripts, functions := own.cache.bytes(), own.registry.bytes()
	engine.Fields(b, "used_memory_lua", scripts, "used_memory_lua_human", engine.Human(scripts), "used_memory_vm_eval", scripts,
		"used_memory_vm_functions", functions, "used_memory_vm_total", scripts+functions, "used_memory_vm_total_human", engine.Human(scripts+functions),
		"used_memory_scripts_human", engine.Human(scripts+functions), "used_memory_scripts_eval", scripts, "number_of_cached_scripts", len(own.cache.bySHA),
		"number_of_functions", own.registry.count(), "number_of_libraries", len(own.registry.libraries),
		"used_memory_functions", functions, "used_memory_scripts", scripts+functions)
}

// setArray makes t an array of args.
func (s *Scripts) setArray(t *lua.Table, args [][]byte) {
	t.Refill(len(args))
	for i, a := range args {
		t.SetInt(nil, i+1, s.texts.value(a))
	}
}
