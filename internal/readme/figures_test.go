//go:build unix

package readme

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/launch"
)

// The measured figures in the prose of the user's pages have a source, which testdata/figures.txt
// names: a time, a ratio, a percentage, bytes, requests a second. A test finds such figures, and
// requires that
//
//	each of them stands within a part that the list names;
//	each part of the list is on its page, once, and the list has the order of the pages;
//	a source is a file, a subcommand, an area or a test that there is;
//	a figure that is compared with a file of docs/benchmarks is what that file has.
//
// Code, and tables below a comment, which are generated, do not count. The list also names what
// looks like a measured figure and is none, as "fixed": a limit, a setting, a form of data.
//
// What is not found: figures in words, as in "a third smaller", and those behind the words of
// limits, as in "within 5 ms"; they may be in the list all the same. And nothing says whether the
// command of a source still comes to the figure: to run them all takes hours.

// claim is a line of the list: columns with tabs between them.
type claim struct {
	page   string // as in "docs/memory.md"
	part   string // of a paragraph with all the figures of the source, or the head of a table
	source string
	column string // of a file of docs/benchmarks: see kept; "" if nothing is compared
	rows   string // a regular expression for the names of its rows
}

func (c claim) String() string { return fmt.Sprintf("%s: %q", c.page, c.part) }

