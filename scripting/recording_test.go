package scripting_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/internal/reference"
	"github.com/miniserver-go/miniserver/resp"
	"github.com/miniserver-go/miniserver/scripting"
)

// recorded is an engine whose scripts are recorded.
type recorded struct {
	t       *testing.T
	engine  *engine.Engine
	session *engine.Session
}

func newRecorded(t *testing.T, commands ...string) *recorded {
	e := newEngine()
	r := &recorded{t, e, e.NewSession(nil)}
	for _, line := range commands {
		require.Equal(t, "OK", r.do(strings.Fields(line)...), line)
	}
	return r
}

// do runs a command and returns its reply as redis-cli --raw prints it.
func (r *recorded) do(words ...string) string {
	args := make([][]byte, len(words))
	for i, w := range words {
		args[i] = []byte(w)
	}
	reply, err := resp.NewReader(bytes.NewReader(r.engine.Do(r.session, [][][]byte{args}).Out)).Read()
	require.NoError(r.t, err)
	return reply.Raw()
}

func (r *recorded) eval(script string, words ...string) string {
	return r.do(append([]string{"EVAL", script, "0"}, words...)...)
}

// counts returns the counts before the lines of a script in the report, -1 where there is none.
func (r *recorded) counts(name string) (counts []int) {
	_, text, ok := strings.Cut("\n"+r.do("SCRIPT", "COVERAGE", "REPORT"), "\n"+name+": ")
	require.True(r.t, ok, "%s is not reported", name)
	_, text, _ = strings.Cut(text, "\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		figure, _, _ := strings.Cut(line, " |")
		n, err := strconv.Atoi(strings.TrimSpace(figure))
		if err != nil {
			n = -1
		}
		counts = append(counts, n)
	}
	return counts
}

const manyWays = `-- ways.lua
local function down(n)
  if n == 0 then
    return 0
  end
  return 1 + down(n - 1)
end
local ok = pcall(function()
  error('no')
  down(100)
end)
local co = coroutine.wrap(function(a)
  while true do
    a = coroutine.yield(a * 2)
  end
end)
co(1)
co(2)
local failed = redis.pcall('NOSUCH')
redis.call('SET', 'k', down(3))
redis.call('INCR', 'k', 'too many')
return 'never'`

// TestCoverageOfErrors: lines count as often as they begin, also before errors, in coroutines, and
// when the script fails.
func TestCoverageOfErrors(t *testing.T) {
	r := newRecorded(t, "SCRIPT COVERAGE START")
	for run := 1; run <= 3; run++ {
		require.Contains(t, r.eval(manyWays), "ERR Wrong number of args")
		want := []int{-1, run, 4 * run, run, -1, 3 * run, -1, run, run, 0, -1, run, run, 2 * run, -1, -1, run, run,
			run, run, run, 0}
		require.Equal(t, want, r.counts("ways.lua"))
	}
}

// TestCoverageOutlastsScripts: counts stay when a script leaves the cache, and go on when it is
// there again.
func TestCoverageOutlastsScripts(t *testing.T) {
	r := newRecorded(t, "SCRIPT COVERAGE START")
	const script = "-- a.lua\nreturn 1"
	r.eval(script)
	r.do("SCRIPT", "FLUSH")
	r.eval(script)
	for i := range 600 {
		r.eval(fmt.Sprint("return ", i))
	}
	r.do("SCRIPT", "COVERAGE", "STOP")
	r.eval(script)
	r.do("SCRIPT", "COVERAGE", "START")
	r.eval(script)
	require.Equal(t, []int{-1, 3}, r.counts("a.lua"))
	r.do("SCRIPT", "COVERAGE", "STOP", "RESET")
	r.do("SCRIPT", "COVERAGE", "START")
	r.eval(script)
	require.Equal(t, []int{-1, 1}, r.counts("a.lua"))
}

