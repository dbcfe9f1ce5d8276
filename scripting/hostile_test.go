package scripting_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// Hostile scripts. Each must end with an error, stay within its memory limit, and leave nothing
// behind for the next script.

const hostileLimit = 64 << 20 // script-memory-limit for these tests

// hostileScripts have a name, and a text that the reply must contain.
var hostileScripts = []struct{ name, script, answer string }{
	{"string doubling", "local s = 'x' while true do s = s .. s end", "not enough memory"},
	{"string growing", "local s, x = '', string.rep('x', 1e6) while true do s = s .. x end", "not enough memory"},
	{"string.rep", "return string.rep('x', 1e9)", "not enough memory"},
	{"string.rep of rep", "local s = string.rep('x', 1e6) while true do s = string.rep(s, 1000) end",
		"not enough memory"},
	{"strings in a table", "local t, s = {}, 'x' for i = 1, 1e9 do t[i] = s .. i end", "not enough memory"},
	{"keys of a table", "local t = {} for i = 1, 1e9 do t['k' .. i] = i end", "not enough memory"},
	{"numbers in a table", "local t = {} for i = 1, 1e9 do t[i] = i end", "not enough memory"},
	{"sparse table", "local t = {} for i = 1, 1e9 do t[i * 2^20] = i end", "not enough memory"},
	{"tables in a table", "local t = {} while true do t = {t, {}, {}} end", "not enough memory"},
	{"closures", "local t = {} for i = 1, 1e9 do t[i] = function() return i end end", "not enough memory"},
	{"coroutines", "local t = {} for i = 1, 1e9 do t[i] = coroutine.create(function() end) end", "not enough memory"},
	{"coroutines begun", "local t = {} for i = 1, " +
		"1e9 do t[i] = coroutine.wrap(function() coroutine.yield() end) t[i]() end", "not enough memory"},
	{"concat", "local t = {} for i = 1, 1000 do t[i] = string.rep('x', 1e5) end return table.concat(t)",
		"not enough memory"},
	{"gsub", "return string.gsub(string.rep('x', 1e5), 'x', string.rep('y', 1e5))", "not enough memory"},
	{"gsub with a function", "local y = string.rep('y', 1e5) return string.gsub(string.rep('x', 1e5), 'x', " +
		"function() return y end)", "not enough memory"},
	{"format", "return string.format(string.rep('%s', 1000), unpack((function() local t, s = {}, string.rep('x', " +
		"1e5) for i = 1, 1000 do t[i] = s end return t end)()))", "not enough memory"},
	{"%q", "local s = string.rep('\\0', 3e7) return string.format('%q', s)", "not enough memory"},
	{"upper", "local t, s = {}, string.rep('x', 1e6) for i = 1, 1e6 do t[i] = s:upper() end", "not enough memory"},
	{"caught", "local t = {} while true do pcall(function() for i = 1, 1e9 do t[#t + 1] = {} end end) t = {} if " +
		"redis.call('INCR', 'tries') > 5 then error('enough') end end", "enough"},
	{"load", "load(function() return 'x = 1 ' end)", "not enough memory"},
	{"loadstring", "return loadstring(string.rep('x = {} ', 1e7))", "not enough memory"},
	{"json growing", "local s = cjson.encode(string.rep('\\1', 1e7)) return cjson.encode({s, s, s, s})",
		"not enough memory"},
	{"json nested", "local t = {} for i = 1, 1e5 do t = {t} end return cjson.encode(t)",
		"Cannot serialise, excessive nesting (1001)"},
	{"json cycle", "local t = {} t[1] = t return cjson.encode(t)", "Cannot serialise, excessive nesting (1001)"},
	{"json cycle without bound",
		"cjson.encode_max_depth(2^31 - 1) local t = {} t[1] = t return cjson.encode(t)", "-err"},
	{"json fan", "cjson.encode_max_depth(1000) local t = {} t[1] = t t[2] = t return cjson.encode(t)", "-err"},
	{"json brackets", "return cjson.decode(string.rep('[', 1e6))", "Found too many nested data structures"},
	{"json brackets without bound",
		"cjson.decode_max_depth(2^31 - 1) return cjson.decode(string.rep('[', 3e7))", "-err"},
	{"json braces without bound",
		"cjson.decode_max_depth(2^31 - 1) return cjson.decode(string.rep('{\"a\":', 5e6))", "-err"},
	{"json depths back", "cjson.encode_max_depth(1000) cjson.decode_max_depth(1000) error('x')", "x"},
	{"json array", "return cjson.decode('[' .. string.rep('{},', 1e7) .. '1]')", "not enough memory"},
	{"json sparse", "return cjson.encode({[1e9] = 1})", "excessively sparse array"},
	{"msgpack cycle", "local t = {} t[1] = t t[2] = t return cmsgpack.pack(t)", "\x92"},
	{"msgpack nested", "return cmsgpack.unpack(string.rep(string.char(0x91), 3e7))", "-err"},
	{"msgpack length", "return cmsgpack.unpack(string.char(0xdd, 0xff, 0xff, 0xff, 0xff))", "Missing bytes in input"},
	{"msgpack text length", "return cmsgpack.unpack(string.char(0xdb, 0xff, 0xff, 0xff, 0xff))",
		"Missing bytes in input"},
	{"struct width", "return struct.pack('i999999999', 1)", "integral size 999999999 is larger than limit of 32"},
	{"struct padding", "return struct.pack(string.rep('x', 1e7) .. string.rep('!16d', 100), 1)", "-err"},

	{"recursion", "local function f() return 1 + f() end return f()", "stack overflow"},
	{"recursion in pcall", "local function f() return pcall(f) or 1 end local n = 0 local function g() n = n + 1 " +
		"return g() + pcall(g) end return g()", "stack overflow"},
	{"recursion in gsub", "local function f() return string.gsub('x', 'x', f) end f()", "C stack overflow"},
	{"recursion in sort", "local function f(a, b) table.sort({3, 2, 1}, f) return a < b end table.sort({3, 2, 1}, f)",
		"C stack overflow"},
	{"recursion in __index", "local m = {} m.__index = function(t, k) return t[k .. " +
		"'x'] end return setmetatable({}, m).x", "C stack overflow"},
	{"recursion in __tostring", "local m = {} m.__tostring = function(t) return tostring(t) end return " +
		"tostring(setmetatable({}, m))", "C stack overflow"},
	{"__index of itself", "local t = {} setmetatable(t, t) t.__index = t return t.x", "loop in gettable"},
	{"__newindex of itself", "local t = {} setmetatable(t, t) t.__newindex = t t.x = 1", "loop in settable"},
	{"coroutines in coroutines", "local function f() return coroutine.wrap(f)() end return f()", "C stack overflow"},
	{"recursion in the handler", "local function h() error('again') end return xpcall(h, function() return xpcall(h, " +
		"h) end) or error('done')", "done"},
	{"vararg recursion", "local function f(...) return 1 + f(1, ...) end return f()", "not enough memory"},
	{"unpack", "return unpack({}, 1, 1e8)", "too many results to unpack"},
	{"string.byte", "return string.byte(string.rep('x', 1e6), 1, -1)", "string slice too long"},
	{"select", "return select(-1e9, 1)", "index out of range"},
	{"parentheses", "return loadstring('return ' .. string.rep('(', 1e6)) or error('refused')", "refused"},
	{"braces", "return loadstring('return ' .. string.rep('{', 1e6)) or error('refused')", "refused"},
	{"nots", "return loadstring('return ' .. string.rep('not ', 1e5) .. '1') or error('refused')", "refused"},
	{"functions", "return loadstring(string.rep('return function() ', 1e4)) or error('refused')", "refused"},
	{"blocks", "return loadstring(string.rep('do ', 1e5)) or error('refused')", "refused"},
	{"locals", "return loadstring(string.rep('local x ', 1e5)) or error('refused')", "refused"},
	{"concats", "return loadstring('return ' .. string.rep('1 .. ', 1e5) .. '1') or error('refused')", "refused"},
	{"powers", "return loadstring('return ' .. string.rep('1 ^ ', 1e5) .. '1') or error('refused')", "refused"},
	{"long sum", "local f = loadstring('return ' .. string.rep('1 + ', 1e5) .. '1') error(f and 'sum ' .. " +
		"f() or 'sum refused')", "sum "},
	{"long index", "local f = loadstring('return x' .. string.rep('.x', " +
		"1e5)) error(f and pcall(f) and 'x' or 'index refused')", "index refused"},
	{"long call", "local f = loadstring('return x' .. string.rep('()', " +
		"1e5)) error(f and pcall(f) and 'x' or 'call refused')", "call refused"},
	{"captures", "return string.find('x', string.rep('(', 1e5))", "too many captures"},
	{"pattern recursion", "return string.find(string.rep('a', 3e5), string.rep('a', 3e5) .. '(.-)b') or error('none')",
		"-err"},
	{"a wrong comparator", "local t = {} for i = 1, 1000 do t[i] = i % 7 end table.sort(t, " +
		"function() return true end) error('sorted')", "-err"},
	{"tonumber", "return tonumber(string.rep('1', 1e7)) and error('read')", "read"},
	{"format width", "return string.format('%1000d', 1)", "invalid format"},

	{"reply cycle", "local t = {} t[1] = t return t", "reached lua stack limit"},
	{"reply fan", "local t = {} t[1] = t t[2] = t return t", "reply exceeds script-memory-limit"},
	{"reply map", "local t = {} t.map = {t = t, u = t} return t", "reply exceeds script-memory-limit"},
	{"reply set", "local t = {} t.set = {[t] = true, [{t}] = true} return t", "reply exceeds script-memory-limit"},
	{"reply nested", "local t = {} for i = 1, 1e5 do t = {t} end return t", "reached lua stack limit"},
	{"reply of one text", "local t, s = {}, string.rep('x', 1e6) for i = 1, 1000 do t[i] = s end return t",
		"reply exceeds script-memory-limit"},

	{"no io", "return io.open('/etc/passwd')", "nonexistent global variable 'io'"},
	{"no execute", "return os.execute('true')", "attempt to call field 'execute'"},
	{"no exit", "return os.exit(1)", "attempt to call field 'exit'"},
	{"no getenv", "return os.getenv('HOME')", "attempt to call field 'getenv'"},
	{"no require", "return require('os')", "nonexistent global variable 'require'"},
	{"no package", "return package.loadlib('x', 'y')", "nonexistent global variable 'package'"},
	{"no debug", "return debug.getregistry()", "nonexistent global variable 'debug'"},
	{"no dofile", "return dofile('/etc/passwd')", "nonexistent global variable 'dofile'"},
	{"no loadfile", "return loadfile('/etc/passwd')", "nonexistent global variable 'loadfile'"},
	{"no getfenv", "return getfenv(0)", "nonexistent global variable 'getfenv'"},
	{"no setfenv", "setfenv(1, {})", "nonexistent global variable 'setfenv'"},
	{"no newproxy", "return newproxy(true)", "nonexistent global variable 'newproxy'"},
	{"no print", "print('x')", "nonexistent global variable 'print'"},
	{"no bytecode", "return loadstring('\\27Lua') or error('refused')", "refused"},

	{"new global", "evil = 1", "Attempt to modify a readonly table"},
	{"new function", "function evil() end", "Attempt to modify a readonly table"},
	{"global replaced", "string = nil", "Attempt to modify a readonly table"},
	{"globals replaced", "_G = {}", "Attempt to modify a readonly table"},
	{"rawset", "rawset(_G, 'evil', 1)", "Attempt to modify a readonly table"},
	{"global metatable", "setmetatable(_G, {})", "Attempt to modify a readonly table"},
	{"field of it", "getmetatable(_G).__index = nil", "Attempt to modify a readonly table"},
	{"library replaced", "string.rep = nil", "Attempt to modify a readonly table"},
	{"library extended", "rawset(table, 'evil', 1)", "Attempt to modify a readonly table"},
	{"library metatable", "setmetatable(math, {__index = math})", "Attempt to modify a readonly table"},
	{"table.insert", "table.insert(cjson, 1)", "Attempt to modify a readonly table"},
	{"table.sort", "table.sort(setmetatable(struct, nil))", "Attempt to modify a readonly table"},
	{"string metatable", "getmetatable('').__index = {}", "Attempt to modify a readonly table"},
	{"string metatable extended", "getmetatable('').__add = function() end", "Attempt to modify a readonly table"},
	{"redis.call replaced", "redis.call = nil", "Attempt to modify a readonly table"},
	{"within a coroutine", "coroutine.wrap(function() bit.band = nil end)()", "Attempt to modify a readonly table"},
	{"within loaded code", "loadstring('evil = 1')()", "Attempt to modify a readonly table"},
	{"by clearing", "for k in pairs(_G) do rawset(_G, k, nil) end", "Attempt to modify a readonly table"},
	{"keys with a metatable", "setmetatable(KEYS, " +
		"{__index = function() return 'evil' end}) ARGV.evil = 1 rawset(ARGV, 5, 'evil') error(KEYS.x)", "evil"},
	{"keys replaced", "KEYS = {}", "Attempt to modify a readonly table"},

	{"EVAL", "return redis.call('EVAL', 'return 1', 0)", "not allowed from script"},
	{"EVALSHA", "return redis.call('EVALSHA', string.rep('0', 40), 0)", "not allowed from script"},
	{"SCRIPT FLUSH", "return redis.call('SCRIPT', 'FLUSH')", "not allowed from script"},
	{"MULTI", "return redis.call('MULTI')", "not allowed from script"},
	{"many arguments", "local t = {} for i = 1, 7000 do t[i] = i end return redis.call('DEL', unpack(t)) or error('x')",
		""},
	{"large arguments", "local s = string.rep('x', 1e7) redis.call('DEL', s, s, " +
		"s) redis.sha1hex(s) redis.log(redis.LOG_DEBUG, s) error('done')", "done"},
	{"large values", "local s = string.rep('x', 3e7) redis.call('SET', 'large', s) s = nil local t = {} for i = 1, " +
		"100 do t[i] = redis.call('GET', 'large') end", "not enough memory"},
	{"large values at once", "return #redis.call('MGET', 'large', 'large', 'large')", "not enough memory"},
	{"large values gone", "redis.call('DEL', 'large') error('done')", "done"},
}

