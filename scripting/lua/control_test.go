package lua_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

func newState() *lua.State {
	L := testState()
	lua.OpenBase(L)
	lua.OpenCoroutine(L)
	return L
}

func run(t testing.TB, L *lua.State, source string) ([]lua.Value, error) {
	p, err := lua.Compile(source, "=t")
	require.NoError(t, err)
	return L.Run(L.Load(p))
}

// endless are programs that never end by themselves.
var endless = map[string]string{
	"while":         `while true do end`,
	"repeat":        `repeat until false`,
	"numeric for":   `for i = 1, math.huge do end`,
	"generic for":   `for i in function() return 1 end do end`,
	"pairs":         `local t = {} for i = 1, 100 do t[i] = i end while true do for k in pairs(t) do end end`,
	"next":          `local t = {1} while true do for i in next, t do end end`,
	"pcall":         `while true do pcall(function() while true do end end) end`,
	"nested pcall":  `local function f() pcall(f) f() end f()`,
	"xpcall":        `while true do xpcall(function() while true do end end, function() while true do end end) end`,
	"coroutine":     `coroutine.wrap(function() while true do end end)()`,
	"coroutines":    `while true do coroutine.wrap(function() coroutine.yield() end)() end`,
	"yields":        `local f = coroutine.wrap(function() while true do coroutine.yield() end end) while true do f() end`,
	"recursion":     `local function f(n) if n > 0 then return f(n - 1) + f(n - 1) end return 0 end f(60)`,
	"tail call":     `local function f() return f() end f()`,
	"sort":          `table.sort({1, 2, 3, 4}, function() while true do end end)`,
	"gsub":          `string.gsub("xxx", "x", function() while true do end end)`,
	"metamethod":    `local t = setmetatable({}, {__index = function() while true do end end}) return t.x`,
	"concat":        `local t = setmetatable({}, {__concat = function() while true do end end}) return t .. "x"`,
	"load":          `load(function() while true do end end)`,
	"string":        `while true do local s = ("x"):rep(1000) end`,
	"pattern":       `string.find(("a"):rep(50), ("a-"):rep(30) .. "b")`,
	"loadstring":    `while true do loadstring("return 1")() end`,
	"tostring":      `local t = setmetatable({}, {__tostring = function() while true do end end}) tostring(t)`,
	"tables":        `while true do local t = {1, 2, x = {}} end`,
	"closures":      `while true do local f = function() end end`,
	"errors":        `while true do pcall(error, "x") end`,
	"unpack":        `local t = {} while true do select("#", unpack(t, 1, 5000)) end`,
	"call protocol": `local t = setmetatable({}, {__call = function(self) return self() end}) t()`,
}

// TestHookEndsLoops: an error from the hook ends every endless program.
func TestHookEndsLoops(t *testing.T) {
	enough := errors.New("enough")
	for name, source := range endless {
		t.Run(name, func(t *testing.T) {
			L := newState()
			calls := 0
			L.SetHook(1000, func() error {
				if calls++; calls > 100 {
					return enough
				}
				return nil
			})
			_, err := run(t, L, source)
			require.ErrorIs(t, err, enough)
			L.SetHook(1000, func() error { return nil })
			values, err := run(t, L, `return 1 + 1`)
			require.NoError(t, err)
			require.Equal(t, []lua.Value{lua.Int(2)}, values)
		})
	}
}

// TestHookErrorCaught: an *Error from the hook is a Lua error like any other.
func TestHookErrorCaught(t *testing.T) {
	L := newState()
	L.SetHook(10, func() error { return &lua.Error{Value: lua.String("caught")} })
	values, err := run(t, L, `return pcall(function() while true do end end)`)
	require.NoError(t, err)
	require.Equal(t, lua.Bool(false), values[0])
	s, _ := values[1].AsString()
	require.Equal(t, "caught", s)
}

