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
		return s.table.Check()
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
