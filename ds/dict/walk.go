package dict

import "math/bits"

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
// walk begins and ends at 0. An element that is in the map during the whole walk is given at least
// once, however the map grows and shrinks between the steps; some may be given more than once. Any
// cursor is safe. The map is paused during the call, with Each's rules for fn. O(1): one chain, or
// during a resize one chain of the smaller table and those of the larger that share its index.
//
// The cursor counts with its bits reversed, from the table's top index bit down. When the table
// doubles, each chain left to visit splits into chains that are adjacent in that order, and halving
// merges such neighbours, so no chain left to visit ends up behind the cursor.
func (m *Map[E]) Scan(cursor uint64, fn func(E)) uint64 {
	if m.n == 0 {
		return 0
	}
	m.Pause()
	defer m.Resume()
	each := func(e E) bool { fn(e); return true }
	small, large := m.cur.buckets, m.old.buckets
	if large != nil && len(large) < len(small) {
		small, large = large, small
	}
	mask := uint64(len(small) - 1)
	small[cursor&mask].each(each)
	for i := cursor & mask; i < uint64(len(large)); i += mask + 1 {
		large[i].each(each)
	}
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
	depth := uint64(max(m.old.deepest, m.cur.deepest) * perBucket)
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
