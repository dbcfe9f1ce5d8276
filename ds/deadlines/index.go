// Package deadlines is an index of what becomes due: items of a deadline and a code that leads to
// the key, in order. The items lie in cells of a slab, eight bytes each, outside of Go's heap.
//
//	Index    btree of places: where a leaf begins, and the leaf
//	place    no item of the leaf is before it, and all items of the leaves to the left are
//	leaf     base | n | items, sorted: 32 bits of milliseconds since the base, 32 bits of code
//
// A leaf takes a cell of the largest size, for 62 items. So there is one place for fifty items or
// so, and the collector has little to scan. A place is a lower bound, not the first item, so taking
// items out never changes it.
//
// Where a leaf is full, room is made in one of three ways. An item that comes after all others of
// the leaf begins the next leaf, so deadlines that grow leave full leaves behind. Else a neighbour
// takes some items, if it has room for an eighth of a leaf. Else the leaf is split in halves.
// Random items fill four fifths of the leaves.
//
// An item may be there several times. That is rare: it takes two keys with the same code and
// deadline, or one whose deadline went away and came back. So the leaves have it once, and a map
// counts the others.
//
// A leaf covers 49 days, 24 before the item that it began with. An item that a leaf would have but
// does not cover begins a leaf beside it.
//
// Invariants, verified by Check:
//  1. The items of a leaf grow, and lie between its place and the next one.
//  2. No leaf is empty.
//  3. first and last are the places of the leaves at the ends.
//  4. Len is the number of items in the leaves and of the copies that the map counts, none of which
//     is zero.
//
// Non-goals: concurrent use; deadlines that differ by less than a millisecond.
package deadlines

import (
	"cmp"
	"math"
	"unsafe"

	"github.com/google/btree"

	"github.com/miniserver-go/miniserver/ds/slab"
)

// Item is a deadline with the code of what is due then.
type Item struct {
	At   int64 // milliseconds since the epoch; any number
	Code uint32
}

// before reports whether an item comes before another.
func (i Item) before(other Item) bool {
	return i.At < other.At || i.At == other.At && i.Code < other.Code
}

// Compare returns -1 if an item comes before another, 1 if it comes behind it, and 0 if they are
// the same.
func (i Item) Compare(other Item) int {
	if i.At != other.At {
		return cmp.Compare(i.At, other.At)
	}
	return cmp.Compare(i.Code, other.Code)
}

// ItemBytes is what an item takes in a leaf.
const ItemBytes = 8

// Index is a sorted multiset of items.
type Index struct {
	cells       *slab.Slab
	places      *btree.BTreeG[place] // nil until there is an item
	first, last place                // none if there is no item
	copies      map[Item]int         // of items in the leaves, beyond the first
	n           int
}

// place is where a leaf begins.
type place struct {
	from Item
	leaf *leaf
}

// lowest is before all items.
var lowest = Item{At: math.MinInt64}

const degree = 32 // of the btree

// New returns an empty index whose leaves will lie in cells.
func New(cells *slab.Slab) *Index { return &Index{cells: cells} }

// Len returns the number of items. O(1).
func (x *Index) Len() int { return x.n }

// LeafBytes returns the bytes of the cells. O(1).
func (x *Index) LeafBytes() int { return x.leaves() * leafSize }

// Bytes returns the bytes of the cells, and estimates those of the tree above them, whose nodes are
// between half full and full, and of the map. O(1).
func (x *Index) Bytes() int {
	const place, copied = int(unsafe.Sizeof(place{})), int(unsafe.Sizeof(Item{}) + unsafe.Sizeof(0))
	return x.LeafBytes() + (x.leaves()*place+len(x.copies)*copied)*4/3
}

func (x *Index) leaves() int {
	if x.places == nil {
		return 0
	}
	return x.places.Len()
}

// Insert adds an item, at the end at O(1), else at O(log n).
func (x *Index) Insert(item Item) {
	x.n++
	if x.n == 1 {
		x.begin(lowest, item)
		return
	}
	x.put(item)
}

