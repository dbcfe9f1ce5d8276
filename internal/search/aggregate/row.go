package aggregate

import "github.com/miniserver-go/miniserver/internal/search/expr"

// row is a row: cells by the slots of columns, and the document of which it was made.
type row struct {
	cells    []cell
	document Document // nil of a group
	number   uint64   // of the document: equal rows are in the order of numbers
	made     int      // bytes of what was computed for it
	kept     Document // the document, or one before, as Keep returned it
	spare    *row     // the next of those that are free
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
	r.document, r.made = nil, 0
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
		r.kept = r.document.Keep(r.kept)
		r.document = r.kept
	}
}

// score returns the score of the document, 0 of a group.
func (r *row) score() float64 {
	if r.document == nil {
		return 0
	}
	return r.document.Score()
}

// set puts a value into a slot.
func (r *row) set(slot int, v expr.Value) {
	for slot >= len(r.cells) {
		r.cells = append(r.cells, cell{})
	}
	r.cells[slot] = cell{v, true}
}

// at returns the value of a column: what was put there, or what the index keeps; nil if there is
// none. It is valid until another one is put into the row.
func (r *row) at(c *column) *expr.Value {
	if c.slot < len(r.cells) && r.cells[c.slot].full {
		return &r.cells[c.slot].value
	}
	if !c.sorted || r.document == nil {
		return nil
	}
	return r.read(c)
}

// read puts into a row what the index keeps.
func (r *row) read(c *column) *expr.Value {
	for c.slot >= len(r.cells) {
		r.cells = append(r.cells, cell{})
	}
	at := &r.cells[c.slot]
	if at.full = r.document.Sorted(c.handle, &at.value); at.full {
		return &at.value
	}
	return nil
}

// get is at for those who keep the value; false if there is none.
func (r *row) get(c *column) (expr.Value, bool) {
	if v := r.at(c); v != nil {
		return *v, true
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

// bound is a row as an expression sees it, whose properties have numbers.
type bound struct {
	*row
	columns []*column // by the numbers of properties
}

// Value implements expr.Row.
func (b *bound) Value(number int) *expr.Value { return b.at(b.columns[number]) }

// Terms implements expr.Row.
func (b *bound) Terms() []string {
	if b.document == nil {
		return nil
	}
	return b.document.Terms()
}
