package dict

import "math/bits"

// RehashStep splits or merges up to n chains if the table is due to grow or to shrink and is not
// paused, and reports whether more are due. Each may cost a cache miss for each element in it.
func (x *Index) RehashStep(n int, owner Hasher) (more bool) {
	if x.paused > 0 {
		return false
	}
	for ; n > 0; n-- {
		switch {
		case x.n > x.size*dense && x.size > 0:
			x.split(owner)
		case x.n < x.size*thin && x.size > 1:
			x.merge()
		default:
			return false
		}
	}
	return x.n > x.size*dense || x.n < x.size*thin && x.size > 1
}

// pause suspends growing and shrinking until resume has been called as often. Everything else
// works.
func (x *Index) pause() { x.paused++ }

// resume ends a pause. What fell due in the meantime is done with the next insertions or removals,
// a chain each.
func (x *Index) resume() { x.paused-- }

// Reserve makes room for n elements at once in a table that is empty; otherwise it does nothing.
func (x *Index) Reserve(n int) {
	if x.n == 0 && x.paused == 0 {
		x.clear()
		for range (n + dense - 1) / dense {
			x.addChain()
		}
	}
}

// addChain adds an empty chain.
func (x *Index) addChain() {
	x.buckets.grow(uint32(x.size), x.mem)
	x.resize(x.size + 1)
}

// split divides the chain whose turn it is between itself and a new one.
func (x *Index) split(owner Hasher) {
	from := highCleared(uint32(x.size))
	x.addChain()
	to := uint32(x.size - 1)
	var room [3 * perChain]taggedRef
	for _, e := range x.empty(from, room[:0]) {
		chain := from
		if owner.HashOf(e.ref)&uint64(to^from) != 0 {
			chain = to
		}
		x.append(chain, e.tag, e.ref)
	}
}

// merge undoes a split: the elements of the last chain return to the one that they came from.
func (x *Index) merge() {
	last := uint32(x.size - 1)
	var room [3 * perChain]taggedRef
	part := x.empty(last, room[:0])
	x.resize(x.size - 1)
	for _, e := range part {
		x.append(highCleared(last), e.tag, e.ref)
	}
	x.buckets.shrink(last, x.mem)
}

// highCleared returns n, which is not 0, without its highest bit: the chain that chain n is split
// from.
func highCleared(n uint32) uint32 { return n &^ (1 << (bits.Len32(n) - 1)) }

// taggedRef is an element with its fingerprint.
type taggedRef struct {
	tag uint64
	ref Ref
}

// empty takes all elements out of a chain and adds them to part.
func (x *Index) empty(chain uint32, part []taggedRef) []taggedRef {
	head := x.buckets.at(chain)
	part = head.appendTo(part)
	next := head.next
	*head = chainBucket{}
	for depth := 0; next != 0; depth++ {
		n, b := next, x.extra(next)
		part = b.appendTo(part)
		next = b.next
		x.freeOverflow(n)
		x.flatten(depth)
	}
	return part
}

// appendTo adds the elements of a bucket to part.
func (b *chainBucket) appendTo(part []taggedRef) []taggedRef {
	for i := range b.count() {
		part = append(part, taggedRef{b.tag(i), b.refs[i]})
	}
	return part
}

// newOverflow returns the number of an empty overflow bucket. It may move others.
func (x *Index) newOverflow() uint32 {
	if x.more == nil {
		x.more = &overflow{}
	}
	m := x.more
	if n := m.vacant; n != 0 {
		b := x.extra(n)
		m.vacant, b.next = b.next, 0
		return n
	}
	m.grow(m.used, x.mem)
	m.used++
	return m.used
}

// freeOverflow takes an overflow bucket back.
func (x *Index) freeOverflow(n uint32) {
	*x.extra(n) = chainBucket{next: x.more.vacant}
	x.more.vacant = n
}
