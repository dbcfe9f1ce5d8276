package dict

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Each calls fn for every element until fn returns false. The map is paused meanwhile; fn may look
// up, and may delete the element it was given. If it inserts or deletes others, those, and at worst
// some seen already, may be seen or not. O(buckets).
func (m *Map[E]) Each(fn func(E) bool) {
	m.Pause()
	defer m.Resume()
	for i := m.moved; i < len(m.old.buckets); i++ {
		if !m.old.buckets[i].each(fn) {
			return
		}
	}
	for i := range m.cur.buckets {
		if !m.cur.buckets[i].each(fn) {
			return
		}
	}
}

// each calls fn for the elements of a chain, last to first: what a deletion moves into a hole has
// then been seen already.
func (b *bucket[E]) each(fn func(E) bool) bool {
	if b.next != nil && !b.next.each(fn) {
		return false
	}
	for i := perBucket - 1; i >= 0; i-- {
		if i < b.count() && !fn(b.slots[i]) {
			return false
		}
	}
	return true
}

// Scan calls fn for the elements of one step of a walk and returns the cursor for the next step; a
// walk begins and ends at 0. An element that is in the map during the whole walk is given exactly
// once, however the map grows and shrinks between the steps; one that comes or goes meanwhile, at most
// once. Any cursor is safe. The map is paused during the call, with Each's rules for fn.
//
// A step gives count elements; more only if the last one shares cursorBits of its hash with others,
// and fewer at the end of the walk or after ten chains per element, as in Redis, so that a sparse
// table does not make the step long. O(count), with one hash for each element of the last chain.
//
// The elements have a fixed order, that of their hashes with the bits reversed, and the cursor is the
// place in that order where the next step begins. The top bits of a place are the index of its chain,
// so each chain holds a run of the order, in a table of any size.
func (m *Map[E]) Scan(cursor uint64, count int, fn func(E)) uint64 {
	if m.n == 0 {
		return 0
	}
	m.Pause()
	defer m.Resume()
	count = max(count, 1)
	left, given := count, 0
	for chains := 0; chains/10 < count; chains++ {
		cursor, given = m.scanPart(cursor&cursorMask, left, fn)
		if left -= given; cursor == 0 || left <= 0 {
			break
		}
	}
	return cursor
}

// A cursor has no more bits than these, so that it survives a client, or a script, that keeps it in a
// double or prints 14 digits of it.
const (
	cursorBits = 46
	cursorMask = 1<<cursorBits - 1
)

// placed is an element with its place in the order of a walk.
type placed[E Element] struct {
	place   uint64
	element E
}

// scanPart gives the elements of the cursor's chain from the cursor on, most of them at most but for
// those at the same place, and returns the next cursor and how many it gave.
func (m *Map[E]) scanPart(cursor uint64, most int, fn func(E)) (next uint64, given int) {
	var room [4 * perBucket]placed[E]
	part := room[:0]
	mask := m.eachChainAt(cursor, func(b *bucket[E]) {
		for ; b != nil; b = b.next {
			for _, e := range b.slots[:b.count()] {
				part = append(part, placed[E]{element: e})
			}
		}
	})
	if cursor > mask || len(part) > most { // else the whole chain is due, in any order
		part = m.sortFrom(bits.Reverse64(cursor), part)
	}
	n := min(most, len(part))
	for ; n < len(part) && part[n].place == part[n-1].place; n++ {
	}
	for _, p := range part[:n] {
		fn(p.element)
	}
	if n == len(part) {
		return chainAfter(cursor, mask), n
	}
	return bits.Reverse64(between(part[n-1].place, part[n].place)), n
}

// sortFrom returns the elements of part whose place is first or later, in order. It reuses part.
func (m *Map[E]) sortFrom(first uint64, part []placed[E]) []placed[E] {
	due := part[:0]
	for _, p := range part {
		p.place = bits.Reverse64(Hash(m.seed, p.element.Key()) & cursorMask)
		if p.place >= first {
			due = append(due, p)
		}
	}
	slices.SortFunc(due, func(a, b placed[E]) int { return cmp.Compare(a.place, b.place) })
	return due
}

