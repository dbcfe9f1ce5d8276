package scripting

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/config"
	"github.com/miniserver-go/miniserver/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/redislib"
)

// hookInterval is the number of units of work between two calls of interrupt. A unit is about one iteration of a loop,
// so an interval of the slowest units takes some microseconds.
const hookInterval = 10000

// sandbox is the environment of a kind of program: scripts or functions.
type sandbox struct {
	globals *lua.Table
	chunk   string // name of programs in errors; the sign @ marks a name, as opposed to source
	busy    error  // error for other clients while a program is slow
	killer  string // the command whose subcommand KILL ends a program
}

// kind returns the name of programs without the sign.
func (b *sandbox) kind() string { return b.chunk[1:] }

// load returns a function that runs a compiled program with a sandbox's globals.
func (s *Scripts) load(into *sandbox, proto *lua.Proto) *lua.Function {
	s.lua.Globals = into.globals
	return s.lua.Load(proto)
}

// marksArrays is when cjson.decode_array_with_array_mt came.
var marksArrays = release.From("8.6.0")

// newState builds the sandbox of scripts: Lua's harmless libraries, Redis' own, KEYS and ARGV. All but KEYS and ARGV
// are read-only.
func (s *Scripts) newState() *lua.State {
	L := lua.NewState()
	s.lua = L
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	text := lua.OpenString(L)
	lua.OpenTable(L)
	s.random = lua.OpenMath(L)
	redislib.OpenBit(L)
	redislib.OpenCjson(L, s.engine.Release.Has(marksArrays))
	redislib.OpenCmsgpack(L)
	redislib.OpenStruct(L)
	s.openRedis(L)
	if s.engine.Release.Has(hasOS) {
		s.openOS(L)
	}
	for _, name := range s.hidden() {
		L.Globals.SetString(nil, name, lua.Nil)
	}
	s.keys, s.argv = lua.NewTable(0, 0), lua.NewTable(0, 0)
	L.Globals.SetString(nil, "KEYS", s.keys.Value())
	L.Globals.SetString(nil, "ARGV", s.argv.Value())
	guard(L, text)
	s.scripts.globals = L.Globals
	if !s.bare {
		L.SetCatch(s.caught)
	}
	L.SetHook(hookInterval, s.interrupt)
	return L
}

// hidden returns the base functions that the release does not offer to scripts. Before 7.0 it offers all of them.
func (s *Scripts) hidden() []string {
	if s.bare || s.deprecated {
		return nil
	}
	return []string{"getfenv", "setfenv", "newproxy"}
}

// deprecatedParam is lua-enable-deprecated-api. It is set before any script runs, and makes the sandbox anew.
func (s *Scripts) deprecatedParam() config.Param {
	p := config.Bool("lua-enable-deprecated-api", &s.deprecated).AtStart().Then(func() {
		random := *s.random
		s.newState()
		*s.random = random
	})
	p.Hidden = true
	return p
}

// KeepGlobals lets scripts set globals, which later ones see. It is for a prompt, where each line is a script.
func (s *Scripts) KeepGlobals() { s.scripts.globals.SetReadonly(false) }

// guard makes the globals, every library and the metatable of strings read-only, and makes reading a nonexistent
// global an error.
func guard(L *lua.State, text *lua.Table) {
	strings := lua.NewTable(0, 1)
	strings.SetString(nil, "__index", text.Value())
	strings.SetReadonly(true)
	L.SetStringMetatable(strings)

	meta := lua.NewTable(0, 1)
	meta.SetString(nil, "__index", lua.NewFunction("__index", nonexistent).Value())
	meta.SetReadonly(true)
	for k, v, more, _ := L.Globals.Next(nil, lua.Nil); more; k, v, more, _ = L.Globals.Next(nil, k) {
		if name, _ := k.AsString(); name == "KEYS" || name == "ARGV" {
			continue
		}
		if t := v.AsTable(); t != nil {
			t.SetReadonly(true)
		}
	}
	L.Globals.SetMetatable(meta)
}

// nonexistent raises the error for reading a nonexistent global.
func nonexistent(L *lua.State, c *lua.Call) {
	name, ok := c.Arg(2).ToString()
	if !ok {
		L.Errorf(string(errGlobalName))
	}
	L.Errorf(errNonexistent, name)
}