// fingerprint is a script that returns all that a script finds: globals, what libraries hold, and
// what KEYS and ARGV are.
const fingerprint = `
local seen = {}
local function add(name, t)
	for k, v in pairs(t) do
		seen[#seen + 1] = name .. '.' .. tostring(k) .. ' ' .. tostring(v) .. ' ' .. tostring(getmetatable(v))
	end
end
for k, v in pairs(_G) do
	if type(v) == 'table' then add(k, v) end
end
add('meta', getmetatable(''))
add('global', getmetatable(_G))
table.sort(seen)
return {seen, KEYS, ARGV, tostring(getmetatable(KEYS)), ('%5.1f'):format(1), cjson.encode({1, {a = 2}}), tostring(coroutine.running())}`

func TestHostileScripts(t *testing.T) {
	quick.OneGoroutine(t, "fills memory")
	e := newEngine()
	require.NoError(t, e.Params.Named("script-memory-limit").Set("64mb"))
	s := e.NewSession(nil)
	eval := func(script string, args ...string) string { // the reply as it is on the wire
		command := [][]byte{[]byte("EVAL"), []byte(script)}
		for _, a := range args {
			command = append(command, []byte(a))
		}
		return string(e.Do(s, [][][]byte{command}).Out)
	}
	clean := eval(fingerprint, "1", "k", "a")
	require.Contains(t, clean, "table.concat function")
	before := heap()
	for _, h := range hostileScripts {
		t.Run(h.name, func(t *testing.T) {
			peak := watchHeap()
			reply := eval(h.script, "0")
			most := peak()
			ends := reply[:min(len(reply), 1000)] + reply[max(0, len(reply)-1000):]
			require.Contains(t, strings.ToLower(ends), strings.ToLower(h.answer))
			reply, ends = "", ""
			require.Less(t, most, before+8*hostileLimit, "bytes on the heap, garbage and Redis' copy included")
			require.Equal(t, clean, eval(fingerprint, "1", "k", "a"))
			if !strings.HasPrefix(h.name, "large values") { // the keyspace has them
				require.Less(t, heap(), before+hostileLimit/4, "bytes left behind")
			}
		})
	}
}

