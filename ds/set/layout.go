package set

import "github.com/miniserver-go/miniserver/ds/dict"

// Layout lists what the table of a set consists of; all but the last in bytes.
type Layout struct {
	Fixed   int        // what holds the rest together
	Texts   int        // the members
	Held    int        // the arena: texts, their lengths, rounding, cells not in use
	Members dict.Stats // of the buckets
}

// Layout returns what the set consists of; false if it is packed. O(n).
func (s *Set) Layout() (Layout, bool) {
	if s.table == nil {
		return Layout{}, false
	}
	t := s.table
	d := Layout{Held: t.members.Bytes(), Members: t.index.Stats()}
	d.Fixed = t.bytes() - d.Held - d.Members.Bytes - s.DeadlineBytes()
	t.index.Each(func(m member) bool {
		d.Texts += len(t.text(m))
		return true
	})
	return d, true
}

// DeadlineBytes returns the bytes that the deadlines of members take, part of Bytes. O(1).
func (s *Set) DeadlineBytes() int {
	if s.table != nil {
		return s.table.deadlines.Bytes()
	}
	return 0
}
