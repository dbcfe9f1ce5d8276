package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/scripting/lua/syntax"
)

// parse returns the tree of the source. A first line #!lua is replaced by blanks, so that places stay. It reports what
// is no Lua and returns nil.
func (r *run) parse() *syntax.Function {
	source := r.source
	if strings.HasPrefix(source, "#!") {
		first, rest, _ := strings.Cut(source, "\n")
		source = strings.Repeat(" ", len(first)) + "\n" + rest
		r.shebang(first)
	}
	body, err := syntax.Parse(source, "script", 0, nil)
	if err == nil {
		return body
	}
	text := strings.TrimPrefix(err.Error(), "script:")
	number, problem, _ := strings.Cut(text, ": ")
	line, _ := strconv.Atoi(number)
	r.report("syntax", r.lineStart(line), "Lua cannot read this: %s.", problem)
	return nil
}

// lineStart returns the offset of the first character of a line that is no blank.
func (r *run) lineStart(line int) int32 {
	rest := r.source[r.places.Line(line):]
	return int32(len(r.source) - len(strings.TrimLeft(rest, " \t")))
}

// shebang reads the first line of a script that declares flags, or of a library.
func (r *run) shebang(line string) {
	for _, word := range strings.Fields(line) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "name":
			r.functionLibrary = true
		case "flags":
			r.readOnly = slices.Contains(strings.Split(strings.TrimRight(value, "\r"), ","), "no-writes")
		}
	}
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

// readIgnores reads the comments "-- lint: ignore rule reason". One behind code is about its line, one on a line of its
// own about the next line of code, and ignore-file about the whole source. Several rules are separated by commas.
func (r *run) readIgnores() ignores {
	list := make(ignores)
	lines := strings.Split(r.source, "\n")
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
			r.readIgnore(list, about, int32(offset+m[0]), group(2), group(3))
		}
		offset += len(line) + 1
	}
	return list
}

// readIgnore adds the rules of one comment.
func (r *run) readIgnore(list ignores, line int, at int32, rules, reason string) {
	for rule := range strings.SplitSeq(rules, ",") {
		switch {
		case Find(rule) == nil:
			r.report("ignore", at, "There is no rule %q: see docs/lint.md.", rule)
		case strings.TrimSpace(reason) == "":
			r.report("ignore", at, "The reason is missing: write it after the name, -- lint: ignore %s because ...", rule)
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
