package dict

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Each calls fn for every element until fn returns false. The table is paused meanwhile; fn may
// look up, and may remove the element it was given, but must not insert. O(chains).
func (x *Index) Each(fn func(Ref) bool) {
	x.pause()
	defer x.resume()
	for i := range x.size {
		if !x.eachOf(x.buckets.at(uint32(i)), fn) {
			return
		}
	}
}

// eachOf calls fn for the elements of a chain, last to first: what a removal moves into a hole has
// then been seen already.
func (x *Index) eachOf(b *chainBucket, fn func(Ref) bool) bool {
	if b.next != 0 && !x.eachOf(x.extra(b.next), fn) {
		return false
	}
	for i := b.count() - 1; i >= 0; i-- {
		if r := b.refs[i]; r != 0 && !fn(r) {
			return false
		}
	}
	return true
}

// Scan calls fn for the elements of one step of a walk and returns the cursor for the next step; a
// walk begins and ends at 0. An element that is in the table during the whole walk is given exactly
// once, however the table grows and shrinks between the steps; one that comes or goes meanwhile, at
// most once. Any cursor is safe. The table is paused during the call, with Each's rules for fn.
//
// A step gives count elements; more only if the last one shares cursorBits of its hash with others,
// and fewer at the end of the walk or after ten chains per element, as in Redis, so that a sparse
// table does not make the step long. O(count), with one hash for each element of the last chain.
//
// The elements have a fixed order, that of their hashes with the bits reversed, and the cursor is
// the place in that order where the next step begins. The top bits of a place are the number of its
// chain, so each chain holds a run of the order, however many chains there are.
func (x *Index) Scan(cursor uint64, count int, owner Hasher, fn func(Ref)) uint64 {
	if x.n == 0 {
		return 0
	}
	x.pause()
	defer x.resume()
	count = max(count, 1)
	left, given := count, 0
	for chains := 0; chains/10 < count; chains++ {
		cursor, given = x.scanPart(cursor&cursorMask, left, owner, fn)
		if left -= given; cursor == 0 || left <= 0 {
			break
		}
	}
	return cursor
}

// ScanWhole is Scan with steps that end between two chains, unless count is 1: it appends count
// elements or somewhat more to refs. It computes hashes only where the table has shrunk since the
// last step.
func (x *Index) ScanWhole(cursor uint64, count int, owner Hasher, refs []Ref) (next uint64, all []Ref) {
	add := func(r Ref) { refs = append(refs, r) }
	switch {
	case x.n == 0:
		return 0, refs
	case count == 1:
		next = x.Scan(cursor, 1, owner, add)
		return next, refs
	}
	for chains := 0; len(refs) < count && chains/10 < count; chains++ {
		if cursor, _ = x.scanPart(cursor&cursorMask, x.n, owner, add); cursor == 0 {
			break
		}
	}
	return cursor, refs
}

// A cursor has no more bits than these, so that it survives a client, or a script, that keeps it in
// a double or prints 14 digits of it.
const (
	cursorBits = 46
	cursorMask = 1<<cursorBits - 1
)

// placedRef is an element with its place in the order of a walk.
type placedRef struct {
	place uint64
	ref   Ref
}

// scanPart gives the elements of the cursor's chain from the cursor on, most of them at most but
// for those at the same place, and returns the next cursor and how many it gave.
func (x *Index) scanPart(cursor uint64, most int, owner Hasher, fn func(Ref)) (next uint64, given int) {
	var room [4 * perChain]placedRef
	part := room[:0]
	b, mask := x.chainAt(cursor)
	for ; b != nil; b = x.after(b) {
		for _, r := range b.refs[:b.count()] {
			part = append(part, placedRef{ref: r})
		}
	}
	if cursor > mask || len(part) > most { // else the whole chain is due, in any order
		part = sortRefs(bits.Reverse64(cursor), part, owner)
	}
	n := min(most, len(part))
	for ; n < len(part) && part[n].place == part[n-1].place; n++ {
	}
	for _, p := range part[:n] {
		fn(p.ref)
	}
	if n == len(part) {
		return chainAfter(cursor, mask), n
	}
	return bits.Reverse64(between(part[n-1].place, part[n].place)), n
}

// sortRefs returns the elements of part whose place is first or later, in order. It reuses part.
func sortRefs(first uint64, part []placedRef, owner Hasher) []placedRef {
	due := part[:0]
	for _, p := range part {
		p.place = bits.Reverse64(owner.HashOf(p.ref) & cursorMask)
		if p.place >= first {
			due = append(due, p)
		}
	}
	slices.SortFunc(due, func(a, b placedRef) int { return cmp.Compare(a.place, b.place) })
	return due
}

