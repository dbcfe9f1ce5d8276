package zset

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/skiplist"
)

// Freeze returns the members as they are now, to be walked through while the set changes; nil if
// the set is packed. They come from the last to the first, but for those that change meanwhile. It
// is frozen once at a time. O(1).
func (s *Set) Freeze() *frozen.Elements {
	t := s.sorted
	if t == nil {
		return nil
	}
	t.frozen = &walk{sorted: t}
	t.frozen.Elements = frozen.Of(t.frozen,
		frozen.Size{Elements: s.Len(), Volatile: s.Volatile(), First: s.NextDeadline(), Bytes: t.list.Bytes()})
	return t.frozen.Elements
}

// walk goes through the nodes of a sorted set that is frozen, from the last to the first.
type walk struct {
	*frozen.Elements
	sorted *sorted
	begun  bool
	score  float64 // of the node that was given last
	member []byte
}

// Advance implements frozen.Source.
func (w *walk) Advance(n int, give func(e frozen.Element)) (more bool) {
	t, r := w.sorted, w.next()
	cells, first := t.list.Cells(), t.list.First()
	for ; r != 0 && n > 0; n-- {
		x := skiplist.NodeAt(cells, r)
		e := frozen.Element{Name: x.Member(), Score: x.Score(), Deadline: t.deadlines.At(r)}
		if give(e); r == first {
			return false
		}
		if w.begun, w.score = true, e.Score; n == 1 {
			w.member = append(w.member[:0], e.Name...)
		}
		r = x.Neighbour(true)
	}
	return r != 0
}

// next returns the next node, 0 at the end.
func (w *walk) next() node {
	if !w.begun {
		return w.sorted.list.Last()
	}
	return w.sorted.list.Before(w.score, dict.Key(w.member))
}

// Thaw implements frozen.Source.
func (w *walk) Thaw() { w.sorted.frozen = nil }

// keep is called before a node, which has that deadline, is changed or removed. One that was given
// may move to a place that the walk has not reached.
func (w *walk) keep(n node, deadline int64) {
	if e := w.sorted.element(n, deadline); w.Touch(e.Name) && !w.passed(e) {
		w.Keep(e)
	}
}

// passed reports whether an element that was there from the start was given.
func (w *walk) passed(e frozen.Element) bool {
	return w.begun && (e.Score > w.score || e.Score == w.score && string(e.Name) >= string(w.member))
}

// preserve keeps a node that is about to be changed or removed for the walk of a snapshot, if there
// is one.
func (t *sorted) preserve(n node) {
	if t.frozen != nil {
		t.frozen.preserve(n)
	}
}

func (w *walk) preserve(n node) { w.keep(n, w.sorted.deadlines.At(n)) }

// element returns a node, which has that deadline, for a walk.
func (t *sorted) element(n node, deadline int64) frozen.Element {
	member, score := t.pair(n)
	return frozen.Element{Name: member, Score: score, Deadline: deadline}
}