// bombs are programs that allocate without end.
var bombs = map[string]string{
	"rep":            `return ("x"):rep(2^30)`,
	"rep twice":      `return (("x"):rep(2^20)):rep(2^20)`,
	"doubling":       `local s = "x" while true do s = s .. s end`,
	"array":          `local t = {} for i = 1, 1e9 do t[i] = i end`,
	"append":         `local t = {} while true do t[#t + 1] = 1 end`,
	"insert":         `local t = {} while true do table.insert(t, 1) end`,
	"fields":         `local t = {} for i = 1, 1e9 do t["k" .. i] = i end`,
	"floats":         `local t = {} for i = 1, 1e9 do t[i + 0.5] = i end`,
	"list":           `local t = {} while true do t = {t} end`,
	"strings":        `local t = {} for i = 1, 1e9 do t[i] = "string number " .. i end`,
	"closures":       `local t = {} for i = 1, 1e9 do t[i] = function() return i end end`,
	"cells":          `local t = {} for i = 1, 1e9 do t[i] = function() i = i + 1 end end`,
	"coroutines":     `local t = {} for i = 1, 1e9 do t[i] = coroutine.create(function() end) end`,
	"started":        `local t = {} for i = 1, 1e9 do t[i] = coroutine.wrap(function() coroutine.yield() end) t[i]() end`,
	"deep operands":  `local function f(n) return ("x"):rep(1e6) .. f(n + 1) end f(1)`,
	"deep arguments": `local function f(s) return #f(("x"):rep(1e6)) end f("")`,
	"deep tables":    `local function f(n) return {("x"):rep(1e6), f(n + 1)} end f(1)`,
	"deep sums":      `local function f(n) return ("1"):rep(1e6) + f(n + 1) end f(1)`,
	"deep methods":   `local function f(n) return ("x"):rep(1e6):rep(f(n + 1)) end f(1)`,
	"deep index":     `local t = setmetatable({}, {__index = function(t, k) return ("1"):rep(1e6) + t[k + 1] end}) return t[1]`,
	"deep gsub":      `local function f() return (("x"):rep(1e6):gsub("x", f, 1)) end f()`,
	"deep compare":   `local function f(n) return ("x"):rep(1e6) < f(n + 1) end f(1)`,
	"varargs":        `local function f(...) return f(("x"):rep(1e6), ...) end f()`,
	"concat":         `local t = {} for i = 1, 1000 do t[i] = ("x"):rep(1e5) end return table.concat(t)`,
	"format":         `local s = ("x"):rep(1e6) while true do s = string.format("%s%s", s, s) end`,
	"gsub":           `local s = ("x"):rep(1e6) while true do s = s:gsub("x", "xx") end`,
	"load":           `local t = {} for i = 1, 1e9 do t[i] = loadstring("local a = " .. i .. " return function() return a end") end`,
	"proxies":        `local t = {} for i = 1, 1e9 do t[i] = newproxy(true) end`,
	"upper":          `local t = {} local s = ("x"):rep(1e6) for i = 1, 1e9 do t[i] = s:upper() end`,
	"sub":            `local t = {} local s = ("x"):rep(1e6) for i = 1, 1e9 do t[i] = s:sub(2) end`,
	"pcall":          `local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end`,
}

// TestMemoryLimit: every bomb ends with an error, and the process has not grown much beyond the
// limit.
func TestMemoryLimit(t *testing.T) {
	quick.Skip(t, "fills memory")
	const limit = 32 << 20
	for name, source := range bombs {
		t.Run(name, func(t *testing.T) {
			L := newState()
			L.SetMemoryLimit(limit)
			ended := errors.New("too long")
			ticks := 0
			most := uint64(0)
			var stats runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&stats)
			before := stats.HeapAlloc
			L.SetHook(100000, func() error {
				if ticks++; ticks%20 == 0 {
					runtime.GC()
					runtime.ReadMemStats(&stats)
					most = max(most, stats.HeapAlloc)
				}
				if ticks > 3000 {
					return ended
				}
				return nil
			})
			_, err := run(t, L, source)
			require.EqualError(t, err, "not enough memory")
			require.Less(t, int64(most)-int64(before), int64(limit*3/2))
			L.SetHook(100000, func() error { return nil })
			values, err := run(t, L, `local s = ("x"):rep(2^24) return #s`)
			require.NoError(t, err)
			require.Equal(t, []lua.Value{lua.Int(1 << 24)}, values)
		})
	}
}

