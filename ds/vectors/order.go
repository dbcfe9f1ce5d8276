package vectors

import (
	"bytes"
	"slices"
)

// Bound is an end of a range of names.
type Bound struct {
	Name      []byte
	Inclusive bool
	Open      bool // there is no bound
}

// Between returns the names from one bound to another one in the order of their bytes, at most most
// of them unless that is negative. They share the memory of the set. O(elements * log most).
func (s *Set) Between(from, to Bound, most int) (list [][]byte) {
	if most == 0 {
		return nil
	}
	s.Each(func(e Element) bool {
		name := s.Name(e)
		if !after(name, from) || !before(name, to) {
			return true
		}
		if list = append(list, name); most > 0 && len(list) >= 2*most+batch {
			slices.SortFunc(list, bytes.Compare)
			list = list[:most]
		}
		return true
	})
	slices.SortFunc(list, bytes.Compare)
	if most > 0 && len(list) > most {
		list = list[:most]
	}
	return list
}

// batch is how many names are collected at least before most of them are given up.
const batch = 1024

func after(name []byte, from Bound) bool {
	order := bytes.Compare(name, from.Name)
	return from.Open || order > 0 || order == 0 && from.Inclusive
}

func before(name []byte, to Bound) bool {
	order := bytes.Compare(name, to.Name)
	return to.Open || order < 0 || order == 0 && to.Inclusive
}
