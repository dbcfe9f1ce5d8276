package lua_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/scripting/lua"
)

// countHarness makes lua5.1 write how often its line hook is called for each line, in coroutines
// too.
const countHarness = tracePrelude + `
local f, problem = loadfile("script.lua")
if not f then io.write(problem) return end
local counts, most = {}, 0
local function hook(_, line)
  if debug.getinfo(2, "S").source ~= "@script.lua" then return end
  counts[line], most = (counts[line] or 0) + 1, math.max(most, line)
end
local create = coroutine.create
coroutine.create = function(f)
  local co = create(f)
  debug.sethook(co, hook, "l")
  return co
end
coroutine.wrap = function(f)
  local co = coroutine.create(f)
  return function(...)
    local r = {coroutine.resume(co, ...)}
    if not r[1] then error(r[2], 0) end
    return unpack(r, 2)
  end
end
debug.sethook(hook, "l")
pcall(f)
debug.sethook()
for line = 1, most do io.write("\n", line, " ", counts[line] or 0) end
`

// hookCounts returns how often lua5.1 reaches each line.
func hookCounts(t *testing.T, path, source string) map[int]int {
	counts := map[int]int{}
	for _, line := range regexp.MustCompile(`(?m)^(\d+) (\d+)$`).FindAllStringSubmatch(runBeside(t, path, countHarness, source), -1) {
		var n, hits int
		_, err := fmt.Sscan(line[1]+" "+line[2], &n, &hits)
		require.NoError(t, err)
		counts[n] = hits
	}
	return counts
}

// single returns the lines on which one statement begins, and nothing else ends or goes on.
func single(source string, p *lua.Profile) map[int]bool {
	begin := map[int]int{}
	for _, fn := range p.Functions() {
		for _, line := range fn.Lines[1:] {
			begin[line]++
		}
	}
	lines := map[int]bool{}
	for i, text := range strings.Split(source, "\n") {
		word := regexp.MustCompile(`^\s*(\w*)`).FindStringSubmatch(text)[1]
		lines[i+1] = begin[i+1] == 1 && word != "" && word != "elseif" && word != "end" && word != "until" &&
			word != "else"
	}
	return lines
}

// simple reports whether the line hook of C Lua is called for a line once for each run of the
// statement on it: it has one line, is no loop, and has an instruction.
func simple(text string) bool {
	return !regexp.MustCompile(`^\s*(for|while|repeat|do|local function|break)\b|function|^\s*local [\w, ]+$|= nil$|\bif true\b`).MatchString(text) && regexp.MustCompile(`[\w)\]}'"]$|then$`).MatchString(text)
}

// TestCountsAreThoseOfTheLineHook compares lines with what lua5.1 counts.
func TestCountsAreThoseOfTheLineHook(t *testing.T) {
	path := reference.Require(t, "lua5.1")
	compared, ran := 0, 0
	for _, pattern := range []string{"testdata/trace/*.lua", "../../examples/*.lua"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			source := string(text)
			L := testState()
			_, err = run(t, L, tracePrelude)
			require.NoError(t, err)
			proto, p := follow(t, source, nil)
			_, _ = L.Run(L.Load(proto))
			want, have := hookCounts(t, path, source), hits(p)
			lines := strings.Split(source, "\n")
			for line, one := range single(source, p) {
				if one && simple(lines[line-1]) && balanced(lines[line-1]) {
					compared++
					ran += min(have[line], 1)
					require.Equal(t, want[line], have[line], "%s:%d %s", file, line, lines[line-1])
				}
			}
		}
	}
	require.Greater(t, compared, 250)
	require.Greater(t, ran, 150)
}

// balanced reports whether all brackets that a text opens close in it: it is no beginning of a
// statement of several lines.
func balanced(text string) bool {
	count := func(chars string) (n int) {
		for _, c := range chars {
			n += strings.Count(text, string(c))
		}
		return n
	}
	return count("([{") == count(")]}")
}

// withHits returns a source in which a call of the function hit stands before the statements of
// some lines.
func withHits(source string, lines map[int]bool) string {
	text := strings.Split(source, "\n")
	for line, wanted := range lines {
		if wanted {
			text[line-1] = fmt.Sprintf("hit(%d) %s", line, text[line-1])
		}
	}
	return strings.Join(text, "\n")
}

