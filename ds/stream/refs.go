package stream

// Refs says what becomes of the messages of an entry that is to be deleted. A message refers to its
// entry.
type Refs uint8

const (
	KeepRefs  Refs = iota // they stay pending, without an entry
	DropRefs              // all groups forget them
	AckedOnly             // an entry that a group still needs is not deleted
)

// Release prepares the deletion of an entry, which need not exist, and reports whether it may be
// deleted. forgot is true if groups forgot messages. O(groups * log n), but O(1) for KeepRefs.
func (s *Stream) Release(id ID, refs Refs) (may, forgot bool) {
	switch refs {
	case DropRefs:
		for _, g := range s.groups {
			forgot = g.Ack(id) || forgot
		}
	case AckedOnly:
		return !s.needed(id), false
	}
	return true, forgot
}

// needed reports whether a group has not read an entry yet, or has a message of it.
func (s *Stream) needed(id ID) bool {
	for _, g := range s.groups {
		if g.Last.Before(id) || g.Message(id) != nil {
			return true
		}
	}
	return false
}

// trimOneByOne is Trim where entries need not go although they come first. Nodes may keep some of
// them, so it looks at each.
func (s *Stream) trimOneByOne(t Trim) (removed int) {
	for i, more := 0, true; more && i < len(s.nodes) && (t.ByID || s.length > t.Keep); {
		n := &s.nodes[i]
		h := n.head()
		if t.Most > 0 && removed+h.live > t.Most {
			break
		}
		more = s.wholeNodeGoes(n, h, t)
		gone := s.trimNode(i, h, t)
		if removed += gone; more && gone == h.live {
			s.removeNode(i)
		} else {
			i++
		}
	}
	return removed
}
