package deadlines

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/slab"
)

const (
	leafSize = slab.SmallCell
	perLeaf  = (leafSize - 16) / ItemBytes
	// reach is how many milliseconds a leaf covers from its base on.
	reach = 1 << 32
)

// leaf is a cell with some items.
type leaf struct {
	base  int64
	n     int
	items [perLeaf]uint64 // milliseconds since the base in the upper half, code in the lower
}

func (l *leaf) full() bool { return l.n == perLeaf }

func (l *leaf) covers(at int64) bool { return at >= l.base && uint64(at-l.base) < reach }

func (l *leaf) pack(item Item) uint64 { return uint64(item.At-l.base)<<32 | uint64(item.Code) }

// at returns item i.
func (l *leaf) at(i int) Item {
	return Item{l.base + int64(l.items[i]>>32), uint32(l.items[i])}
}

// find returns where an item is, or would be.
func (l *leaf) find(packed uint64) (i int, found bool) {
	if l.n > 0 && l.items[l.n-1] < packed {
		return l.n, false
	}
	return slices.BinarySearch(l.items[:l.n], packed)
}

func (l *leaf) insert(i int, packed uint64) {
	copy(l.items[i+1:l.n+1], l.items[i:l.n])
	l.items[i] = packed
	l.n++
}

func (l *leaf) remove(i int) {
	copy(l.items[i:l.n-1], l.items[i+1:l.n])
	l.n--
}

// give moves the first n items to the end of a leaf to the left that covers them.
func (l *leaf) give(n int, left *leaf) {
	for i := range n {
		left.items[left.n+i] = left.pack(l.at(i))
	}
	left.n += n
	copy(l.items[:l.n-n], l.items[n:l.n])
	l.n -= n
}

// take moves the last n items of a leaf to the left, which this one covers, to the front.
func (l *leaf) take(n int, left *leaf) {
	copy(l.items[n:l.n+n], l.items[:l.n])
	left.n -= n
	for i := range n {
		l.items[i] = l.pack(left.at(left.n + i))
	}
	l.n += n
}