// between returns the place above low and up to high that has the fewest bits, for a short cursor.
func between(low, high uint64) uint64 {
	same := bits.LeadingZeros64(low ^ high)
	return high &^ (math.MaxUint64 >> (same + 1))
}

// ScanChain is Scan with steps of one chain, whatever its length and the part of it where the cursor
// is. It computes no hashes, and may give some elements more than once. O(1): one chain, or during a
// resize one chain of the smaller table and those of the larger that share its index.
func (m *Map[E]) ScanChain(cursor uint64, fn func(E)) uint64 {
	if m.n == 0 {
		return 0
	}
	m.Pause()
	defer m.Resume()
	mask := m.eachChainAt(cursor, func(b *bucket[E]) {
		b.each(func(e E) bool { fn(e); return true })
	})
	return chainAfter(cursor, mask)
}

// eachChainAt calls fn for the chains that the cursor leads to, during a resize those of both tables,
// and returns the mask of the smaller table, which tells the index from the rest of a cursor.
func (m *Map[E]) eachChainAt(cursor uint64, fn func(*bucket[E])) (mask uint64) {
	small, large := m.cur.buckets, m.old.buckets
	if large != nil && len(large) < len(small) {
		small, large = large, small
	}
	mask = uint64(len(small) - 1)
	fn(&small[cursor&mask])
	for i := cursor & mask; i < uint64(len(large)); i += mask + 1 {
		fn(&large[i])
	}
	return mask
}

// chainAfter returns the cursor of the next chain, 0 after the last. The cursor counts with its bits
// reversed, from the table's top index bit down. When the table doubles, each chain left to visit
// splits into chains that are adjacent in that order, and halving merges such neighbours, so no chain
// left to visit ends up behind the cursor.
func chainAfter(cursor, mask uint64) uint64 {
	return bits.Reverse64(bits.Reverse64(cursor|^mask) + 1)
}

// Random returns an element, each with the same probability; the zero E if the map is empty.
// dice(n) must return a number in [0, n), each with the same probability.
// O(1) expected: a handful of cache misses, more while the table is sparse.
//
// A slot is drawn from a rectangle, chains by the longest chain's capacity, until one is hit that
// is occupied.
func (m *Map[E]) Random(dice func(n uint64) uint64) (e E) {
	if m.n == 0 {
		return e
	}
	left := len(m.old.buckets) - m.moved
	chains := uint64(left + len(m.cur.buckets))
	depth := uint64(max(m.old.deepest, m.cur.deepest)) * perBucket
	for {
		i, j := int(dice(chains)), int(dice(depth))
		b := m.nth(i)
		for ; b != nil && j >= perBucket; j -= perBucket {
			b = b.next
		}
		if b != nil && j < b.count() {
			return b.slots[j]
		}
	}
}

// EachFrom calls fn for the elements of chains that lie side by side, from a random one on, until it returns
// false or has seen most chains. Elements at the end of long chains come last: to sample a few, skip
// some. It costs a cache miss or two, where Random costs that for each element.
func (m *Map[E]) EachFrom(dice func(n uint64) uint64, most int, fn func(E) bool) {
	chains := len(m.old.buckets) - m.moved + len(m.cur.buckets)
	if chains == 0 {
		return
	}
	for i := int(dice(uint64(chains))); most > 0 && m.nth(i).each(fn); most-- {
		if i++; i == chains {
			i = 0
		}
	}
}

// nth returns chain i of both tables taken together, those of old that are moved left out.
func (m *Map[E]) nth(i int) *bucket[E] {
	if left := len(m.old.buckets) - m.moved; i >= left {
		return &m.cur.buckets[i-left]
	}
	return &m.old.buckets[m.moved+i]
}