// TestRecordingIsBounded: there is room for 1000 sources and 16 MiB of them; what comes then runs
// without a record.
func TestRecordingIsBounded(t *testing.T) {
	quick.OneGoroutine(t, "runs scripts of megabytes")
	r := newRecorded(t, "SCRIPT COVERAGE START", "SCRIPT PROFILE START")
	for i := range 1005 {
		require.Equal(t, strconv.Itoa(i), r.eval(fmt.Sprint("return ", i)))
	}
	require.Equal(t, "999", r.eval("return 999"))
	require.Contains(t, r.do("SCRIPT", "COVERAGE", "REPORT"),
		" of 1000 scripts\n5 runs of other scripts were not counted\n")
	require.Contains(t, r.do("SCRIPT", "PROFILE", "REPORT"), " ms in scripts\n5 runs of other scripts were not timed\n")

	r = newRecorded(t, "SCRIPT COVERAGE START")
	large := "return #'" + strings.Repeat("x", 9<<20) + "'"
	require.Equal(t, strconv.Itoa(9<<20), r.eval(large))
	require.Equal(t, strconv.Itoa(9<<20), r.eval("  "+large))
	require.Contains(t, r.do("SCRIPT", "COVERAGE", "REPORT"), "1 runs of other scripts were not counted\n")
}

const counter = `#!lua name=NAME
local n = 0
local function add(by)
  n = n + by
  return n
end
redis.register_function('NAME_add', function(keys, args) return add(args[1]) end)
redis.register_function{function_name = 'NAME_twice', callback = function(keys, args)
  return add(2 * args[1])
end}
`

func library(name string) string { return strings.ReplaceAll(counter, "NAME", name) }

// TestCoverageOfLibraries: functions that are loaded already keep their variables. Each library has
// its counts, and the same source keeps them when it is loaded again.
func TestCoverageOfLibraries(t *testing.T) {
	r := newRecorded(t)
	require.Equal(t, "one", r.do("FUNCTION", "LOAD", library("one")))
	require.Equal(t, "5", r.do("FCALL", "one_add", "0", "5"))
	require.Equal(t, "OK", r.do("SCRIPT", "COVERAGE", "START"))
	require.Equal(t, "two", r.do("FUNCTION", "LOAD", library("two")))
	require.Equal(t, "8", r.do("FCALL", "one_add", "0", "3"))
	require.Equal(t, "1", r.do("FCALL", "two_add", "0", "1"))
	require.Equal(t, "7", r.do("FCALL", "two_twice", "0", "3"))
	require.Equal(t, []int{-1, 0, 0, 1, 1, -1, 1, 0, 0, -1}, r.counts("user_function/one.lua"))
	require.Equal(t, []int{-1, 1, 1, 2, 2, -1, 1, 1, 1, -1}, r.counts("user_function/two.lua"))
	require.Equal(t, "OK", r.do("SCRIPT", "COVERAGE", "STOP"))
	require.Equal(t, "9", r.do("FCALL", "one_add", "0", "1"), "it keeps its variables")
	require.Equal(t, "OK", r.do("SCRIPT", "COVERAGE", "START"))
	require.Equal(t, "two", r.do("FUNCTION", "LOAD", "REPLACE", library("two")))
	require.Equal(t, "4", r.do("FCALL", "two_twice", "0", "2"))
	require.Equal(t, []int{-1, 2, 2, 3, 3, -1, 2, 2, 2, -1}, r.counts("user_function/two.lua"))
	lcov := r.do("SCRIPT", "COVERAGE", "REPORT", "LCOV")
	require.Contains(t, lcov, "FN:1,main chunk\nFN:3,add\nFN:7,two_add\nFN:8,two_twice\nFNDA:2,main chunk\n"+
		"FNDA:3,add\nFNDA:1,two_add\nFNDA:2,two_twice\n")
	require.Contains(t, r.do("FUNCTION", "LOAD", "REPLACE", "#!lua name=two\nerror('x')"),
		"ERR Error registering functions")
	require.Equal(t, "6", r.do("FCALL", "two_add", "0", "2"), "the library is still there, and counts")
	require.Equal(t, 4, r.counts("user_function/two.lua")[3])
}

