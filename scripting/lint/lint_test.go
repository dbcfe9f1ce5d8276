package lint_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/assembly"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/release"
	"github.com/miniserver-go/miniserver/persistence/disk"
	"github.com/miniserver-go/miniserver/scripting/lint"
)

// commands is an engine with the commands of all releases.
var commands = func() *engine.Engine {
	e := engine.New(engine.Options{Clock: func() int64 { return 0 }})
	assembly.Join(e, assembly.Options{Disk: new(disk.Memory)})
	return e
}()

// linter returns a linter for a release, "" for the default one.
func linter(t *testing.T, version string) *lint.Linter {
	t.Helper()
	if version == "" {
		version = "default"
	}
	target, err := release.Parse(strings.Replace(version, "default", "8.0", 1))
	if version == "default" {
		all := release.Default
		target = &all
	}
	require.NoError(t, err)
	return lint.New(commands, target)
}

func rulesOf(findings []lint.Finding) (rules []string) {
	for _, f := range findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

var (
	wanted = regexp.MustCompile(`-- want( \d+)?: ([a-z -]+)$`)
	target = regexp.MustCompile(`(?m)^-- for: (.*)$`)
)

// Each faulty script says behind its lines which rules find something there, or in another line of
// which number. Its first line may say for which release it is checked.
func TestFaultyScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/faulty/*.lua")
	require.NoError(t, err)
	require.Greater(t, len(paths), 60)
	found := make(map[string]bool)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".lua"), func(t *testing.T) {
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			version := ""
			if m := target.FindSubmatch(source); m != nil {
				version = string(m[1])
			}
			lines := strings.Split(string(source), "\n")
			want, got := make([][]string, len(lines)+1), make([][]string, len(lines)+1)
			for i, line := range lines {
				if m := wanted.FindStringSubmatch(line); m != nil {
					at := i + 1
					if m[1] != "" {
						at, err = strconv.Atoi(m[1][1:])
						require.NoError(t, err)
					}
					want[at] = strings.Fields(m[2])
				}
			}
			for _, f := range linter(t, version).Lint(string(source)) {
				got[f.Line] = append(got[f.Line], f.Rule)
				found[f.Rule] = true
				require.Regexp(t, `^[^.]+(\. |\.$|\.\d|\.\.|\.[%a-zA-Z]|f')`, f.Message)
			}
			for i := range lines {
				slices.Sort(got[i+1])
				require.Equal(t, want[i+1], got[i+1], "line %d: %s", i+1, lines[i])
			}
		})
	}
	for _, rule := range lint.Rules {
		require.True(t, found[rule.Name], "no script for the rule %s", rule.Name)
	}
}

// The examples of the rules show them: the bad one has the fault, the good one has none.
func TestExamplesOfRules(t *testing.T) {
	for _, rule := range lint.Rules {
		l := linter(t, rule.For)
		require.Contains(t, rulesOf(l.Lint(rule.Bad)), rule.Name, rule.Bad)
		require.Empty(t, worse(l.Lint(rule.Good)), rule.Good)
	}
}

// A release has its newest commands and options, and scripts may use those that the engine does not
// have.
func TestNewestCommands(t *testing.T) {
	for script, versions := range map[string][]string{
		"redis.call('ARSET', KEYS[1], 0, ARGV[1])":                                         {"", "8.8"},
		"redis.call('VADD', KEYS[1], 'VALUES', 1, ARGV[1], ARGV[2])":                       {"", "8.0"},
		"redis.call('SDIFFCARD', 2, KEYS[1], KEYS[2])":                                     {"", "8.10"},
		"redis.call('XREAD', 'MAXCOUNT', 100, 'STREAMS', KEYS[1], 0)":                      {"", "8.10"},
		"redis.call('CLUSTERSCAN', ARGV[1])":                                               {"", "valkey:9.1"},
		"redis.call('HSETEX', KEYS[1], 'NX', 'FIELDS', 1, 'f', ARGV[1])":                   {"", "valkey:9.1"},
		"redis.call('HGETEX', KEYS[1], 'EX', 9, 'FIELDS', 1, 'f')":                         {"", "8.0", "valkey:9.0"},
		"redis.call('SET', KEYS[1], ARGV[1], 'IFEQ', ARGV[2])":                             {"", "8.4", "valkey:8.1"},
		"redis.call('DELIFEQ', KEYS[1], ARGV[1])":                                          {"", "valkey:9.0"},
		"redis.call('INCREX', KEYS[1], 'BYINT', 1, 'EX', ARGV[1])":                         {"", "8.8"},
		"redis.call('MSETEX', 1, KEYS[1], ARGV[1], 'EX', 9)":                               {"", "8.4", "valkey:9.1"},
		"redis.call('ZUNION', 2, KEYS[1], KEYS[2], 'AGGREGATE', 'COUNT')":                  {"", "8.8"},
		"redis.call('XADD', KEYS[1], 'IDMPAUTO', ARGV[1], '*', 'f', 'v')":                  {"", "8.6"},
		"redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'CLAIM', 9, 'STREAMS', KEYS[1], '>')": {"", "8.4"},
	} {
		for _, version := range versions {
			require.Empty(t, worse(linter(t, version).Lint("return "+script)), "%s for %s", script, version)
		}
	}
}

// TestCallsOfLaterTypes: the linter knows all commands of the types that came after Redis 7: which
// releases have them, and the number of their arguments.
func TestCallsOfLaterTypes(t *testing.T) {
	newest, known := linter(t, ""), 0
	for _, c := range commands.Commands.All() {
		if c.Group() != "array" && c.Module() == "" || c.Flags&command.NoScript != 0 {
			continue
		}
		known++
		call := "return redis.call('" + strings.ToUpper(c.Name) + "'"
		enough := call + strings.Repeat(", ARGV[1]", max(c.Arity, -c.Arity)-1) + ")"
		require.NotContains(t, rulesOf(newest.Lint(enough)), "wrong-arguments", enough)
		require.NotContains(t, rulesOf(newest.Lint(enough)), "unknown-command", enough)
		if c.Arity != -1 && c.Arity != 1 {
			require.Contains(t, rulesOf(newest.Lint(call+")")), "wrong-arguments", call)
		}
		came := c.Group() != "bf" && c.Module() != "redis-cell"
		require.Equal(t, came, slices.Contains(rulesOf(linter(t, "7.2").Lint(enough)), "newer-command"), enough)
		wrong := "return redis.call('" + c.Name + "x', KEYS[1])"
		require.Contains(t, rulesOf(newest.Lint(wrong)), "unknown-command", wrong)
	}
	require.Greater(t, known, 110)
}

// Elements that a script itself provides, or may have, are not missing.
func TestElementsThatMayBeThere(t *testing.T) {
	for _, script := range []string{
		"if #ARGV < 2 then ARGV[2] = '60' return ARGV[2] end",
		"if #ARGV == 1 then table.insert(ARGV, '60') return ARGV[1] + ARGV[2] end",
		"if #ARGV ~= 2 and #ARGV ~= 3 then return 0 end return {ARGV[1], ARGV[2], ARGV[3]}",
		"if #ARGV < 2 then return 0 end return {ARGV[1], ARGV[2], ARGV[3]}",
		"local n = 0 if #ARGV > 2 then n = ARGV[3] end return {ARGV[1], ARGV[2], n}",
		"for i = 1, 2 do if #KEYS <= i then return ARGV[i] end end return KEYS[3]",
	} {
		require.NotContains(t, rulesOf(linter(t, "").Lint(script)), "missing-element", script)
	}
}

// The scripts that the repository shows are clean.
func TestShownScripts(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*.lua")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Empty(t, linter(t, "").Lint(string(source)), path)
	}
}

// worse returns the findings that are no notes.
func worse(findings []lint.Finding) []lint.Finding {
	return slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Level == lint.Note })
}

var update = flag.Bool("update", false, "write the rules into docs/lint.md")

// docs/lint.md describes the rules as the table has them.
func TestPage(t *testing.T) {
	const path = "../../docs/lint.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	const begin, end = "-update -->\n", "<!-- end of the rules -->"
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := before + begin + page() + end + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "run go test ./scripting/lint -update")
}

// page returns the rules in Markdown: a table of contents, and a section for each.
func page() string {
	var b strings.Builder
	b.WriteString("\n| rule | level |\n|---|---|\n")
	for _, rule := range lint.Rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", rule.Name, rule.Name, rule.Level)
	}
	for _, rule := range lint.Rules {
		fmt.Fprintf(&b, "\n### %s\n\n%s", rule.Name, rule.About)
		if rule.For != "" {
			fmt.Fprintf(&b, " For example with `--redis-version %s`:", rule.For)
		}
		fmt.Fprintf(&b, "\n\n```lua\n%s\n```\n\nBetter:\n\n```lua\n%s\n```\n", rule.Bad, rule.Good)
	}
	b.WriteString("\n")
	return b.String()
}

func TestIgnoring(t *testing.T) {
	const finding = "return redis.call('GET', 'config')"
	for source, want := range map[string][]string{
		finding: {"constant-key"},
		finding + " -- lint: ignore constant-key there is one node":                                  nil,
		"-- lint: ignore constant-key there is one node\n\n-- the config\n" + finding:                nil,
		"-- lint: ignore constant-key there is one node\nlocal a\n" + finding:                        {"constant-key"},
		"-- lint:ignore-file constant-key there is one node\nlocal a\n" + finding:                    nil,
		"return redis.call('GET', 'a') + 1 --lint: ignore constant-key,nil-reply it is always there": nil,
		"return redis.call('GET', 'a') + 1 -- lint: ignore nil-reply it is always there":             {"constant-key"},
		finding + " -- lint: ignore constant-key": {"constant-key",
			"ignore"},
		finding + " -- lint: ignore constant-kee there is one node": {"constant-key", "ignore"},
		finding + " -- lint: ignore":                                {"constant-key", "ignore"},
		"-- see lint: ignoring\n" + finding:                         {"constant-key"},
	} {
		require.Equal(t, want, rulesOf(linter(t, "").Lint(source)), source)
	}
}

// What the linter follows takes bounded time, however the script is nested.
func TestHostileScriptsEnd(t *testing.T) {
	nested := func(n int, begin, end string) string { return strings.Repeat(begin, n) + strings.Repeat(end, n) }
	calls := "local function f0(x) return redis.call('GET', x) end\n"
	for i := range 60 {
		calls += fmt.Sprintf("local function f%d(x) f%d(x) return f%d(x) end\n", i+1, i, i)
	}
	for name, source := range map[string]string{
		"loops":      nested(90, "for i = 1, 2 do while x do ", " end end"),
		"conditions": "local a = ARGV[1]\n" + nested(190, "if a then ", " end"),
		"functions":  nested(90, "if (function() ", " end)() then end "),
		"calls":      calls + "return f60(KEYS[1])",
		"doubling":   "local s = ARGV[1]\n" + strings.Repeat("s = s .. s\n", 5000) + "return redis.call('GET', s)",
		"constant":   "local s = 'x'\n" + strings.Repeat("s = s .. s\n", 5000) + "return redis.call('GET', s)",
		"tables":     "local t = {}\n" + strings.Repeat("t = {t, t}\n", 2000) + "return t",
		"itself":     "local t = {}\nt[1] = t\nt.x = t\nreturn {t, t, t}",
		"concat": "local s = ARGV[1]\n" + strings.Repeat("s = table.concat({s, s})\n", 2000) +
			"return redis.call('GET', s)",
		"format": "local s = ARGV[1]\n" + strings.Repeat("s = string.format('%s%s', s, s)\n", 2000) +
			"return redis.call('GET', s)",
		"replies": "local t = {}\n" + strings.Repeat("t = {"+strings.Repeat("t,", 100)+"}\n", 20) + "return t",
		"deep":    "return " + strings.Repeat("{", 150) + strings.Repeat("}", 150),
		"chain":   "return KEYS[1]" + strings.Repeat(" + 1", 9000),
		"ifs":     "local a, b = 1, 2\n" + strings.Repeat("if a then b = a elseif b then a = b end\n", 5000),
		"reads":   strings.Repeat("x = redis.call('GET', KEYS[1] .. x) + 1\n", 2000),
	} {
		t.Run(name, func(t *testing.T) { require.NotPanics(t, func() { linter(t, "").Lint(source) }) })
	}
}

// FuzzLint looks for a source that makes the linter panic, or report a place outside of it.
func FuzzLint(f *testing.F) {
	paths, _ := filepath.Glob("testdata/faulty/*.lua")
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(source))
	}
	f.Fuzz(func(t *testing.T, source string) {
		lines := strings.Count(source, "\n") + strings.Count(source, "\r") + 1
		for _, finding := range linter(t, "6.0").Lint(source) {
			require.LessOrEqual(t, finding.Line, lines)
			require.Positive(t, finding.Line)
			require.Positive(t, finding.Column)
			require.NotNil(t, lint.Find(finding.Rule))
		}
	})
}
