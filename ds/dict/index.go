// Package dict is a hash table of elements that lie in cells: the keys of a database, and the
// members and fields of large collections. It holds references, four bytes each with a fingerprint
// of one. It knows nothing of the elements: the caller hashes and compares keys. It never stops for
// O(n), and can be walked by a client over many calls while it changes (SCAN).
//
// It grows by linear hashing (Litwin, 1980): there is one table, which gets one chain more when it
// is full.
//
//	chains:  [0][1][2][3][4][5][6][7] [8][9][10]       chain 3 is next to be split, into 3 and 11
//	          split   │ not yet       │ from 0, 1, 2
//
//	hash:   fingerprint (top 8 bits) ........ index (low bits): as many as name the last chain;
//	                                          where there is no such chain yet, the top bit of
//	                                          the index does not count
//
// So an insertion moves the elements of one chain at most, all the time there are about as many
// elements to a chain, and there are never two tables. A table that loses elements is shrunk in the
// same way, from the last chain on.
//
// A chain is a bucket, one cache line, with further ones if it overflows:
//
//	 12 bytes            4 bytes     48 bytes
//	[fingerprints 0..11][next    ]  [ref 0 ... ref 11]
//
// With 10 elements to a chain that is about 8 bytes for each. A lookup compares the fingerprints
// with two word operations and touches an element only where they agree.
//
// Invariants, verified by Check:
//  1. The elements of a chain are dense: every bucket but the last is full, and vacant slots follow
//     the occupied ones.
//  2. A fingerprint is zero exactly where its slot is vacant; else it is that of the element's
//     hash.
//  3. An element is in the chain that its hash names.
//  4. Keys are unique. That is the caller's promise to Insert.
//  5. deep[k] is the number of chains with more than k+1 buckets. There are no zeros at its end.
//
// Lookups and walks change nothing. A Probe and a slot are valid until the next Insert, Remove,
// RehashStep or Reserve.
//
// Non-goals: concurrent use (the caller serialises), keeping insertion order.
package dict

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// Ref refers to an element that is kept elsewhere, such as a cell of an arena. 0 refers to none.
type Ref = arena.Ref

// Hasher knows the elements of an Index.
type Hasher interface {
	// HashOf returns the hash of the key of an element that is in the Index.
	HashOf(r Ref) uint64
}

// Index is a hash table of references. The zero value is an empty table in Go's heap. It must not
// be copied once in use.
type Index struct {
	buckets run       // the first of each chain
	more    *overflow // the others; nil if there never were any
	size    int       // chains
	n       int
	mask    uint32 // the bits of the index, one of which does not count for chains that are not split
	paused  int32
	mem     Memory // nil for Go's heap
}

// overflow is the buckets behind the first ones.
type overflow struct {
	run           // from number 1 on
	vacant uint32 // the first of those not in use, which are linked; 0 for none
	used   uint32 // buckets, vacant ones included
	deep   []uint32
}

const (
	perChain = 12 // slots in a bucket of an Index
	dense    = 10 // elements to a chain above which the table grows
	thin     = 4  // ... below which it shrinks
)

// chainBucket is a bucket of an Index.
type chainBucket struct {
	tags [perChain]uint8 // the fingerprints, by slot
	next uint32          // the number of the bucket in overflow that follows; 0 for none
	refs [perChain]Ref
}

const bucketBytes = int(unsafe.Sizeof(chainBucket{}))

// NewIndex returns an empty table that lies in mem.
func NewIndex(mem Memory) *Index { return &Index{mem: mem} }

// Len returns the number of elements. O(1).
func (x *Index) Len() int { return x.n }

// Probe is a search for an element by its hash.
type Probe struct {
	x    *Index
	b    *chainBucket
	tag  uint64
	hits uint64
}

// Probe begins a search for the element with hash h.
func (x *Index) Probe(h uint64) (p Probe) {
	if x.n == 0 {
		return p
	}
	return x.probe(x.chainNumber(h), tagOf(h))
}

func (x *Index) probe(chain uint32, tag uint64) Probe {
	b := x.buckets.at(chain)
	return Probe{x, b, tag, b.match(tag)}
}

