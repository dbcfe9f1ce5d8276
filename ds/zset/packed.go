package zset

import (
	"bytes"
	"math"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/resp"
)

// The methods in this file are for packed sets. A position is that of a pair, which is its
// member's.

// find returns the position of member; ziplist.None if it is not there.
func (s *Set) find(member []byte) int {
	if s.packed == nil {
		return ziplist.None
	}
	return s.packed.Find(member, s.packed.First(), 1)
}

// firstPair returns the position of the first pair.
func (s *Set) firstPair() int {
	if s.packed == nil {
		return ziplist.None
	}
	return s.packed.First()
}

// scoreOf returns the score of the pair at p and the position of the next pair.
func (s *Set) scoreOf(p int) (score float64, next int) {
	e, next := s.packed.Get(s.packed.Next(p))
	return scoreIn(e), next
}

// pairAt returns the pair at p and the position of the next. The member may be in s.digits.
func (s *Set) pairAt(p int) (member []byte, score float64, next int) {
	e, p := s.packed.Get(p)
	value, next := s.packed.Get(p)
	return e.Text(s.digits[:]), scoreIn(value), next
}

// prevPair returns the position of the pair before that at p.
func (s *Set) prevPair(p int) int {
	if p = s.packed.Prev(p); p == ziplist.None {
		return p
	}
	return s.packed.Prev(p)
}

// rankOf returns how many pairs there are before that at p.
func (s *Set) rankOf(p int) (rank int) {
	for q := s.packed.First(); q != p; rank++ {
		q = s.packed.Next(s.packed.Next(q))
	}
	return rank
}

// precedes reports whether the pair at p comes before (score, member).
func (s *Set) precedes(p int, member []byte, score float64) (before bool, next int) {
	at, next := s.scoreOf(p)
	if at != score {
		return at < score, next
	}
	e, _ := s.packed.Get(p)
	var digits [20]byte
	return bytes.Compare(e.Text(digits[:]), member) < 0, next
}

// insert adds a pair whose member is not there, behind the last if it belongs there: scores are
// often times.
func (s *Set) insert(member []byte, score float64, lim Limits) {
	if s.packed == nil {
		s.packed = ziplist.New()
	}
	p := s.packed.Last()
	if p != ziplist.None {
		p = s.packed.Prev(p)
		if before, next := s.precedes(p, member, score); before {
			p = next
		} else {
			p = s.seek(member, score)
		}
	}
	s.packed = s.packed.Insert(p, member)
	if p != ziplist.None {
		p = s.packed.Next(p)
	}
	s.insertScore(p, score, lim)
}

// seek returns the position of the first pair that does not come before (score, member).
func (s *Set) seek(member []byte, score float64) int {
	p := s.packed.First()
	for p != ziplist.None {
		before, next := s.precedes(p, member, score)
		if !before {
			break
		}
		p = next
	}
	return p
}

// insertScore adds score as an entry before that at p, at the end if p is None.
func (s *Set) insertScore(p int, score float64, lim Limits) {
	if n, ok := asInteger(score); ok && !(lim.SignedZeros && n == 0 && math.Signbit(score)) {
		s.packed = s.packed.InsertInt(p, n)
		return
	}
	var text [maxScoreText]byte
	s.packed = s.packed.Insert(p, resp.FormatShortest(text[:0], score))
}

// packedRun returns the run of up to most pairs that begins with the first not before the range and
// ends with the last before the first behind it. side tells where the pair at p is, before
// (negative), in (0) or behind it, and where the next is.
func (s *Set) packedRun(most int, side func(p int) (where, next int)) (r run) {
	for p := s.firstPair(); p != ziplist.None && r.n < most; {
		where, next := side(p)
		switch {
		case where > 0:
			return r
		case r.n > 0:
			r.n++
		case where == 0:
			r.pos, r.n = p, 1
		default:
			r.first++
		}
		p = next
	}
	return r
}
