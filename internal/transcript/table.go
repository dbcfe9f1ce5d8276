package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// row is one line of a table: the values of its columns by their names. The zero row is no table's.
type row struct {
	values map[string]string
	text   string // as the file shows it
	guards int    // that are open around the table
}

// fill replaces the names of columns by the row's values.
func (r row) fill(text string) string { return fill(text, r.values) }

var columnName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// table parses a table, and the lines below it once for each row.
func (p *parser) table() error {
	start := p.at
	if p.row.values != nil {
		return p.fail("a table cannot contain another table")
	}
	p.at++
	rows, err := p.rows(start)
	if err != nil {
		return err
	}
	body := p.at
	for _, row := range rows {
		p.row, p.at = row, body
		for !p.atEnd() {
			if p.at >= len(p.file.lines) {
				p.at = start
				return p.fail("the table has no @ end")
			}
			if err := p.next(); err != nil {
				return fmt.Errorf("%w, in the row %s", err, row.text)
			}
			if len(p.file.steps) > maxSteps {
				return p.fail("more than %d commands", maxSteps)
			}
		}
	}
	p.row = row{}
	p.at++
	return nil
}

// atEnd reports whether the line ends the table around it.
func (p *parser) atEnd() bool {
	return p.at < len(p.file.lines) && p.endLine() && len(p.guards) == p.row.guards
}

// endLine reports whether the line is the directive end.
func (p *parser) endLine() bool {
	text, directive := strings.CutPrefix(p.file.lines[p.at], "@")
	return directive && strings.TrimSpace(text) == "end"
}

// rows parses the names of the columns and the rows below them.
func (p *parser) rows(start int) (rows []row, err error) {
	var names []string
	for ; p.at < len(p.file.lines) && strings.HasPrefix(p.file.lines[p.at], "|"); p.at++ {
		line := strings.TrimSpace(p.file.lines[p.at])
		cells, err := cells(line)
		switch {
		case err != nil:
			return nil, p.fail("%v", err)
		case names == nil:
			names = cells
			if err := checkColumns(names); err != nil {
				return nil, p.fail("%v", err)
			}
		case strings.Trim(line, "|-: ") == "": // the rule below the names in Markdown
		case len(cells) != len(names):
			return nil, p.fail("the row has %d columns, but the table has %d", len(cells), len(names))
		default:
			values := map[string]string{}
			for i, name := range names {
				values[name] = cells[i]
			}
			rows = append(rows, row{values: values, text: line, guards: len(p.guards)})
		}
	}
	if len(rows) == 0 {
		p.at = start
		return nil, p.fail("the table has no rows: write them below the names of the columns, | a | b |")
	}
	return rows, nil
}

func checkColumns(names []string) error {
	for i, name := range names {
		if !columnName.MatchString(name) {
			return fmt.Errorf("%q is not a valid name of a column", name)
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("two columns are named %s", name)
		}
	}
	return nil
}

// cells returns the texts between the bars of a line. A cell in quotes is a word as in a command.
func cells(line string) ([]string, error) {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	list := strings.Split(line, "|")
	for i, cell := range list {
		cell = strings.TrimSpace(cell)
		if strings.HasPrefix(cell, `"`) {
			quoted, err := words(cell)
			if err != nil || len(quoted) != 1 {
				return nil, errQuotes
			}
			cell = quoted[0]
		}
		list[i] = cell
	}
	return list, nil
}
