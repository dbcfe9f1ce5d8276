package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// findings are what the rules have found in a source.
type findings struct {
	source string
	places *syntax.Places
	list   []Finding
	seen   map[spot]bool
	silent int // above 0 nothing is reported: first turns of loops, and what is evaluated again
}

// spot is a rule at a place: it is reported once, in how many ways the place may be reached.
type spot struct {
	rule string
	at   int32
}

func newFindings(source string) *findings {
	return &findings{source: source, places: syntax.PlacesIn(source), seen: make(map[spot]bool)}
}

// report adds a finding of a rule, unless there is one at the place.
func (f *findings) report(rule string, at int32, format string, args ...any) {
	if f.silent > 0 || f.seen[spot{rule, at}] {
		return
	}
	f.seen[spot{rule, at}] = true
	line, column := f.places.At(at)
	f.list = append(f.list, Finding{rule, Find(rule).Level, line, column, fmt.Sprintf(format, args...), Link(rule)})
}

// sorted returns what no comment silences, in the order of the source.
func (f *findings) sorted(ignores ignores) []Finding {
	list := slices.DeleteFunc(f.list, ignores.cover)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
	return list
}

// ignores are the comments that silence rules: a line, 0 for the whole source, and a rule.
type ignores map[ignore]bool

type ignore struct {
	line int
	rule string
}

// cover reports whether a comment silences a finding.
func (i ignores) cover(f Finding) bool {
	return i[ignore{f.Line, f.Rule}] || i[ignore{0, f.Rule}]
}

var ignoreComment = regexp.MustCompile(`--\s*lint:\s*(ignore-file|ignore)\b[ \t]*(\S*)[ \t]*([^\r\n]*)`)

// readIgnores reads the comments "-- lint: ignore rule reason". One behind code is about its line,
// one on a line of its own about the next line of code, and ignore-file about the whole source.
// Several rules are separated by commas.
func (f *findings) readIgnores() ignores {
	list := make(ignores)
	lines := strings.Split(f.source, "\n")
	offset := 0
	for i, line := range lines {
		if m := ignoreComment.FindStringSubmatchIndex(line); m != nil {
			group := func(n int) string { return line[m[2*n]:m[2*n+1]] }
			about := i + 1
			if group(1) == "ignore-file" {
				about = 0
			} else if strings.TrimSpace(line[:m[0]]) == "" {
				about = nextCode(lines, i+1)
			}
			f.readIgnore(list, about, int32(offset+m[0]), group(2), group(3))
		}
		offset += len(line) + 1
	}
	return list
}

// readIgnore adds the rules of one comment.
func (f *findings) readIgnore(list ignores, line int, at int32, rules, reason string) {
	for rule := range strings.SplitSeq(rules, ",") {
		switch {
		case Find(rule) == nil:
			f.report("ignore", at, "There is no rule %q: see docs/lint.md.", rule)
		case strings.TrimSpace(reason) == "":
			f.report("ignore", at, "The reason is missing: write it after the name, -- lint: ignore %s because ...",
				rule)
		default:
			list[ignore{line, rule}] = true
		}
	}
}

// nextCode returns the number of the first line from i on that is neither empty nor a comment.
func nextCode(lines []string, i int) int {
	for ; i < len(lines); i++ {
		if text := strings.TrimSpace(lines[i]); text != "" && !strings.HasPrefix(text, "--") {
			break
		}
	}
	return i + 1
}
