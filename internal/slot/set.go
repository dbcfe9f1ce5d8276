package slot

import "math/bits"

// Set is a set of hash slots. Its zero value is empty.
type Set [Count / 64]uint64

// Has reports whether the set has a slot.
func (s *Set) Has(at uint16) bool { return s[at/64]&(1<<(at%64)) != 0 }

// Add adds a slot.
func (s *Set) Add(at uint16) { s[at/64] |= 1 << (at % 64) }

// AddAll adds the slots of another set.
func (s *Set) AddAll(other *Set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// RemoveAll removes the slots of another set.
func (s *Set) RemoveAll(other *Set) {
	for i := range s {
		s[i] &^= other[i]
	}
}

// Meets reports whether two sets have a slot in common.
func (s *Set) Meets(other *Set) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// Len returns the number of slots.
func (s *Set) Len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Ranges returns the slots in order, as ranges with their first and last ones.
func (s *Set) Ranges() (list [][2]int) {
	for at := range Count {
		switch last := len(list) - 1; {
		case !s.Has(uint16(at)):
		case last >= 0 && list[last][1] == at-1:
			list[last][1] = at
		default:
			list = append(list, [2]int{at, at})
		}
	}
	return list
}

// SetOf returns the set of the slots in some ranges. What is out of range is left out.
func SetOf(ranges [][2]int) *Set {
	s := new(Set)
	for _, r := range ranges {
		for at := max(r[0], 0); at <= min(r[1], Count-1); at++ {
			s.Add(uint16(at))
		}
	}
	return s
}
