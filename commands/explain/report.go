package explain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// report is an answer for people and for programs: facts in order, which RESP2 gets as lines of text,
// as HELP does, and RESP3 as a map.
type report []fact

// fact is a named int, float64, string, []byte, report or grid. The note explains it to people.
type fact struct {
	name  string
	value any
	note  string
}

// grid is rows of facts of the same kinds: to programs an array of maps.
type grid struct {
	columns []string
	rows    [][]any
}

func (g *grid) add(cells ...any) { g.rows = append(g.rows, cells) }

// replyReport replies with r.
func replyReport(c *engine.Call, r report) {
	if c.Reply.Proto() == 3 {
		r.tell(c.Reply)
		return
	}
	lines := r.lines("")
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.Status(line)
	}
}

// tell writes r as a map.
func (r report) tell(w *resp.Writer) {
	w.Map(len(r))
	for _, f := range r {
		w.BulkString(f.name)
		tell(w, f.value)
	}
}

func tell(w *resp.Writer, value any) {
	switch v := value.(type) {
	case int:
		w.Int(int64(v))
	case float64:
		w.Double(v)
	case string:
		w.BulkString(v)
	case []byte:
		w.Bulk(v)
	case report:
		v.tell(w)
	case grid:
		w.Array(len(v.rows))
		for _, row := range v.rows {
			w.Map(len(row))
			for i, cell := range row {
				w.BulkString(v.columns[i])
				tell(w, cell)
			}
		}
	}
}

// lines returns r as text, every line with the given indent.
func (r report) lines(indent string) (lines []string) {
	width := 0
	for _, f := range r {
		if f.flat() {
			width = max(width, len(f.name))
		}
	}
	for _, f := range r {
		switch v := f.value.(type) {
		case report:
			lines = append(lines, join(indent, f.name+":", f.note))
			lines = append(lines, v.lines(indent+"  ")...)
		case grid:
			lines = append(lines, join(indent, f.name+":", f.note))
			lines = append(lines, v.lines(indent+"  ")...)
		default:
			lines = append(lines, join(indent, fmt.Sprintf("%-*s  %s", width, f.name, show(v)), f.note))
		}
	}
	return lines
}

// flat reports whether the fact stands on one line.
func (f fact) flat() bool {
	switch f.value.(type) {
	case report, grid:
		return false
	}
	return true
}

func join(indent, text, note string) string {
	if note != "" {
		text += "  (" + note + ")"
	}
	return indent + text
}

// show returns a value as text: data in quotes, so that no byte of it can disturb the line.
func show(value any) string {
	switch v := value.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case []byte:
		return string(resp.Quote(nil, string(v)))
	case string:
		return v
	}
	return ""
}

// lines returns the grid as text: the columns' names, then the rows, numbers to the right.
func (g grid) lines(indent string) (lines []string) {
	widths := make([]int, len(g.columns))
	cells := make([][]string, 1, len(g.rows)+1)
	cells[0] = g.columns
	for _, row := range g.rows {
		texts := make([]string, len(row))
		for i, cell := range row {
			texts[i] = show(cell)
		}
		cells = append(cells, texts)
	}
	for _, row := range cells {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, row := range cells {
		lines = append(lines, indent+g.line(row, widths))
	}
	return lines
}

func (g grid) line(texts []string, widths []int) string {
	var b strings.Builder
	for i, text := range texts {
		width := widths[i]
		if g.leftward(i) {
			width = -width
		}
		fmt.Fprintf(&b, "%*s  ", width, text)
	}
	return strings.TrimRight(b.String(), " ")
}

// leftward reports whether a column begins at its left edge: those of texts do.
func (g grid) leftward(i int) bool {
	if len(g.rows) == 0 {
		return true
	}
	switch g.rows[0][i].(type) {
	case int, float64:
		return false
	}
	return true
}
