package stream

import (
	"slices"
	"sort"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Freeze implements value.Freezer. O(nodes + consumers + idempotent IDs).
func (s *Stream) Freeze() (value.Value, func()) { return s.freeze(), s.thaw }

// freeze returns a stream with the entries that s has now, until thaw. It shares the packs of the
// nodes; s copies one before it changes it for the first time. The messages of its groups can be
// read once.
func (s *Stream) freeze() *Stream {
	f := &Stream{nodes: slices.Clone(s.nodes)}
	s.copyNumbers(f)
	for _, g := range s.groups {
		f.groups = append(f.groups, g.freeze(f))
	}
	s.producers.copyTo(f)
	s.frozen = f
	return f
}

// thaw ends the life of what freeze returned: nothing need be copied for it any more.
func (s *Stream) thaw() {
	for _, g := range s.frozen.groups {
		g.frozen.thaw()
	}
	s.frozen = nil
}

// shares reports whether a frozen stream has the pack of a node.
func (s *Stream) shares(n *node) bool {
	f := s.frozen
	if f == nil {
		return false
	}
	i := sort.Search(len(f.nodes), func(i int) bool { return !f.nodes[i].id.Before(n.id) })
	return i < len(f.nodes) && &f.nodes[i].pack[0] == &n.pack[0]
}

// own gives node i a pack that it does not share with a frozen one. It is called before the bytes
// of the pack change.
func (s *Stream) own(i int) {
	if n := &s.nodes[i]; s.frozen != nil && s.shares(n) {
		if i == len(s.nodes)-1 {
			s.closeLast()
		}
		s.resize(n, slices.Clone(n.pack))
	}
}
