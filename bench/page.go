package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The tables of docs/benchmarks.md that show results kept as JSON are written by the subcommand
// page. A comment above a table says what it shows: the file beside the page, the figure, whether
// more of it is better or less, and the heading.
//
//	<!-- figures: benchmarks/compare.json kps more requests/s, thousands -->
//	| requests/s, thousands | here | ... | ratio of ours to the best of the others |
//
// The rows in which we lose come first.

var figuresMark = regexp.MustCompile(`<!-- figures: (\S+) (\S+) (more|less) (.+) -->\n`)

// runPage is the subcommand page.
func runPage(args []string) error {
	o := newOptions("page")
	path := o.flags.String("page", "docs/benchmarks.md", "the page to write")
	if err := o.parse(args); err != nil {
		return err
	}
	text, err := os.ReadFile(*path)
	if err != nil {
		return err
	}
	written, err := writePage(text, filepath.Dir(*path))
	if err != nil {
		return fmt.Errorf("%s: %w", *path, err)
	}
	return os.WriteFile(*path, written, 0o644)
}

// writePage returns the page with the tables of the files in dir.
func writePage(page []byte, dir string) ([]byte, error) {
	var out bytes.Buffer
	for {
		at := figuresMark.FindSubmatchIndex(page)
		if at == nil {
			out.Write(page)
			return out.Bytes(), nil
		}
		word := func(i int) string { return string(page[at[2*i]:at[2*i+1]]) }
		rows, err := keptRows(filepath.Join(dir, word(1)))
		if err != nil {
			return nil, err
		}
		f := figure{name: word(2), more: word(3) == "more", heading: word(4)}
		table, err := f.table(rows)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", word(1), err)
		}
		out.Write(page[:at[1]])
		out.WriteString(table)
		page = afterTable(page[at[1]:])
	}
}

// afterTable returns what follows a table, which may be missing.
func afterTable(page []byte) []byte {
	for bytes.HasPrefix(page, []byte("|")) {
		_, page, _ = bytes.Cut(page, []byte("\n"))
	}
	return page
}

// keptRows returns the rows of all tables in a file that was written with -json.
func keptRows(path string) (rows []row, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for d := json.NewDecoder(file); ; {
		var t struct{ Rows []row }
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return rows, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, t.Rows...)
	}
}

// figure is what a table of a page shows.
type figure struct {
	name, heading string
	more          bool // more is better
}

// figureLine is one line of such a table.
type figureLine struct {
	name   string
	values map[string]float64 // by server
	ratios map[string]float64 // of ours to the other servers
	ratio  float64            // of ours to the best of them; 0 if there is none
}

// table returns the lines of a table in Markdown.
func (f figure) table(rows []row) (string, error) {
	lines, servers := f.lines(rows)
	if len(lines) == 0 {
		return "", fmt.Errorf("no row has ours and %s", f.name)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| %s | here | %s | |\n", f.heading, strings.Join(titles(servers), " | "))
	fmt.Fprintf(&out, "|%s\n", strings.Repeat("---|", len(servers)+3))
	for _, l := range lines {
		fmt.Fprintf(&out, "| %s | %s |", l.name, significant(l.values["ours"]))
		for _, s := range servers {
			fmt.Fprintf(&out, " %s |", significant(l.values[s]))
		}
		fmt.Fprintf(&out, " %.2f |\n", l.ratio)
	}
	return out.String(), nil
}

// lines returns the lines of the table, the worst ratio first, and the other servers in the order
// of the rows.
func (f figure) lines(rows []row) (lines []*figureLine, servers []string) {
	for _, r := range rows {
		name, _ := r["name"].(string)
		server, _ := r["server"].(string)
		if _, measured := r[f.name]; !measured || server == "" {
			continue
		}
		at := slices.IndexFunc(lines, func(l *figureLine) bool { return l.name == name })
		if at < 0 {
			at, lines = len(lines),
				append(lines, &figureLine{name: name, values: map[string]float64{}, ratios: map[string]float64{}})
		}
		lines[at].values[server], lines[at].ratios[server] = r.number(f.name), r.number(ratioName(f.name))
		if server != "ours" && !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}
	lines = slices.DeleteFunc(lines, func(l *figureLine) bool { return l.values["ours"] == 0 })
	for _, l := range lines {
		l.ratio = f.ratio(l)
	}
	slices.SortStableFunc(lines, func(a, b *figureLine) int { return cmp.Compare(f.loss(b.ratio), f.loss(a.ratio)) })
	return lines, servers
}

// ratio returns the ratio of ours to the best of the others: the one that was measured round by
// round, or else that of the figures.
func (f figure) ratio(l *figureLine) (worst float64) {
	for server, x := range l.values {
		if server == "ours" || x == 0 {
			continue
		}
		if r := cmp.Or(l.ratios[server], l.values["ours"]/x); worst == 0 || f.loss(r) > f.loss(worst) {
			worst = r
		}
	}
	return worst
}

// loss says how bad a ratio is.
func (f figure) loss(ratio float64) float64 {
	switch {
	case ratio == 0:
		return math.Inf(-1)
	case f.more:
		return 1 / ratio
	}
	return ratio
}

// titles returns servers' names as a page shows them: redis-7.4.1 as Redis 7.4.1.
func titles(servers []string) (list []string) {
	for _, s := range servers {
		name, version, _ := strings.Cut(s, "-")
		list = append(list, strings.TrimSpace(strings.ToUpper(name[:1])+name[1:]+" "+version))
	}
	return list
}

// significant returns a figure with about three digits; "-" for none.
func significant(x float64) string {
	switch {
	case x == 0:
		return "-"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}