// Next returns the slot of the next element whose fingerprint agrees, nil at the end. The caller
// compares the key, and may put the reference to another element with the same key into the slot.
func (p *Probe) Next() *Ref {
	for p.hits == 0 {
		if p.b == nil || p.b.next == 0 {
			return nil
		}
		p.b = p.x.extra(p.b.next)
		p.hits = p.b.match(p.tag)
	}
	slot := p.b.slot(p.hits)
	p.hits &= p.hits - 1
	return slot
}

// FindText returns the slot of the element whose key is a text in an arena, offset bytes behind
// what the reference names; nil if there is none. It also returns the hash of the key under the
// seed. It is a Probe with hash and comparison in it.
func (x *Index) FindText(seed uint64, key string, cells arena.Cells, offset uintptr) (slot *Ref, h uint64) {
	h = Hash(seed, key)
	if x.n == 0 {
		return nil, h
	}
	tag := tagOf(h)
	for b := x.chain(h); ; b = x.extra(b.next) {
		for hits := b.match(tag); hits != 0; hits &= hits - 1 {
			slot = b.slot(hits)
			if arena.Key(unsafe.Add(cells.At(*slot), offset)) == key {
				return slot, h
			}
		}
		if b.next == 0 {
			return nil, h
		}
	}
}

// Code returns what is left of a hash in 32 bits: the fingerprint and the low bits. It leads to the
// element as the hash does, and few others have the same.
func Code(h uint64) uint32 { return uint32(tagOf(h))<<codeBits | uint32(h&codeMask) }

const (
	codeBits = 24
	codeMask = 1<<codeBits - 1
)

// EachCode calls fn for every element whose hash may have that code, until fn returns false; fn
// must not insert or remove. O(1), but in a table of more than 2^24 chains it looks into each that
// such a hash may name.
func (x *Index) EachCode(code uint32, fn func(Ref) bool) {
	if x.n == 0 {
		return
	}
	for chain := x.chainNumber(uint64(code & codeMask)); chain < uint32(x.size); chain += codeMask + 1 {
		p := x.probe(chain, uint64(code>>codeBits))
		for slot := p.Next(); slot != nil; slot = p.Next() {
			if !fn(*slot) {
				return
			}
		}
	}
}

// Insert adds an element with hash h, whose key must be absent. O(1).
func (x *Index) Insert(h uint64, r Ref, owner Hasher) {
	x.RehashStep(1, owner)
	if x.size == 0 {
		x.addChain()
	}
	x.n++
	x.append(x.chainNumber(h), tagOf(h), r)
}

// Remove removes the element with hash h from the slot, which Next returned. O(1).
func (x *Index) Remove(h uint64, slot *Ref, owner Hasher) {
	x.vacate(x.chainNumber(h), slot)
	if x.n--; x.n == 0 && x.paused == 0 {
		x.clear()
		return
	}
	x.RehashStep(1, owner)
}

// clear removes all elements and frees the table. Not allowed while paused or within a walk.
func (x *Index) clear() {
	x.buckets.free(x.mem)
	if x.more != nil {
		x.more.free(x.mem)
	}
	*x = Index{mem: x.mem}
}

// Prefetch loads the first bucket for hash h into the processor's caches, for a lookup or an
// insertion that follows. The result means nothing, but must be used.
func (x *Index) Prefetch(h uint64) uint64 {
	if x.size == 0 {
		return 0
	}
	low, _ := x.chain(h).words()
	return low
}

// FirstMatch returns the element that a lookup with hash h looks at first; 0 if it looks at none in
// the first bucket.
func (x *Index) FirstMatch(h uint64) Ref {
	p := x.Probe(h)
	if p.hits == 0 {
		return 0
	}
	return *p.Next()
}

// tagOf returns the fingerprint of a hash: never 0.
func tagOf(h uint64) uint64 { return max(h>>56, 1) }

// chainNumber returns the number of the chain that has, or would have, an element with hash h.
func (x *Index) chainNumber(h uint64) uint32 {
	i := uint32(h) & x.mask
	if i >= uint32(x.size) {
		i &= x.mask >> 1
	}
	return i
}

// resize sets the number of chains.
func (x *Index) resize(size int) { x.size, x.mask = size, 1<<bits.Len32(uint32(size))-1 }

func (x *Index) chain(h uint64) *chainBucket { return x.buckets.at(x.chainNumber(h)) }

// extra returns overflow bucket n.
func (x *Index) extra(n uint32) *chainBucket { return x.more.at(n - 1) }

