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

// hits returns how often each line ran: a line runs as often as the statement on it that ran most.
func hits(p *lua.Profile) map[int]int {
	lines := map[int]int{}
	for _, fn := range p.Functions() {
		for i, line := range fn.Lines {
			if i > 0 {
				lines[line] = max(lines[line], fn.Hits[i])
			}
		}
	}
	return lines
}

// follow compiles a chunk with a profile that counts, and times if there is a clock.
func follow(t *testing.T, source string, clock func() int64) (*lua.Proto, *lua.Profile) {
	p := &lua.Profile{Counting: true}
	if clock != nil {
		p.Tree = lua.NewCallTree(clock, func(fn *lua.Function, _ lua.Value) string { return fn.Name() })
	}
	proto, err := lua.Compile(source, "=t")
	require.NoError(t, err)
	require.NoError(t, proto.Follow(source, p))
	return proto, p
}

// TestProfileCounts: a profile has every line that can run with its number of runs, the functions
// with their calls, and how conditions decided.
func TestProfileCounts(t *testing.T) {
	L := newState()
	L.Globals.SetString(nil, "tick", lua.NewFunction("tick", func(*lua.State, *lua.Call) {}).Value())
	proto, p := follow(t, profiled, nil)
	for run := 1; run <= 2; run++ {
		_, err := L.Run(L.Load(proto))
		require.NoError(t, err)
		require.Equal(t, map[int]int{1: run, 2: run, 3: 4 * run, 4: 2 * run, 5: 2 * run, 6: run, 8: run, 10: 4 * run,
			12: run, 13: 4 * run, 15: run, 16: 0, 19: 2 * run, 20: run, 21: 2 * run, 23: run, 24: run}, hits(p))
		chunk, add := p.Functions()[0], p.Functions()[1]
		require.Equal(t, []int{run, 4 * run}, []int{chunk.Hits[0], add.Hits[0]})
		require.Equal(t, []string{"", "add"}, []string{chunk.Name, add.Name})
		require.Equal(t, []lua.Condition{{3, 2 * run, 2 * run}, {5, run, run}}, add.Conditions)
		require.Equal(t, []lua.Condition{{15, 0, run}, {19, 2 * run, run}, {22, run, run}}, chunk.Conditions)
	}
	p.Counting = false
	_, err := L.Run(L.Load(proto))
	require.NoError(t, err)
	require.Equal(t, 2, hits(p)[1], "it does not count")
	p.Reset()
	require.Zero(t, hits(p)[13])
	require.Contains(t, hits(p), 16)
}

// TestCallTree: the time of a run is that of its statements, functions and host functions.
func TestCallTree(t *testing.T) {
	L := newState()
	now := int64(0)
	L.Globals.SetString(nil, "tick", lua.NewFunction("tick", func(*lua.State, *lua.Call) { now += 1000 }).Value())
	proto, p := follow(t, profiled, func() int64 { now++; return now })
	p.Tree.Begin()
	_, err := L.Run(L.Load(proto))
	p.Tree.End()
	require.NoError(t, err)
	all, ticks := int64(0), 0
	for _, n := range p.Tree.Nodes() {
		for i, cost := range n.Costs {
			all += cost.Time
			if n.Chunk != nil && i > 0 {
				require.Less(t, cost.Time, int64(100), "what a function takes belongs to it alone")
			}
		}
		if n.Host == "tick" {
			parent := p.Tree.Nodes()[n.Parent]
			require.Equal(t, 1, parent.Function)
			require.Contains(t, []int{6, 10}, p.Functions()[1].Lines[parent.Place])
			require.InDelta(t, 1000*n.Calls, n.Costs[0].Time, 50)
			ticks += n.Calls
		}
	}
	require.Equal(t, 5, ticks)
	require.Equal(t, now-1, all, "every moment belongs to one node")
}
