package set

import (
	"fmt"

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
	if err := t.members.Check(); err != nil {
		return err
	}
	held := 0
	t.members.Each(func(m member) bool {
		held += m.bytes()
		return true
	})
	if held != t.held {
		return fmt.Errorf("set: %d bytes in blocks, sum says %d", held, t.held)
	}
	if t.deadlines == nil {
		return nil
	}
	return t.checkDates()
}

// checkDates checks that only members of the table have deadlines.
func (t *table) checkDates() (err error) {
	t.deadlines.Each(func(m member, _ int64) bool {
		if found, _ := t.members.Find(m.Key()); found != m {
			err = fmt.Errorf("set: member %q is gone, its deadline is not", m.Key())
		}
		return err == nil
	})
	if err == nil {
		err = t.deadlines.Check()
	}
	return err
}