// heap returns the bytes in use after a collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// watchHeap starts to measure the heap. The function that it returns stops that and returns the
// peak.
func watchHeap() (peak func() uint64) {
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		var m runtime.MemStats
		var seen uint64
		for {
			select {
			case <-stop:
				most <- seen
				return
			case <-time.After(2 * time.Millisecond):
				runtime.ReadMemStats(&m)
				seen = max(seen, m.HeapAlloc)
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-most
	}
}

// TestLargeReplyCanBeKilled: a table of a few kilobytes can stand for a reply that never ends.
func TestLargeReplyCanBeKilled(t *testing.T) {
	var e *engine.Engine
	looks := 0
	e = engine.New(engine.Options{Seed: 1, Clock: func() int64 {
		if looks++; e != nil && looks > 100 {
			e.Slow.Kill()
		}
		return 1_700_000_000_000_000
	}})
	wire(e)
	s := e.NewSession(nil)
	const script = "local t = {1} for i = 1, 40 do t = {t, t} end return t"
	out := string(e.Do(s, [][][]byte{{[]byte("EVAL"), []byte(script), []byte("0")}}).Out)
	require.True(t, strings.HasPrefix(out, "-ERR Script killed by user with SCRIPT KILL... script: "),
		out[:min(len(out), 100)])
	out = string(e.Do(s, [][][]byte{{[]byte("EVAL"), []byte("return {1, {2, 'x'}, true}"), []byte("0")}}).Out)
	require.Equal(t, "*3\r\n:1\r\n*2\r\n:2\r\n$1\r\nx\r\n:1\r\n", out)
}
