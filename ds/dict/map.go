// Package dict is a hash table of elements that carry their own key: hash fields, set and sorted
// set members. It grows and shrinks without ever stopping for O(n), and it
// can be walked by a client over many calls while it changes (SCAN).
//
// A table is a power-of-two array of buckets, one cache line each on a 64-bit machine; a bucket
// that overflows links to another:
//
//	hash:   tag (top 8 bits) ........ index (low bits)
//	                                     |
//	table:  [bucket 0][bucket 1] ... [bucket i] ...
//	                                     |
//	         8 bytes            48 bytes | 8 bytes
//	        [tags t0..t5 - -][e0 e1 e2 e3 e4 e5][next] -> [overflow bucket, same shape] -> nil
//
// A lookup compares six tags with one word operation and touches an element only where the tag
// agrees, so a hit costs two cache misses, the bucket's and the element's, and a miss usually one.
// At 2.5 to 5 elements a bucket that is 16 to 26 bytes an element in all.
//
// While the table is being resized there are two: old, emptied chain by chain from index 0, and
// cur.
//
// Invariants:
//  1. The elements of a chain are dense: every bucket but the last is full, and vacant slots follow
//     the occupied ones.
//  2. A tag is zero exactly where its slot is vacant; else it is the tag of the element's hash.
//  3. An element is in exactly one place, known from its hash alone: old if its chain there is not
//     moved yet, else cur. So a lookup looks into one table even in the middle of a resize.
//  4. Keys are unique. That is the caller's promise to Insert.
//  5. A chain of either table is never longer than the table's deepest.
//
// Lookups change nothing: only Insert, Delete and RehashStep move chains, at least one each while a
// resize is under way. That is unlike Redis, where reads rehash too because they must search both
// tables until it is done. Here they need not, and so a slot pointer outlives other lookups, and
// callbacks of Each and Scan may look up what they like.
//
// Index is another hash table, for elements that are referred to by four bytes. It grows differently, and can lie outside of
// Go's heap.
//
// Non-goals: concurrent use (the caller serialises), keeping insertion order, cloning (the elements
// are not ours to copy).
package dict

import "math/bits"

// Element is what a Map stores: something that knows its key. It should be pointer-shaped, so that
// a bucket is one cache line. The key of a stored element must not change, and is asked for often:
// make Key cheap, a view and not a copy.
type Element interface{ Key() string }

const (
	perBucket = 6 // slots in a bucket
	load      = 5 // elements per bucket above which the table doubles
)

// Map is a hash table of E by E's key. The zero value is an empty map with seed 0. A Map must not
// be copied once in use.
type Map[E Element] struct {
	cur    table[E]
	old    table[E] // being emptied into cur; no buckets outside a resize
	moved  int      // chains of old already moved: all below this index
	n      int
	paused int
	seed   uint64
}

// table is one array of buckets with what hangs off it.
type table[E Element] struct {
	buckets  []bucket[E]
	fixed    int    // bytes of buckets
	overflow uint32 // overflow buckets
	deepest  uint32 // no chain has had more buckets since the table was made
}

type bucket[E Element] struct {
	tags  uint64 // byte i: tag of slot i; the two top bytes are unused
	slots [perBucket]E
	next  *bucket[E]
}

// New returns an empty map whose hashes depend on seed. It allocates no table until the first
// Insert.
func New[E Element](seed uint64) *Map[E] { return new(Map[E]).Init(seed) }

// Init empties m, whatever it held, sets the seed and returns m: New for a Map that is part of
// something else.
func (m *Map[E]) Init(seed uint64) *Map[E] {
	*m = Map[E]{seed: seed}
	return m
}

// Len returns the number of elements. O(1).
func (m *Map[E]) Len() int { return m.n }

// Seed returns what the hashes depend on.
func (m *Map[E]) Seed() uint64 { return m.seed }

// Hash returns the hash of key in this map, for the methods that take one.
func (m *Map[E]) Hash(key string) uint64 { return Hash(m.seed, key) }

// Find returns the element with the given key; false if there is none. O(1), allocates nothing.
func (m *Map[E]) Find(key string) (E, bool) { return m.FindHash(Hash(m.seed, key), key) }

// FindHash is Find for a caller that knows h = m.Hash(key).
func (m *Map[E]) FindHash(h uint64, key string) (e E, ok bool) {
	if p := m.LookupHash(h, key); p != nil {
		return *p, true
	}
	return e, false
}

// Lookup returns the slot of the element with the given key; nil if there is none. The caller may
// replace the element by one with the same key. The slot is valid until the next Insert, Delete,
// RehashStep, Reserve or Clear; lookups and walks leave it alone. O(1), allocates nothing.
func (m *Map[E]) Lookup(key string) *E { return m.LookupHash(Hash(m.seed, key), key) }

// LookupHash is Lookup for a caller that knows h = m.Hash(key).
func (m *Map[E]) LookupHash(h uint64, key string) *E {
	if b, i := m.locate(h, key); b != nil {
		return &b.slots[i]
	}
	return nil
}

