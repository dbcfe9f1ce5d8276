package profile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/scripting/lua"
	"github.com/miniserver-go/miniserver/scripting/profile"
)

func TestNameOf(t *testing.T) {
	for source, want := range map[string]string{
		"-- limits/a.lua\nreturn 1":                 "limits/a.lua",
		"--a.lua":                                   "a.lua",
		"-- a.lua \r\nreturn 1":                     "a.lua",
		"#!lua flags=no-writes\n-- a.lua\nreturn 1": "a.lua",
		"#!lua name=mylib\nreturn 1":                "other",
		"-- Sliding window, as in a.lua\nreturn 1":  "other",
		"return 1 -- a.lua":                         "other",
		"\n-- a.lua":                                "other",
		"-- a.lua\x00.lua":                          "other",
		"":                                          "other",
		"-- README.md":                              "other",
		"--[[ a.lua":                                "other",
		"-- " + strings.Repeat("x", 100) + "/é.lua": strings.Repeat("x", 100) + "/é.lua",
	} {
		require.Equal(t, want, profile.NameOf(source, "other"), "%q", source)
	}
}

// ran runs a source whose functions take a microsecond for each event, and returns what was
// recorded.
func ran(t *testing.T, source string) (*profile.Coverage, *profile.Times) {
	now := int64(0)
	tree := lua.NewCallTree(func() int64 { now += 1000; return now },
		func(fn *lua.Function, _ lua.Value) string { return fn.Name() })
	followed := &lua.Profile{Counting: true, Tree: tree}
	scripts := []profile.Script{{Name: "a.lua", Digest: "0123456789", Source: source, Profile: followed}}
	proto, err := lua.Compile(source, "@a")
	require.NoError(t, err)
	require.NoError(t, proto.Follow(source, scripts[0].Profile))
	L := lua.NewState()
	lua.OpenBase(L)
	tree.Begin()
	_, err = L.Run(L.Load(proto))
	tree.End()
	require.NoError(t, err)
	return &profile.Coverage{Scripts: scripts}, &profile.Times{Scripts: scripts, Tree: tree}
}

// TestTextCountsLinesAsLua: all ends of lines that Lua knows are ends of lines in reports.
func TestTextCountsLinesAsLua(t *testing.T) {
	coverage, times := ran(t, "local a = 1\r\n\r\nlocal b = 2\rlocal c = 3\n\rreturn a")
	require.Equal(t, `a.lua: 4 of 4 lines (100.0 %)

      1 | local a = 1
        |
      1 | local b = 2
      1 | local c = 3
      1 | return a

4 of 4 lines (100.0 %) of 1 scripts
`, string(coverage.Text()))
	require.Contains(t, string(times.Listing()), " | local c = 3\n")
}

// TestTimesOfRecursion: the time of a function that calls itself counts once in all.
func TestTimesOfRecursion(t *testing.T) {
	_, times := ran(t, `local function down(n)
  if n > 0 then
    down(n - 1)
  end
end
down(9)
pcall(down, 1)`)
	table := map[string][]string{}
	total := ""
	for line := range strings.Lines(string(times.Text())) {
		fields := strings.Fields(line)
		if strings.HasSuffix(line, " ms in scripts\n") {
			total = fields[0]
		} else if len(fields) > 4 {
			table[strings.Join(fields[4:], " ")] = fields[:4]
		}
	}
	require.Equal(t, total, table["a.lua"][2], "all that runs is called by the chunk")
	require.Equal(t, "1", table["a.lua"][3])
	require.Equal(t, "12", table["down a.lua:1"][3])
	require.Equal(t, table["down a.lua:1"][0], table["down a.lua:1"][2], "it calls nothing else")
	require.Equal(t, "10", table["a.lua:3 down(n - 1)"][3])
	require.Equal(t, "1", table["a.lua:6 down(9)"][3])
	require.Equal(t, "1", table["pcall"][3])
	require.Less(t, table["pcall"][0], table["pcall"][2], "it calls a function")
	require.Greater(t, table["a.lua:6 down(9)"][2], table["a.lua:3 down(n - 1)"][0])
}
