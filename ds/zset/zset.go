// Package zset is the sorted set: members, each with a score, ordered by score and those of equal
// score by their bytes.
//
//	packed  one ziplist               member score member score ...     in order
//	sorted  skiplist.List, dict.Index nodes in order; the index finds the same nodes by member
//
// Invariants, all verified by Check:
//
//  1. A set is packed or sorted, never both; the zero Set is an empty packed one.
//  2. A packed set has an even number of entries, in ascending order of (score, member), each
//     member once.
//  3. A sorted set's list and index hold the same nodes.
//  4. What became sorted stays so, as in Redis.
//
// A set becomes sorted when Redis makes it so: with the addition of a member longer than
// Limits.MaxValue, or of one more than Limits.MaxEntries members; a new score for a member that is
// there converts nothing. Members that are announced with Expect count together.
//
// Every range, of ranks, of scores or of members, is first found as a run, neighbours from some
// rank on, and then counted, given or removed as one: on a packed set a removal is a single move of
// bytes.
//
// What callbacks get, and members they get, lasts as long as the callback; a callback must not
// change the set nor read from it. What goes in is copied and must not be what a callback got.
// dice(n) must return a number in [0, n), each with the same probability. No score may be NaN.
//
// Members may have deadlines (see expiry.go and package expiry). The first one makes the set
// sorted, and the deadlines are kept beside its nodes; sets without deadlines pay nothing.
//
// Non-goals: the conditions and sums of commands (NX, GT, INCR), which are theirs, and the removal
// of empty sets, which is the keyspace's.
//
// Unlike in Redis, an offset into a range costs O(log n) and not O(offset), and 0 and -0 are stored
// alike in a packed set unless SignedZeros is set, as since Redis 7; 6.2 keeps them apart there.
package zset

