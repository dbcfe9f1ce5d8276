package lua_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// benchmarks are chunks that return the function to time.
var benchmarks = []struct{ name, source string }{
	{"format", `return function() local s = string.format("%s:%d:%5.2f", "key", 42, 3.5) end`},
	{"find", `local s = ("x"):rep(100) .. " needle 42" return function() return s:find("(%d+)") end`},
	{"findPlain", `local s = ("x"):rep(100) .. "needle" return function() return s:find("needle", 1, true) end`},
	{"match", `return function() return ("2024-01-31"):match("(%d+)-(%d+)-(%d+)") end`},
	{"gsub", `local s = "hello world from lua" return function() return s:gsub("o", "0") end`},
	{"gsubFunction", `local s = "hello world from lua" local f = function(w) return w end return function() return s:gsub("%w+", f) end`},
	{"gmatch", `local s = "one two three four five" return function() for w in s:gmatch("%a+") do end end`},
	{"insert", `return function() local t = {} for i = 1, 100 do table.insert(t, i) end end`},
	{"concat", `local t = {} for i = 1, 100 do t[i] = "item" .. i end return function() return table.concat(t, ",") end`},
	{"sortNumbers", `return function() local t = {} for i = 1, 1000 do t[i] = (i * 7919) % 1009 end table.sort(t) end`},
	{"sortFunction", `return function() local t = {} for i = 1, 1000 do t[i] = (i * 7919) % 1009 end table.sort(t, function(a, b) return a < b end) end`},
	{"pow", `local x = 1.5 return function() return x ^ 2.5 end`},
	{"log", `local x = 1.5 return function() return math.log(x) end`},
}

func BenchmarkLibrary(b *testing.B) {
	for _, row := range benchmarks {
		b.Run(row.name, func(b *testing.B) {
			L := testState()
			chunk, err := lua.Compile(row.source, "=bench")
			require.NoError(b, err)
			f := L.Call1(L.Load(chunk).Value())
			b.ReportAllocs()
			for b.Loop() {
				L.Call1(f)
			}
		})
	}
}
