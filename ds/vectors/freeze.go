package vectors

import (
	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/value"
)

// frozen reads a set as it was when it was frozen, once: from the newest element to the oldest.
//
//	elements, the newest first    a b c d │ e F g h      added later: nowhere
//	kept                                    f            F has changed since, or is gone
//
// Before an element changes that the walk has not come to, it is kept as it would be saved. An
// element also changes with its links, so a VADD keeps some dozens.
type frozen struct {
	*Set
	elements int
	flags    uint64
	next     hnsw.Ref // the newest node that was not read; 0 if there is none
	nextID   uint64   // its number
	kept     []*saved
	passed   map[uint64]bool // the numbers of nodes that were kept
}

var _ value.Freezer = (*Set)(nil)

// Freeze implements value.Freezer. O(1).
func (s *Set) Freeze() (value.Value, func()) {
	f := newFrozen(s)
	s.frozen = f
	s.graph.Watch(f.keep)
	return f, func() {
		s.frozen = nil
		s.graph.Watch(nil)
	}
}

// newFrozen returns a set as it is now.
func newFrozen(s *Set) *frozen {
	f := &frozen{Set: s, elements: s.Len(), flags: s.flags()}
	f.goTo(s.graph.Newest())
	return f
}

// Len implements value.Value.
func (f *frozen) Len() int { return f.elements }

// goTo makes a node the next one.
func (f *frozen) goTo(r hnsw.Ref) {
	if f.next, f.nextID = r, 0; r != 0 {
		f.nextID = f.graph.ID(r)
	}
}

// keep keeps an element that is about to change, unless it was read, or is younger. f may be nil.
func (f *frozen) keep(r hnsw.Ref) {
	if f == nil || f.graph.ID(r) > f.nextID {
		return
	}
	id := f.graph.ID(r)
	if !f.passed[id] {
		if f.passed == nil {
			f.passed = map[uint64]bool{}
		}
		f.passed[id] = true
		e := new(saved)
		e.read(f.Set, r)
		f.kept = append(f.kept, e)
	}
	if f.next == r {
		f.goTo(f.graph.Older(r))
	}
}

// moved tells where a node lies now. f may be nil.
func (f *frozen) moved(to hnsw.Ref) {
	if f != nil && f.graph.ID(to) == f.nextID {
		f.next = to
	}
}

// each calls fn with the elements, each of which is valid until fn returns. The set may change
// while fn runs.
func (f *frozen) each(fn func(e *saved)) {
	var e saved
	for {
		if last := len(f.kept) - 1; last >= 0 {
			kept := f.kept[last]
			f.kept = f.kept[:last]
			fn(kept)
			continue
		}
		if f.next == 0 {
			return
		}
		r, passed := f.next, f.passed[f.nextID]
		f.goTo(f.graph.Older(r))
		if !passed {
			e.read(f.Set, r)
			fn(&e)
		}
	}
}
