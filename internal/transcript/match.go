package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// placeholders maps placeholders to regular expressions.
var placeholders = map[string]string{
	"<int>":   `-?[0-9]+`,
	"<num>":   `-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?`,
	"<hex>":   `[0-9a-f]+`,
	"<text>":  `.*?`,
	"<any>":   `.*?`,
	"<lines>": `(?s:.*)`,
}

var (
	placeholder = regexp.MustCompile(`<(?:int|num|hex|text|any|lines)>`)
	slashes     = regexp.MustCompile(`^((?: *[0-9]+[)#] )*(?:\((?:error|integer)\) )?)/(.*)/$`) // maybe behind a number or a kind
	claimLine   = regexp.MustCompile(`^<(first|not first|at most|at least) (.+)>$`)
)

// checkPattern returns the error in a line of an expected reply.
func checkPattern(line string) error {
	if c, is := claimIn(line); is {
		return c.check()
	}
	if m := slashes.FindStringSubmatch(line); m != nil {
		if _, err := regexp.Compile(m[2]); err != nil {
			return fmt.Errorf("bad regular expression: %w", err)
		}
	}
	return nil
}

// fits reports whether a reply, and its text, match the expected text.
func fits(expected, got string, v resp.Value) bool {
	if c, is := claimIn(expected); is {
		return c.accepts(v)
	}
	return expected == "<any>" || matches(expected, got)
}

// claim is what a reply must be like: it, or the first element of an array, is one of the values,
// none of them, or a number with a bound.
type claim struct {
	verb   string // first, not first, at most, at least
	values []string
}

// claimIn returns the claim that an expected reply is, if it is one.
func claimIn(expected string) (claim, bool) {
	m := claimLine.FindStringSubmatch(expected)
	if m == nil {
		return claim{}, false
	}
	return claim{m[1], alternatives(m[2])}, true
}

func (c claim) String() string { return "<" + c.verb + " " + strings.Join(c.values, " | ") + ">" }

func (c claim) accepts(v resp.Value) bool {
	first := firstLeaf(v)
	switch c.verb {
	case "first":
		return slices.Contains(c.values, first)
	case "not first":
		return !slices.Contains(c.values, first)
	}
	n, err := strconv.ParseInt(first, 10, 64)
	bound, _ := strconv.ParseInt(c.values[0], 10, 64)
	return err == nil && (c.verb == "at most" && n <= bound || c.verb == "at least" && n >= bound)
}

// check returns the error of a claim without a bound.
func (c claim) check() error {
	if strings.HasPrefix(c.verb, "at ") && (len(c.values) != 1 || !isInteger(c.values[0])) {
		return fmt.Errorf("%s needs a number", c.verb)
	}
	return nil
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// alternatives splits a | b.
func alternatives(text string) []string {
	list := strings.Split(text, "|")
	for i, one := range list {
		list[i] = strings.TrimSpace(one)
	}
	return list
}

// firstLeaf returns the text of a scalar or, for an aggregate, of its first element; "nil" for what
// is absent.
func firstLeaf(v resp.Value) string {
	for v.IsAggregate() && len(v.Elems) > 0 {
		v = v.Elems[0]
	}
	switch {
	case v.IsNull():
		return "nil"
	case v.Kind == resp.Integer || v.Kind == resp.Boolean:
		return strconv.FormatInt(v.Int, 10)
	}
	return v.Text
}

// matches reports whether got matches the expected text, which may contain placeholders and lines
// with regular expressions. Spaces at line ends do not count: an editor may have removed them.
func matches(expected, got string) bool {
	expected, got = trimLines(expected), trimLines(got)
	if expected == got {
		return true
	}
	if !placeholder.MatchString(expected) && !strings.Contains(expected, "/") {
		return false
	}
	var patterns []string
	var inner []*regexp.Regexp // of the lines in slashes; what they match is captured
	for line := range strings.SplitSeq(expected, "\n") {
		if m := slashes.FindStringSubmatch(line); m != nil {
			if re, err := regexp.Compile(m[2]); err == nil {
				inner = append(inner, re)
				patterns = append(patterns, regexp.QuoteMeta(m[1])+"(.*)")
				continue
			}
		}
		patterns = append(patterns, linePattern(line))
	}
	found := regexp.MustCompile("^" + strings.Join(patterns, "\n") + "$").FindStringSubmatch(got)
	for i, re := range inner {
		if found == nil || !re.MatchString(found[i+1]) && !re.MatchString(unquoted(found[i+1])) {
			return false
		}
	}
	return found != nil
}

// linePattern returns the regular expression of a line with placeholders.
func linePattern(line string) string {
	var pattern strings.Builder
	at := 0
	for _, span := range placeholder.FindAllStringIndex(line, -1) {
		pattern.WriteString(regexp.QuoteMeta(line[at:span[0]]))
		pattern.WriteString(placeholders[line[span[0]:span[1]]])
		at = span[1]
	}
	pattern.WriteString(regexp.QuoteMeta(line[at:]))
	return pattern.String()
}

// unquoted returns the content of a text in quotes; other texts as they are.
func unquoted(text string) string {
	if list, err := words(text); err == nil && len(list) == 1 {
		return list[0]
	}
	return text
}

func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.Join(lines, "\n")
}

