package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// table is the results of one kind. Its title is the heading of the first column.
type table struct {
	columns []column
	rows    []row
	notes   []string // lines below it, such as what was not run and why
	machine *machine // where it was measured; only JSON tells
}

// column is a heading, and what its cells show of a row: the values of these names, separated by
// spaces, in a format with a verb for each.
type column struct{ heading, format, values string }

// cell returns "-" if the row lacks a value.
func (c column) cell(r row) string {
	var values []any
	for name := range strings.FieldsSeq(c.values) {
		value, ok := r[name]
		if !ok {
			return "-"
		}
		values = append(values, value)
	}
	return fmt.Sprintf(c.format, values...)
}

// cells returns the headings, and below them the cells of all rows.
func (t *table) cells() [][]string {
	all := make([][]string, 1+len(t.rows))
	for _, c := range t.columns {
		all[0] = append(all[0], c.heading)
		for i, r := range t.rows {
			all[1+i] = append(all[1+i], c.cell(r))
		}
	}
	return all
}

// print prints the table for people, or for machines as one JSON object. An empty table is not
// printed.
func (t *table) print(w io.Writer, asJSON bool) error {
	switch {
	case len(t.rows)+len(t.notes) == 0:
		return nil
	case asJSON:
		return printJSON(w, struct {
			Title   string   `json:"title"`
			Machine *machine `json:"machine,omitempty"`
			Rows    []row    `json:"rows"`
			Notes   []string `json:"notes,omitempty"`
		}{t.columns[0].heading, t.machine, t.rows, t.notes})
	}
	return t.printText(w)
}

// printText aligns the columns, with a rule below each heading.
func (t *table) printText(w io.Writer) error {
	cells := t.cells()
	rules := make([]string, len(t.columns))
	for i, c := range t.columns {
		rules[i] = strings.Repeat("-", utf8.RuneCountInString(c.heading))
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(t.rows) > 0 {
		for _, line := range slices.Insert(cells, 1, rules) {
			fmt.Fprintln(out, strings.Join(line, "\t"))
		}
	}
	for _, note := range t.notes {
		fmt.Fprintln(out, note)
	}
	fmt.Fprintln(out)
	return out.Flush()
}

func printJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
