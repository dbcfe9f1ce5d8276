package table

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/frozen"
)

// Freeze returns the elements as they are now, to be walked through while the table changes; nil if
// it is nil. It is frozen once at a time. O(1).
func (t *Table) Freeze() *frozen.Elements {
	if t == nil {
		return nil
	}
	t.frozen = &walk{table: t}
	t.frozen.Elements = frozen.Of(t.frozen,
		frozen.Size{Elements: t.Len(), Volatile: t.Volatile(), First: t.NextDeadline(), Bytes: t.cells.Bytes()})
	return t.frozen.Elements
}

// walk goes through the elements of a table that is frozen.
type walk struct {
	*frozen.Elements
	table  *Table
	cursor uint64
	refs   []Ref
	loaded byte // has no meaning
	last   bool // the collection does not have the table any more
}

// Advance implements frozen.Source.
func (w *walk) Advance(n int, give func(e frozen.Element)) (more bool) {
	t := w.table
	w.cursor, w.refs = t.index.ScanWhole(w.cursor, n, t, w.refs[:0])
	w.loaded += t.cells.Cells().Prefetch(w.refs)
	for _, r := range w.refs {
		give(t.element(r, t.deadlines.At(r)))
	}
	return w.cursor != 0
}

// Thaw implements frozen.Source.
func (w *walk) Thaw() {
	w.table.frozen = nil
	if w.last {
		w.table.GiveUp()
	}
}

// keep is called before an element, which has that deadline, is changed or removed.
func (w *walk) keep(r Ref, deadline int64) {
	if !dict.Passed(w.cursor, w.table.HashOf(r)) && w.Touch(w.table.Name(r)) {
		w.Keep(w.table.element(r, deadline))
	}
}

// added is called when a name is added, whose hash is h.
func (w *walk) added(h uint64, name []byte) {
	if !dict.Passed(w.cursor, h) {
		w.Touch(name)
	}
}

// preserve keeps an element that is about to be changed or removed for the walk of a snapshot, if
// there is one.
func (t *Table) preserve(r Ref) {
	if t.frozen != nil {
		t.frozen.preserve(r)
	}
}

func (w *walk) preserve(r Ref) { w.keep(r, w.table.deadlines.At(r)) }

// element returns an element, which has that deadline, for a walk.
func (t *Table) element(r Ref, deadline int64) frozen.Element {
	e := frozen.Element{Name: t.Name(r), Deadline: deadline}
	if t.values {
		e.Value = ValueAt(e.Name)
	}
	return e
}