// TestTracefile: the totals in a tracefile are those of its lines, and lcov reads it.
func TestTracefile(t *testing.T) {
	r := newRecorded(t, "SCRIPT COVERAGE START")
	r.eval(manyWays)
	r.do("FUNCTION", "LOAD", library("one"))
	r.eval("local t = {['x,y'] = function() end} pcall('a\\nDA:1,1', function() end)")
	r.eval("local f = function() end f = function() end\nf = function() end return 1")
	text := r.do("SCRIPT", "COVERAGE", "REPORT", "LCOV")
	require.Contains(t, text, "FN:1,f\nFN:1,f:1\nFN:2,f:2\n")
	require.Contains(t, text, "FN:1,function:1\nFN:1,function:1:1\n")
	totals, sum := map[string]int{}, map[string]int{}
	for line := range strings.Lines(text) {
		kind, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		values := strings.Split(value, ",")
		last, _ := strconv.Atoi(values[len(values)-1])
		switch kind {
		case "DA", "BRDA", "FNDA":
			if kind == "FNDA" {
				last, _ = strconv.Atoi(values[0])
			}
			totals[kind]++
			totals[kind+" ran"] += min(last, 1)
		case "LF", "BRF", "FNF", "LH", "BRH", "FNH":
			of := map[byte]string{'L': "DA", 'B': "BRDA", 'F': "FNDA"}[kind[0]]
			if kind[len(kind)-1] == 'H' {
				of += " ran"
			}
			require.Equal(t, totals[of], last, "%s in\n%s", kind, text)
			sum[kind] += last
		case "end_of_record":
			totals = map[string]int{}
		}
	}
	lcov := reference.Require(t, "lcov")
	file := filepath.Join(t.TempDir(), "scripts.info")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	out, err := exec.Command(lcov, "--rc", "lcov_branch_coverage=1", "--summary", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, kind := range []string{"L lines", "FN functions", "BR branches"} {
		tag, word, _ := strings.Cut(kind, " ")
		require.Contains(t, string(out), fmt.Sprintf("(%d of %d %s)", sum[tag+"H"], sum[tag+"F"], word))
	}
}

// TestProfileReports: the formats tell the same of the same run.
func TestProfileReports(t *testing.T) {
	now := int64(0)
	r := newRecorded(t)
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }, Seed: 1})
	s := scripting.New(e)
	s.Nanos = func() int64 { now += 1000; return now }
	e.Join(s.Part())
	r.engine, r.session = e, e.NewSession(nil)
	r.do("SCRIPT", "PROFILE", "START")
	const script = "-- a.lua\nlocal s = {}\nlocal function put(i)\n  s[#s + 1] = string.rep('<&\"', i) .. " +
		"redis.sha1hex('\x01')\nend\nfor i = 1, 5 do put(i) end\nput(6)\nreturn #s"
	require.Equal(t, "6", r.eval(script))
	now += 1e9 // between two runs
	require.Equal(t, "6", r.eval(script))

	text := r.do("SCRIPT", "PROFILE", "REPORT")
	require.Regexp(t, `(?m)^ +\d+\.\d+ +\d+\.\d +\d+\.\d+ +12  a\.lua:4  s\[#s \+ 1\]`, text)
	require.Regexp(t, `(?m)^ +\d+\.\d+ +\d+\.\d +\d+\.\d+ +12  put a\.lua:3$`, text)
	require.Regexp(t, `(?m)^ +\d+\.\d+ +\d+\.\d +\d+\.\d+ +2  a\.lua$`, text)
	require.Regexp(t, `(?m)^ +0\.012 +\d+\.\d +0\.012 +12  redis\.sha1hex$`, text)
	total, err := strconv.ParseFloat(regexp.MustCompile(`^\S+`).FindString(text), 64)
	require.NoError(t, err)
	require.Less(t, total, 1.0, "the time between runs does not count")

	raw := r.pprof("-raw")
	callees := make(map[string]string) // names and files, by the numbers of locations
	for _, found := range regexp.MustCompile(`(?m)^ +(\d+): 0x0 M=1 (.*):\d+:\d+ s=\d+$`).FindAllStringSubmatch(raw, -1) {
		callees[found[1]] = found[2]
	}
	calls, spent := map[string]int{}, 0.0
	for _, sample := range regexp.MustCompile(`(?m)^ +(\d+) +(\d+): (\d+) [\d ]*$`).FindAllStringSubmatch(raw, -1) {
		n, _ := strconv.Atoi(sample[1])
		calls[callees[sample[3]]] += n
		nanos, _ := strconv.ParseFloat(sample[2], 64)
		spent += nanos
	}
	require.InDelta(t, total, spent/1e6, 0.0006)
	require.Contains(t, r.pprof("-top"), "(  100%)\n", "the duration is the sum of the samples")
	require.Equal(t, map[string]int{"a.lua a.lua": 2, "put a.lua": 12, "string.rep ": 12, "redis.sha1hex ": 12}, calls)

	decoder := xml.NewDecoder(strings.NewReader(r.do("SCRIPT", "PROFILE", "REPORT", "SVG")))
	titles := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if chars, ok := token.(xml.CharData); ok && strings.Contains(string(chars), "string.rep('<&\"', i)") {
			titles++
		}
	}
	require.NotZero(t, titles)
}

