// Package scripting runs Lua inside the engine: scripts for EVAL and related commands, and
// libraries of functions.
//
//	EVAL ─▶ cache ─▶ lua.State ─▶ redis.call ─▶ engine.RunNested ─▶ scratch reply ─▶ Lua value
//	         body    ▲            arguments        same table,
//	         or SHA1 │            by reference     same gate
//	FCALL ─▶ registry, by name ◀─ FUNCTION LOAD runs a library, which registers its functions
//
// There is one interpreter, and one State. Programs run one at a time under the engine's lock,
// scripts in one sandbox and functions in another. Globals and libraries are read-only, and each
// run gets new KEYS and ARGV. So a run leaves nothing to the next, except in the local variables
// that the functions of a library share. Each redis.call in a program caches the command that it
// resolved.
//
// A recording of a world counts and times what its programs do. The code of each that runs is
// exchanged for code that does so, in place, until the recording stops: package recording.
//
// Scripts joins the engine: it is an interpreter for the programs of all worlds, with what each
// world has for itself. A program that is debugged has an interpreter of its own. What the
// interpreter works with is in packages: program (sources, flags), cache and library (by which name
// a program is found), reply (Lua values and replies), recording.
//
// Invariants:
//  1. A script's commands go through the engine's table and gate like all others.
//  2. A run past busy-reply-threshold releases the engine's lock; its commands take the lock one by
//     one.
//  3. Writes of a script that fails stay, as in Redis.
//  4. The journal of a script or function is the commands it executed, never itself; the journal of
//     libraries is the commands that changed them.
//  5. The bytes of a string that a script can see never change.
//  6. A library is loaded whole or not at all: the registry changes after all of it has been
//     loaded.
//
// Deliberate differences from Redis: script-memory-limit bounds the memory of a run and of its
// reply; an error without a text is "unknown error" where Redis crashes. A coroutine that a
// function leaves suspended ends with the run. A library may not have two functions whose names
// differ only in case: Redis accepts them, and crashes when it deletes them.
package scripting

import (
	"iter"
	"sync"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting/cache"
	"github.com/miniserver-go/miniserver/scripting/library"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/recording"
)

// Scripts is the script engine: an interpreter for the programs of all worlds, and what each world
// has for itself.
type Scripts struct {
	// Log receives the messages of redis.log from the parameter loglevel on: level 0 (debug) to 3
	// (warning).
	Log func(level int, text string)
	// Nanos reads the machine's monotonic clock, in nanoseconds, for profiles. By default it has
	// the engine's microseconds.
	Nanos func() int64

	engine      *engine.Engine
	interpreter interpreter
	own         *ownScripts // of the interpreter's world
	debuggers   debuggers
}

// debuggers are what all runs that are debugged have in common.
type debuggers struct {
	directs sync.Map        // *engine.Session to starter, for Debug
	account *engine.Account // their memory
}

// New returns the script engine of e. Join its Part to e.
func New(e *engine.Engine) *Scripts {
	s := &Scripts{
		Log: func(int, string) {}, Nanos: func() int64 { return 1000 * e.Machine() },
		engine: e, interpreter: newInterpreter(e), debuggers: debuggers{account: e.Open("scripts.debugged", 0)},
	}
	in := &s.interpreter
	in.log = func(level int, text string) { s.Log(level, text) }
	in.names = recording.Names{Commands: e.Commands, Globals: in.globals}
	s.own = s.ownOf(in.world)
	in.json = &s.own.json
	return s
}

// KeepGlobals lets scripts set globals, which later ones see. It is for a prompt, where each line
// is a script.
func (s *Scripts) KeepGlobals() {
	s.interpreter.ready()
	s.interpreter.scripts.Globals.SetReadonly(false)
}

// ownScripts is what each world has for itself: the cached scripts, the libraries of functions, and
// what was recorded of both.
type ownScripts struct {
	cache     *cache.Cache
	registry  library.Registry
	recording *recording.Recording // nil for none
	random    lua.Random           // behind math.random while code of other worlds runs
	json      jsonSettings
}

// of returns what a world has for itself.
func (s *Scripts) of(w *engine.World) *ownScripts {
	if w == s.interpreter.world {
		return s.own
	}
	return s.ownOf(w)
}

// ownOf is of for a world whose scripts did not run last.
func (s *Scripts) ownOf(w *engine.World) *ownScripts {
	own := engine.PerWorld[ownScripts](w)
	if own.cache == nil {
		own.cache, own.random = cache.New(), *lua.NewRandom()
		own.json = newJSONSettings()
	}
	return own
}

// turnTo prepares for code of a world: own is what that world has. Code of another world must not
// be under way.
func (s *Scripts) turnTo(w *engine.World) {
	in := &s.interpreter
	if w == in.world {
		return
	}
	s.own.random = *in.random
	s.own = s.ownOf(w)
	in.world, in.json = w, &s.own.json
	*in.random = s.own.random
	in.recorder = s.own.recorder()
}

// Recording returns the recording of a world.
func (s *Scripts) Recording(w *engine.World) *recording.Recording {
	own := s.of(w)
	if own.recording == nil {
		own.recording = recording.New(recording.Host{Nanos: s.Nanos, Names: &s.interpreter.names,
			Switched: func() { s.switched(own) }})
	}
	return own.recording
}

// switched follows the recording of a world when it has been started or stopped.
func (s *Scripts) switched(own *ownScripts) {
	s.interpreter.recorder = s.own.recorder()
	if own.recording.On() {
		return
	}
	for sc := range own.cache.All() {
		sc.Proto.Unfollow()
	}
	for _, l := range own.registry.InOrder() {
		l.Proto.Unfollow()
	}
}

// recorder returns the world's recording if it goes on.
func (own *ownScripts) recorder() *recording.Recording {
	if own.recording.On() {
		return own.recording
	}
	return nil
}

// run runs a program with keys and arguments. The call has none of them left.
func (s *Scripts) run(c *engine.Call, p *program.Program, keys, argv [][]byte) {
	in := &s.interpreter
	s.turnTo(c.World)
	if err := in.admit(c, p, isReadOnly(c)); err != nil {
		c.Fail(err)
		return
	}
	if in.recorder != nil {
		in.recorder.Begin(p.Chunk)
	}
	in.run(c, in.give(keys, argv)...)
	in.takeBack()
}

// isReadOnly reports whether the call runs a program that must not write: by the line of its
// command.
func isReadOnly(c *engine.Call) bool { return c.Cmd.Flags&command.ReadOnly != 0 }

// Sources returns the sources of a world's libraries, in the order in which they were loaded.
func (s *Scripts) Sources(w *engine.World) [][]byte { return s.of(w).registry.Sources() }

// Restore loads libraries from such sources into a world, all of them or none.
func (s *Scripts) Restore(w *engine.World, sources [][]byte, how engine.RestorePolicy) error {
	return s.restore(w, func(yield func([]byte, error) bool) {
		for _, source := range sources {
			if !yield(source, nil) {
				return
			}
		}
	}, how)
}

// restore is Restore of sources that may end with an error.
func (s *Scripts) restore(w *engine.World, sources iter.Seq2[[]byte, error], how engine.RestorePolicy) error {
	s.turnTo(w)
	var fresh library.Registry
	for source, err := range sources {
		if err == nil {
			err = s.interpreter.loadInto(&fresh, source)
		}
		if err != nil {
			return err
		}
	}
	return s.own.registry.Adopt(&fresh, how)
}
