package skiplist

import "bytes"

// ScoreRange is a range of scores from Min to Max, without the ends that are exclusive.
type ScoreRange struct {
	Min, Max     float64
	MinEx, MaxEx bool
}

// Empty reports whether no score can be in the range.
func (r ScoreRange) Empty() bool {
	return r.Min > r.Max || r.Min == r.Max && (r.MinEx || r.MaxEx)
}

// Below reports whether score is too low for the range.
func (r ScoreRange) Below(score float64) bool { return score < r.Min || r.MinEx && score == r.Min }

// Above reports whether score is too high for the range.
func (r ScoreRange) Above(score float64) bool { return score > r.Max || r.MaxEx && score == r.Max }

// LexBound is one end of a LexRange.
type LexBound struct {
	Member []byte
	Ex     bool // Member itself is outside
	Inf    int  // -1: before all members, as "-" says; 1: behind all, "+"; 0: at Member
}

// compare returns a negative number, 0 or a positive number as member is before, at or behind the
// bound.
func (b *LexBound) compare(member []byte) int {
	if b.Inf != 0 {
		return -b.Inf
	}
	return bytes.Compare(member, b.Member)
}

// LexRange is a range of members between two bounds, meant for sets whose scores are all equal.
type LexRange struct{ Min, Max LexBound }

// Empty reports whether no member can be in the range.
func (r *LexRange) Empty() bool {
	if r.Min.Inf != 0 || r.Max.Inf != 0 {
		return r.Min.Inf > 0 || r.Max.Inf < 0
	}
	c := bytes.Compare(r.Min.Member, r.Max.Member)
	return c > 0 || c == 0 && (r.Min.Ex || r.Max.Ex)
}

// Below reports whether member comes before the range.
func (r *LexRange) Below(member []byte) bool {
	c := r.Min.compare(member)
	return c < 0 || c == 0 && r.Min.Ex
}

// Above reports whether member comes behind the range.
func (r *LexRange) Above(member []byte) bool {
	c := r.Max.compare(member)
	return c > 0 || c == 0 && r.Max.Ex
}

// ScoreSpan returns the first node in r, its rank, and how many are in r; nil and 0 nodes if there
// is none. O(log n).
func (l *List) ScoreSpan(r ScoreRange) (first *Node, rank, n int) {
	if r.Empty() {
		return nil, 0, 0
	}
	return l.span(
		func(x *Node) bool { return r.Below(x.score) },
		func(x *Node) bool { return !r.Above(x.score) })
}

// From returns the first node that is not below r, where a walk upwards through r begins; nil if there is
// none. O(log n), half of what ScoreSpan costs.
func (l *List) From(r ScoreRange) *Node {
	if l.n == 0 {
		return nil
	}
	before, _ := l.seek(func(x *Node) bool { return r.Below(x.score) })
	return before.next
}

// LexSpan is ScoreSpan for a range of members. If the scores are not all equal, the result is a run of nodes that
// depends on the heights, as in Redis. O(log n).
func (l *List) LexSpan(r LexRange) (first *Node, rank, n int) {
	if r.Empty() {
		return nil, 0, 0
	}
	return l.span(
		func(x *Node) bool { return r.Below(x.Member()) },
		func(x *Node) bool { return !r.Above(x.Member()) })
}

// span returns the run of nodes that are not below and not above.
func (l *List) span(below, notAbove func(*Node) bool) (first *Node, rank, n int) {
	if l.n == 0 {
		return nil, 0, 0
	}
	before, rank := l.seek(below)
	if before.next == nil || !notAbove(before.next) {
		return nil, 0, 0
	}
	_, stop := l.seek(notAbove)
	return before.next, rank, max(stop-rank, 0)
}
