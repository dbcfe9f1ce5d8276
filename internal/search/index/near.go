package index

import (
	"encoding/binary"
	"math"
	"slices"
)

// noPosition is where a list of positions ends.
const noPosition = math.MaxUint32

// allPositions returns the positions of the words of a match, in order. ok is false if it has no
// words at all. As in RediSearch, several numbers together have words, but none at a position.
func (m *match) allPositions() (list []uint32, ok bool) {
	switch m.kind {
	case isWord:
		at := uint32(0)
		for rest := m.positions; len(rest) > 0; {
			d, n := binary.Uvarint(rest)
			rest = rest[n:]
			at += uint32(d)
			list = append(list, at)
		}
		return list, len(list) > 0
	case isIntersection, isUnion:
		for _, p := range m.parts {
			ok = ok || p.kind != isVirtual
			words, _ := p.allPositions()
			list = append(list, words...)
		}
		slices.Sort(list)
	}
	return list, ok
}

// lists returns the positions of the parts that have words.
func (m *match) lists() (lists [][]uint32) {
	for _, p := range m.parts {
		if list, ok := p.allPositions(); ok {
			lists = append(lists, list)
		}
	}
	return lists
}

// near reports whether the words of the parts lie so near that at most slop others are between
// them, and follow each other if they must.
func near(m *match, slop int, order bool) bool {
	if len(m.parts) <= 1 {
		return true
	}
	switch lists := m.lists(); {
	case len(lists) == 0:
		return true
	case order:
		return nearInOrder(lists, slop)
	default:
		return nearInAny(lists, slop)
	}
}

// nearInOrder takes for each word of the first list the next ones of the others.
func nearInOrder(lists [][]uint32, slop int) bool {
	at := make([]int, len(lists))
	for ; at[0] < len(lists[0]); at[0]++ {
		span, before := 0, lists[0][at[0]]
		for i := 1; i < len(lists) && span <= slop; i++ {
			for at[i] < len(lists[i]) && lists[i][at[i]] < before {
				at[i]++
			}
			if at[i] == len(lists[i]) {
				return false
			}
			span += int(lists[i][at[i]]) - int(before) - 1
			before = lists[i][at[i]]
		}
		if span <= slop {
			return true
		}
	}
	return false
}

// nearInAny moves on in the list whose word lies first, until all lie within the slop. As in
// RediSearch, a part without positions is near to all, and a single part is near to nothing.
func nearInAny(lists [][]uint32, slop int) bool {
	empty := 0
	for _, list := range lists {
		if len(list) == 0 {
			empty++
		}
	}
	if empty > 0 {
		return empty < len(lists)
	}
	at := make([]int, len(lists))
	for {
		first, least, most := 0, uint32(noPosition), uint32(0)
		for i, list := range lists {
			p := list[at[i]]
			if p < least {
				first, least = i, p
			}
			most = max(most, p)
		}
		if least != most && int(most)-int(least)-(len(lists)-1) <= slop {
			return true
		}
		if at[first]++; at[first] == len(lists[first]) {
			return false
		}
	}
}

// slop returns what scores are divided by: how far the words of the parts lie from each other.
func (m *match) slop() int {
	if m.kind != isIntersection && m.kind != isUnion || len(m.parts) <= 1 {
		return 1
	}
	sum := int32(0)
	lists := m.lists()
	for i := 1; i < len(lists); i++ {
		d := leastDistance(lists[i-1], lists[i])
		sum += d * d
	}
	if sum == 0 {
		return len(m.parts) - 1
	}
	return int(math.Sqrt(float64(sum)))
}

// leastDistance returns the least distance between two positions, but looks no further once it is
// 1. As in RediSearch, to a part without positions it is that to the end of the positions.
func leastDistance(a, b []uint32) int32 {
	least := distanceBetween(first(a), first(b))
	for least > 1 && len(a) > 0 && len(b) > 0 {
		least = min(least, distanceBetween(a[0], b[0]))
		if b[0] > a[0] {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return least
}

func first(list []uint32) uint32 {
	if len(list) == 0 {
		return noPosition
	}
	return list[0]
}

func distanceBetween(p, q uint32) int32 {
	if p > q {
		p, q = q, p
	}
	return int32(q - p)
}
