package zset

import (
	"math"

	"github.com/miniserver-go/miniserver/ds/skiplist"
	"github.com/miniserver-go/miniserver/ds/value"
)

// run is a number of neighbours. Of pos and node at most one is set, and both may be left out: they
// follow from first. (Four words: the compiler keeps those in registers and no more.)
type run struct {
	first int  // rank of the first
	n     int  // how many
	pos   int  // position of the first in a packed set, never 0
	node  node // the first in a sorted set
}

// all is a number of members that no range has.
const all = math.MaxInt

// Clip returns the first rank and the number of ranks from start to stop, both inclusive and
// negative ones counting from the last, that exist in the set. O(1).
func (s *Set) Clip(start, stop int) (first, n int) {
	return value.Clip(s.Len(), start, stop)
}

// Range calls fn for the members with ranks from start to stop as Clip reads them, until fn returns
// false. If reverse, ranks count from the last member and the order is descending. O(log n), or
// O(n) in a packed set, plus the calls.
func (s *Set) Range(start, stop int, reverse bool, fn func(member []byte, score float64) bool) {
	first, n := s.Clip(start, stop)
	if reverse {
		first = s.Len() - first - n
	}
	s.eachInRun(run{first: first, n: n}, reverse, fn)
}

// RangeByScore calls fn for the members with scores in r, without the first offset of them and at
// most limit, or all if limit is negative, until fn returns false; in descending order if reverse.
// O(log n), or O(n) in a packed set, plus the calls.
func (s *Set) RangeByScore(r ScoreRange, reverse bool, offset, limit int, fn func(member []byte, score float64) bool) {
	if s.sorted != nil && !reverse && offset == 0 {
		s.sorted.ascend(r, limit, fn)
		return
	}
	s.eachInRun(s.scoreRun(r, needed(reverse, offset, limit)).cut(reverse, offset, limit), reverse, fn)
}

// RangeByLex is RangeByScore by member, for sets whose scores are all equal; else it finds some
// run.
func (s *Set) RangeByLex(r LexRange, reverse bool, offset, limit int, fn func(member []byte, score float64) bool) {
	s.eachInRun(s.lexRun(&r, needed(reverse, offset, limit)).cut(reverse, offset, limit), reverse, fn)
}

// Count returns the number of members with scores in r. O(log n), or O(n) in a packed set.
func (s *Set) Count(r ScoreRange) int { return s.scoreRun(r, all).n }

// LexCount is Count by member, for sets whose scores are all equal.
func (s *Set) LexCount(r LexRange) int { return s.lexRun(&r, all).n }

// RemoveRangeByRank removes the members with ranks from start to stop as Clip reads them and
// returns how many. fn is called with each, in order, unless fn is nil. O(log n) plus O(1) each, or
// O(bytes) in a packed set.
func (s *Set) RemoveRangeByRank(start, stop int, fn func(member []byte, score float64)) int {
	first, n := s.Clip(start, stop)
	return s.removeRun(run{first: first, n: n}, fn)
}

// RemoveRangeByScore removes the members with scores in r and returns how many. fn is called with
// each, in order, unless fn is nil. O(log n) plus O(1) each, or O(bytes) in a packed set.
func (s *Set) RemoveRangeByScore(r ScoreRange, fn func(member []byte, score float64)) int {
	return s.removeRun(s.scoreRun(r, all), fn)
}

// RemoveRangeByLex is RemoveRangeByScore by member, for sets whose scores are all equal.
func (s *Set) RemoveRangeByLex(r LexRange, fn func(member []byte, score float64)) int {
	return s.removeRun(s.lexRun(&r, all), fn)
}

// PopMin removes up to count members from the first on, calls fn with each, in order, before any is
// removed, and returns how many. O(log n) plus O(1) each, or O(bytes) in a packed set.
func (s *Set) PopMin(count int, fn func(member []byte, score float64)) int {
	return s.removeRun(run{n: min(max(count, 0), s.Len())}, fn)
}

// PopMax is PopMin from the last member on, in descending order.
func (s *Set) PopMax(count int, fn func(member []byte, score float64)) int {
	n := min(max(count, 0), s.Len())
	r := run{first: s.Len() - n, n: n}
	s.eachInRun(r, true, func(member []byte, score float64) bool { fn(member, score); return true })
	return s.removeRun(r, nil)
}

// scoreRun returns the run of members with scores in r; of a packed set only the first most of
// them.
func (s *Set) scoreRun(r ScoreRange, most int) run {
	switch {
	case r.Empty():
		return run{}
	case s.sorted != nil:
		node, rank, n := s.sorted.list.ScoreSpan(r)
		return run{first: rank, n: n, node: node}
	}
	return s.packedRun(most, func(p int) (where, next int) {
		score, next := s.scoreOf(p)
		return side(r.Below(score), r.Above(score)), next
	})
}

