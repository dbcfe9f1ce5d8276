package set

import (
	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/table"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Each calls fn for every member until fn returns false: integers of an intset ascending, members
// of a ziplist in the order of addition. fn must not change the set. O(n).
func (s *Set) Each(fn func(member ziplist.Entry) bool) {
	switch s.encoding() {
	case intsetEncoding:
		numbers := s.intset()
		for i := range numbers.Len() {
			if !fn(ziplist.Entry{Int: numbers.At(i)}) {
				return
			}
		}
	case ziplistEncoding:
		l := s.ziplist()
		for p := l.First(); p != ziplist.None; {
			var e ziplist.Entry
			if e, p = l.Get(p); !fn(e) {
				return
			}
		}
	case hashtableEncoding:
		cells := s.table.Cells()
		s.table.Each(func(r table.Ref) bool { return fn(ziplist.Entry{Str: arena.Text(cells.At(r))}) })
	}
}

// Scan calls fn for the members of one step of a walk and returns the cursor for the next; a walk
// begins and ends at 0. A packed set comes in one step. Of a table a step gives about count
// members, and a member that is there during the whole walk is given at least once. fn must not
// change the set.
func (s *Set) Scan(cursor uint64, count int, fn func(member ziplist.Entry)) uint64 {
	if s.table == nil {
		s.Each(func(member ziplist.Entry) bool { fn(member); return true })
		return 0
	}
	return s.table.Scan(cursor, count, func(r table.Ref) { fn(s.entry(r)) })
}

// Random returns a member, each with the same probability; the zero Entry from an empty set. O(1),
// or O(n) in a ziplist.
func (s *Set) Random(dice func(n uint64) uint64) (member ziplist.Entry) {
	n := uint64(s.Len())
	if n == 0 {
		return member
	}
	switch s.encoding() {
	case intsetEncoding:
		member.Int = s.intset().At(int(dice(n)))
	case ziplistEncoding:
		member, _ = s.ziplist().Get(s.ziplist().Index(int(dice(n))))
	default:
		member = s.entry(s.table.Random(dice))
	}
	return member
}

// Draw calls fn for count members, each time any of them with the same probability, until fn
// returns false. fn must not change the set. O(count), and O(n) once in a ziplist.
func (s *Set) Draw(count int, dice func(n uint64) uint64, fn func(member ziplist.Entry) bool) {
	if s.encoding() == ziplistEncoding {
		s.drawFromZiplist(count, dice, fn)
		return
	}
	if s.Len() == 0 {
		return
	}
	for ; count > 0 && fn(s.Random(dice)); count-- {
	}
}

// drawFromZiplist is Draw from a ziplist, whose members' positions are gathered first.
func (s *Set) drawFromZiplist(count int, dice func(n uint64) uint64, fn func(member ziplist.Entry) bool) {
	l := s.ziplist()
	places := make([]int, 0, l.Len())
	for p := l.First(); p != ziplist.None; p = l.Next(p) {
		places = append(places, p)
	}
	for ; count > 0 && len(places) > 0; count-- {
		if member, _ := l.Get(places[dice(uint64(len(places)))]); !fn(member) {
			return
		}
	}
}

// Sample calls fn for count different members, or all if there are fewer, until fn returns false.
// Each selection has the same probability, the order is not random. fn must not change the set.
// O(n), or O(count) in a table of more than three times as many members.
func (s *Set) Sample(count int, dice func(n uint64) uint64, fn func(member ziplist.Entry) bool) {
	if s.table != nil && count < s.Len()/3 {
		s.table.Sample(count, dice, func(r table.Ref) bool { return fn(s.entry(r)) })
		return
	}
	l := table.Lots{Left: s.Len(), Wanted: count, Dice: dice}
	s.Each(func(member ziplist.Entry) bool {
		return l.Wanted > 0 && (!l.Take() || fn(member))
	})
}

// rebuildFactor is how many times more members must go than stay for Pop to copy those that stay.
const rebuildFactor = 5

// Pop removes count different members, or all if there are fewer, and calls fn for each. Each
// selection has the same probability. fn must not use the set. O(count), O(bytes) in a packed set.
//
// If few stay, less than a fifth of those that go, a table gives way to a set made of these, as in
// Redis: a ziplist if they are fit for one. One with deadlines does not.
func (s *Set) Pop(count int, lim Limits, dice func(n uint64) uint64, fn func(member ziplist.Entry)) {
	stay := s.Len() - count
	switch {
	case count <= 0:
	case stay <= 0:
		s.Each(func(member ziplist.Entry) bool { fn(member); return true })
		s.become(Of(s.packed[:0]))
	case rebuildFactor*stay <= count && s.Volatile() == 0:
		s.popAllBut(stay, lim, dice, fn)
	case s.encoding() == intsetEncoding:
		s.popFromIntset(count, dice, fn)
	case s.encoding() == ziplistEncoding:
		s.popFromZiplist(count, dice, fn)
	default:
		s.popFromTable(count, dice, fn)
	}
}

// popAllBut removes all members but some.
func (s *Set) popAllBut(stay int, lim Limits, dice func(n uint64) uint64, fn func(member ziplist.Entry)) {
	left := Of(ziplist.New())
	if s.encoding() == intsetEncoding {
		left = Of(intset.New())
	}
	s.Sample(stay, dice, func(member ziplist.Entry) bool {
		left.AddEntry(member, lim)
		return true
	})
	s.Each(func(member ziplist.Entry) bool {
		if !left.HasEntry(member) {
			fn(member)
		}
		return true
	})
	s.become(left)
}

// become puts other members in place of all that the set has.
func (s *Set) become(other Set) {
	s.table.GiveUp()
	*s = other
}

func (s *Set) popFromIntset(count int, dice func(n uint64) uint64, fn func(member ziplist.Entry)) {
	numbers := s.intset()
	if count == 1 {
		i := int(dice(uint64(numbers.Len())))
		fn(ziplist.Entry{Int: numbers.At(i)})
		s.packed = numbers.RemoveAt(i).Trim()
		return
	}
	l := table.Lots{Left: numbers.Len(), Wanted: count, Dice: dice}
	s.packed = numbers.Filter(func(n int64) bool {
		taken := l.Take()
		if taken {
			fn(ziplist.Entry{Int: n})
		}
		return !taken
	}).Trim()
}

func (s *Set) popFromZiplist(count int, dice func(n uint64) uint64, fn func(member ziplist.Entry)) {
	l, p := s.ziplist(), 0
	if count == 1 {
		p = l.Index(int(dice(uint64(l.Len()))))
		member, _ := l.Get(p)
		fn(member)
		s.packed = l.Delete(p, 1).Trim()
		return
	}
	lots := table.Lots{Left: l.Len(), Wanted: count, Dice: dice}
	for p = l.First(); lots.Wanted > 0; {
		if !lots.Take() {
			p = l.Next(p)
			continue
		}
		member, _ := l.Get(p)
		fn(member)
		l = l.Delete(p, 1) // the next is at p then
	}
	s.packed = l.Trim()
}

func (s *Set) popFromTable(count int, dice func(n uint64) uint64, fn func(member ziplist.Entry)) {
	for ; count > 0; count-- {
		e := s.entry(s.table.Random(dice))
		fn(e)
		s.table.Remove(e.Str)
	}
}

// entry returns a member of a table as a packed set would hand it out.
func (s *Set) entry(r table.Ref) ziplist.Entry { return ziplist.Entry{Str: s.table.Name(r)} }