// between returns the place above low and up to high that has the fewest bits, for a short cursor.
func between(low, high uint64) uint64 {
	same := bits.LeadingZeros64(low ^ high)
	return high &^ (math.MaxUint64 >> (same + 1))
}

// Passed reports whether a Scan or ScanWhole whose next step begins at cursor, which is not its
// end, has given the elements with hash h.
func Passed(cursor, h uint64) bool { return bits.Reverse64(h&cursorMask) < bits.Reverse64(cursor) }

// ScanChain is Scan with steps of one chain, whatever its length and the part of it where the
// cursor is. It computes no hashes, and may give some elements more than once. O(1).
func (x *Index) ScanChain(cursor uint64, fn func(Ref)) uint64 {
	if x.n == 0 {
		return 0
	}
	x.pause()
	defer x.resume()
	b, mask := x.chainAt(cursor)
	x.eachOf(b, func(r Ref) bool { fn(r); return true })
	return chainAfter(cursor, mask)
}

// Compactor is the memory of elements: see package arena.
type Compactor interface {
	Compacting() bool
	Retire()
	Release()
}

// moveChains is how many chains are moved with each change of a collection. A compaction is over
// then before there is need for another.
const moveChains = 4

// Compact begins to compact the memory of the elements, or goes on with it: move returns where an
// element of the next chains lies then. The cursor is 0 at first, and then what Compact has
// returned. The memory is released when it returns 0.
func (x *Index) Compact(memory Compactor, cursor uint64, move func(Ref) Ref) uint64 {
	if !memory.Compacting() {
		memory.Retire()
	}
	for range moveChains {
		if cursor = x.ReplaceChain(cursor, move); cursor == 0 {
			memory.Release()
			break
		}
	}
	return cursor
}

// ReplaceChain is ScanChain for an owner that moves its elements: what fn returns takes the place
// of the element.
func (x *Index) ReplaceChain(cursor uint64, fn func(Ref) Ref) uint64 {
	if x.n == 0 {
		return 0
	}
	b, mask := x.chainAt(cursor)
	for ; b != nil; b = x.after(b) {
		for i := range b.count() {
			b.refs[i] = fn(b.refs[i])
		}
	}
	return chainAfter(cursor, mask)
}

// chainAt returns the chain that a cursor leads to, and the mask that tells its number from the
// rest of the cursor.
func (x *Index) chainAt(cursor uint64) (b *chainBucket, mask uint64) {
	number := x.chainNumber(cursor)
	mask = uint64(x.mask)
	if uint64(number)|(mask+1)>>1 >= uint64(x.size) {
		mask >>= 1 // the chain is not split yet
	}
	return x.buckets.at(number), mask
}

// chainAfter returns the cursor of the next chain, 0 after the last. The cursor counts with its
// bits reversed, from the table's top index bit down. When the table doubles, each chain left to
// visit splits into chains that are adjacent in that order, and halving merges such neighbours, so
// no chain left to visit ends up behind the cursor.
func chainAfter(cursor, mask uint64) uint64 {
	return bits.Reverse64(bits.Reverse64(cursor|^mask) + 1)
}

// Random returns an element, each with the same probability; 0 if the table is empty. dice(n) must
// return a number in [0, n), each with the same probability. O(1) expected: a handful of cache
// misses.
//
// A slot is drawn from a rectangle, chains by the longest chain's slots, until one is hit that is
// occupied.
func (x *Index) Random(dice func(n uint64) uint64) Ref {
	if x.n == 0 {
		return 0
	}
	depth := uint64(x.depth() * perChain)
	for {
		b, j := x.buckets.at(uint32(dice(uint64(x.size)))), int(dice(depth))
		for ; b != nil && j >= perChain; j -= perChain {
			b = x.after(b)
		}
		if b != nil && j < b.count() {
			return b.refs[j]
		}
	}
}

// Sample calls fn for count different elements until fn returns false. Each selection has the same
// probability. O(count) expected if there are clearly more than count elements.
func (x *Index) Sample(count int, dice func(n uint64) uint64, fn func(Ref) bool) {
	seen := make(map[Ref]struct{}, max(count, 0))
	for len(seen) < count {
		r := x.Random(dice)
		if _, again := seen[r]; again {
			continue
		}
		seen[r] = struct{}{}
		if !fn(r) {
			return
		}
	}
}

// EachFrom calls fn for the elements of chains that lie side by side, from a random one on, until
// it returns false or has seen most chains. Elements at the end of long chains come last: to sample
// a few, skip some. It costs a cache miss or two, where Random costs that for each element.
func (x *Index) EachFrom(dice func(n uint64) uint64, most int, fn func(Ref) bool) {
	if x.size == 0 {
		return
	}
	for i := int(dice(uint64(x.size))); most > 0 && x.eachOf(x.buckets.at(uint32(i)), fn); most-- {
		if i++; i == x.size {
			i = 0
		}
	}
}
