package hash

import (
	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/frozen"
)

// Freeze returns the fields as they are now, to be walked through while the hash changes; nil if
// the hash is packed. It is frozen once at a time. O(1).
func (h *Hash) Freeze() *frozen.Elements {
	t := h.table
	if t == nil {
		return nil
	}
	t.frozen = &walk{table: t}
	t.frozen.Elements = frozen.Of(t.frozen,
		frozen.Size{Elements: h.Len(), Volatile: h.Volatile(), First: h.NextDeadline(), Bytes: t.pairs.Bytes()})
	return t.frozen.Elements
}

// walk goes through the pairs of a table that is frozen.
type walk struct {
	*frozen.Elements
	table  *table
	cursor uint64
	refs   []pair
	loaded byte // has no meaning
}

// Advance implements frozen.Source.
func (w *walk) Advance(n int, give func(e frozen.Element)) (more bool) {
	t := w.table
	w.cursor, w.refs = t.index.ScanWhole(w.cursor, n, t, w.refs[:0])
	w.loaded += t.pairs.Cells().Prefetch(w.refs)
	for _, p := range w.refs {
		give(t.element(p, t.deadline(p)))
	}
	return w.cursor != 0
}

// Thaw implements frozen.Source.
func (w *walk) Thaw() { w.table.frozen = nil }

// keep is called before a pair, which has that deadline, is changed or removed.
func (w *walk) keep(p pair, deadline int64) {
	if !dict.Passed(w.cursor, w.table.HashOf(p)) && w.Touch(w.table.field(p)) {
		w.Keep(w.table.element(p, deadline))
	}
}

// added is called when a field is added, whose hash is h.
func (w *walk) added(h uint64, field []byte) {
	if !dict.Passed(w.cursor, h) {
		w.Touch(field)
	}
}

// preserve keeps a pair that is about to be changed or removed for the walk of a snapshot, if there
// is one.
func (t *table) preserve(p pair) {
	if t.frozen != nil {
		t.frozen.preserve(p)
	}
}

func (w *walk) preserve(p pair) { w.keep(p, w.table.deadline(p)) }

// element returns a pair, which has that deadline, for a walk.
func (t *table) element(p pair, deadline int64) frozen.Element {
	field := arena.Text(t.pairs.At(p))
	return frozen.Element{Name: field, Value: arena.Text(behind(field)), Deadline: deadline}
}
