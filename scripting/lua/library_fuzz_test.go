package lua_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// The fuzz targets: for any arguments a library function returns or throws a
// Lua error, within a bounded number of steps and bytes.

var errStopped = errors.New("stopped")

// bounded returns a function that runs a chunk with arguments under limits.
// Its error is nil, a Lua error or errStopped; anything else panics.
func bounded(t testing.TB, source string, ticks, bytes int) func(args ...string) error {
	L := testState()
	chunk, err := lua.Compile(source, "=bounded")
	require.NoError(t, err)
	fn := L.Load(chunk)
	return func(args ...string) error {
		L.SetHook(ticks, func() error { return errStopped })
		L.SetMemoryLimit(bytes)
		values := make([]lua.Value, len(args))
		for i, arg := range args {
			values[i] = lua.String(arg)
		}
		_, err := L.Run(fn, values...)
		if problem := (*lua.Error)(nil); err != nil && !errors.As(err, &problem) && !errors.Is(err, errStopped) {
			panic(err) // a fuzz target must not use the outer t
		}
		return err
	}
}

const (
	fuzzTicks = 200_000
	fuzzBytes = 16 << 20
)

func FuzzPattern(f *testing.F) {
	run := bounded(f, `
		local s, p, r = ...
		pcall(string.find, s, p) pcall(string.match, s, p, -3) pcall(string.gsub, s, p, r)
		pcall(string.gsub, s, p, function(...) return r end)
		pcall(function() for a, b in string.gmatch(s, p) do end end)`, fuzzTicks, fuzzBytes)
	f.Add("hello world", "(h)(.-)%f[%w]%1", "%0%1")
	f.Add("[[x]](y)", "%b[]()[^%]a-z]*$", "")
	f.Add("\x00\xff", "%z[\x80-\xff]?", "%")
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaa", "a?a?a?a?a?a?a?a?a-a*a+(a*)%1b", "x")
	f.Fuzz(func(_ *testing.T, s, p, r string) { _ = run(s, p, r) })
}

func FuzzFormat(f *testing.F) {
	run := bounded(f, `
		local format, s = ...
		for _, v in ipairs{s, 1, -0.5, 1e300, 1/0, 0/0, #s} do pcall(string.format, format, v, s, v, s) end`, fuzzTicks, fuzzBytes)
	f.Add("%5.2f|%-10s|%q|%%", "x")
	f.Add("%+ #08x%c%99.99g%s%i", "a\x00b")
	f.Fuzz(func(_ *testing.T, format, s string) { _ = run(format, s) })
}
