package scripting

import (
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/scripting/library"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/program"
	"github.com/miniserver-go/miniserver/scripting/recording"
	"github.com/miniserver-go/miniserver/scripting/redislib"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// interpreter is one State, with its sandboxes and the session that executes the commands of its
// programs. It runs one program at a time. All programs have one in common; each that is debugged
// has one of its own.
type interpreter struct {
	wording // with engine and State
	settings
	sandboxes
	log     func(level int, text string)
	session *engine.Session
	world   *engine.World // whose programs run, or ran last
	random  *lua.Random   // behind math.random
	json    *jsonSettings // of the world
	args    arguments     // of the command being called
	replies reply.Decoder
	current run
	made    int64            // microseconds of the machine's clock
	loading *library.Library // whose code runs; nil for none

	useJSON  func(*redislib.JSONSettings)
	recorder *recording.Recording // that goes on; nil for none
	names    recording.Names
	trace    lua.Tracer // of programs that are debugged; nil for others
}

// sandboxes are what programs see.
type sandboxes struct {
	scripts    program.Sandbox
	keys, argv *lua.Table // KEYS and ARGV of scripts
	functions  program.Sandbox
	given      [2]lua.Value // the arguments of a function
	sparse     *lua.Table   // the globals of a library while it is loaded
}

func newSandboxes() sandboxes {
	return sandboxes{
		scripts:   program.Sandbox{Chunk: "@user_script", Busy: errBusyScript, Killer: "SCRIPT"},
		functions: program.Sandbox{Chunk: "@user_function", Busy: errBusyFunction, Killer: "FUNCTION"},
	}
}

// jsonSettings are what programs have chosen of cjson. Scripts and functions have an interpreter
// each in Redis.
type jsonSettings struct{ scripts, functions redislib.JSONSettings }

func newJSONSettings() jsonSettings {
	return jsonSettings{redislib.NewJSONSettings(), redislib.NewJSONSettings()}
}

// run is one run of a program.
type run struct {
	call    *engine.Call     // the EVAL or FCALL that runs; nil for none
	program *program.Program // nil for none
	room    int              // bytes of a reply that the caller may still get
	started int64            // microseconds
	strict  strict           // its keys
}

// strict is what the check of a run's keys needs.
type strict struct {
	on       bool
	declared map[string]bool
}

// newInterpreter returns an interpreter that has no State yet: see ready.
func newInterpreter(e *engine.Engine) interpreter {
	return interpreter{
		wording:   wording{engine: e, bare: !e.Release.Has(tableErrors)},
		settings:  defaultSettings(),
		sandboxes: newSandboxes(),
		session:   e.NewScriptSession(),
		world:     e.Home(),
		made:      e.Machine(),
		args:      arguments{all17: !e.Release.Has(shortNumbers)},
		random:    lua.NewRandom(),
	}
}

// twin returns an interpreter like in for one run that is debugged. It has no State yet, and its
// current run is that of in.
func (in *interpreter) twin(session *engine.Session, random lua.Random, trace lua.Tracer) *interpreter {
	json := *in.json
	return &interpreter{
		wording:   wording{engine: in.engine, bare: in.bare},
		settings:  in.settings,
		sandboxes: newSandboxes(),
		log:       in.log,
		session:   session,
		world:     in.world,
		args:      arguments{all17: in.args.all17},
		current:   run{room: in.current.room, started: in.current.started},
		random:    &random,
		json:      &json,
		trace:     trace,
	}
}

// enter prepares the State for a program in a sandbox.
func (in *interpreter) enter(box *program.Sandbox) {
	in.lua.Globals = box.Globals
	if box == &in.functions {
		in.useJSON(&in.json.functions)
	} else {
		in.useJSON(&in.json.scripts)
	}
}

// load returns a function that runs a compiled program with a sandbox's globals.
func (in *interpreter) load(into *program.Sandbox, proto *lua.Proto) *lua.Function {
	in.enter(into)
	return in.lua.Load(proto)
}

// proto compiles the text of a program.
func (in *interpreter) proto(source, chunk string) (*lua.Proto, error) {
	if in.trace != nil {
		return lua.CompileTraced(source, chunk, in.trace)
	}
	return lua.Compile(source, chunk)
}
