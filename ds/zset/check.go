package zset

import (
	"bytes"
	"fmt"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. It never panics, whatever bytes the set was made of. O(n).
func (s *Set) Check() error {
	switch {
	case s.sorted != nil && s.packed != nil:
		return fmt.Errorf("zset: both packed and sorted")
	case s.sorted != nil:
		return s.sorted.check()
	case s.packed == nil:
		return nil
	}
	if err := s.packed.Check(); err != nil {
		return err
	}
	if n := s.packed.Len(); n%2 != 0 {
		return fmt.Errorf("zset: %d entries, the last member has no score", n)
	}
	return s.checkPairs()
}

// checkPairs checks the order of a packed set and that no member is there twice.
func (s *Set) checkPairs() error {
	members := make(map[string]bool, s.Len())
	var last []byte
	var top float64
	for p := s.firstPair(); p != ziplist.None; {
		member, score, next := s.pairAt(p)
		switch {
		case score != score:
			return fmt.Errorf("zset: %q has no score", member)
		case members[string(member)]:
			return fmt.Errorf("zset: %q is there twice", member)
		case len(members) > 0 && (score < top || score == top && bytes.Compare(last, member) > 0):
			return fmt.Errorf("zset: (%g %q) follows (%g %q)", score, member, top, last)
		}
		members[string(member)] = true
		last, top = append(last[:0], member...), score
		p = next
	}
	return nil
}

func (t *sorted) check() error {
	if err := t.list.Check(); err != nil {
		return err
	}
	if err := t.members.Check(t); err != nil {
		return err
	}
	if l, d := t.list.Len(), t.members.Len(); l != d {
		return fmt.Errorf("zset: %d nodes in order, %d by member", l, d)
	}
	for n := t.list.First(); n != 0; n = t.list.Next(n) {
		if t.node(t.list.Member(n)) != n {
			return fmt.Errorf("zset: %q is in order but not by member", t.list.Key(n))
		}
	}
	return t.deadlines.CheckOf(&t.members)
}
