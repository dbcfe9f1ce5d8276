package redislib_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// TestLongRunning: the hook ends calls of library functions that would take ages.
func TestLongRunning(t *testing.T) {
	for name, source := range map[string]string{
		"shared tables":  `local t = {} for i = 1, 60 do t = {t, t} end cjson.encode(t)`,
		"shared records": `local t = {} for i = 1, 15 do t = {a = t, b = t, c = t, d = t, e = t, f = t} end cmsgpack.pack(t)`,
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, bounded(t, source, 1_000_000, 0)(), errStopped)
		})
	}
}

// TestLargeResults: a result beyond the memory limit is an error, and no call allocates much more
// than the limit before that.
func TestLargeResults(t *testing.T) {
	const limit = 8 << 20
	for name, source := range map[string]string{
		"encode":      `local x, t = ("x"):rep(1e5), {} for i = 1, 1e4 do t[i] = x end cjson.encode(t)`,
		"pack":        `local x, t = ("x"):rep(1e5), {} for i = 1, 1e4 do t[i] = x end cmsgpack.pack(t)`,
		"decode":      `cjson.decode("[" .. ("[1],"):rep(5e5) .. "1]")`,
		"records":     `cjson.decode("[" .. ('{"a":1,"b":2},'):rep(2e5) .. "1]")`,
		"keys":        `local t = {} for i = 1, 1e5 do t[i] = '"key' .. i .. '":1' end cjson.decode("{" .. table.concat(t, ",") .. "}")`,
		"unpack":      `cmsgpack.unpack(("\220\16\0" .. ("\145\1"):rep(4096)):rep(60))`,
		"arrays":      `cmsgpack.unpack("\221\0\16\0\0" .. ("\145\1"):rep(1e6))`,
		"struct":      `local x = ("x"):rep(1e6) struct.pack(("s"):rep(100), unpack((function() local t = {} for i = 1, 100 do t[i] = x end return t end)()))`,
		"json":        `local t = {} for i = 1, 24 do t = {t, t} end return cjson.encode(t)`,
		"json string": `local s = cjson.encode(("\1"):rep(1e6)) while true do s = cjson.encode(s) end`,
		"msgpack":     `local s = ("x"):rep(1e6) while true do s = cmsgpack.pack(s, s) end`,
		"documents":   `local t = {} local s = '{"a":[1,2,3],"b":{"c":"ddddddddddddd"}}' for i = 1, 1e9 do t[i] = cjson.decode(s) end`,
	} {
		t.Run(name, func(t *testing.T) {
			run := bounded(t, source, 1<<40, limit)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.ErrorContains(t, run(), "not enough memory")
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(10*limit), "garbage included")
		})
	}
}

// TestDeepNesting: nesting that would overflow C's stack is an error.
func TestDeepNesting(t *testing.T) {
	for source, problem := range map[string]string{
		`local t = {} t[1] = t cjson.encode(t)`:                                "excessive nesting (1001)",
		`cjson.decode(("["):rep(1e5))`:                                         "too many nested data structures (1001)",
		`cmsgpack.unpack(("\145"):rep(1e5))`:                                   "stack overflow (in function mp_decode_to_lua_array)",
		`cmsgpack.unpack(("\129"):rep(1e5))`:                                   "stack overflow (too many return values",
		`struct.unpack(("b"):rep(9000), ("b"):rep(9000))`:                      "stack overflow (too many results)",
		`local t = {} for i = 1, 40 do t = {t} end error(cmsgpack.pack(t), 0)`: "\x91\x91\x91\x91\xc0",
	} {
		err := bounded(t, source, 1<<40, 0)()
		require.ErrorContains(t, err, problem, source)
	}
}

// TestHookRunsWithinLongCalls: a call that handles megabytes runs the hook several times.
func TestHookRunsWithinLongCalls(t *testing.T) {
	for name, source := range map[string]string{
		"encode string":  `local s = ("\0"):rep(2^22) return function() return cjson.encode(s) end`,
		"encode map":     `local t = {} for i = 1, 2^16 do t["k" .. i] = 1 end return function() return cjson.encode(t) end`,
		"decode escapes": `local s = '"' .. ("\\n"):rep(2^17) .. '"' return function() return cjson.decode(s) end`,
		"pack list":      `local t = {} for i = 1, 2^17 do t[i] = 1 end return function() return cmsgpack.pack(t) end`,
		"pack map":       `local t = {} for i = 1, 2^16 do t["k" .. i] = 1 end return function() return cmsgpack.pack(t) end`,
		"struct.pack":    `local s = (" "):rep(2^17) return function() return struct.pack(s) end`,
		"decode blanks":  `local s = (" "):rep(2^19) .. "1" return function() return cjson.decode(s) end`,
		"decode list":    `local s = "[" .. ("1,"):rep(2^16) .. "1]" return function() return cjson.decode(s) end`,
		"struct.unpack":  `local s = ("x"):rep(2^23) .. "\0" return function() return struct.unpack("s", s) end`,
		"struct.size":    `local s = ("b"):rep(2^17) return function() return struct.size(s) end`,
	} {
		t.Run(name, func(t *testing.T) {
			L := testState()
			chunk, err := lua.Compile(source, "=t")
			require.NoError(t, err)
			results, err := L.Run(L.Load(chunk))
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
