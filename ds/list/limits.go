package list

import (
	"github.com/miniserver-go/miniserver/ds/listpack"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Limits bound what lies in one ziplist.
type Limits struct {
	// Node is list-max-ziplist-size: from -1 to -5 the most bytes, 4, 8, 16, 32 or 64 KiB; above 0
	// the most elements, within 8 KiB.
	Node int
}

// Defaults are the limits that Redis has by default.
var Defaults = Limits{Node: -2}

// overhead is about what an element takes beside its text: its prevlen and encoding, and a wider
// prevlen behind it.
const overhead = 11

// bytes returns the most bytes of a ziplist.
func (lim Limits) bytes() int {
	if lim.Node >= 0 {
		return 8 << 10
	}
	return 4 << 10 << (min(-lim.Node, 5) - 1)
}

// large reports whether an element of n bytes is too large for any ziplist.
func (lim Limits) large(n int) bool { return n > lim.bytes() }

// estimate is what Redis adds for an element beside its text, before it knows.
const estimate = 8

// hasRoom reports whether zl may grow by an element of n bytes.
func (lim Limits) hasRoom(zl ziplist.List, n int) bool {
	return asListpack(zl)+n+estimate <= lim.bytes()
}

// asListpack returns about how many bytes zl takes as a listpack: exactly as many unless it has
// texts of 64 bytes or more, or integers between 13 and 4095.
func asListpack(zl ziplist.List) int { return len(zl) - emptyBytes + emptyListpack }

// mayAdd reports whether zl, of count elements, may get one more, of n bytes.
func (lim Limits) mayAdd(zl ziplist.List, count, n int) bool {
	return lim.hasRoom(zl, n) && (lim.Node < 0 || count < max(lim.Node, 1))
}

// mayReplace reports whether an element of old bytes in zl may be overwritten with one of n.
func (lim Limits) mayReplace(zl ziplist.List, old, n int) bool {
	return n <= old || lim.hasRoom(zl, n-old)
}

// exceeded reports whether a list of count elements must be a quicklist: those of zl, and others of
// so many bytes.
func (lim Limits) exceeded(zl ziplist.List, count, size int) bool {
	return lim.Node >= 0 && count > max(lim.Node, 1) || longer(zl, lim.bytes()-size)
}

// half reports whether zl, of count elements, takes at most half of the limit.
func (lim Limits) half(zl ziplist.List, count int) bool {
	if lim.Node >= 0 {
		return count <= max(lim.Node, 1)/2
	}
	return !longer(zl, lim.bytes()/2)
}

// longer reports whether zl takes more than so many bytes as a listpack, which is at most slightly
// longer than a ziplist. O(1), but O(bytes) near the limit.
func longer(zl ziplist.List, most int) bool {
	return len(zl)+len(zl)/64+8 > most && listpack.Size(zl) > most
}

// The lengths of an empty ziplist and listpack.
const (
	emptyBytes    = 11
	emptyListpack = 7
)

const (
	exactBlock    = 512  // up to here a block has just the size it needs, for there are many small lists
	firstBlock    = 1024 // of a node at an end of a quicklist, which is sure to get more elements
	longQuicklist = 8    // full ziplists, from which on the room left over at an end does not matter
	leastSpare    = 4096 // of the block of a removed node that is kept for another
)

// reserve returns zl with room for an element of n bytes. Blocks grow by half, up to the limit, so
// that pushing costs a constant number of copies.
func reserve(zl ziplist.List, n int, lim Limits) ziplist.List {
	need := len(zl) + n + overhead
	if need <= max(cap(zl), exactBlock) || cap(zl) >= lim.bytes() {
		return zl
	}
	size := min(len(zl)+len(zl)/2, lim.bytes())
	grown := append(ziplist.List(nil), make(ziplist.List, max(size, need))...)
	return grown[:copy(grown, zl)]
}

// push adds v at an end of a ziplist.
func push(zl ziplist.List, end End, v []byte, lim Limits) ziplist.List {
	zl = reserve(zl, len(v), lim)
	if end == Head {
		return zl.Prepend(v)
	}
	return zl.Append(v)
}

// removeEnd removes n of the count elements of a ziplist at an end.
func removeEnd(zl ziplist.List, count int, end End, n int) ziplist.List {
	if end == Head {
		return zl.Delete(zl.First(), n)
	}
	return zl.DeleteRange(max(count-n, 0), n)
}

// removeEqual removes up to most elements whose text is v, and returns their number.
func removeEqual(zl ziplist.List, v []byte, most int, from End) (_ ziplist.List, removed int) {
	if from == Head {
		for p := zl.Find(v, zl.First(), 0); p != ziplist.None && removed < most; removed++ {
			zl = zl.Delete(p, 1)
			p = zl.Find(v, p, 0) // where the next one is now, or the end
		}
		return zl, removed
	}
	for p := zl.Last(); p != ziplist.None && removed < most; {
		before := zl.Prev(p)
		if e, _ := zl.Get(p); e.Equal(v) {
			zl = zl.Delete(p, 1)
			removed++
		}
		p = before
	}
	return zl, removed
}
