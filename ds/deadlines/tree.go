package deadlines

import (
	"math"
	"unsafe"

	"github.com/google/btree"
)

const (
	// roomy is how many items a neighbour can take that helps a full leaf: fewer would not help for
	// long.
	roomy = perLeaf / 8
	// A leaf with fewItems or less is joined with a neighbour if both are together joined or less.
	// It looks for one at each multiple of joinEach.
	fewItems = perLeaf * 3 / 8
	joined   = perLeaf * 3 / 4
	joinEach = 8
)

// begin adds a leaf with one item.
func (x *Index) begin(from, item Item) {
	l := x.newLeaf(max(item.At, math.MinInt64+reach/2) - reach/2)
	l.insert(0, l.pack(item))
	x.add(place{from, l})
}

func (x *Index) newLeaf(base int64) *leaf {
	l := (*leaf)(x.cells.Alloc(leafSize))
	l.base, l.n = base, 0
	return l
}

// add puts a leaf into the tree.
func (x *Index) add(p place) {
	if x.places == nil {
		x.places = btree.NewG(degree, func(a, b place) bool { return a.from.before(b.from) })
	}
	x.places.ReplaceOrInsert(p)
	x.findEnds()
}

// drop frees a leaf.
func (x *Index) drop(p place) {
	x.places.Delete(p)
	x.cells.Free(unsafe.Pointer(p.leaf))
	x.findEnds()
}

// move gives a leaf another place.
func (x *Index) move(p place, from Item) place {
	x.places.Delete(p)
	p.from = from
	x.add(p)
	return p
}

func (x *Index) findEnds() {
	x.first, _ = x.places.Min()
	x.last, _ = x.places.Max()
}

// neighbours returns the places of the leaves beside the one at p; without a leaf where there is
// none.
func (x *Index) neighbours(p place) (left, right place) {
	if p.leaf != x.first.leaf {
		x.places.DescendLessOrEqual(p, func(found place) bool {
			left = found
			return found.leaf == p.leaf
		})
	}
	if p.leaf != x.last.leaf {
		x.places.AscendGreaterOrEqual(p, func(found place) bool {
			right = found
			return found.leaf == p.leaf
		})
	}
	return left, right
}

// makeRoom moves items out of a full leaf, to the neighbour with more room, or to a leaf of their
// own.
func (x *Index) makeRoom(p place) {
	left, right := x.neighbours(p)
	switch l := p.leaf; {
	case left.hasRoomFor(l.at(l.n-1)) && (right.leaf == nil || left.leaf.n <= right.leaf.n):
		l.give((l.n-left.leaf.n+1)/2, left.leaf)
		x.move(p, l.at(0))
	case right.hasRoomFor(l.at(0)):
		right.leaf.take((l.n-right.leaf.n+1)/2, l)
		x.move(right, right.leaf.at(0))
	default:
		half := x.newLeaf(l.base)
		half.take(l.n/2, l)
		x.add(place{half.at(0), half})
	}
}

// hasRoomFor reports whether items up to, or from, that one may move to the leaf at p.
func (p place) hasRoomFor(item Item) bool {
	return p.leaf != nil && p.leaf.n <= perLeaf-roomy && p.leaf.covers(item.At)
}

// join makes one leaf of the one at p and a neighbour if that has few items, too.
func (x *Index) join(p place) {
	left, right := x.neighbours(p)
	if !x.joinTwo(left, p) {
		x.joinTwo(p, right)
	}
}

func (x *Index) joinTwo(left, right place) bool {
	if left.leaf == nil || right.leaf == nil || left.leaf.n+right.leaf.n > joined {
		return false
	}
	if l := right.leaf; !left.leaf.covers(l.at(l.n - 1).At) {
		return false
	}
	right.leaf.give(right.leaf.n, left.leaf)
	x.drop(right)
	return true
}
