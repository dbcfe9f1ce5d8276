package dict

import (
	"math/bits"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

const (
	sparse     = 10 // percent of the slots in use below which the table shrinks, as in Redis
	shrunkLoad = 4  // elements per bucket a shrunken table has at most
	emptySkip  = 10 // empty chains that moving one chain may pass over, as in Redis
)

// RehashStep moves up to n chains if a resize is under way and the map is not paused, and reports
// whether there are more to move. Each chain may cost a cache miss for each element in it.
func (m *Map[E]) RehashStep(n int) bool {
	if m.old.buckets == nil || m.paused > 0 {
		return m.old.buckets != nil
	}
	for ; n > 0 && m.moved < len(m.old.buckets); n-- {
		m.moveNext()
	}
	if m.moved == len(m.old.buckets) {
		m.old, m.moved = table[E]{}, 0
	}
	return m.old.buckets != nil
}

// Pause suspends resizing, growing included, until Resume has been called as often. Everything else
// works.
func (m *Map[E]) Pause() { m.paused++ }

// Resume ends a Pause. The resize that fell due in the meantime starts with the next Insert or
// Delete.
func (m *Map[E]) Resume() { m.paused-- }

// Reserve makes room for n elements at once in a map that is empty; otherwise it does nothing.
func (m *Map[E]) Reserve(n int) {
	if m.n == 0 && m.paused == 0 {
		m.Clear()
		m.cur = m.newTable(bucketsFor(n, load))
	}
}

// moveNext moves the next chain of old that is not empty, passing over a bounded number that are.
func (m *Map[E]) moveNext() {
	for range emptySkip {
		b := &m.old.buckets[m.moved]
		m.moved++
		if b.tags != 0 {
			m.moveChain(b)
			return
		}
		if m.moved == len(m.old.buckets) {
			return
		}
	}
}

// moveChain moves every element of a chain to cur. The chain's index must be below moved already.
func (m *Map[E]) moveChain(head *bucket[E]) {
	for b := head; b != nil; {
		for _, e := range b.slots[:b.count()] {
			m.append(&m.cur, Hash(m.seed, e.Key()), e)
		}
		next := b.next
		if b != head {
			m.old.overflow--
		}
		b = next
	}
	*head = bucket[E]{}
}

// growIfDue makes the first table, or starts a resize to twice the size.
func (m *Map[E]) growIfDue() {
	switch size := len(m.cur.buckets); {
	case size == 0:
		m.cur = m.newTable(1)
	case m.n > max(size*load, perBucket) && m.old.buckets == nil && m.paused == 0:
		m.resize(max(2*size, bucketsFor(m.n, shrunkLoad)))
	}
}

// shrinkIfDue starts a resize to fewer buckets if the table is sparse, and frees the table of an
// empty map.
func (m *Map[E]) shrinkIfDue() {
	size := len(m.cur.buckets)
	switch {
	case m.paused > 0:
	case m.n == 0:
		m.Clear()
	case m.n*100 < size*perBucket*sparse && size > 1 && m.old.buckets == nil:
		m.resize(bucketsFor(m.n, shrunkLoad))
	}
}

// resize starts a resize to the given number of buckets, a power of two.
func (m *Map[E]) resize(size int) {
	m.old, m.moved = m.cur, 0
	m.cur = m.newTable(size)
}

// bucketsFor returns the smallest power of two of buckets that take n elements, per in each.
func bucketsFor(n, per int) int {
	if n <= perBucket {
		return 1
	}
	return 1 << bits.Len(uint((n-1)/per))
}

func (m *Map[E]) newTable(size int) table[E] {
	return table[E]{buckets: make([]bucket[E], size), fixed: sizeclass.RoundScanned(size * int(unsafe.Sizeof(bucket[E]{})))}
}

// Bytes returns the bytes the tables and overflow buckets occupy, both tables during a
// resize; not the elements, nor the Map itself. O(1).
func (m *Map[E]) Bytes() int { return m.cur.bytes() + m.old.bytes() }

func (t *table[E]) bytes() int { return t.fixed + int(t.overflow)*int(unsafe.Sizeof(bucket[E]{})) }
