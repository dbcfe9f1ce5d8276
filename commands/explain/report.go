package explain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// report is an ordered list of named values. RESP2 clients receive it as lines of text, like those
// of HELP, and RESP3 clients as a map.
type report []item

// item is a named int, float64, string, []byte, []int, report or table. Only the lines of text show
// the note.
type item struct {
	name  string
	value any
	note  string
}

// table is rows of values under named columns. RESP3 clients receive it as an array of maps.
type table struct {
	columns []string
	rows    [][]any
}

func (t *table) add(cells ...any) { t.rows = append(t.rows, cells) }

// without is the note of a table that shows only the ends of n entries.
func (t *table) without(n int) string {
	if left := n - len(t.rows); left > 0 {
		return fmt.Sprintf("without %d in the middle", left)
	}
	return ""
}

// replyReport replies with r, as a map in RESP3 and as lines of text in RESP2.
func replyReport(c *engine.Call, r report) {
	if c.Reply.Proto() == 3 {
		r.write(c.Reply)
		return
	}
	lines := r.lines("")
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.Status(line)
	}
}

// write writes r as a map.
func (r report) write(w *resp.Writer) {
	w.Map(len(r))
	for _, it := range r {
		w.BulkString(it.name)
		write(w, it.value)
	}
}

// write writes a value of an item.
func write(w *resp.Writer, value any) {
	switch v := value.(type) {
	case int:
		w.Int(int64(v))
	case float64:
		w.Double(v)
	case string:
		w.BulkString(v)
	case []byte:
		w.Bulk(v)
	case []int:
		w.Array(len(v))
		for _, n := range v {
			w.Int(int64(n))
		}
	case report:
		v.write(w)
	case table:
		w.Array(len(v.rows))
		for _, row := range v.rows {
			w.Map(len(row))
			for i, cell := range row {
				w.BulkString(v.columns[i])
				write(w, cell)
			}
		}
	}
}

// lines returns r as lines of text with an indent.
func (r report) lines(indent string) (lines []string) {
	width := 0
	for _, it := range r {
		if it.inline() {
			width = max(width, len(it.name))
		}
	}
	for _, it := range r {
		switch v := it.value.(type) {
		case report:
			lines = append(lines, join(indent, it.name+":", it.note))
			lines = append(lines, v.lines(indent+"  ")...)
		case table:
			lines = append(lines, join(indent, it.name+":", it.note))
			lines = append(lines, v.lines(indent+"  ")...)
		default:
			lines = append(lines, join(indent, fmt.Sprintf("%-*s  %s", width, it.name, text(v)), it.note))
		}
	}
	return lines
}

// inline reports whether the item fits on one line.
func (it item) inline() bool {
	switch it.value.(type) {
	case report, table:
		return false
	}
	return true
}

// join returns a line.
func join(indent, text, note string) string {
	if note != "" {
		text += "  (" + note + ")"
	}
	return indent + text
}

// text returns a value as text. Data are quoted, so that no byte of them breaks the line.
func text(value any) string {
	switch v := value.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case []byte:
		return string(resp.Quote(nil, string(v)))
	case []int:
		return strings.Trim(fmt.Sprint(v), "[]")
	case string:
		return v
	}
	return ""
}

// lines returns the table as lines of text: the names of the columns, then the rows. Numbers are
// aligned right.
func (t table) lines(indent string) (lines []string) {
	widths := make([]int, len(t.columns))
	cells := make([][]string, 1, len(t.rows)+1)
	cells[0] = t.columns
	for _, row := range t.rows {
		texts := make([]string, len(row))
		for i, cell := range row {
			texts[i] = text(cell)
		}
		cells = append(cells, texts)
	}
	for _, row := range cells {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for _, row := range cells {
		lines = append(lines, indent+t.line(row, widths))
	}
	return lines
}

// line returns a row, its cells padded to the widths.
func (t table) line(texts []string, widths []int) string {
	var b strings.Builder
	for i, text := range texts {
		width := widths[i]
		if t.alignsLeft(i) {
			width = -width
		}
		fmt.Fprintf(&b, "%*s  ", width, text)
	}
	return strings.TrimRight(b.String(), " ")
}

// alignsLeft reports whether a column is aligned left, as columns of text are.
func (t table) alignsLeft(i int) bool {
	if len(t.rows) == 0 {
		return true
	}
	switch t.rows[0][i].(type) {
	case int, float64:
		return false
	}
	return true
}
