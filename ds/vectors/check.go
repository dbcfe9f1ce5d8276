package vectors

import (
	"cmp"
	"fmt"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(bytes * M).
func (s *Set) Check() (err error) {
	if err := cmp.Or(s.graph.Check(), s.index.Check(s)); err != nil {
		return err
	}
	held, attributes := 0, 0
	s.index.Each(func(r arena.Ref) bool {
		held += arena.Size(s.sizeOf(r))
		if len(s.text(r)) > 0 {
			attributes++
		}
		if slot, _ := s.find(s.name(r)); slot == nil || *slot != r || s.graph.Data(*s.node(r)) != r {
			err = fmt.Errorf("vectors: %q is not the name of its node", s.name(r))
		}
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case s.index.Len() != s.graph.Len() || attributes != s.attributes:
		return fmt.Errorf("vectors: %d names of %d nodes, %d with attributes, %d counted", s.index.Len(),
			s.graph.Len(), attributes, s.attributes)
	}
	return s.cells.Check(held)
}
