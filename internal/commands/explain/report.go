package explain

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/resp"
)

// What a command replies: see engine.Detail.
type (
	report = []engine.Detail
	item   = engine.Detail
	table  = engine.Table
)

// replyReport replies with r, as a map in RESP3 and as lines of text in RESP2.
func replyReport(c *engine.Call, r report) {
	if c.Reply.Proto() == 3 {
		writeReport(c.Reply, r)
		return
	}
	lines := linesOf(r, "")
	c.Reply.Array(len(lines))
	for _, line := range lines {
		c.Reply.Status(line)
	}
}

// writeReport writes r as a map.
func writeReport(w *resp.Writer, r report) {
	w.Map(len(r))
	for _, it := range r {
		w.BulkString(it.Name)
		write(w, it.Value)
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
		writeReport(w, v)
	case table:
		w.Array(len(v.Rows))
		for _, row := range v.Rows {
			w.Map(len(row))
			for i, cell := range row {
				w.BulkString(v.Columns[i])
				write(w, cell)
			}
		}
	}
}

// linesOf returns r as lines of text with an indent.
func linesOf(r report, indent string) (lines []string) {
	width := 0
	for _, it := range r {
		if inline(it) {
			width = max(width, len(it.Name))
		}
	}
	for _, it := range r {
		switch v := it.Value.(type) {
		case report:
			lines = append(lines, join(indent, it.Name+":", it.Note))
			lines = append(lines, linesOf(v, indent+"  ")...)
		case table:
			lines = append(lines, join(indent, it.Name+":", it.Note))
			lines = append(lines, rowsOf(v, indent+"  ")...)
		default:
			lines = append(lines, join(indent, fmt.Sprintf("%-*s  %s", width, it.Name, text(v)), it.Note))
		}
	}
	return lines
}

// inline reports whether the item fits on one line.
func inline(it item) bool {
	switch it.Value.(type) {
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

// rowsOf returns the table as lines of text: the names of the columns, then the rows. Numbers are
// aligned right.
func rowsOf(t table, indent string) (lines []string) {
	widths := make([]int, len(t.Columns))
	cells := make([][]string, 1, len(t.Rows)+1)
	cells[0] = t.Columns
	for _, row := range t.Rows {
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
		lines = append(lines, indent+rowOf(t, row, widths))
	}
	return lines
}

// rowOf returns a row, its cells padded to the widths.
func rowOf(t table, texts []string, widths []int) string {
	var b strings.Builder
	for i, text := range texts {
		width := widths[i]
		if alignsLeft(t, i) {
			width = -width
		}
		fmt.Fprintf(&b, "%*s  ", width, text)
	}
	return strings.TrimRight(b.String(), " ")
}

// alignsLeft reports whether a column is aligned left, as columns of text are.
func alignsLeft(t table, i int) bool {
	if len(t.Rows) == 0 {
		return true
	}
	switch t.Rows[0][i].(type) {
	case int, float64:
		return false
	}
	return true
}
