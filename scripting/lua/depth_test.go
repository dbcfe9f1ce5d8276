package lua_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// nested returns n copies of open, middle and n copies of closing.
func nested(open, middle, closing string, n int) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
}

// deep are programs that recurse without end through expressions of every shape.
var deep = map[string]string{
	"plain":       `local function f() return 1 + f() end f()`,
	"arguments":   `local function f(...) return f(1, ...) + 1 end f()`,
	"parentheses": `local function f() return ` + nested("(1 + ", "f()", ")", 90) + ` end f()`,
	"operators":   `local x = 1 local function f() return x` + strings.Repeat(" + x", 5000) + ` + f() end f()`,
	"left":        `local x = 1 local function f() return f()` + strings.Repeat(" + x", 5000) + ` end f()`,
	"concat":      `local function f() return ` + nested("('x' .. ", "f()", ")", 90) + ` end f()`,
	"tables":      `local function f() return {` + nested("{", "f()", "}", 150) + `} end f()`,
	"calls": `local function g(x) return x end local function f() return 1 + ` + nested("g(",
		"f()", ")", 150) + ` end f()`,
	"blocks":     `local function f() ` + nested("do ", "local x = 1 + f()", " end", 150) + ` end f()`,
	"loops":      `local function f() ` + nested("for i = 1, 2 do ", "f()", " end", 45) + ` end f()`,
	"branches":   `local function f() ` + nested("if true then ", "local x = 1 + f()", " end", 150) + ` end f()`,
	"index":      `local t = {} local function f() return t` + strings.Repeat("[1]", 5000) + `[f()] end f()`,
	"pcall":      `local function f() pcall(f) return 1 + f() end f()`,
	"metatables": `local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x`,
	"call chain": `local t = {} for i = 1, 1000 do t = setmetatable({}, {__call = t}) end t()`,
	"tostring":   `local t = setmetatable({}, {}) getmetatable(t).__tostring = function() return tostring(t) end tostring(t)`,
	"sort":       `local function f(a, b) table.sort({1, 2, 3}, f) return true end f()`,
	"gsub":       `local function f() return (("x"):gsub("x", f)) end f()`,
	"coroutines": `local function f() return coroutine.wrap(f)() end f()`,
	"resumes":    `local function f() return 1 + coroutine.wrap(function() return 1 + f() end)() end f()`,
	"many":       `local function f() local a = {} for i = 1, 100 do a[i] = i end return f(unpack(a)) + 1 end f()`,
	"locals":     `local function f() local a, b, c, d, e, g, h = f() return 1 + f() end f()`,
}

// TestDepth: recursion without end is an error, never a crash.
func TestDepth(t *testing.T) {
	quick.Skip(t, "fills memory")
	for name, source := range deep {
		t.Run(name, func(t *testing.T) {
			L := newState()
			L.SetMemoryLimit(256 << 20)
			ticks := 0
			L.SetHook(10000, func() error {
				if ticks++; ticks > 200 {
					return errors.New("enough")
				}
				return nil
			})
			_, err := run(t, L, source)
			require.Error(t, err)
			L.SetHook(10000, func() error { return nil })
			values, err := run(t, L, `local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(10000)`)
			require.NoError(t, err)
			require.Equal(t, "10000", describe(L, values[0]))
		})
	}
}

func describe(L *lua.State, v lua.Value) string {
	s, _ := L.ToString(v).AsString()
	return s
}
