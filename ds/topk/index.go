package topk

import "math/bits"

// indexedFrom is how many entries a heap has that is worth an index.
const indexedFrom = 128

// index is the places in the heap by the fingerprints that are there: a hash table with open
// addressing, of a power of two of slots, each 1 + a place, or 0. It has no fingerprints of its
// own: the heap has them.
type index []uint32

func newIndex(k int) index { return make(index, 1<<bits.Len(uint(k+k/3))) }

// slot returns where the search for a fingerprint begins.
func (x index) slot(hash uint32) int { return int(hash*0x9e3779b1>>1) & (len(x) - 1) }

// find returns the place of an item, -1 if it has none.
func (x index) find(heap []Entry, hash uint32, item []byte) int {
	for i := x.slot(hash); x[i] != 0; i = x.next(i) {
		if e := &heap[x[i]-1]; e.hash == hash && e.Item == string(item) {
			return int(x[i] - 1)
		}
	}
	return -1
}

func (x index) next(i int) int { return (i + 1) & (len(x) - 1) }

// add adds the place of a fingerprint.
func (x index) add(hash uint32, place int) {
	i := x.slot(hash)
	for x[i] != 0 {
		i = x.next(i)
	}
	x[i] = uint32(place) + 1
}

// move says that what was in a place is in another one.
func (x index) move(hash uint32, from, to int) {
	x[x.of(hash, from)] = uint32(to) + 1
}

// of returns the slot of a place.
func (x index) of(hash uint32, place int) int {
	i := x.slot(hash)
	for x[i] != uint32(place)+1 {
		i = x.next(i)
	}
	return i
}

// remove removes a place. What follows its slot and could have stood there moves up.
func (x index) remove(heap []Entry, hash uint32, place int) {
	gap := x.of(hash, place)
	for i := x.next(gap); x[i] != 0; i = x.next(i) {
		home := x.slot(heap[x[i]-1].hash)
		if (i-home)&(len(x)-1) >= (i-gap)&(len(x)-1) {
			x[gap], gap = x[i], i
		}
	}
	x[gap] = 0
}