// openRedis adds the table redis.
func (s *Scripts) openRedis(L *lua.State) {
	t := lua.NewTable(0, 32)
	call, pcall, errorReply, log, breakpoint, debug := s.luaCall, s.luaPCall, s.luaErrorReply, s.luaLog, s.luaFalse, s.luaNothing
	if d := s.debugging; d != nil {
		call, pcall, errorReply, log, breakpoint, debug = d.luaCall, d.luaPCall, d.luaErrorReply, d.luaLog, d.luaBreakpoint, d.luaDebug
	}
	for _, f := range []struct {
		name string
		run  lua.GoFunction
	}{
		{"call", call}, {"pcall", pcall},
		{"error_reply", errorReply}, {"status_reply", s.luaStatusReply},
		{"sha1hex", s.luaSHA1}, {"log", log}, {"setresp", s.luaSetResp}, {"set_repl", s.luaSetRepl},
		{"replicate_commands", s.luaReplicate}, {"breakpoint", breakpoint}, {"debug", debug},
	} {
		t.SetString(nil, f.name, lua.NewFunction(f.name, f.run).Value())
	}
	if !s.bare {
		t.SetString(nil, "acl_check_cmd", lua.NewFunction("acl_check_cmd", s.luaACL).Value())
	}
	for _, k := range constants {
		t.SetString(nil, k.name, lua.Number(k.value))
	}
	r := s.engine.Release
	if !s.bare {
		setVersion(t, "REDIS_VERSION", r.Redis)
	}
	if r.Product == "valkey" {
		setVersion(t, "VALKEY_VERSION", r.Version)
		t.SetString(nil, "SERVER_NAME", lua.String(r.Product))
	}
	s.setAPI(L.Globals, t)
}

// setAPI makes t the table redis of globals. In Valkey it is also called server.
func (s *Scripts) setAPI(globals, t *lua.Table) {
	globals.SetString(nil, "redis", t.Value())
	if s.engine.Release.Product == "valkey" {
		globals.SetString(nil, "server", t.Value())
	}
}

// setVersion sets the two constants of a version, as text and as number.
func setVersion(t *lua.Table, name, version string) {
	t.SetString(nil, name, lua.String(version))
	t.SetString(nil, name+"_NUM", lua.Number(float64(release.Number(version))))
}

// constants are the levels of redis.log, and the flags of redis.set_repl.
var constants = []struct {
	name  string
	value float64
}{
	{"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2}, {"LOG_WARNING", 3},
	{"REPL_NONE", 0}, {"REPL_AOF", 1}, {"REPL_SLAVE", 2}, {"REPL_REPLICA", 2}, {"REPL_ALL", 3},
}

var hasOS = release.From("7.4.0 valkey:8.0.0")

// openOS adds the library os with its one function.
func (s *Scripts) openOS(L *lua.State) {
	t := lua.NewTable(0, 1)
	t.SetString(nil, "clock", lua.NewFunction("clock", s.luaClock).Value())
	L.Globals.SetString(nil, "os", t.Value())
}

// openFunctions builds two tables of globals when the first library is loaded. Functions have no KEYS and ARGV,
// and a smaller table redis. A library that is being loaded has only a few fields of redis.
func (s *Scripts) openFunctions() {
	all := s.scripts.globals
	protect := func(t *lua.Table) *lua.Table {
		t.SetMetatable(all.Metatable())
		t.SetReadonly(true)
		return t
	}
	redis := all.GetString("redis").AsTable()
	called := copyFields(redis, func(name string) bool { return !slices.Contains(forScripts, name) })
	called.SetReadonly(true)
	globals := copyFields(all, func(name string) bool { return name != "KEYS" && name != "ARGV" })
	s.setAPI(globals, called)
	globals.SetString(nil, "_G", globals.Value())
	s.functions.globals = protect(globals)

	loading := copyFields(redis, func(name string) bool { return slices.Contains(whileLoading, name) })
	loading.SetString(nil, "register_function", lua.NewFunction("register_function", s.luaRegister).Value())
	s.sparse = lua.NewTable(0, 1)
	s.setAPI(s.sparse, protect(loading))
	protect(s.sparse)
	s.names = hostNames{}
}

// forScripts are the fields of redis that functions do not have, and whileLoading those that a library has while it is
// loaded.
var (
	forScripts   = []string{"replicate_commands", "breakpoint", "debug"}
	whileLoading = []string{"log", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING", "REDIS_VERSION", "REDIS_VERSION_NUM",
		"VALKEY_VERSION", "VALKEY_VERSION_NUM", "SERVER_NAME"}
)

// copyFields returns a copy of a table with the fields for which keep is true.
func copyFields(t *lua.Table, keep func(name string) bool) *lua.Table {
	out := lua.NewTable(0, 32)
	for k, v, more, _ := t.Next(nil, lua.Nil); more; k, v, more, _ = t.Next(nil, k) {
		if name, _ := k.AsString(); keep(name) {
			out.SetString(nil, name, v)
		}
	}
	return out
}