// Arrange returns v with its aggregates of scalars sorted.
func Arrange(v resp.Value, o Order) resp.Value {
	if o == AsSent || !v.IsAggregate() {
		return v
	}
	width := 1
	if v.Kind == resp.Map || o == Pairs && !pairedElems(v) {
		width = 2
	}
	if len(v.Elems)%width != 0 || !sortable(v, o) {
		elems := make([]resp.Value, len(v.Elems))
		for i, elem := range v.Elems {
			elems[i] = Arrange(elem, o)
		}
		v.Elems = elems
		return v
	}
	groups := slices.Collect(slices.Chunk(v.Elems, width))
	slices.SortStableFunc(groups, func(a, b []resp.Value) int {
		return strings.Compare(strings.Join(leavesOf(a), "\n"), strings.Join(leavesOf(b), "\n"))
	})
	v.Elems = slices.Concat(groups...)
	return v
}

// sortable reports whether v has only scalars, is a map, or is an array of pairs to be sorted as a
// map.
func sortable(v resp.Value, o Order) bool {
	return v.Kind == resp.Map || o == Pairs && pairedElems(v) || !slices.ContainsFunc(v.Elems, resp.Value.IsAggregate)
}

// pairedElems reports whether all elements are arrays of two scalars.
func pairedElems(v resp.Value) bool {
	return len(v.Elems) > 0 && !slices.ContainsFunc(v.Elems, func(e resp.Value) bool {
		return e.Kind != resp.Array || len(e.Elems) != 2 || slices.ContainsFunc(e.Elems, resp.Value.IsAggregate)
	})
}

// leavesOf returns the scalars of a tree in their RESP2 form as redis-cli shows them, one line
// each. Empty aggregates are leaves too.
func leavesOf(values []resp.Value) []string {
	var lines []string
	for _, v := range values {
		if v.IsAggregate() && len(v.Elems) > 0 {
			lines = append(lines, leavesOf(v.Elems)...)
			continue
		}
		lines = append(lines, asResp2(v).String())
	}
	return lines
}

// asResp2 returns the RESP2 form of a scalar or an empty aggregate.
func asResp2(v resp.Value) resp.Value {
	switch v.Kind {
	case resp.Double, resp.BigNumber, resp.Verbatim:
		return resp.Value{Kind: resp.Bulk, Text: v.Text}
	case resp.Boolean:
		return resp.Value{Kind: resp.Integer, Int: v.Int}
	case resp.Map, resp.Set, resp.Push:
		return resp.Value{Kind: resp.Array}
	}
	return v
}

var elementMarks = regexp.MustCompile(`^(?: *[0-9]+[)] )+`)

// shownLeaves returns the scalars of a RESP2 reply from its text.
func shownLeaves(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = elementMarks.ReplaceAllString(line, "")
	}
	return strings.Join(lines, "\n")
}