// hoards fill the table t with small things of one kind.
var hoards = map[string]string{
	"cells":      `for i = 1, 1e9 do t[i] = function() i = i + 1 end end`,
	"closures":   `for i = 1, 1e9 do t[i] = function() return i end end`,
	"coroutines": `for i = 1, 1e9 do t[i] = coroutine.create(function() end) end`,
	"list":       `while true do t[1] = {t[1]} end`,
	"records":    `for i = 1, 1e9 do t[i] = {id = i, name = "user" .. i, 1, 2, 3} end`,
	"sets":       `for i = 1, 1e9 do t[i] = {[i] = true, [i + 1] = true, [i + 2] = true} end`,
	"strings":    `for i = 1, 1e9 do t[i] = "string number " .. i end`,
}

// TestBorrowedMemory: a run that borrows gets what it needs and little more, up to what is left.
func TestBorrowedMemory(t *testing.T) {
	const all = 32 << 20
	L, lent := newState(), 0
	lend := func(least, most int) int {
		n := min(most, all-lent)
		if n < least {
			return 0
		}
		lent += n
		return n
	}
	for source, holds := range map[string]int{
		`return 1`: 0, `local s = ("x"):rep(10e6) return #s`: 10e6, `local t = {} for i = 1, 1e5 do t[i] = {} end return #t`: 10e6, `local f = function() local s = ("x"):rep(10e6) return #s end for i = 1, 20 do f() end return 1`: 10e6, `local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end return f(15000)`: 2e6,
	} {
		lent = 0
		require.True(t, L.Borrow(lend))
		_, err := run(t, L, source)
		require.NoError(t, err, source)
		require.Less(t, lent, 3*holds+1<<20, source)
		require.GreaterOrEqual(t, lent, holds/2, source)
	}
	lent = 0
	require.True(t, L.Borrow(lend))
	results, err := run(t, L, `local t = {} local ok = pcall(function() while true do t[#t + 1] = ("x"):rep(1e6) .. #t end end) return ok, #t`)
	require.NoError(t, err)
	require.False(t, results[0].Truthy())
	n, _ := results[1].ToNumber()
	require.InDelta(t, 29, n, 3)
	lent = all
	require.False(t, L.Borrow(lend))
}

// TestMemoryIsCountedClosely: the count of bytes is what the values take in the heap, up to the
// rounding of sizes.
func TestMemoryIsCountedClosely(t *testing.T) {
	quick.Skip(t, "fills memory")
	const limit = 64 << 20
	for name, source := range hoards {
		t.Run(name, func(t *testing.T) {
			L := newState()
			L.SetMemoryLimit(limit)
			held := 0.0
			before := liveHeap()
			L.Globals.SetString(nil, "measure", lua.NewFunction("measure", func(*lua.State, *lua.Call) {
				held = float64(int64(liveHeap())-int64(before)) / limit
			}).Value())
			_, err := run(t, L, "local t = {} pcall(function() "+source+" end) measure() return t[1]")
			require.NoError(t, err)
			require.Less(t, held, 1.1)
			require.Greater(t, held, 0.4, "tables double")
		})
	}
}

// liveHeap returns the bytes in use after a collection.
func liveHeap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestChurn: only what a run holds counts, not all that it has allocated.
func TestChurn(t *testing.T) {
	L := newState()
	L.SetMemoryLimit(1 << 20)
	_, err := run(t, L, `for i = 1, 200 do local s = ("x"):rep(1e5) local t = {} for j = 1, 1000 do t[j] = s .. j end t = nil end`)
	require.EqualError(t, err, "not enough memory")
	_, err = run(t, L, `
		local shared = ("x"):rep(1e5)
		local t = {}
		for i = 1, 10000 do t[i] = shared end
		for i = 1, 1000 do local s = ("x"):rep(1e5) .. i end
		for i = 1, 1000 do coroutine.wrap(function() coroutine.yield() end)() end`)
	require.NoError(t, err)
}

