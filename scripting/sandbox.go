package scripting

import (
	"slices"

	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/redislib"
	"github.com/miniserver-go/miniserver/scripting/reply"
)

// hookInterval is the number of units of work between two calls of interrupt. A unit is about one
// iteration of a loop, so an interval of the slowest units takes some microseconds.
const hookInterval = 10000

// marksArrays is when cjson.decode_array_with_array_mt came.
var marksArrays = release.From("8.4.0")

// ready gives the interpreter what the first program needs: most servers in tests run none.
func (in *interpreter) ready() {
	if in.lua == nil {
		in.open(in.api())
	}
}

// open gives the interpreter a State and builds the sandbox of scripts: Lua's harmless libraries,
// Redis' own with api in the table redis, KEYS and ARGV. All but KEYS and ARGV are read-only.
func (in *interpreter) open(api api) {
	L := lua.NewState()
	in.lua = L
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	text := lua.OpenString(L)
	lua.OpenTable(L)
	lua.OpenMath(L, in.random)
	redislib.OpenBit(L)
	in.useJSON = redislib.OpenCjson(L, in.engine.Release.Offers(marksArrays))
	redislib.OpenCmsgpack(L)
	redislib.OpenStruct(L)
	in.openRedis(L, api)
	if in.engine.Release.Has(hasOS) {
		in.openOS(L)
	}
	for _, name := range in.hidden() {
		L.Globals.SetString(nil, name, lua.Nil)
	}
	in.keys, in.argv = lua.NewTable(0, 0), lua.NewTable(0, 0)
	L.Globals.SetString(nil, "KEYS", in.keys.Value())
	L.Globals.SetString(nil, "ARGV", in.argv.Value())
	guard(L, text)
	in.scripts.Globals = L.Globals
	in.replies = reply.NewDecoder(L, in.engine.Release)
	if !in.bare {
		L.SetCatch(in.caught)
	}
	L.SetHook(hookInterval, in.interrupt)
}

// hidden returns the base functions that the release does not offer to scripts. Before 7.0 it
// offers all of them.
func (in *interpreter) hidden() []string {
	if in.bare || in.deprecated {
		return nil
	}
	return []string{"getfenv", "setfenv", "newproxy"}
}

// guard makes the globals, every library and the metatable of strings read-only, and makes reading
// a nonexistent global an error.
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
func (in *interpreter) openRedis(L *lua.State, api api) {
	t := lua.NewTable(0, 32)
	for _, f := range []struct {
		name string
		run  lua.GoFunction
	}{
		{"call", api.call}, {"pcall", api.pcall},
		{"error_reply", api.errorReply}, {"status_reply", in.luaStatusReply},
		{"sha1hex", in.luaSHA1}, {"log", api.log}, {"setresp", in.luaSetResp}, {"set_repl", in.luaSetRepl},
		{"replicate_commands", in.luaReplicate}, {"breakpoint", api.breakpoint}, {"debug", api.debug},
	} {
		t.SetString(nil, f.name, lua.NewFunction(f.name, f.run).Value())
	}
	if !in.bare {
		t.SetString(nil, "acl_check_cmd", lua.NewFunction("acl_check_cmd", in.luaACL).Value())
	}
	for _, k := range constants {
		t.SetString(nil, k.name, lua.Number(k.value))
	}
	r := in.engine.Release
	if !in.bare {
		setVersion(t, "REDIS_VERSION", r.Redis)
	}
	if r.Product == "valkey" {
		setVersion(t, "VALKEY_VERSION", r.Version)
		t.SetString(nil, "SERVER_NAME", lua.String(r.Product))
	}
	in.setAPI(L.Globals, t)
}

// setAPI makes t the table redis of globals. In Valkey it is also called server.
func (in *interpreter) setAPI(globals, t *lua.Table) {
	globals.SetString(nil, "redis", t.Value())
	if in.engine.Release.Product == "valkey" {
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
func (in *interpreter) openOS(L *lua.State) {
	t := lua.NewTable(0, 1)
	t.SetString(nil, "clock", lua.NewFunction("clock", in.luaClock).Value())
	L.Globals.SetString(nil, "os", t.Value())
}

// openFunctions builds two tables of globals when the first library is loaded. Functions have no
// KEYS and ARGV, and a smaller table redis. A library that is being loaded has only a few fields of
// redis.
func (in *interpreter) openFunctions() {
	all := in.scripts.Globals
	protect := func(t *lua.Table) *lua.Table {
		t.SetMetatable(all.Metatable())
		t.SetReadonly(true)
		return t
	}
	redis := all.GetString("redis").AsTable()
	called := copyFields(redis, func(name string) bool { return !slices.Contains(forScripts, name) })
	called.SetReadonly(true)
	globals := copyFields(all, func(name string) bool { return name != "KEYS" && name != "ARGV" })
	in.setAPI(globals, called)
	globals.SetString(nil, "_G", globals.Value())
	in.functions.Globals = protect(globals)

	loading := copyFields(redis, func(name string) bool { return slices.Contains(whileLoading, name) })
	loading.SetString(nil, "register_function", lua.NewFunction("register_function", in.luaRegister).Value())
	in.sparse = lua.NewTable(0, 1)
	in.setAPI(in.sparse, protect(loading))
	protect(in.sparse)
	in.names.Forget()
}

// forScripts are the fields of redis that functions do not have, and whileLoading those that a
// library has while it is loaded.
var (
	forScripts   = []string{"replicate_commands", "breakpoint", "debug"}
	whileLoading = []string{"log", "LOG_DEBUG", "LOG_VERBOSE", "LOG_NOTICE", "LOG_WARNING", "REDIS_VERSION",
		"REDIS_VERSION_NUM", "VALKEY_VERSION", "VALKEY_VERSION_NUM", "SERVER_NAME"}
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

// globals returns the tables of globals that exist.
func (in *interpreter) globals() (list []*lua.Table) {
	for _, t := range []*lua.Table{in.functions.Globals, in.sparse, in.scripts.Globals} {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}