// after returns the bucket that follows in a chain, nil if it is the last.
func (x *Index) after(b *chainBucket) *chainBucket {
	if b.next == 0 {
		return nil
	}
	return x.extra(b.next)
}

// words returns the fingerprints of slots 0 to 7 and of the others, the first in the lowest byte.
func (b *chainBucket) words() (low, high uint64) {
	return binary.LittleEndian.Uint64(b.tags[:]), uint64(binary.LittleEndian.Uint32(b.tags[8:]))
}

// match returns a bit for each slot with that fingerprint: 8*i for slots 0 to 7, 8*i+1 for slots 8
// to 11.
func (b *chainBucket) match(tag uint64) uint64 {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	x, y := b.words()
	x ^= tag * 0x0101010101010101
	y ^= tag * 0x01010101
	return ^((x&low+low)|x)&high>>7 | ^((y&low+low)|y)&(high>>32)>>6
}

// slot returns the slot of the first of the bits that match returned.
func (b *chainBucket) slot(hits uint64) *Ref {
	t := bits.TrailingZeros64(hits)
	return (*Ref)(unsafe.Add(unsafe.Pointer(&b.refs), uintptr(t>>3+t&7*8)*unsafe.Sizeof(Ref(0))))
}

// count returns how many slots are occupied.
func (b *chainBucket) count() int {
	low, high := b.words()
	if high != 0 {
		return 8 + (bits.Len64(high)+7)>>3
	}
	return (bits.Len64(low) + 7) >> 3
}

// full reports whether all slots are occupied.
func (b *chainBucket) full() bool { return b.tags[perChain-1] != 0 }

// tag returns the fingerprint of slot i, 0 if it is vacant.
func (b *chainBucket) tag(i int) uint64 { return uint64(b.tags[i]) }

// put fills slot i, which is vacant, or vacates it with tag 0.
func (b *chainBucket) put(i int, tag uint64, r Ref) { b.tags[i], b.refs[i] = uint8(tag), r }

// slotNumber returns the number of a slot of the bucket; ok is false if it belongs to another.
func (b *chainBucket) slotNumber(slot *Ref) (i int, ok bool) {
	at := uintptr(unsafe.Pointer(slot)) - uintptr(unsafe.Pointer(&b.refs))
	return int(at / unsafe.Sizeof(*slot)), at < unsafe.Sizeof(b.refs)
}

// append adds an element at the end of a chain.
func (x *Index) append(chain uint32, tag uint64, r Ref) {
	b, depth := x.last(chain)
	if b.full() {
		n := x.newOverflow()
		b, _ = x.last(chain) // which may have been moved
		b.next = n
		b = x.extra(n)
		x.deepen(depth)
	}
	b.put(b.count(), tag, r)
}

// last returns the last bucket of a chain, and how many there are before it.
func (x *Index) last(chain uint32) (b *chainBucket, before int) {
	b = x.buckets.at(chain)
	for ; b.next != 0; before++ {
		b = x.extra(b.next)
	}
	return b, before
}

// vacate empties a slot of a chain: the chain's last element moves there, and an emptied overflow
// bucket goes.
func (x *Index) vacate(chain uint32, slot *Ref) {
	var holder, before *chainBucket
	last, hole, depth := x.buckets.at(chain), 0, 0
	for ; ; depth++ {
		if i, ok := last.slotNumber(slot); ok {
			holder, hole = last, i
		}
		next := x.after(last)
		if next == nil {
			break
		}
		before, last = last, next
	}
	j := last.count() - 1
	holder.put(hole, last.tag(j), last.refs[j])
	last.put(j, 0, 0)
	if j == 0 && before != nil {
		x.freeOverflow(before.next)
		before.next = 0
		x.flatten(depth - 1)
	}
}

// deepen counts one chain more with more than k+1 buckets.
func (x *Index) deepen(k int) {
	if k == len(x.more.deep) {
		x.more.deep = append(x.more.deep, 0)
	}
	x.more.deep[k]++
}

// flatten undoes deepen.
func (x *Index) flatten(k int) {
	deep := x.more.deep
	deep[k]--
	for len(deep) > 0 && deep[len(deep)-1] == 0 {
		deep = deep[:len(deep)-1]
	}
	x.more.deep = deep
}

// depth returns the number of buckets of the longest chain.
func (x *Index) depth() int {
	if x.more == nil {
		return 1
	}
	return len(x.more.deep) + 1
}