func claims(t *testing.T) (list []claim) {
	text, err := os.ReadFile(filepath.Join("testdata", "figures.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Split(line, "\t")
		require.Contains(t, []int{3, 5}, len(words), line)
		words = append(words, "", "")
		list = append(list, claim{words[0], words[1], words[2], words[3], words[4]})
	}
	require.NotEmpty(t, list)
	return list
}

func TestFiguresHaveSources(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	list := claims(t)
	for _, path := range pages(t, root) {
		page, err := filepath.Rel(root, path)
		require.NoError(t, err)
		if page = filepath.ToSlash(page); !ofUsers.MatchString(page) || page == "docs/changelog.md" {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		of := slices.DeleteFunc(slices.Clone(list), func(c claim) bool { return c.page != page })
		list = slices.DeleteFunc(list, func(c claim) bool { return c.page == page })
		for _, complaint := range complaints(parse(string(text)), of) {
			t.Errorf("%s: %s", page, complaint)
		}
	}
	require.Empty(t, list, "there are no such pages")
}

func TestSourcesOfFiguresAreThere(t *testing.T) {
	root, err := launch.Root()
	require.NoError(t, err)
	list := claims(t)
	require.True(t, slices.IsSortedFunc(list, func(a, b claim) int { return cmp.Compare(a.page, b.page) }))
	for _, c := range list {
		switch words := strings.Fields(c.source); {
		case c.source == "fixed":
		case strings.HasPrefix(c.source, "go run ./bench "):
			require.True(t, has(t, filepath.Join(root, "bench/main.go"), `\{"`+words[3]+`", "`), c.source)
		case strings.HasPrefix(c.source, "go run ./internal/hunt "):
			require.True(t, has(t, filepath.Join(root, "internal/hunt/main.go"), `\{"`+words[len(words)-1]+`", "`),
				c.source)
		case strings.HasPrefix(c.source, "go test "):
			requireTests(t, root, words)
		default:
			require.True(t, exists(filepath.Join(root, c.source)), c.source)
			if c.column != "" {
				require.Empty(t, c.differs(t, filepath.Join(root, c.source)), c)
			}
		}
	}
}

// has reports whether a file has a text that matches.
func has(t *testing.T, path, pattern string) bool {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return regexp.MustCompile(pattern).Match(text)
}

// requireTests requires a command "go test ./folder" to name tests, or benchmarks, that there are.
func requireTests(t *testing.T, root string, words []string) {
	files, err := filepath.Glob(filepath.Join(root, words[2], "*_test.go"))
	require.NoError(t, err)
	named := 0
	for i, word := range words {
		if word != "-run" && word != "-bench" {
			continue
		}
		for name := range strings.SplitSeq(strings.Trim(words[i+1], "'"), "|") {
			if name == "^$" {
				continue
			}
			named++
			pattern := map[string]string{"-run": `(?m)^func Test\w*`, "-bench": `(?m)^func Benchmark\w*`}[word] +
				strings.TrimPrefix(name, "Test")
			require.True(t, slices.ContainsFunc(files, func(f string) bool { return has(t, f, pattern) }),
				"%v names no %s", words, name)
		}
	}
	require.Positive(t, named, words)
}

// ofUsers matches the pages whose figures have sources, and the changelog, which is about the past.
var ofUsers = regexp.MustCompile(`^(README|docs/[\w-]+|docs/recipes/\w+)\.md$`)

const figureUnit = `(?:%|(?:µs|us|ns|ms|s|kB|KB|MB|GB|B|bytes|(?:milli|micro|nano)?seconds?|minutes|times)\b|` +
	`k?/s\b|(?:[A-Za-z]+ )?a second\b)`

var (
	figureInProse = regexp.MustCompile(`(?:^|[^\w.,-])\d[\d,.]*(?: (?:to|and|or|against) \d[\d,.]*)* ?` + figureUnit +
		`|\bhalf of the (?:CPU|memory)\b|\btwice (?:as often|the (?:user )?CPU|the memory)\b|` +
		`\b(?:fraction|tenths?|hundredths?) of a (?:milli|micro)?second\b`)
	// figureCell matches a cell of a table that is a figure.
	figureCell = regexp.MustCompile(`^\d[\d,.]*(?: (?:to|and) \d[\d,.]*)?(?: ?` + figureUnit + `)?(?:$|[ ,(])`)
	// limits matches whole numbers behind the words of limits and settings.
	limits = regexp.MustCompile(`\b(?:at most|at least|up to|than|beyond|every|within|above|below|for|after|of|first|` +
		`each|last|in) \d[\d,]* ?(?:kB|KB|MB|GB|bytes|s|ms|us|seconds?|minutes|milliseconds|microseconds)\b|` +
		`\d+ \w+ apart|\d+ \w+ by default`)
	spanOrLink  = regexp.MustCompile("`[^`]*`" + `|\]\([^)]*\)`)
	sentenceEnd = regexp.MustCompile(`[.!?:;]\s`)
	listItem    = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	cellEnd     = regexp.MustCompile(`(^|[^\\])\|`)
)

// complaints tells what is wrong with the figures of a page, of which the list has some.
func complaints(p *page, list []claim) (found []string) {
	passages := p.passages()
	all, last := prose(passages), 0
	for _, c := range list {
		switch n := strings.Count(all, c.part); {
		case n == 0:
			found = append(found, fmt.Sprintf("%q is not there any more", c.part))
		case n > 1:
			found = append(found, fmt.Sprintf("%q is there %d times", c.part, n))
		case strings.Index(all, c.part) < last:
			found = append(found, fmt.Sprintf("%q is too late in the list", c.part))
		default:
			last = strings.Index(all, c.part)
		}
	}
	for _, s := range passages {
		if s.cells != nil && slices.ContainsFunc(list, func(c claim) bool { return strings.Contains(s.text, c.part) }) {
			continue // the whole table
		}
		if s.ofFigures() {
			found = append(found, "no source of the table "+s.text)
			continue
		}
		for _, text := range append(slices.Concat(s.cells...), s.text) {
			for _, c := range list {
				text = strings.ReplaceAll(text, c.part, "...")
			}
			text = spanOrLink.ReplaceAllString(text, "]")
			for _, sentence := range sentences(text) {
				if figureInProse.MatchString(limits.ReplaceAllString(sentence, "")) {
					found = append(found, "no source of: "+sentence)
				}
			}
		}
	}
	return found
}

// passage is a paragraph of a page, an item of a list, or a table.
type passage struct {
	text  string     // on one line; of a table its head
	cells [][]string // of a table, below its head
}

// ofFigures reports whether a passage is a table of figures.
func (s passage) ofFigures() bool {
	return slices.ContainsFunc(s.cells, func(row []string) bool {
		figures := 0
		for _, cell := range row[min(1, len(row)):] {
			if figureCell.MatchString(cell) {
				figures++
			}
		}
		return figures > 1
	})
}

// prose returns the texts of passages.
func prose(passages []passage) string {
	var b strings.Builder
	for _, s := range passages {
		b.WriteString(s.text + "\n")
		for _, row := range s.cells {
			b.WriteString(strings.Join(row, " | ") + "\n")
		}
	}
	return b.String()
}

// passages returns what a page has besides headings, code, comments, and tables below comments.
func (p *page) passages() (all []passage) {
	inCode, generated, open := false, false, false
	for _, line := range p.lines {
		fenced := strings.HasPrefix(strings.TrimLeft(line, " "), "```")
		inCode = inCode != fenced
		switch row := strings.HasPrefix(line, "|"); {
		case fenced, inCode, line == "", strings.HasPrefix(line, "    "), strings.HasPrefix(line, "#"):
			open = false
		case strings.HasPrefix(line, "<!--"):
			open, generated = false, true
		case row && generated:
		case row && open && all[len(all)-1].cells != nil:
			all[len(all)-1].cells = append(all[len(all)-1].cells, cellsOf(line))
		case row:
			all, open = append(all, passage{line, [][]string{}}), true
		case open && all[len(all)-1].cells == nil && !listItem.MatchString(line):
			all[len(all)-1].text += " " + strings.TrimSpace(line)
		default:
			all, open, generated = append(all, passage{text: strings.TrimSpace(line)}), true, false
		}
	}
	return all
}

// cellsOf returns the cells of a table's line.
func cellsOf(line string) (cells []string) {
	line = strings.Trim(strings.TrimSpace(line), "|")
	for at := cellEnd.FindStringIndex(line); at != nil; at = cellEnd.FindStringIndex(line) {
		cells, line = append(cells, strings.TrimSpace(line[:at[1]-1])), line[at[1]:]
	}
	return append(cells, strings.TrimSpace(line))
}

// sentences returns the sentences of a text, which end at colons and semicolons, too.
func sentences(text string) (list []string) {
	for at := sentenceEnd.FindStringIndex(text); at != nil; at = sentenceEnd.FindStringIndex(text) {
		list, text = append(list, text[:at[1]-1]), text[at[1]:]
	}
	return append(list, text)
}

// keptRow is a row of a file of docs/benchmarks.
type keptRow map[string]any

func (r keptRow) text(name string) string { s, _ := r[name].(string); return s }

// kept returns the values that a column of the claim has in a file:
//
//	kps                  of ours
//	max kps, last kps    of ours, only the greatest, or that of the last row
//	kps ratio            of ours to the best of the others
//	kps ratio redis      of ours to that server
func (c claim) kept(t *testing.T, path string) (values []float64) {
	words, wanted := strings.SplitN(c.column, " ", 3), regexp.MustCompile(c.rows)
	reduce, figure := "", words[0]
	if figure == "max" || figure == "last" {
		reduce, figure = words[0], words[1]
	}
	rows := slices.DeleteFunc(rowsOf(t, path), func(r keptRow) bool {
		return r[figure] == nil || !wanted.MatchString(r.text("name"))
	})
	if reduce == "" && len(words) > 1 {
		require.Equal(t, "ratio", words[1], c.column)
		return ratiosOf(rows, figure, strings.Join(words[2:], ""))
	}
	for _, r := range rows {
		if cmp.Or(r.text("server"), r.text("name")) == "ours" {
			values = append(values, r[figure].(float64))
		}
	}
	switch {
	case reduce == "max" && len(values) > 0:
		return []float64{slices.Max(values)}
	case reduce == "last" && len(values) > 0:
		return values[len(values)-1:]
	}
	return values
}

// ratiosOf returns the ratio of ours to another server for each name of rows, to the best if no
// server is named. As in the tables of docs/benchmarks.md it is the one that was measured round by
// round, or else that of the figures.
func ratiosOf(rows []keptRow, figure, server string) []float64 {
	ours, worst := map[string]float64{}, map[string]float64{}
	for _, r := range rows {
		if r.text("server") == "ours" {
			ours[r.text("name")] = r[figure].(float64)
		}
	}
	more := figure == "kps" || strings.HasSuffix(figure, "_rate") // is better
	short := regexp.MustCompile(`_[^_]*$`).ReplaceAllString(figure, "")
	for _, r := range rows {
		name := r.text("name")
		if r.text("server") == "ours" || ours[name] == 0 || server != "" && r.text("server") != server {
			continue
		}
		ratio, measured := r[short+"_ratio"].(float64)
		if !measured {
			ratio = ours[name] / r[figure].(float64)
		}
		if before, seen := worst[name]; !seen || (ratio < before) == more {
			worst[name] = ratio
		}
	}
	return slices.Collect(maps.Values(worst))
}

// rowsOf returns the rows of all tables in a file of docs/benchmarks.
func rowsOf(t *testing.T, path string) (rows []keptRow) {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	for d := json.NewDecoder(file); ; {
		var table struct{ Rows []keptRow }
		err := d.Decode(&table)
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, table.Rows...)
	}
}

var comparedNumber = regexp.MustCompile(`\bhalf\b|\d[\d,]*(?:\.\d+)?`)

// differs says how the figures of a claim differ from the file. One figure is that of all rows; of
// two, the first is the least and the second the greatest.
func (c claim) differs(t *testing.T, path string) string {
	values, said := c.kept(t, path), comparedNumber.FindAllString(c.part, -1)
	if len(values) == 0 || len(said) < 1 || len(said) > 2 {
		return fmt.Sprintf("%d figures, and %d rows in %s", len(said), len(values), path)
	}
	for i, want := range []float64{slices.Min(values), slices.Max(values)} {
		text := strings.ReplaceAll(strings.ReplaceAll(said[min(i, len(said)-1)], ",", ""), "half", "0.5")
		_, decimals, _ := strings.Cut(text, ".")
		if kept := strconv.FormatFloat(want, 'f', len(decimals), 64); kept != text {
			return fmt.Sprintf("%s has %v, and not %s", filepath.Base(path), want, text)
		}
	}
	return ""
}

func TestComplaints(t *testing.T) {
	p := parse("# 5 ms\nIt takes 5 ms, or with TLS\n9 ms. A limit of 5 s, and `9 ms`.\n\n" +
		"- one\n- [0.5 times](x#9-ms) as much\n\n| a | b |\n|---|---|\n| 1.5 us | 7 |\n| x | 2 us, or more |\n\n" +
		"<!-- figures: x -->\n| a |\n|---|\n| 5 ms |\n```\n5 ms\n```\n")
	require.Empty(t, complaints(p, []claim{{part: "5 ms, or with TLS 9 ms"}, {part: "0.5 times"}, {part: "| a | b |"}}))
	require.Equal(t, []string{"no source of: It takes 5 ms, or with TLS 9 ms.", "no source of: - [0.5 times] as much",
		"no source of: 1.5 us", "no source of: 2 us, or more"}, complaints(p, nil))
	require.Equal(t, []string{`"us" is there 2 times`, `"7 ms" is not there any more`,
		`"5 ms, or" is too late in the list`},
		complaints(p, []claim{{part: "us"}, {part: "0.5 times"}, {part: "7 ms"}, {part: "5 ms, or"}})[:3])
}

func TestKeptFiguresAreCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"rows":[
		{"name":"a","server":"redis","kps":10},{"name":"a","server":"valkey","kps":8,"kps_ratio":1.5},
		{"name":"a","server":"ours","kps":12},{"name":"b","server":"redis","kps":10},{"name":"b","server":"ours","kps":9},
		{"name":"a","server":"redis","new_keys_rate":10},{"name":"a","server":"valkey","new_keys_rate":4},
		{"name":"a","server":"ours","new_keys_rate":5},{"name":"ours","mb":1.04},{"name":"ours","mb":1.01}]}`), 0o644))
	for _, c := range []claim{
		{part: "9 to 12", column: "kps"}, {part: "0.90 to 1.2 times", column: "kps ratio"},
		{part: "1.5", column: "kps ratio valkey", rows: "^a$"}, {part: "at most 1.04", column: "max mb"},
		{part: "1.0", column: "last mb"}, {part: "half", column: "new_keys_rate ratio"},
	} {
		require.Empty(t, c.differs(t, path), c)
	}
	require.Equal(t, "kept.json has 1.2, and not 1.3", claim{part: "0.9 to 1.3", column: "kps ratio"}.differs(t, path))
}