// TestCoroutinesEnd: no goroutine outlives the run that made it.
func TestCoroutinesEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	L := newState()
	for range 10 {
		_, err := run(t, L, `
			for i = 1, 50 do local co = coroutine.wrap(function() coroutine.yield() end) co() end
			local co = coroutine.wrap(function() pcall(function() coroutine.wrap(function() coroutine.yield() end)() end) coroutine.yield() end)
			co()
			coroutine.wrap(function() coroutine.wrap(function() error("out") end)() end)()`)
		require.Error(t, err)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before) // less if a goroutine of another test ended meanwhile
}

// long are functions in which a single library call or operator handles megabytes.
var long = map[string]string{
	"rep":            `return function() return ("xy"):rep(2^22) end`,
	"concat":         `local s = ("x"):rep(2^22) return function() return s .. s end`,
	"table.concat":   `local t = {} for i = 1, 8 do t[i] = ("x"):rep(2^21) end return function() return table.concat(t) end`,
	"upper":          `local s = ("x"):rep(2^22) return function() return s:upper() end`,
	"quote":          `local s = ("x\""):rep(2^20) return function() return ("%q"):format(s) end`,
	"percent signs":  `local s = ("%%"):rep(2^17) return function() return s:format() end`,
	"compare":        `local a, b = ("x"):rep(2^23), ("x"):rep(2^23) return function() return a <= b end`,
	"compile":        `local s = ("x = 1 "):rep(2^12) return function() return loadstring(s) end`,
	"equal":          `local a, b = ("x"):rep(2^23), ("x"):rep(2^23) return function() return a == b end`,
	"find":           `local s = ("x"):rep(2^23) return function() return s:find("y", 1, true) end`,
	"find backwards": `local s = ("x"):rep(2^18) return function() return s:find("^x*y") end`,
	"find literal":   `local s = ("x"):rep(2^23) return function() return s:find("y+") end`,
	"find set":       `local s = ("x"):rep(2^19) return function() return s:find("[yz]") end`,
	"format":         `local s = ("x"):rep(2^23) return function() return ("%s"):format(s) end`,
	"grow":           `local t = {} for i = 1, 2^16 do t[i + 0.5] = i end return function() t.x = 1 end`,
	"gsub":           `local s = ("x"):rep(2^22) return function() return (("x"):gsub("x", s)) end`,
	"insert":         `local t = {} for i = 1, 2^19 do t[i] = i end return function() table.insert(t, 1, 0) end`,
	"next":           `local t = {} for i = 1, 2^17 do t[i] = i end for i = 1, 2^17 do t[i] = nil end return function() return next(t) end`,
	"remove":         `local t = {} for i = 1, 2^19 do t[i] = i end return function() table.remove(t, 1) end`,
	"reverse":        `local s = ("x"):rep(2^23) return function() return s:reverse() end`,
	"shrink":         `local t = {} for i = 1, 2^17 do t[i] = i end for i = 1, 2^17 - 1 do t[i] = nil end return function() t.x = 1 end`,
	"sort":           `local t = {} for i = 1, 2^15 do t[i] = -i end return function() table.sort(t) end`,
	"sort strings":   `local s, t = ("x"):rep(2^16), {} for i = 1, 99 do t[i] = s .. i end return function() table.sort(t) end`,
	"sub":            `local s = ("x"):rep(2^24) return function() return s:sub(2^23 + 2) end`,
	"tonumber":       `local s = ("1"):rep(2^18) return function() return tonumber(s) end`,
	"tonumber hex":   `local s = "0x" .. ("1"):rep(2^18) return function() return s + 1 end`,
	"tonumber base":  `local s = ("1"):rep(2^18) return function() return tonumber(s, 8) end`,
}

// TestHookRunsWithinLongCalls: the hook runs several times within a single long call.
func TestHookRunsWithinLongCalls(t *testing.T) {
	for name, source := range long {
		t.Run(name, func(t *testing.T) {
			L := testState()
			results, err := run(t, L, source)
			require.NoError(t, err)
			function, runs := results[0], 0
			L.SetHook(10000, func() error {
				runs++
				return nil
			})
			L.Call1(function)
			require.Greater(t, runs, 1)
		})
	}
}
