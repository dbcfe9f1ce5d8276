package skiplist

import (
	"bytes"
	"math"
)

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

// ScoreSpan returns the first node in r, its rank, and how many are in r; 0 and 0 nodes if there
// is none. O(log n).
func (l *List) ScoreSpan(r ScoreRange) (first Ref, rank, n int) {
	if r.Empty() || l.n == 0 {
		return 0, 0, 0
	}
	before, rank := l.seek(r.lowest())
	first = l.Next(before)
	if first == 0 || r.Above(l.Score(first)) {
		return 0, 0, 0
	}
	_, stop := l.seek(r.End())
	return first, rank, stop - rank
}

// above returns a bound for seek that is above score and below the next higher one.
func above(score float64) float64 {
	if math.IsInf(score, 1) {
		return math.NaN()
	}
	return math.Nextafter(score, math.Inf(1))
}

// lowest returns the lowest score in the range, as a bound for seek.
func (r ScoreRange) lowest() float64 {
	if r.MinEx {
		return above(r.Min)
	}
	return r.Min
}

// End returns the lowest score above the range, as a bound for seek: NaN if there is none.
func (r ScoreRange) End() float64 {
	if r.MaxEx {
		return r.Max
	}
	return above(r.Max)
}

// From returns the first node that is not below r, where a walk upwards through r begins; 0 if
// there is none. O(log n), half of what ScoreSpan costs.
func (l *List) From(r ScoreRange) Ref {
	if l.n == 0 {
		return 0
	}
	before, _ := l.seek(r.lowest())
	return l.Next(before)
}

// LexSpan is ScoreSpan for a range of members. If the scores are not all equal, the result is a run
// of nodes that depends on the heights, as in Redis. O(log n).
func (l *List) LexSpan(r LexRange) (first Ref, rank, n int) {
	if r.Empty() || l.n == 0 {
		return 0, 0, 0
	}
	before, rank := l.seekMember(r.Below)
	first = l.Next(before)
	if first == 0 || r.Above(l.Member(first)) {
		return 0, 0, 0
	}
	_, stop := l.seekMember(func(member []byte) bool { return !r.Above(member) })
	return first, rank, max(stop-rank, 0)
}

// seekMember is seek by member alone: below must hold for a beginning of the list and for no other
// node.
func (l *List) seekMember(below func(member []byte) bool) (r Ref, rank int) {
	r = l.head
	for lv := l.top(); lv <= bottom; lv++ {
		for at := *l.at(r).link(lv); at.next != 0 && below(l.Member(at.next)); at = *l.at(r).link(lv) {
			if lv == bottom {
				at.span = 1
			}
			r, rank = at.next, rank+int(at.span)
		}
	}
	return r, rank
}
