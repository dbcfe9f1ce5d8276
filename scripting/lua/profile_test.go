package lua_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

const profiled = `local total = 0
local function add(n)
  if n > 2 then
    total = total + n
  elseif n > 1 then
    tick()
  else
    total = total - 1
  end
  return tick()
end
for i = 1, 4 do
  add(i)
end
if total == 0 then
  error("never")
end

while total > 0 do total = total - 3 end
repeat
  total = total + 1
until total > 1
pcall(error)
return total`

// TestProfile: the profile lists every line that can run, with its number of runs, its time and its calls.
func TestProfile(t *testing.T) {
	L := newState()
	now := int64(0)
	L.Globals.SetString(nil, "tick", lua.NewFunction("tick", func(*lua.State, *lua.Call) { now += 100 }).Value())
	p := &lua.Profile{Clock: func() int64 { now++; return now }}
	proto, err := lua.CompileProfiled(profiled, "=t", p)
	require.NoError(t, err)
	for run := 1; run <= 2; run++ {
		_, err = L.Run(L.Load(proto))
		require.NoError(t, err)
		hits := map[int]int{}
		for n, l := range p.Lines() {
			if l.Executable {
				hits[n] = l.Hits
			}
			require.Equal(t, l.Executable, l.Hits > 0 || n == 16, "line %d", n)
		}
		require.Equal(t, map[int]int{1: run, 2: run, 3: 4 * run, 4: 2 * run, 5: 2 * run, 6: run, 8: run, 10: 4 * run,
			12: run, 13: 4 * run, 15: run, 16: 0, 19: 3 * run, 20: run, 21: 2 * run, 23: run, 24: run}, hits)
	}
	lines := p.Lines()
	require.Equal(t, 2, lines[6].Calls)
	require.Equal(t, 8, lines[10].Calls)
	require.Equal(t, 0, lines[13].Calls, "calls of Lua functions do not count")
	require.Equal(t, 2, lines[23].Calls)
	require.GreaterOrEqual(t, lines[10].CallTime, int64(800))
	require.GreaterOrEqual(t, lines[10].Time, lines[10].CallTime)
	require.Less(t, lines[13].Time, int64(200), "time in the function called is its own")

	p.Reset()
	require.Zero(t, p.Lines()[10].Hits)
	require.True(t, p.Lines()[10].Executable)
}
