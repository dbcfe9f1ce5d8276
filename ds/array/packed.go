package array

import "github.com/miniserver-go/miniserver/ds/ziplist"

const (
	// packedMost is how many elements a small array has at most.
	packedMost = 64
	// packedBytes is what a small array takes at most.
	packedBytes = 2 << 10
	// elementBytes is what an element of a small array takes at most beside its text.
	elementBytes = 22
	// shrinkMost is with how many elements a large array becomes small again, if they fit.
	shrinkMost = packedMost / 4
)

// Open lets a be the array that is packed so, which it aliases from then on.
func (a *Array) Open(packed []byte) { *a = Array{packed: packed} }

// start makes an array with a next index of an empty one.
func (a *Array) start() {
	if a.packed == nil {
		a.packed = ziplist.New().AppendInt(0)
	}
}

// indexAt returns the index that stands at a position. Those above all of int64 stand there as
// negative numbers.
func (a *Array) indexAt(pos int) uint64 {
	e, _ := a.packed.Get(pos)
	return uint64(e.Int)
}

// find returns the positions of the index and of the text of an element. If there is none, ok is
// false, and text is the position behind which it belongs. The search begins at the end, where
// most elements are added. O(elements behind it).
func (a *Array) find(index uint64) (at, text int, ok bool) {
	if a.packed == nil {
		return 0, 0, false
	}
	first := a.packed.First()
	for text = a.packed.Last(); text != first; text = a.packed.Prev(at) {
		at = a.packed.Prev(text)
		if found := a.indexAt(at); found <= index {
			return at, text, found == index
		}
	}
	return 0, first, false
}

// setPacked is Set for a small array. ok is false if the element does not fit in.
func (a *Array) setPacked(index uint64, text []byte) (added, ok bool) {
	if len(text) > packedBytes || len(a.packed)+len(text)+elementBytes > packedBytes {
		return false, false
	}
	a.start()
	_, at, found := a.find(index)
	if found {
		a.packed = a.packed.Replace(at, text)
		return false, true
	}
	if a.Len() == packedMost {
		return false, false
	}
	next := a.packed.Next(at)
	a.packed = a.packed.InsertInt(next, int64(index))
	if next == ziplist.None {
		a.packed = a.packed.Append(text)
	} else {
		a.packed = a.packed.Insert(a.packed.Next(next), text)
	}
	return true, true
}

// deletePacked is DeleteRange for a small array.
func (a *Array) deletePacked(from, to uint64) (deleted int) {
	if a.Len() == 0 {
		return 0
	}
	first := ziplist.None
	for pos := a.packed.Next(a.packed.First()); pos != ziplist.None; pos = a.packed.Next(a.packed.Next(pos)) {
		if index := a.indexAt(pos); index > to {
			break
		} else if index >= from {
			if deleted == 0 {
				first = pos
			}
			deleted++
		}
	}
	if deleted > 0 {
		a.packed = a.packed.Delete(first, 2*deleted)
	}
	return deleted
}

// scanPacked is Scan for a small array.
func (a *Array) scanPacked(from, to uint64, fn func(index uint64, e ziplist.Entry) bool) {
	if a.Len() == 0 {
		return
	}
	first := a.packed.First()
	if from > to {
		for text, at := a.packed.Last(), 0; text != first; text = a.packed.Prev(at) {
			at = a.packed.Prev(text)
			if index := a.indexAt(at); index < to || index <= from && !a.call(fn, index, text) {
				return
			}
		}
		return
	}
	for at, text := a.packed.Next(first), 0; at != ziplist.None; at = a.packed.Next(text) {
		text = a.packed.Next(at)
		if index := a.indexAt(at); index > to || index >= from && !a.call(fn, index, text) {
			return
		}
	}
}

// call calls fn for an element of a small array.
func (a *Array) call(fn func(index uint64, e ziplist.Entry) bool, index uint64, text int) bool {
	e, _ := a.packed.Get(text)
	return fn(index, e)
}

// grow makes slices of a small array.
func (a *Array) grow(lim Limits) {
	x := newLarge(lim)
	x.next = a.Next()
	buf := make([]byte, 0, wordText)
	a.scanPacked(0, MaxIndex, func(index uint64, e ziplist.Entry) bool {
		x.set(index, e.Text(buf), lim)
		return true
	})
	*a = Array{large: x}
}

// shrink packs a large array that has become small, or lets an empty one be so. It reports whether
// it did. O(1) if there are many elements.
func (a *Array) shrink() bool {
	x := a.large
	if x.count > shrinkMost {
		return false
	}
	small := Array{packed: ziplist.New().AppendInt(int64(x.next))}
	fits, buf := true, make([]byte, 0, wordText)
	x.scan(0, MaxIndex, func(index uint64, e ziplist.Entry) bool {
		if fits = len(small.packed)+e.Len()+elementBytes <= packedBytes/2; fits {
			small.packed = small.packed.AppendInt(int64(index)).Append(e.Text(buf))
		}
		return fits
	})
	if fits {
		a.assign(&small)
	}
	return fits
}
