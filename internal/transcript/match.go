package transcript

import (
	"regexp"
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/resp"
)

// placeholders maps placeholders to regular expressions.
var placeholders = map[string]string{
	"<int>":   `-?[0-9]+`,
	"<num>":   `-?[0-9]+(?:\.[0-9]+)?(?:e[-+][0-9]+)?`,
	"<hex>":   `[0-9a-f]+`,
	"<text>":  `.*?`,
	"<lines>": `(?s:.*)`,
}

var placeholder = regexp.MustCompile(`<(?:int|num|hex|text|lines)>`)

// matches reports whether got matches the expected text, which may contain placeholders.
// Spaces at line ends do not count: an editor may have removed them.
func matches(expected, got string) bool {
	expected, got = trimLines(expected), trimLines(got)
	if expected == got {
		return true
	}
	if !placeholder.MatchString(expected) {
		return false
	}
	var pattern strings.Builder
	pattern.WriteString("^")
	at := 0
	for _, span := range placeholder.FindAllStringIndex(expected, -1) {
		pattern.WriteString(regexp.QuoteMeta(expected[at:span[0]]))
		pattern.WriteString(placeholders[expected[span[0]:span[1]]])
		at = span[1]
	}
	pattern.WriteString(regexp.QuoteMeta(expected[at:]) + "$")
	return regexp.MustCompile(pattern.String()).MatchString(got)
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

// sortable reports whether v has only scalars, is a map, or is an array of pairs to be sorted as a map.
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