// TestPProfOpens opens a profile with go tool pprof.
func TestPProfOpens(t *testing.T) {
	r := newRecorded(t, "SCRIPT PROFILE START")
	r.eval(manyWays)
	out := r.pprof("-top", "-sample_index=calls")
	require.Regexp(t, `(?m)^ +4 .* down$`, out)
	require.Regexp(t, `(?m)^ +1 .* redis\.call SET$`, out)
}

// pprof returns what go tool pprof prints of the profile.
func (r *recorded) pprof(options ...string) string {
	file := filepath.Join(r.t.TempDir(), "scripts.pb.gz")
	require.NoError(r.t, os.WriteFile(file, []byte(r.do("SCRIPT", "PROFILE", "REPORT", "PPROF")), 0o600))
	out, err := exec.Command("go", slices.Concat([]string{"tool", "pprof"}, options, []string{file})...).
		CombinedOutput()
	require.NoError(r.t, err, "%s", out)
	return string(out)
}

// TestRecordingOfKilledScripts: a script that runs for long is recorded up to where it is killed.
func TestRecordingOfKilledScripts(t *testing.T) {
	s := newSlowServer(t)
	a, b := s.dial(), s.dial()
	require.Equal(t, "OK", a.ask("SCRIPT COVERAGE START"))
	require.Equal(t, "OK", a.ask("SCRIPT PROFILE START"))
	a.eval("-- slow.lua\nlocal n = 1\nn = n + 1\n" + held + "\nn = n + 1\nwhile true do end\nreturn n")
	b.awaitBusy()
	for _, line := range []string{"SCRIPT COVERAGE REPORT", "SCRIPT PROFILE REPORT", "SCRIPT COVERAGE STOP",
		"SCRIPT PROFILE START"} {
		require.Equal(t, busy, b.ask(line))
	}
	require.Equal(t, "OK", b.ask("SCRIPT KILL"))
	require.Contains(t, a.next(), killedText)
	report, err := strconv.Unquote(b.ask("SCRIPT COVERAGE REPORT"))
	require.NoError(t, err)
	require.Contains(t, report, "slow.lua: 3 of 6 lines (50.0 %), 1 of 2 branches (50.0 %)\n\n        | -- slow.lua\n"+
		"      1 | local n = 1\n      1 | n = n + 1\n")
	require.Contains(t, report, "\n      0 | n = n + 1\n      0 | while true do end\n      0 | return n\n")
	a.eval("return 1")
	require.Equal(t, "(integer) 1", a.next())
	require.Regexp(t, `slow\.lua:4  while redis\.call`, b.ask("SCRIPT PROFILE REPORT"))
}
