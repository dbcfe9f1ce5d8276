package lua_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	gopher "github.com/yuin/gopher-lua"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// rivalScripts are those of the bench that need nothing of Redis. Each returns a number.
var rivalScripts = []string{"arithmetic", "calls", "strings", "tables", "format", "patterns"}

// rivalScript returns the text of one of rivalScripts.
func rivalScript(t testing.TB, name string) string {
	text, err := os.ReadFile("../../bench/scripts/lua/" + name + ".lua")
	require.NoError(t, err)
	return string(text)
}

// TestGopherLuaAgrees compares what the scripts return here and in gopher-lua, a virtual machine in
// Go.
func TestGopherLuaAgrees(t *testing.T) {
	for _, name := range rivalScripts {
		source := rivalScript(t, name)
		require.Equal(t, gopherRunner(t, source)(), ourRunner(t, source)(), name)
	}
}

// BenchmarkInterpreters shows what compiling to closures over values of two words is worth.
func BenchmarkInterpreters(b *testing.B) {
	runners := map[string]func(testing.TB, string) func() float64{"ours": ourRunner, "gopher-lua": gopherRunner}
	for _, name := range rivalScripts {
		for _, interpreter := range []string{"gopher-lua", "ours"} {
			b.Run(name+"/"+interpreter, func(b *testing.B) {
				run := runners[interpreter](b, rivalScript(b, name))
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
			})
		}
	}
}

// gopherRunner returns a function that runs a script on gopher-lua and returns its number.
func gopherRunner(t testing.TB, source string) func() float64 {
	L := gopher.NewState()
	t.Cleanup(L.Close)
	fn, err := L.LoadString(source)
	require.NoError(t, err)
	return func() float64 {
		L.Push(fn)
		L.Call(0, 1)
		defer L.Pop(1)
		return float64(gopher.LVAsNumber(L.Get(-1)))
	}
}

// ourRunner returns a function that runs a script on our evaluator and returns its number.
func ourRunner(t testing.TB, source string) func() float64 {
	L := testState()
	proto, err := lua.Compile(source, "=bench")
	require.NoError(t, err)
	fn := L.Load(proto)
	return func() float64 {
		results, err := L.Run(fn)
		require.NoError(t, err)
		n, _ := results[0].AsNumber()
		return n
	}
}
