package hnsw

import "math/bits"

// refSet is a set of references: a table in which one lies at the place that its hash says, or in
// the next that is free. At most half of the places are taken. The zero value is empty.
type refSet struct {
	slots []Ref
	n     int
}

// leastSlots is the size of the table that clear makes.
const leastSlots = 1 << 11

// clear empties the set. It must be called before the first add.
func (s *refSet) clear() {
	if s.n = 0; s.slots == nil {
		s.slots = make([]Ref, leastSlots)
		return
	}
	clear(s.slots)
}

// add reports whether a reference is new, and adds it.
func (s *refSet) add(r Ref) bool {
	for i := s.home(r); ; i = (i + 1) & uint32(len(s.slots)-1) {
		switch s.slots[i] {
		case r:
			return false
		case 0:
			s.slots[i] = r
			if s.n++; 2*s.n > len(s.slots) {
				s.grow()
			}
			return true
		}
	}
}

// home returns the place that the hash of a reference says: Fibonacci hashing, of Knuth.
func (s *refSet) home(r Ref) uint32 { return r * 0x9e3779b1 >> (33 - bits.Len(uint(len(s.slots)))) }

func (s *refSet) grow() {
	old := s.slots
	s.slots, s.n = make([]Ref, 2*len(old)), 0
	for _, r := range old {
		if r != 0 {
			s.add(r)
		}
	}
}
