package stream

// Trim says what to trim: all but the last Keep entries, or those before Below.
type Trim struct {
	ByID  bool
	Keep  int // unless ByID
	Below ID  // if ByID
	// Nodes trims whole nodes only, as many as contain nothing else.
	Nodes bool
	// Refs says which entries may go. With any but KeepRefs, Nodes has no effect.
	Refs Refs
	// Most is how many entries may go; 0 for all. It counts for whole nodes.
	Most int
}

// Trim removes entries at the beginning and returns how many. O(entries removed); whole nodes go at
// once.
func (s *Stream) Trim(t Trim) (removed int) {
	if t.Refs != KeepRefs {
		removed = s.trimOneByOne(t)
	} else {
		removed = s.trimNodes(t)
	}
	if removed > 0 {
		s.findFirst()
	}
	return removed
}

// trimNodes is Trim where all entries go that come first.
func (s *Stream) trimNodes(t Trim) (removed int) {
	for len(s.nodes) > 0 && (t.ByID || s.length > t.Keep) {
		n := &s.nodes[0]
		h := n.head()
		if t.Most > 0 && removed+h.live > t.Most {
			break
		}
		if !s.wholeNodeGoes(n, h, t) {
			if !t.Nodes {
				removed += s.trimNode(0, h, t)
			}
			break
		}
		s.removeNode(0)
		s.length -= h.live
		removed += h.live
	}
	return removed
}

// wholeNodeGoes reports whether all of a node is to go.
func (s *Stream) wholeNodeGoes(n *node, h head, t Trim) bool {
	if t.ByID {
		return n.lastID().Before(t.Below)
	}
	return s.length-h.live >= t.Keep
}

// trimNode marks the first entries of node i as deleted, as many as are to go, and returns their
// number.
func (s *Stream) trimNode(i int, h head, t Trim) (removed int) {
	s.own(i)
	n, to := &s.nodes[i], MaxID
	if t.ByID {
		prev, ok := t.Below.Prev()
		if !ok {
			return 0
		}
		to = prev
	}
	for w := s.Walk(n.id, to); (t.ByID || s.length > t.Keep) && w.Next() && w.index == i; {
		if may, _ := s.Release(w.ID, t.Refs); !may {
			continue
		}
		n.markDeleted(w.at)
		s.length--
		removed++
	}
	s.resize(n, n.recounted(h, h.live-removed, h.dead+removed))
	return removed
}
