package stream

// How Redis up to 7.4 counts what a group has read. It knows less about entries that were deleted
// or trimmed.

// OlderLag is Lag.
func (g *Group) OlderLag() (n int64, ok bool) {
	s := g.stream
	switch {
	case s.added == 0:
		return 0, true
	case g.Read != Unknown && !s.hasGapsInside(g.Last):
		return s.added - g.Read, true
	}
	n, ok = s.distance(g.Last, false)
	return s.added - n, ok
}

// OlderAdvance is Advance.
func (g *Group) OlderAdvance(id ID) bool {
	if !g.Last.Before(id) {
		return false
	}
	if s := g.stream; g.Read != Unknown && !s.hasGapsInside(id) {
		g.Read++
	} else if s.added > 0 {
		g.Read = known(s.distance(id, false))
	}
	g.Last = id
	return true
}

// hasGapsInside is hasGaps, but for what was deleted before the first entry.
func (s *Stream) hasGapsInside(id ID) bool { return s.hasGaps(id) && !s.maxDeleted.Before(s.first) }
