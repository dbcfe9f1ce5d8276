package lua_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongRunning: the hook ends calls of library functions that would take ages.
func TestLongRunning(t *testing.T) {
	for name, source := range map[string]string{
		"backtracking": `string.find(("a"):rep(40), ("a?"):rep(40) .. ("a"):rep(40) .. "b")`,
		"lazy":         `string.find(("a"):rep(3000), ".-.-.-.-b")`,
		"span":         `string.find(("a"):rep(3000), ".*.*.*.*b")`,
		"gsub":         `string.gsub(("a"):rep(3000), "a*a*a*b", "")`,
		"gmatch":       `for w in string.gmatch(("a"):rep(3000), "a*a*a*b") do end`,
		"balance":      `string.find(("("):rep(60000), "%b()")`,
		"sort":         `local t = {} for i = 1, 1000 do t[i] = i % 7 end table.sort(t, function() while true do end end)`,
		"sortTables":   `local m = {__lt = function(a, b) return a.v < b.v end} local t = {} for i = 1, 1e5 do t[i] = setmetatable({v = i % 99}, m) end table.sort(t)`,
		"insert":       `local t = {} table.insert(t, -1e9, 1)`,
		"concat":       `local t = setmetatable({}, {}) for i = 1, 1e5 do t[i] = "" end while true do table.concat(t) end`,
		"protected":    `while true do pcall(string.find, ("a"):rep(40), ("a?"):rep(40) .. ("a"):rep(40)) end`,
		"foreach":      `table.foreach({1}, function() while true do end end)`,
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, bounded(t, source, 1_000_000, 0)(), errStopped)
		})
	}
}

// TestLargeResults: a result beyond the memory limit is an error, and no call
// allocates much more than the limit before that.
func TestLargeResults(t *testing.T) {
	const limit = 8 << 20
	for name, source := range map[string]string{
		"rep":        `("x"):rep(1e9)`,
		"rep twice":  `("x"):rep(1e5):rep(1e5)`,
		"gsub":       `("x"):rep(1e5):gsub(".", ("y"):rep(1e5))`,
		"gsub call":  `local y = ("y"):rep(1e5); ("x"):rep(1e5):gsub(".", function() return y end)`,
		"captures":   `("x"):rep(1e4):gsub("(.+)", ("%1"):rep(1e4))`,
		"concat":     `local t = {} for i = 1, 1e4 do t[i] = ("x"):rep(1e4) end`,
		"concat big": `local x, t = ("x"):rep(1e5), {} for i = 1, 1e4 do t[i] = x end table.concat(t, x)`,
		"format":     `local x = ("x"):rep(1e6) string.format(("%s"):rep(100), unpack((function() local t = {} for i = 1, 100 do t[i] = x end return t end)()))`,
		"upper":      `local t = {} for i = 1, 100 do t[i] = (("x"):rep(1e6) .. i):upper() end`,
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
		`string.find(("a"):rep(300000), ("a?"):rep(300000))`: "pattern too complex",
		`string.find(("x"):rep(40), ("(x"):rep(40))`:         "too many captures",
		`string.byte(("b"):rep(9000), 1, -1)`:                "stack overflow (string slice too long)",
	} {
		err := bounded(t, source, 1<<40, 0)()
		require.ErrorContains(t, err, problem, source)
	}
}