// printing gives a State a function print that writes to a text.
func printing(L *lua.State) *strings.Builder {
	out := new(strings.Builder)
	L.Globals.SetString(nil, "print", lua.NewFunction("print", func(L *lua.State, c *lua.Call) {
		for _, v := range c.Args() {
			text, _ := L.Describe(v).ToString()
			out.WriteString(text + "\t")
		}
		out.WriteByte('\n')
	}).Value())
	return out
}

// TestCountsOfRandomPrograms: a program does the same with a profile as without, the lines ran as
// often as calls before their statements tell, and the nodes of the call tree hold all time.
func TestCountsOfRandomPrograms(t *testing.T) {
	lines := 0
	for seed := range uint64(300) {
		source := program(seed)
		if _, err := lua.Compile(source, "=t"); err != nil {
			continue // some are no programs
		}
		plain := testState()
		want := printing(plain)
		_, wantErr := run(t, plain, source)

		now := int64(0)
		L := testState()
		have := printing(L)
		proto, p := follow(t, source, func() int64 { now++; return now })
		p.Tree.Begin()
		_, err := L.Run(L.Load(proto))
		p.Tree.End()
		require.Equal(t, want.String(), have.String(), "seed %d", seed)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), "seed %d", seed)
		time := int64(0)
		for _, n := range p.Tree.Nodes() {
			time += n.Time()
		}
		require.Equal(t, now-1, time)

		counts, counting := map[int]int{}, testState()
		printing(counting)
		counting.Globals.SetString(nil, "hit", lua.NewFunction("hit", func(_ *lua.State, c *lua.Call) {
			line, _ := c.Arg(1).AsNumber()
			counts[int(line)]++
		}).Value())
		one := single(source, p)
		_, _ = run(t, counting, withHits(source, one))
		for line, n := range hits(p) {
			if one[line] {
				lines++
				require.Equal(t, counts[line], n, "seed %d, line %d of\n%s", seed, line, source)
			}
		}
	}
	require.Greater(t, lines, 5000)
}

// TestFollowKeepsState: functions that exist are followed and cease to be, with the variables that
// they have.
func TestFollowKeepsState(t *testing.T) {
	const source = "local n = 0\nreturn function()\n  n = n + 1\n  local function twice(x) return 2 * x end\n" +
		"  kept = twice\n  return n\nend, function() return kept(n) end"
	proto, err := lua.Compile(source, "@script.lua")
	require.NoError(t, err)
	L := testState()
	results, err := L.Run(L.Load(proto))
	require.NoError(t, err)
	count, twice := results[0].AsFunction(), results[1].AsFunction()
	p := &lua.Profile{Counting: true}
	call := func(fn *lua.Function, want float64) {
		results, err := L.Run(fn)
		require.NoError(t, err)
		got, _ := results[0].AsNumber()
		require.Equal(t, want, got)
	}
	call(count, 1)
	for round := 1; round <= 3; round++ {
		n := float64(2 * round)
		require.NoError(t, proto.Follow(source, p))
		require.NoError(t, proto.Follow(source, p), "once is enough")
		call(count, n)
		call(twice, 2*n)
		require.Equal(t, map[int]int{1: 0, 2: 0, 3: round, 4: round, 5: round, 6: round, 7: round}, hits(p))
		proto.Unfollow()
		proto.Unfollow()
		call(count, n+1)
		call(twice, 2*(n+1))
		require.Equal(t, round, hits(p)[3], "it counts no more")
	}
	require.Error(t, proto.Follow("return +", p), "another source")
	call(count, 8)
}

// TestCallTreeIsBounded: deep recursion and many different chains of calls do not make it grow for
// ever.
func TestCallTreeIsBounded(t *testing.T) {
	proto, p := follow(t, `local function down(n) if n == 0 then return 0 end return 1 + down(n - 1) end
local function fork(n) if n == 0 then return end fork(n - 1) fork(n - 1) fork(n - 1) end
fork(11)
return down(15000)`, func() int64 { return 0 })
	L := testState()
	p.Tree.Begin()
	results, err := L.Run(L.Load(proto))
	p.Tree.End()
	require.NoError(t, err)
	depth, _ := results[0].AsNumber()
	require.Equal(t, 15000.0, depth)
	require.Less(t, len(p.Tree.Nodes()), 100_100)
	calls := 0
	for _, n := range p.Tree.Nodes() {
		calls += n.Calls
	}
	require.Equal(t, 1+15001+(177147*3-1)/2, calls, "no call is lost")
}
