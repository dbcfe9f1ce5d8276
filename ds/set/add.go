package set

import (
	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// entryOverhead is the most bytes that a member's entry takes beyond its text: prevlens and
// encoding.
const entryOverhead = 5 + 5 + 5

// Add adds member, which is copied, and reports whether it is new. O(1), or O(bytes) in a packed
// set.
func (s *Set) Add(member []byte, lim Limits) (added bool) {
	switch s.encoding() {
	case noEncoding:
		s.Expect(1, member, lim)
		return s.Add(member, lim)
	case intsetEncoding:
		e := ziplist.EntryOf(member)
		if e.IsInt() {
			return s.addInt(e.Int, lim)
		}
		s.convertIntset(len(member), lim)
		s.append(e)
		return true
	case ziplistEncoding:
		if s.find(member) != ziplist.None {
			return false
		}
		if s.ziplistFits(len(member), lim) {
			s.packed = s.ziplist().Append(member)
			return true
		}
		s.convert(s.Len()+1, lim)
	}
	return s.table.Add(member)
}

// AddEntry is Add for what another set gave.
func (s *Set) AddEntry(member ziplist.Entry, lim Limits) (added bool) {
	if member.IsInt() && s.encoding() == intsetEncoding {
		return s.addInt(member.Int, lim)
	}
	var digits [20]byte
	return s.Add(member.Text(digits[:]), lim)
}

// AppendEntry is AddEntry for a member that is known to be absent, which is not looked for.
func (s *Set) AppendEntry(member ziplist.Entry, lim Limits) {
	var digits [20]byte
	switch s.encoding() {
	case noEncoding, intsetEncoding:
		s.AddEntry(member, lim)
		return
	case ziplistEncoding:
		if text := member.Text(digits[:]); s.ziplistFits(len(text), lim) {
			s.packed = s.ziplist().Append(text)
			return
		}
		s.convert(s.Len()+1, lim)
	}
	s.table.Append(member.Text(digits[:]), nil)
}

// Expect prepares for n members that are about to be added, the first of them member. It gives an
// empty set its encoding, and makes a packed one a table if n members by themselves would be too
// many. It reports whether the encoding changed. O(1), or O(n) if it converts.
func (s *Set) Expect(n int, member []byte, lim Limits) (changed bool) {
	switch s.encoding() {
	case noEncoding:
		switch {
		case n <= lim.MaxInts && ziplist.EntryOf(member).IsInt():
			s.packed = intset.AppendEmpty(s.packed)
		case n <= lim.MaxEntries:
			s.packed = ziplist.AppendEmpty(s.packed)
		default:
			s.convert(n, lim)
		}
		return true
	case intsetEncoding:
		changed = n > lim.MaxInts
	case ziplistEncoding:
		changed = n > lim.MaxEntries
	}
	if changed {
		s.convert(n, lim)
	}
	return changed
}

// Fit makes a packed set with more members than its encoding may have a table; the members' lengths
// are not looked at. Additions do it themselves: it is for sets that were loaded. O(1), or O(n) if
// it converts.
func (s *Set) Fit(lim Limits) {
	n := s.Len()
	if f := s.encoding(); f == intsetEncoding && n > lim.maxInts() || f == ziplistEncoding && n > lim.MaxEntries {
		s.convert(n, lim)
	}
}

// TryIntset makes a set of which all members are integers an intset, if there are not too many.
// O(n).
func (s *Set) TryIntset(lim Limits) {
	if f := s.encoding(); f == intsetEncoding || f == noEncoding || s.Len() > lim.maxInts() {
		return
	}
	numbers, only := intset.New(), true
	s.Each(func(member ziplist.Entry) bool {
		if !member.IsInt() {
			member = ziplist.EntryOf(member.Str)
		}
		if only = member.IsInt(); only {
			numbers, _ = numbers.Add(member.Int)
		}
		return only
	})
	if only {
		*s = Of(numbers)
	}
}

// maxInts is MaxInts within what an intset can bear.
func (lim Limits) maxInts() int { return min(lim.MaxInts, intset.MaxLen) }

// addInt adds n to a set of integers.
func (s *Set) addInt(n int64, lim Limits) (added bool) {
	s.packed, added = s.intset().Add(n)
	if added {
		s.Fit(lim)
	}
	return added
}

// append adds a text known to be absent to a ziplist or a table.
func (s *Set) append(text ziplist.Entry) {
	if s.table != nil {
		s.table.Append(text.Str, nil)
		return
	}
	s.packed = s.ziplist().Append(text.Str)
}

// ziplistFits reports whether a ziplist may take one more member of the given size.
func (s *Set) ziplistFits(size int, lim Limits) bool {
	return s.Len() < lim.MaxEntries && size <= lim.MaxValue && len(s.packed)+size+entryOverhead <= ziplist.MaxBytes
}

// convertIntset gives an intset the encoding in which it can also hold a text of the given size.
func (s *Set) convertIntset(size int, lim Limits) {
	numbers := s.intset()
	n := numbers.Len()
	room := ziplist.New().Bytes() + n*(numbers.Width()+2) + size + entryOverhead
	if n >= lim.MaxEntries || size > lim.MaxValue || room > ziplist.MaxBytes || longest(numbers) > lim.MaxValue {
		s.convert(n+1, lim)
		return
	}
	l := ziplist.AppendEmpty(make([]byte, 0, room))
	for i := range n {
		l = l.AppendInt(numbers.At(i))
	}
	*s = Of(l)
}

// longest returns the length of the longest text of an integer: of the first or the last.
func longest(numbers intset.Set) int {
	n := numbers.Len()
	if n == 0 {
		return 0
	}
	return max(ziplist.Entry{Int: numbers.At(0)}.Len(), ziplist.Entry{Int: numbers.At(n - 1)}.Len())
}

// convert makes a packed set a table with room for n members.
func (s *Set) convert(n int, lim Limits) {
	t := table.New(max(n, s.Len()), lim.Seed, false)
	var digits [20]byte
	s.Each(func(member ziplist.Entry) bool {
		t.Append(member.Text(digits[:]), nil)
		return true
	})
	*s = Set{table: t}
}
