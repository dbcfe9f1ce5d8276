package index

import (
	"encoding/binary"
	"math"
	"slices"
)

// noPosition is where a list of positions ends.
const noPosition = math.MaxUint32

// places is where the words of a match lie: a list for each part. It is used for one match after
// the other.
type places struct {
	lists [][]uint32
	all   []uint32 // the lists, one behind the other
	ends  []int    // of the lists, in all
}

// of returns the positions of the parts that have words. They are the caller's until the next call.
func (p *places) of(m *match) [][]uint32 {
	p.lists, p.all, p.ends = p.lists[:0], p.all[:0], p.ends[:0]
	for _, part := range m.parts {
		if p.add(part) {
			p.ends = append(p.ends, len(p.all))
		}
	}
	from := 0
	for _, end := range p.ends {
		p.lists = append(p.lists, p.all[from:end])
		from = end
	}
	return p.lists
}

// add adds the positions of the words of a match, in order. ok is false if it has no words at all,
// and so no positions. As in RediSearch, several numbers together have words, but none at a
// position.
func (p *places) add(m *match) (ok bool) {
	from := len(p.all)
	switch m.kind {
	case isWord:
		p.word(m.positions)
		return len(p.all) > from
	case isIntersection, isUnion:
		for _, part := range m.parts {
			ok = ok || part.kind != isVirtual
			p.add(part)
		}
		if len(m.parts) > 1 {
			slices.Sort(p.all[from:])
		}
	}
	return ok
}

// word adds the positions of a word.
func (p *places) word(positions []byte) {
	at := uint32(0)
	for len(positions) > 0 {
		d, n := uint64(positions[0]), 1
		if d >= 0x80 {
			d, n = binary.Uvarint(positions)
		}
		positions = positions[n:]
		at += uint32(d)
		p.all = append(p.all, at)
	}
}

// near reports whether the words of the parts lie so near that at most slop others are between
// them, and follow each other if they must.
func (p *places) near(m *match, slop int, order bool) bool {
	if len(m.parts) <= 1 {
		return true
	}
	switch lists := p.of(m); {
	case len(lists) == 0:
		return true
	case order:
		return nearInOrder(lists, slop)
	default:
		return nearInAny(lists, slop)
	}
}

// nearInOrder takes for each word of the first list the next ones of the others. It uses the lists
// up.
func nearInOrder(lists [][]uint32, slop int) bool {
	for ; len(lists[0]) > 0; lists[0] = lists[0][1:] {
		span, before := 0, lists[0][0]
		for i := 1; i < len(lists) && span <= slop; i++ {
			for len(lists[i]) > 0 && lists[i][0] < before {
				lists[i] = lists[i][1:]
			}
			if len(lists[i]) == 0 {
				return false
			}
			span += int(lists[i][0]) - int(before) - 1
			before = lists[i][0]
		}
		if span <= slop {
			return true
		}
	}
	return false
}

// nearInAny moves on in the list whose word lies first, until all lie within the slop. It uses the
// lists up. As in RediSearch, a part without positions is near to all, and a single part is near to
// nothing.
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
	for {
		first, least, most := 0, uint32(noPosition), uint32(0)
		for i, list := range lists {
			if list[0] < least {
				first, least = i, list[0]
			}
			most = max(most, list[0])
		}
		if least != most && int(most)-int(least)-(len(lists)-1) <= slop {
			return true
		}
		if lists[first] = lists[first][1:]; len(lists[first]) == 0 {
			return false
		}
	}
}

// slop returns what scores are divided by: how far the words of the parts lie from each other.
func (p *places) slop(m *match) int {
	if m.kind != isIntersection && m.kind != isUnion || len(m.parts) <= 1 {
		return 1
	}
	sum := int32(0)
	lists := p.of(m)
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