func (x *Index) put(item Item) {
	p := x.placeFor(item)
	if !p.leaf.covers(item.At) {
		x.putBeside(p, item)
		return
	}
	packed := p.leaf.pack(item)
	i, found := p.leaf.find(packed)
	switch {
	case found:
		x.addCopy(item)
	case !p.leaf.full():
		p.leaf.insert(i, packed)
	case i == perLeaf:
		x.begin(item, item)
	default:
		x.makeRoom(p)
		x.put(item)
	}
}

// placeFor returns the place of the leaf that has to take an item.
func (x *Index) placeFor(item Item) place {
	p, ok := x.search(item)
	if !ok {
		p = x.move(x.first, lowest)
	}
	return p
}

// search returns the last place that is not behind the item; ok is false if there is none.
func (x *Index) search(item Item) (p place, ok bool) {
	if x.n > 0 && !item.before(x.last.from) {
		return x.last, true
	}
	if x.places != nil {
		x.places.DescendLessOrEqual(place{from: item}, func(found place) bool {
			p, ok = found, true
			return false
		})
	}
	return p, ok
}

// putBeside begins a leaf for an item that the leaf at p does not cover: behind it, or before it,
// where the item gets the place and the leaf another.
func (x *Index) putBeside(p place, item Item) {
	if item.At > p.leaf.base {
		x.begin(item, item)
		return
	}
	x.move(p, p.leaf.at(0))
	x.begin(p.from, item)
}

// Has reports whether an item is there. O(log n).
func (x *Index) Has(item Item) bool {
	_, _, found := x.find(item)
	return found
}

// Delete takes an item out, once if it is there several times, and reports whether it was there.
// O(log n).
func (x *Index) Delete(item Item) bool {
	p, i, found := x.find(item)
	if found {
		x.remove(p, i)
	}
	return found
}

// find returns in which leaf an item is, and where.
func (x *Index) find(item Item) (p place, i int, found bool) {
	p, ok := x.search(item)
	if !ok || !p.leaf.covers(item.At) {
		return p, 0, false
	}
	i, found = p.leaf.find(p.leaf.pack(item))
	return p, i, found
}

// Min returns the first item; ok is false if there is none. O(1).
func (x *Index) Min() (first Item, ok bool) {
	if x.n == 0 {
		return Item{}, false
	}
	return x.first.leaf.at(0), true
}

// DeleteMin takes out the first item. There must be one. O(1), but for the end of a leaf.
func (x *Index) DeleteMin() { x.remove(x.first, 0) }

// remove takes out item i of the leaf at p, or one of its copies.
func (x *Index) remove(p place, i int) {
	x.n--
	if len(x.copies) > 0 && x.removeCopy(p.leaf.at(i)) {
		return
	}
	p.leaf.remove(i)
	switch n := p.leaf.n; {
	case n == 0:
		x.drop(p)
	case n <= fewItems && n%joinEach == 0:
		x.join(p)
	}
}

func (x *Index) addCopy(item Item) {
	if x.copies == nil {
		x.copies = make(map[Item]int)
	}
	x.copies[item]++
}

func (x *Index) removeCopy(item Item) bool {
	switch x.copies[item] {
	case 0:
		return false
	case 1:
		delete(x.copies, item)
	default:
		x.copies[item]--
	}
	return true
}

// Ascend calls fn for the items from the first that is not before from, in order, until it returns
// false. fn must not change the index.
func (x *Index) Ascend(from Item, fn func(Item) bool) {
	p, ok := x.search(from)
	if !ok {
		p = x.first
	}
	if p.leaf == nil {
		return
	}
	x.places.AscendGreaterOrEqual(p, func(p place) bool {
		for i := range p.leaf.n {
			if item := p.leaf.at(i); !item.before(from) && !x.each(item, fn) {
				return false
			}
		}
		return true
	})
}

// each calls fn for an item and its copies.
func (x *Index) each(item Item, fn func(Item) bool) bool {
	for range x.copies[item] {
		if !fn(item) {
			return false
		}
	}
	return fn(item)
}

// Clear takes out all items.
func (x *Index) Clear() {
	if x.places != nil {
		x.places.Ascend(func(p place) bool {
			x.cells.Free(unsafe.Pointer(p.leaf))
			return true
		})
	}
	*x = Index{cells: x.cells}
}
