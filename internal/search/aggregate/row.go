package aggregate

import "github.com/miniserver-go/miniserver/internal/search/expr"

// row is a row: cells by the slots of columns, and the document of which it was made.
type row struct {
	cells    []cell
	document Document // nil of a group
	number   uint64   // of the document
	score    float64
	spare    *row // the next of those that are free
}

// cell is a value, if there is one.
type cell struct {
	value expr.Value
	full  bool
}

// take returns an empty row.
func (p *Pipeline) take() *row {
	r := p.spare
	if r == nil {
		return new(row)
	}
	p.spare = r.spare
	*r = row{cells: r.cells}
	clear(r.cells)
	return r
}

// drop gives back a row that nobody needs.
func (p *Pipeline) drop(r *row) {
	r.spare = p.spare
	p.spare = r
}

// keep has the row stay as it is when the source goes on.
func (r *row) keep() {
	if r.document != nil {
		r.document = r.document.Keep()
	}
}

// set puts a value into a slot.
func (r *row) set(slot int, v expr.Value) {
	for slot >= len(r.cells) {
		r.cells = append(r.cells, cell{})
	}
	r.cells[slot] = cell{v, true}
}

// get returns the value of a column: what was put there, or what the index keeps.
func (r *row) get(c *column) (expr.Value, bool) {
	if c.slot < len(r.cells) && r.cells[c.slot].full {
		return r.cells[c.slot].value, true
	}
	if c.sorted && r.document != nil {
		return r.document.Sorted(c.handle)
	}
	return expr.Value{}, false
}

// size returns about how many bytes a row takes.
func (r *row) size() int {
	size := 64
	for i := range r.cells {
		size += 8 + r.cells[i].value.Size()
	}
	return size
}

// bound is a row as an expression sees it, whose columns have numbers.
type bound struct {
	*row
	columns []*column
}

// Value implements expr.Row.
func (b *bound) Value(number int) (expr.Value, bool) { return b.get(b.columns[number]) }

// Terms implements expr.Row.
func (b *bound) Terms() []string {
	if b.document == nil {
		return nil
	}
	return b.document.Terms()
}