import (
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/skiplist"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Set is one sorted set. The zero value is an empty one.
//
// A Set made by Of works on the bytes it was given and allocates only when they do not suffice, so
// it may be a short-lived view of bytes kept elsewhere. Assigning a Set shares its memory; Clone
// copies it.
type Set struct {
	packed ziplist.List // nil if sorted, or if nothing was ever added
	sorted *sorted
	digits [20]byte // the text of a member packed as an integer, while a callback has it
}

// Limits are the thresholds for a packed set.
type Limits struct {
	MaxEntries int // most members
	MaxValue   int // most bytes of a member

	SignedZeros bool // a packed set keeps -0 apart from 0
}

// ScoreRange is a range of scores.
type ScoreRange = skiplist.ScoreRange

// LexRange is a range of members, LexBound an end of one.
type (
	LexRange = skiplist.LexRange
	LexBound = skiplist.LexBound
)

// Of returns the packed set whose members and scores alternate in zl. It works on zl itself. Bytes
// from outside must pass Check.
func Of(zl ziplist.List) Set { return Set{packed: zl} }

// Packed returns the ziplist of a packed set, which stays the set's own; false if the set is
// sorted.
func (s *Set) Packed() ([]byte, bool) {
	if s.packed == nil && s.sorted == nil {
		s.packed = ziplist.New()
	}
	return s.packed, s.sorted == nil
}

// Ziplist returns the ziplist, which stays the set's own; false if the set is encoded otherwise.
func (s *Set) Ziplist() (ziplist.List, bool) { return s.Packed() }

// Len returns the number of members. O(1); O(n) for a packed one of more than 32767.
func (s *Set) Len() int {
	switch {
	case s.sorted != nil:
		return s.sorted.list.Len()
	case s.packed == nil:
		return 0
	}
	return s.packed.Len() / 2
}

// Encoding returns the encoding as OBJECT ENCODING says it: ziplist or skiplist.
func (s *Set) Encoding() string {
	if s.sorted != nil {
		return "skiplist"
	}
	return "ziplist"
}

// Bytes returns the bytes held beyond the Set itself: the ziplist's block, or the nodes and tables
// as the allocator rounds them. O(1).
func (s *Set) Bytes() int {
	if s.sorted != nil {
		return s.sorted.bytes()
	}
	return cap(s.packed)
}

// Score returns the score of member; false if it is not in the set. O(1), or O(n) in a packed set;
// allocates nothing.
func (s *Set) Score(member []byte) (score float64, ok bool) {
	if s.sorted != nil {
		slot, _ := s.sorted.find(member)
		if slot == nil {
			return 0, false
		}
		return s.sorted.list.Score(*slot), true
	}
	p := s.find(member)
	if p == ziplist.None {
		return 0, false
	}
	score, _ = s.scoreOf(p)
	return score, true
}

// Add gives member the score, and reports whether the member is new, and if not whether its score
// changed. O(log n), or O(bytes) in a packed set.
func (s *Set) Add(member []byte, score float64, lim Limits, dice func(n uint64) uint64) (added, changed bool) {
	if s.sorted != nil {
		return s.sorted.add(member, score, dice)
	}
	if p := s.find(member); p != ziplist.None {
		if old, _ := s.scoreOf(p); old == score {
			return false, false
		}
		s.packed = s.packed.Delete(p, 2)
		s.insert(member, score, lim)
		return false, true
	}
	if s.outgrown(len(member), lim) {
		s.Sort(dice)
		return s.sorted.add(member, score, dice)
	}
	s.insert(member, score, lim)
	return true, false
}

// Append is Add for a member that is known to be absent, which is not looked for; it costs least
// where the pair comes behind all others.
func (s *Set) Append(member []byte, score float64, lim Limits, dice func(n uint64) uint64) {
	if s.sorted == nil && !s.outgrown(len(member), lim) {
		s.insert(member, score, lim)
		return
	}
	s.Sort(dice)
	s.sorted.insert(dict.Hash(s.sorted.seed, dict.Key(member)), member, score, dice)
}

// Remove removes member and reports whether it was there. O(log n), or O(bytes) in a packed set.
func (s *Set) Remove(member []byte) bool {
	if s.sorted != nil {
		return s.sorted.remove(member)
	}
	p := s.find(member)
	if p == ziplist.None {
		return false
	}
	s.packed = s.packed.Delete(p, 2).Trim()
	return true
}

// Rank returns the number of members before member, or if reverse behind it, and its score; false
// if it is not in the set. O(log n), or O(n) in a packed set.
func (s *Set) Rank(member []byte, reverse bool) (rank int, score float64, ok bool) {
	if s.sorted != nil {
		n := s.sorted.node(member)
		if n == 0 {
			return 0, 0, false
		}
		rank, score = s.sorted.list.Rank(n), s.sorted.list.Score(n)
	} else {
		p := s.find(member)
		if p == ziplist.None {
			return 0, 0, false
		}
		score, _ = s.scoreOf(p)
		rank = s.rankOf(p)
	}
	if reverse {
		rank = s.Len() - 1 - rank
	}
	return rank, score, true
}

// Expect prepares for n members that are about to be added: it makes a packed set sorted if they
// are too many for a packed one, even if the set has some of them. It reports whether it did. O(n)
// memory.
func (s *Set) Expect(n int, lim Limits, dice func(n uint64) uint64) (changed bool) {
	if s.sorted != nil || n <= lim.MaxEntries {
		return false
	}
	s.convert(n, dice)
	return true
}

// Fit makes a packed set of more than lim.MaxEntries members sorted; the members' lengths are not
// looked at. Add does it itself: it is for sets that were loaded. O(1), or O(n) if it converts.
func (s *Set) Fit(lim Limits, dice func(n uint64) uint64) {
	if s.Len() > lim.MaxEntries {
		s.Sort(dice)
	}
}

// Clone returns a copy that shares nothing with s. O(bytes).
func (s *Set) Clone() value.Value {
	if s.sorted != nil {
		return &Set{sorted: s.sorted.clone()}
	}
	return &Set{packed: append(ziplist.List(nil), s.packed...)}
}

// outgrown reports whether a packed set must not take another member of the given size.
func (s *Set) outgrown(size int, lim Limits) bool {
	const overhead = 2*(5+5) + maxScoreText // prevlens, encodings, score
	return size > lim.MaxValue || s.Len() >= lim.MaxEntries || len(s.packed)+size+overhead > ziplist.MaxBytes
}

// Sort makes a packed set sorted. O(n).
func (s *Set) Sort(dice func(n uint64) uint64) {
	if s.sorted == nil {
		s.convert(s.Len()+1, dice)
	}
}

// convert makes a packed set sorted, with room for n members.
func (s *Set) convert(n int, dice func(n uint64) uint64) {
	t := newSorted(n, dice)
	s.Each(func(member []byte, score float64) bool {
		t.insert(dict.Hash(t.seed, dict.Key(member)), member, score, dice)
		return true
	})
	*s = Set{sorted: t}
}