// lexRun is scores for a range of members.
func (s *Set) lexRun(r *LexRange, most int) run {
	switch {
	case r.Empty():
		return run{}
	case s.sorted != nil:
		node, rank, n := s.sorted.list.LexSpan(*r)
		return run{first: rank, n: n, node: node}
	}
	return s.packedRun(most, func(p int) (where, next int) {
		member, _, next := s.pairAt(p)
		return side(r.Below(member), r.Above(member)), next
	})
}

func side(below, above bool) int {
	switch {
	case below:
		return -1
	case above:
		return 1
	}
	return 0
}

// needed returns how many members from a range's begin on decide what is given.
func needed(reverse bool, offset, limit int) int {
	if reverse || limit < 0 || offset > all-limit {
		return all
	}
	return max(offset, 0) + limit
}

// cut returns the run without its first offset members, the last if reverse, and with at most limit
// unless that is negative. A negative offset leaves nothing, as in Redis.
func (r run) cut(reverse bool, offset, limit int) run {
	if offset < 0 {
		return run{}
	}
	left := max(r.n-offset, 0)
	n := left
	if limit >= 0 {
		n = min(left, limit)
	}
	switch {
	case reverse:
		return run{first: r.first + left - n, n: n}
	case offset > 0:
		return run{first: r.first + offset, n: n}
	}
	r.n = n
	return r
}

// locate finds where the first member of the run is, which must not be empty.
func (s *Set) locate(r run) run {
	switch {
	case r.pos != 0 || r.node != 0:
	case s.sorted != nil:
		r.node = s.sorted.list.ByRank(r.first)
	default:
		r.pos = s.packed.Index(2 * r.first)
	}
	return r
}

// eachInRun calls fn for the members of the run, from its last on if reverse, until fn returns
// false.
func (s *Set) eachInRun(r run, reverse bool, fn func(member []byte, score float64) bool) {
	switch {
	case r.n == 0:
		return
	case reverse:
		r = run{first: r.first + r.n - 1, n: r.n}
	}
	if r = s.locate(r); s.sorted != nil {
		s.sorted.eachNode(r, reverse, fn)
	} else {
		s.eachPair(r, reverse, fn)
	}
}

// ascend calls fn for at most limit nodes with scores in r, or all if limit is negative, until fn
// returns false. Where the range ends it finds on the way.
func (t *sorted) ascend(r ScoreRange, limit int, fn func(member []byte, score float64) bool) {
	cells, end := t.list.Cells(), r.End()
	for n := t.list.From(r); n != 0 && limit != 0; limit-- {
		x := skiplist.NodeAt(cells, n)
		if score := x.Score(); score >= end || !fn(x.Member(), score) {
			return
		}
		n = x.Next()
	}
}

// eachNode calls fn for the nodes of the run, from its last on if reverse, until fn returns false.
func (t *sorted) eachNode(r run, reverse bool, fn func(member []byte, score float64) bool) {
	cells := t.list.Cells()
	for n := r.node; r.n > 0; r.n-- {
		x := skiplist.NodeAt(cells, n)
		if !fn(x.Member(), x.Score()) {
			return
		}
		n = x.Neighbour(reverse)
	}
}

func (s *Set) eachPair(r run, reverse bool, fn func(member []byte, score float64) bool) {
	for p := r.pos; r.n > 0; r.n-- {
		member, score, next := s.pairAt(p)
		if !fn(member, score) {
			return
		}
		if reverse {
			next = s.prevPair(p)
		}
		p = next
	}
}

// removeRun removes the members of the run, calling fn with each unless fn is nil, and returns how
// many.
func (s *Set) removeRun(r run, fn func(member []byte, score float64)) int {
	if r.n == 0 {
		return 0
	}
	r = s.locate(r)
	if s.sorted == nil {
		if fn != nil {
			s.eachInRun(r, false, func(member []byte, score float64) bool { fn(member, score); return true })
		}
		s.packed = s.packed.Delete(r.pos, 2*r.n).Trim()
		return r.n
	}
	return s.sorted.removeRun(r, fn)
}

// removeRun is removeRun for a sorted set.
func (t *sorted) removeRun(r run, fn func(member []byte, score float64)) (removed int) {
	removed = t.list.DeleteRun(r.node, r.n, func(n node) {
		slot, h := t.find(t.list.Member(n))
		t.forget(h, slot)
		if fn != nil {
			fn(t.list.Member(n), t.list.Score(n))
		}
	})
	t.tidy()
	return removed
}
