// Package set is the set value: members, packed while small, in a table from then on.
//
//	intset     width length 3 17 1700000000000      integers only, ascending
//	ziplist    header b 17 a                        in the order of addition
//	hashtable  table.Table                          each member a name without a value
//
// Invariants, all verified by Check:
//
//  1. A set is in one of the three encodings. The zero Set, or any without bytes and without a
//     table, is empty and gets its encoding with the first member.
//  2. No member is there twice.
//
// A set is converted when Redis converts it, since 7.2: an intset when a member comes that is not
// an integer, to a ziplist if that may hold them all, and else to a table; a ziplist to a table
// before a member longer than Limits.MaxValue or one more than Limits.MaxEntries; and an intset to
// a table after more than Limits.MaxInts. It is not converted back, except that popping nearly all
// of a table makes a new set of the rest (see Pop).
//
// The two packed encodings differ in their first four bytes: an intset begins with its width, 8
// at most, a ziplist with its length, 11 at least. So a packed set is just its bytes.
//
// Members come out as ziplist.Entry: text, or an integer not yet rendered, so that writing it
// straight into a reply makes no text in between. They alias the set's memory and are valid until
// the set is next changed. What goes in is copied and must not be such an alias of the same set.
// dice(n) must return a number in [0, n), each with the same probability.
//
// Members may have deadlines (see expiry.go and package expiry). The first one makes the set a
// table, which keeps the deadlines beside its members; sets without deadlines pay nothing.
//
// Non-goals: unions and the like, which the commands do, and the removal of empty sets, which the
// keyspace does.
//
// Unlike Redis, whose small sets of texts are listpacks, this one's are ziplists.
package set

import (
	"encoding/binary"

	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Set is one set. The zero value is an empty one.
//
// A Set made by Of works on the bytes it was given and allocates only when they do not suffice, so
// it may be a short-lived view of bytes kept elsewhere. Assigning a Set shares its memory; Clone
// copies it.
type Set struct {
	packed []byte // an intset or a ziplist; without length it is room for either
	table  *table.Table
}

// Limits are the thresholds for the packed encodings, and what a table needs.
type Limits struct {
	MaxInts    int    // most members of an intset
	MaxEntries int    // most members of a ziplist
	MaxValue   int    // most bytes of a member of a ziplist
	Seed       uint64 // hashes of a table's members depend on it
}

// Of returns the packed set in b, an intset or a ziplist, or an empty set that will use b's
// capacity if b has no length. It works on b itself. Bytes from outside must pass Check.
func Of(b []byte) Set { return Set{packed: b} }

// Packed returns the intset or ziplist of a packed set, which stays the set's own; nothing if the
// set has no encoding yet. It is false if the set is a table.
func (s *Set) Packed() ([]byte, bool) { return s.packed, s.table == nil }

// Intset returns the intset, which stays the set's own; false if the set is encoded otherwise.
func (s *Set) Intset() (intset.Set, bool) { return s.packed, s.encoding() == intsetEncoding }

// Ziplist returns the ziplist, which stays the set's own; false if the set is encoded otherwise.
func (s *Set) Ziplist() (ziplist.List, bool) { return s.packed, s.encoding() == ziplistEncoding }

type encoding uint8

const (
	noEncoding encoding = iota
	intsetEncoding
	ziplistEncoding
	hashtableEncoding
)

// encoding returns the set's encoding.
func (s *Set) encoding() encoding {
	switch {
	case s.table != nil:
		return hashtableEncoding
	case len(s.packed) < 4:
		return noEncoding
	case binary.LittleEndian.Uint32(s.packed) <= 8:
		return intsetEncoding
	}
	return ziplistEncoding
}

// intset and ziplist return the packed set, whose encoding must be this one.
func (s *Set) intset() intset.Set    { return s.packed }
func (s *Set) ziplist() ziplist.List { return s.packed }

// Len returns the number of members. O(1); O(n) for a ziplist of more than 65534.
func (s *Set) Len() int {
	switch s.encoding() {
	case intsetEncoding:
		return s.intset().Len()
	case ziplistEncoding:
		return s.ziplist().Len()
	case hashtableEncoding:
		return s.table.Len()
	}
	return 0
}

// Encoding returns the encoding as OBJECT ENCODING says it: intset, ziplist or hashtable.
func (s *Set) Encoding() string {
	switch s.encoding() {
	case ziplistEncoding:
		return "ziplist"
	case hashtableEncoding:
		return "hashtable"
	}
	return "intset"
}

// Bytes returns the bytes held beyond the Set itself: the packed block, or the table
// as the allocator rounds it. O(1).
func (s *Set) Bytes() int {
	if s.table != nil {
		return s.table.Bytes()
	}
	return cap(s.packed)
}

// Has reports whether member is in the set. O(1), O(log n) among integers, O(n) in a ziplist;
// allocates nothing.
func (s *Set) Has(member []byte) bool {
	switch s.encoding() {
	case intsetEncoding:
		e := ziplist.EntryOf(member)
		return e.IsInt() && s.intset().Has(e.Int)
	case ziplistEncoding:
		return s.find(member) != ziplist.None
	case hashtableEncoding:
		return s.table.Has(member)
	}
	return false
}

// HasEntry is Has for what a set gave.
func (s *Set) HasEntry(member ziplist.Entry) bool {
	if member.IsInt() && s.encoding() == intsetEncoding {
		return s.intset().Has(member.Int)
	}
	var digits [20]byte
	return s.Has(member.Text(digits[:]))
}

// Remove removes member and reports whether it was there. O(1), or O(bytes) in a packed set.
func (s *Set) Remove(member []byte) (removed bool) {
	switch s.encoding() {
	case intsetEncoding:
		if e := ziplist.EntryOf(member); e.IsInt() {
			return s.removeInt(e.Int)
		}
	case ziplistEncoding:
		p := s.find(member)
		if removed = p != ziplist.None; removed {
			s.packed = s.ziplist().Delete(p, 1).Trim()
		}
	case hashtableEncoding:
		removed = s.table.Remove(member)
	}
	return removed
}

// RemoveEntry is Remove for what another set gave.
func (s *Set) RemoveEntry(member ziplist.Entry) (removed bool) {
	if member.IsInt() && s.encoding() == intsetEncoding {
		return s.removeInt(member.Int)
	}
	var digits [20]byte
	return s.Remove(member.Text(digits[:]))
}

func (s *Set) removeInt(n int64) bool {
	left, removed := s.intset().Remove(n)
	s.packed = left.Trim()
	return removed
}

// Clone returns a copy that shares nothing with s. O(bytes).
func (s *Set) Clone() value.Value {
	if s.table != nil {
		return &Set{table: s.table.Clone()}
	}
	return &Set{packed: append([]byte(nil), s.packed...)}
}

// find returns the position of member in a ziplist.
func (s *Set) find(member []byte) int {
	l := s.ziplist()
	return l.Find(member, l.First(), 0)
}
