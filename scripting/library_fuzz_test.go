package scripting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/persistence/rdb"
)

// FuzzLibrary loads any text as a library. A library that is refused leaves nothing behind. One
// that is accepted is restored from its payload unchanged.
func FuzzLibrary(f *testing.F) {
	for _, source := range []string{
		"", "#!lua", "#!lua name=a\n", "#!lua name=a foo=b\nx",
		"#!lua \"name=a\"\nredis.register_function('f', redis.log)",
		"#!lua name=a\nlocal n = 0\nredis.register_function{function_name='f', callback=function(k, " +
			"a) n = n + 1 return n end, flags={'no-writes'}, description='d'}",
		"#!LUA NAME=_1\nfor i = 1, 3 do redis.register_function('f' .. i, function() end) end",
		"#!lua name=a\nwhile true do end",
		"#!lua name=a\nlocal r = redis.register_function r('f', r) r('F', r)", "#!lua name=a\nredis.x()",
		"#!js name=a\n\x00",
	} {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		e, copied := tickingEngine(), tickingEngine()
		e.With(func() {
			if err := e.Parts.Libraries.Restore(e.Home(), [][]byte{source}, engine.Append); err != nil {
				require.Contains(t, err.Error(), "ERR ")
				require.Empty(t, e.Parts.Libraries.Sources(e.Home()))
				return
			}
			require.Equal(t, [][]byte{source}, e.Parts.Libraries.Sources(e.Home()))
			require.Error(t, e.Parts.Libraries.Restore(e.Home(), [][]byte{source}, engine.Append))
			require.NoError(t, e.Parts.Libraries.Restore(e.Home(), [][]byte{source}, engine.Replace))
			for again, err := range rdb.Libraries(rdb.LibrariesPayload(e.Parts.Libraries.Sources(e.Home()))) {
				require.NoError(t, err)
				require.NoError(t, copied.Parts.Libraries.Restore(copied.Home(), [][]byte{again}, engine.Flush))
			}
			require.Equal(t, e.Parts.Libraries.Sources(e.Home()), copied.Parts.Libraries.Sources(copied.Home()))
		})
	})
}

// tickingEngine returns an engine whose clock advances by a millisecond at each reading, so that
// time limits are reached soon.
func tickingEngine() *engine.Engine {
	now := int64(1_700_000_000_000_000)
	e := engine.New(engine.Options{Clock: func() int64 { now += 1000; return now }, Seed: 1})
	wire(e)
	return e
}
