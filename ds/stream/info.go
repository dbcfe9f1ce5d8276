package stream

import "encoding/binary"

// Distance returns how many entries were ever added up to that of an ID; ok is false if that is not
// known.
//
// It can where nothing that was deleted singly can lie between: before the first entry, at it, and
// at the last. The rules are those of Redis 8.0, down to what they get wrong.
func (s *Stream) Distance(id ID) (n int64, ok bool) { return s.distance(id, true) }

// distance is Distance. Without strict it does not look at what was deleted behind an ID, as in
// Redis up to 7.4.
func (s *Stream) distance(id ID, strict bool) (n int64, ok bool) {
	switch {
	case s.added == 0:
		return 0, true
	case s.length == 0 && !s.last.Before(id):
		return s.added, true
	case strict && !id.IsZero() && id.Before(s.maxDeleted):
		return 0, false
	case id == s.last:
		return s.added, true
	case s.last.Before(id):
		return 0, false
	case !s.maxDeleted.IsZero() && !s.maxDeleted.Before(s.first):
		return 0, false
	case id.Before(s.first):
		return s.added - int64(s.length), true
	case id == s.first:
		return s.added - int64(s.length) + 1, true
	}
	return 0, false
}

// hasGaps reports whether an entry from id on may have been deleted singly.
func (s *Stream) hasGaps(id ID) bool {
	return s.length > 0 && !s.maxDeleted.IsZero() && !s.maxDeleted.Before(id)
}

// Lag returns how many entries the group has not read yet; ok is false if that is not known.
func (g *Group) Lag() (n int64, ok bool) {
	s := g.stream
	switch {
	case s.length == 0:
		return 0, true
	case g.Last.Before(s.first) && s.maxDeleted.Before(s.first):
		return int64(s.length), true
	}
	return g.LagByReads()
}

// LagByReads is Lag as Valkey 8.1 computes it, from the number of entries read alone.
func (g *Group) LagByReads() (n int64, ok bool) {
	s := g.stream
	switch {
	case s.added == 0:
		return 0, true
	case g.Read != Unknown && !s.hasGaps(g.Last):
		return s.added - g.Read, true
	}
	n, ok = s.Distance(g.Last)
	return s.added - n, ok
}

// Advance moves the group to an entry that is read, if it comes after Last, and reports whether it
// does.
func (g *Group) Advance(id ID) bool {
	if !g.Last.Before(id) {
		return false
	}
	s := g.stream
	if g.Read != Unknown && !g.Last.Before(s.first) && !s.hasGaps(g.Last) {
		g.Read++
	} else if s.added > 0 {
		g.Read = known(s.Distance(id))
	}
	g.Last = id
	return true
}

// known returns n, or Unknown if ok is false.
func known(n int64, ok bool) int64 {
	if !ok {
		return Unknown
	}
	return n
}

// TreeNodes returns how many nodes the radix tree has in which Redis keeps a stream of the same
// nodes. O(nodes).
func (s *Stream) TreeNodes() int {
	keys := make([]treeKey, len(s.nodes))
	for i, n := range s.nodes {
		binary.BigEndian.PutUint64(keys[i][:], n.id.Ms)
		binary.BigEndian.PutUint64(keys[i][8:], n.id.Seq)
	}
	if len(keys) == 0 {
		return 1 // the root
	}
	return treeNodes(keys, 0)
}

// treeKey is an ID as the radix tree orders it.
type treeKey [16]byte

// treeNodes counts the nodes of the part of a tree that leads from a depth, up to which the keys
// are the same, to sorted keys: one for all that they still have in common, one where they part,
// and one leaf for each.
func treeNodes(keys []treeKey, depth int) (n int) {
	first, last := keys[0], keys[len(keys)-1]
	same := depth
	for same < len(first) && first[same] == last[same] {
		same++
	}
	if same > depth {
		n++
	}
	n++
	if same == len(first) {
		return n
	}
	for begin := 0; begin < len(keys); {
		end := begin
		for end < len(keys) && keys[end][same] == keys[begin][same] {
			end++
		}
		n += treeNodes(keys[begin:end], same+1)
		begin = end
	}
	return n
}
