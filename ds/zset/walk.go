package zset

// Each calls fn for every member in ascending order until fn returns false. O(n).
func (s *Set) Each(fn func(member []byte, score float64) bool) {
	s.eachInRun(run{n: s.Len()}, false, fn)
}

// Scan calls fn for the members of one step of a walk and returns the cursor for the next; a walk
// begins and ends at 0. A packed set comes in one step. Of a sorted one a step gives about count
// members, and a member that is there during the whole walk is given at least once.
func (s *Set) Scan(cursor uint64, count int, fn func(member []byte, score float64)) uint64 {
	if s.sorted == nil {
		s.Each(func(member []byte, score float64) bool { fn(member, score); return true })
		return 0
	}
	return s.sorted.members.Scan(cursor, count, s.sorted, func(n node) { fn(s.sorted.pair(n)) })
}

// Draw calls fn for count members, each time any of them with the same probability, until fn
// returns false. O(count), and O(n) once in a packed set.
func (s *Set) Draw(count int, dice func(n uint64) uint64, fn func(member []byte, score float64) bool) {
	size := uint64(s.Len())
	switch {
	case size == 0 || count <= 0:
	case s.sorted != nil:
		for n := s.sorted.members.Random(dice); fn(s.sorted.pair(n)) && count > 1; count-- {
			n = s.sorted.members.Random(dice)
		}
	case count == 1:
		s.eachInRun(run{first: int(dice(size)), n: 1}, false, fn)
	default:
		s.drawPairs(count, dice, fn)
	}
}

// drawPairs draws from a packed set: the pairs' positions are gathered first.
func (s *Set) drawPairs(count int, dice func(n uint64) uint64, fn func(member []byte, score float64) bool) {
	pairs := make([]int, 0, s.Len())
	for p := s.firstPair(); len(pairs) < cap(pairs); _, p = s.scoreOf(p) {
		pairs = append(pairs, p)
	}
	for ; count > 0; count-- {
		member, score, _ := s.pairAt(pairs[dice(uint64(len(pairs)))])
		if !fn(member, score) {
			return
		}
	}
}

// Sample calls fn for count different members until fn returns false. Each selection has the same
// probability, the order is not random. If there are no more than count, all are given in
// descending order, as Redis does. O(n), or O(count) in a sorted set of more than three times as
// many members.
func (s *Set) Sample(count int, dice func(n uint64) uint64, fn func(member []byte, score float64) bool) {
	left, wanted := s.Len(), count
	switch {
	case count <= 0:
		return
	case count >= left:
		s.eachInRun(run{n: left}, true, fn)
		return
	case s.sorted != nil && count < left/3:
		s.sorted.members.Sample(count, dice, func(n node) bool { return fn(s.sorted.pair(n)) })
		return
	}
	// Each member is taken with the probability that makes the numbers of members left and still
	// wanted meet at the end.
	s.Each(func(member []byte, score float64) bool {
		taken := dice(uint64(left)) < uint64(wanted)
		left--
		if !taken {
			return true
		}
		wanted--
		return fn(member, score) && wanted > 0
	})
}