// Prefetch loads the bucket for hash h, whether or not it holds such an element, into the processor's caches for a
// lookup or an insertion that follows. The result means nothing, but must be used.
func (m *Map[E]) Prefetch(h uint64) uint64 {
	if m.cur.buckets == nil {
		return 0
	}
	return m.tableOf(h).chain(h).tags
}

// FirstMatch returns the element that a lookup of a key with hash h looks at first; false if it looks at none in
// the first bucket. It does not touch the element.
func (m *Map[E]) FirstMatch(h uint64) (e E, ok bool) {
	if m.n == 0 {
		return e, false
	}
	b := m.tableOf(h).chain(h)
	hits := b.match(tagOf(h))
	if hits == 0 {
		return e, false
	}
	return b.slots[slotOf(hits)], true
}

// locate returns the bucket and the slot number of the element with the given key; a nil bucket if
// there is none.
func (m *Map[E]) locate(h uint64, key string) (*bucket[E], int) {
	if m.n == 0 {
		return nil, 0
	}
	tag := tagOf(h)
	for b := m.tableOf(h).chain(h); b != nil; b = b.next {
		for hits := b.match(tag); hits != 0; hits &= hits - 1 {
			if i := slotOf(hits); b.slots[i].Key() == key {
				return b, i
			}
		}
	}
	return nil, 0
}

// Insert adds e, whose key must be absent, and keeps it. O(1) but for the allocation of a larger
// table now and then.
func (m *Map[E]) Insert(e E) { m.InsertHash(Hash(m.seed, e.Key()), e) }

// InsertHash is Insert for a caller that knows h = m.Hash(e.Key()).
func (m *Map[E]) InsertHash(h uint64, e E) {
	m.RehashStep(1)
	m.n++
	m.growIfDue()
	m.append(m.tableOf(h), h, e)
}

// Delete removes the element with the given key and returns it; false if there is none.
// O(1) but for the allocation of a smaller table now and then.
func (m *Map[E]) Delete(key string) (E, bool) { return m.DeleteHash(Hash(m.seed, key), key) }

// DeleteHash is Delete for a caller that knows h = m.Hash(key).
func (m *Map[E]) DeleteHash(h uint64, key string) (e E, ok bool) {
	b, i := m.locate(h, key)
	if b == nil {
		return e, false // and nothing moved: to the table's owner this was a read
	}
	e = b.slots[i]
	m.remove(m.tableOf(h), h, b, i)
	m.n--
	m.RehashStep(1)
	m.shrinkIfDue()
	return e, true
}

// Clear removes every element and frees the tables; the seed stays. O(1). Not allowed while paused
// or within a walk.
func (m *Map[E]) Clear() {
	*m = Map[E]{seed: m.seed}
}

// tableOf returns the table that has, or would have, the element with hash h. There must be a table.
func (m *Map[E]) tableOf(h uint64) *table[E] {
	if m.old.buckets != nil && m.old.index(h) >= m.moved {
		return &m.old
	}
	return &m.cur
}

func (t *table[E]) index(h uint64) int          { return int(h) & (len(t.buckets) - 1) }
func (t *table[E]) chain(h uint64) *bucket[E]   { return &t.buckets[t.index(h)] }
func tagOf(h uint64) uint64                     { return max(h>>56, 1) }
func slotOf(hits uint64) int                    { return bits.TrailingZeros64(hits) >> 3 }
func (b *bucket[E]) count() int                 { return (bits.Len64(b.tags) + 7) >> 3 }
func (b *bucket[E]) put(i int, tag uint64, e E) { b.tags |= tag << (8 * i); b.slots[i] = e }

// match returns the top bit of byte i set, exactly for the slots i whose tag is the given one.
func (b *bucket[E]) match(tag uint64) uint64 {
	const low, high = 0x7f7f7f7f7f7f, 0x808080808080
	x := b.tags ^ tag*0x010101010101
	return ^((x&low + low) | x) & high
}

// append adds e at the end of its chain.
func (m *Map[E]) append(t *table[E], h uint64, e E) {
	b, depth := t.chain(h), uint32(1)
	for ; b.count() == perBucket; depth++ {
		if b.next == nil {
			b.next = new(bucket[E])
			t.overflow++
		}
		b = b.next
	}
	b.put(b.count(), tagOf(h), e)
	t.deepest = max(t.deepest, depth)
}

// remove vacates slot i of bucket b in the chain of h: the chain's last element moves there, and an
// emptied overflow bucket goes.
func (m *Map[E]) remove(t *table[E], h uint64, b *bucket[E], i int) {
	var before *bucket[E]
	last := t.chain(h)
	for ; last.next != nil; last = last.next {
		before = last
	}
	j := last.count() - 1
	e, tag := last.slots[j], last.tags>>(8*j)
	b.clear(i)
	b.put(i, tag, e)
	last.clear(j)
	if j == 0 && before != nil {
		before.next = nil
		t.overflow--
	}
}

func (b *bucket[E]) clear(i int) {
	var none E
	b.tags &^= 0xff << (8 * i)
	b.slots[i] = none
}
