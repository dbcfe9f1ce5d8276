package dict

import "fmt"

// Stats describes how a map lies in memory.
type Stats struct {
	Len      int
	Buckets  int   // of the current table
	Old      int   // buckets of the table being emptied; 0 outside a resize
	Moved    int   // of those, how many chains are moved
	Overflow int   // overflow buckets of both tables
	Bytes    int   // as Bytes returns
	Chains   []int // Chains[k] is the number of chains with k elements, moved ones left out
}

// Stats walks the tables and returns what it finds. O(buckets).
func (m *Map[E]) Stats() Stats {
	s := Stats{
		Len: m.n, Buckets: len(m.cur.buckets), Old: len(m.old.buckets), Moved: m.moved,
		Overflow: int(m.cur.overflow + m.old.overflow), Bytes: m.Bytes(),
	}
	for i := range len(m.old.buckets) - m.moved + len(m.cur.buckets) {
		k := 0
		for b := m.nth(i); b != nil; b = b.next {
			k += b.count()
		}
		for len(s.Chains) <= k {
			s.Chains = append(s.Chains, 0)
		}
		s.Chains[k]++
	}
	return s
}

// Check walks the whole map and returns an error naming the first broken invariant; nil if all
// hold. O(n).
func (m *Map[E]) Check() error {
	n := 0
	for _, t := range []*table[E]{&m.cur, &m.old} {
		overflow := 0
		for i := range t.buckets {
			buckets, elements, err := m.checkChain(t, i)
			if err != nil {
				return err
			}
			overflow += buckets - 1
			n += elements
		}
		if overflow != int(t.overflow) {
			return fmt.Errorf("dict: %d overflow buckets, %d counted", overflow, t.overflow)
		}
	}
	switch {
	case n != m.n:
		return fmt.Errorf("dict: %d elements, %d counted", n, m.n)
	case m.moved > len(m.old.buckets) || m.moved > 0 && m.moved == len(m.old.buckets):
		return fmt.Errorf("dict: %d of %d chains moved", m.moved, len(m.old.buckets))
	case len(m.cur.buckets)&(len(m.cur.buckets)-1) != 0:
		return fmt.Errorf("dict: %d buckets", len(m.cur.buckets))
	}
	return nil
}

// checkChain checks chain i of t and returns how many buckets and elements it has.
func (m *Map[E]) checkChain(t *table[E], i int) (buckets, elements int, err error) {
	for b := &t.buckets[i]; b != nil; b = b.next {
		buckets++
		elements += b.count()
		if b.count() == 0 && buckets > 1 || b.count() < perBucket && b.next != nil {
			return 0, 0, fmt.Errorf("dict: chain %d not dense at bucket %d", i, buckets)
		}
		for j := range b.count() {
			if err := m.checkSlot(b, j); err != nil {
				return 0, 0, fmt.Errorf("dict: chain %d: %w", i, err)
			}
		}
	}
	if buckets > int(t.deepest) && elements > 0 {
		return 0, 0, fmt.Errorf("dict: chain %d has %d buckets, deepest is %d", i, buckets, t.deepest)
	}
	return buckets, elements, nil
}

// checkSlot checks that the element in slot j of b is tagged right and that its key leads to it and
// to no other.
func (m *Map[E]) checkSlot(b *bucket[E], j int) error {
	key := b.slots[j].Key()
	h := Hash(m.seed, key)
	if tag := b.tags >> (8 * j) & 0xff; tag != tagOf(h) {
		return fmt.Errorf("tag %d of %q should be %d", tag, key, tagOf(h))
	}
	if at, k := m.locate(h, key); at != b || k != j {
		return fmt.Errorf("%q is misplaced or there twice", key)
	}
	return nil
}
