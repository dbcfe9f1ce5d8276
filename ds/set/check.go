package set

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. It never panics, whatever bytes the set was made of. O(n).
func (s *Set) Check() error {
	switch {
	case s.table != nil && s.packed != nil:
		return fmt.Errorf("set: both packed and a table")
	case s.table != nil:
		return s.table.check()
	case len(s.packed) == 0:
		return nil
	}
	if s.encoding() == intsetEncoding {
		return s.intset().Check()
	}
	if err := s.ziplist().Check(); err != nil {
		return err
	}
	var err error
	seen := make(map[string]struct{}, s.Len())
	s.Each(func(member ziplist.Entry) bool {
		name := string(member.Append(nil))
		if _, twice := seen[name]; twice {
			err = fmt.Errorf("set: member %q is there twice", name)
		}
		seen[name] = struct{}{}
		return err == nil
	})
	return err
}

func (t *table) check() error {
	if err := t.index.Check(t); err != nil {
		return err
	}
	held := 0
	var err error
	t.index.Each(func(m member) bool {
		held += arena.Size(arena.TextSize(len(t.text(m))))
		if t.lookup(t.text(m)) != m {
			err = fmt.Errorf("set: member %q is there twice", t.text(m))
		}
		return err == nil
	})
	if err == nil {
		err = t.members.Check(held)
	}
	if err == nil && t.deadlines != nil {
		err = t.checkDates()
	}
	return err
}

// checkDates checks that only members of the table have deadlines.
func (t *table) checkDates() error {
	left := t.deadlines.Count()
	t.index.Each(func(m member) bool {
		if t.deadlines.At(m) != 0 {
			left--
		}
		return true
	})
	if left != 0 {
		return fmt.Errorf("set: %d deadlines of members that are gone", left)
	}
	return t.deadlines.Check()
}
