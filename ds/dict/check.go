package dict

import (
	"fmt"
	"slices"
)

// Check walks the whole table and returns an error naming the first broken invariant; nil if all
// hold. O(n).
func (x *Index) Check(owner Hasher) error {
	n, linked := 0, 0
	var deep []uint32
	for i := range x.size {
		elements, buckets, err := x.checkChain(uint32(i), owner)
		if err != nil {
			return fmt.Errorf("dict: chain %d: %w", i, err)
		}
		n += elements
		linked += buckets - 1
		for k := range buckets - 1 {
			if k == len(deep) {
				deep = append(deep, 0)
			}
			deep[k]++
		}
	}
	var more overflow
	if x.more != nil {
		more = *x.more
	}
	for v := more.vacant; v != 0; v = x.extra(v).next {
		linked++
	}
	switch {
	case n != x.n:
		return fmt.Errorf("dict: %d elements, %d counted", n, x.n)
	case !slices.Equal(deep, more.deep):
		return fmt.Errorf("dict: chains by their overflow buckets are %v, counted as %v", deep, more.deep)
	case linked != int(more.used):
		return fmt.Errorf("dict: %d overflow buckets, %d counted", linked, more.used)
	}
	return nil
}

// checkChain checks a chain and returns how many elements and buckets it has.
func (x *Index) checkChain(chain uint32, owner Hasher) (elements, buckets int, err error) {
	for b := x.buckets.at(chain); b != nil; b = x.after(b) {
		buckets++
		count := b.count()
		elements += count
		if count == 0 && buckets > 1 || count < perChain && b.next != 0 {
			return 0, 0, fmt.Errorf("not dense at bucket %d", buckets)
		}
		for i := range count {
			h := owner.HashOf(b.refs[i])
			if b.tag(i) != tagOf(h) || x.chainNumber(h) != chain {
				return 0, 0, fmt.Errorf("element %d has fingerprint %d, its hash is %x", b.refs[i], b.tag(i), h)
			}
		}
	}
	return elements, buckets, nil
}

// Stats describes how a table lies in memory.
type Stats struct {
	Len      int
	Buckets  int   // chains
	Overflow int   // further ones, vacant ones included
	Bytes    int   // as Bytes returns
	Chains   []int // Chains[k] is the number of chains with k elements
}

// Stats walks the table and returns what it finds. O(chains).
func (x *Index) Stats() Stats {
	s := Stats{Len: x.n, Buckets: x.size, Bytes: x.Bytes()}
	if x.more != nil {
		s.Overflow = int(x.more.used)
	}
	for i := range x.size {
		k := 0
		for b := x.buckets.at(uint32(i)); b != nil; b = x.after(b) {
			k += b.count()
		}
		for len(s.Chains) <= k {
			s.Chains = append(s.Chains, 0)
		}
		s.Chains[k]++
	}
	return s
}
