package set

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/frozen"
)

// Freeze returns the members as they are now, to be walked through while the set changes; nil if
// the set is packed. It is frozen once at a time. O(1).
func (s *Set) Freeze() *frozen.Elements {
	t := s.table
	if t == nil {
		return nil
	}
	t.frozen = &walk{table: t}
	t.frozen.Elements = frozen.Of(t.frozen,
		frozen.Size{Elements: s.Len(), Volatile: s.Volatile(), First: s.NextDeadline(), Bytes: t.members.Bytes()})
	return t.frozen.Elements
}

// walk goes through the members of a table that is frozen.
type walk struct {
	*frozen.Elements
	table  *table
	cursor uint64
	refs   []member
	loaded byte // has no meaning
	last   bool // the set does not have the table any more
}

// Advance implements frozen.Source.
func (w *walk) Advance(n int, give func(e frozen.Element)) (more bool) {
	t := w.table
	w.cursor, w.refs = t.index.ScanWhole(w.cursor, n, t, w.refs[:0])
	w.loaded += t.members.Cells().Prefetch(w.refs)
	for _, m := range w.refs {
		give(frozen.Element{Name: t.text(m), Deadline: t.deadline(m)})
	}
	return w.cursor != 0
}

// Thaw implements frozen.Source.
func (w *walk) Thaw() {
	w.table.frozen = nil
	if w.last {
		w.table.giveUp()
	}
}

// keep is called before a member, which has that deadline, is changed or removed.
func (w *walk) keep(m member, deadline int64) {
	if text := w.table.text(m); !dict.Passed(w.cursor, w.table.HashOf(m)) && w.Touch(text) {
		w.Keep(frozen.Element{Name: text, Deadline: deadline})
	}
}

// added is called when a member is added, whose hash is h.
func (w *walk) added(h uint64, text []byte) {
	if !dict.Passed(w.cursor, h) {
		w.Touch(text)
	}
}

// preserve keeps a member that is about to be changed or removed for the walk of a snapshot, if
// there is one.
func (t *table) preserve(m member) {
	if t.frozen != nil {
		t.frozen.preserve(m)
	}
}

func (w *walk) preserve(m member) { w.keep(m, w.table.deadline(m)) }
