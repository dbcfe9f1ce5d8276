// Package profile reports what scripts did: which lines ran, and where the time went. It takes what
// the followers of package lua have gathered, and writes it in the formats of other tools.
//
//	lua.Profile of each script ─▶ Coverage ─▶ LCOV   a tracefile of lcov, for genhtml and editors
//	                                          Text   the source with counts
//	lua.CallTree of all runs   ─▶ Times    ─▶ Text   lines, functions and commands that took most
//	                                          PProf  for go tool pprof
//	                                          SVG    a flame graph
//
// A line runs as often as the statement on it that ran most. A line is executable if a statement,
// or what stands behind elseif, begins on it. Branches are the two outcomes of each condition of an
// if, elseif, while or repeat that is not a constant; the operators "and" and "or" are none.
package profile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua"
)

// Script is a script, or a library of functions.
type Script struct {
	Name    string // as reports show it: a relative path
	Digest  string // the SHA1 of Source in hexadecimal digits
	Source  string
	Profile *lua.Profile

	split []string // Source in lines; nil until it is needed
}

// NameOf returns a script's name: the path to a .lua file that its first line names in a comment,
// without which it is the given one. The line behind a shebang counts as the first.
//
//	-- limits/token-bucket.lua
func NameOf(source, otherwise string) string {
	first, rest, _ := strings.Cut(source, "\n")
	if strings.HasPrefix(first, "#!") {
		first, _, _ = strings.Cut(rest, "\n")
	}
	comment, ok := strings.CutPrefix(first, "--")
	path := strings.TrimSpace(comment)
	if !ok || !strings.HasSuffix(path, ".lua") ||
		strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return otherwise
	}
	return path
}

// label returns the name for people: with the first digits of a digest.
func (s *Script) label() string { return strings.Replace(s.Name, s.Digest, s.Digest[:8], 1) }

// Ran reports whether any statement has run.
func (s *Script) Ran() bool {
	return slices.ContainsFunc(s.Profile.Functions(), func(fn *lua.FunctionProfile) bool {
		return slices.ContainsFunc(fn.Hits, func(n int) bool { return n > 0 })
	})
}

// newline is the end of a line, as Lua counts lines.
var newline = regexp.MustCompile(`\r\n|\n\r|\r|\n`)

// lines returns the lines of the source, without their ends.
func (s *Script) lines() []string {
	if s.split == nil {
		s.split = newline.Split(s.Source, -1)
		if last := len(s.split) - 1; last > 0 && s.split[last] == "" {
			s.split = s.split[:last]
		}
	}
	return s.split
}

// line returns a line of the source without the spaces around it, "" if there is none.
func (s *Script) line(n int) string {
	lines := s.lines()
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[n-1])
}

// functionNames returns a different name for each function. One that the source does not name is
// called function:LINE.
func (s *Script) functionNames() []string {
	functions := s.Profile.Functions()
	names, seen := make([]string, len(functions)), make(map[string]int)
	for i, fn := range functions {
		name := cmp.Or(fn.Name, fmt.Sprint("function:", fn.Line))
		if fn.Line == 0 {
			name = "main chunk"
		}
		if seen[name] > 0 {
			name = fmt.Sprint(name, ":", fn.Line)
		}
		if seen[name]++; seen[name] > 1 {
			name = fmt.Sprint(name, "#", seen[name])
		}
		names[i] = name
	}
	return names
}

// count is a number of things, and of those among them that ran.
type count struct{ ran, all int }

func (c *count) add(hits int) {
	c.all++
	if hits > 0 {
		c.ran++
	}
}

func (c *count) plus(other count) {
	c.ran += other.ran
	c.all += other.all
}

// percent returns the part that ran, 100 of nothing.
func (c count) percent() float64 {
	if c.all == 0 {
		return 100
	}
	return 100 * float64(c.ran) / float64(c.all)
}

// lineCount is how often a line ran.
type lineCount struct{ line, hits int }

// lineCounts returns the executable lines in order.
func (s *Script) lineCounts() []lineCount {
	hits := make(map[int]int)
	for _, fn := range s.Profile.Functions() {
		for i, line := range fn.Lines[1:] {
			hits[line] = max(hits[line], fn.Hits[i+1])
		}
	}
	counts := make([]lineCount, 0, len(hits))
	for _, line := range slices.Sorted(maps.Keys(hits)) {
		counts = append(counts, lineCount{line, hits[line]})
	}
	return counts
}

// conditions returns the conditions in the order of their lines.
func (s *Script) conditions() (all []lua.Condition) {
	for _, fn := range s.Profile.Functions() {
		all = append(all, fn.Conditions...)
	}
	slices.SortStableFunc(all, func(a, b lua.Condition) int { return a.Line - b.Line })
	return all
}
