// Package cuckoo is the cuckoo filter: it says of an item that it was surely never added, or that
// it probably was, and forgets items that are deleted.
//
//	layers        [ buckets ][ buckets * growth ][ buckets * growth^2 ...
//	bucket        [ slot ][ slot ]   a byte each: 0, or the print of an item, hash % 255 + 1
//	of an item    hash % buckets, and (hash ^ print * 0x5bd1e995) % buckets
//
// An item is a print in one of its two buckets of some layer. If these are full everywhere, a print
// in the last layer is thrown out into its other bucket, as by a young cuckoo, and so on, up to so
// many iterations. Then all goes back to where it was, and a layer is added. Deleting an item takes
// away one of its prints; after many deletions the last layers are emptied into the first ones.
//
// Invariants, all verified by Check:
//
//  1. There is at least one layer, at most maxLayers, and one only if the growth is 0.
//  2. The buckets of each layer are a power of two, and those of the one before times the growth.
//  3. All layers have at most maxBytes.
//  4. A layer's used slots are those that are not 0.
//
// Hashes, sizes and the dump are byte for byte those of RedisBloom, of which the number of items is
// a part: a dump may claim another one than its slots show. Unlike there, bytes are made when they
// are written (see package pages), full layers are not searched for a free slot, and filters end
// at maxLayers and maxBytes, where RedisBloom runs out of memory. What deletes an item that was
// never added may delete another one, here as there.
package cuckoo

import (
	"bytes"
	"math/bits"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/pages"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Limits of a filter.
const (
	maxBytes  = 4 << 30 // of all layers, so that 32 bits tell each slot
	maxLayers = 1024    // as a search looks into each
	maxSlots  = 255     // of a bucket
	maxGrowth = 32768
)

// Filter is one filter. New and FromHeader make one; the zero value is of no use.
type Filter struct {
	layers     []layer
	buckets    uint64 // of the first layer
	bytes      uint64 // of all layers
	items      uint64
	deleted    uint64 // since the layers were last emptied into one another
	slots      uint64 // of a bucket
	pageShift  uint8  // a page has 1 << pageShift buckets
	growth     uint16
	iterations uint16
}

type layer struct {
	slots pages.Block
	mask  uint64 // buckets - 1
	used  uint64 // slots
}

// Options are the properties of a new filter.
type Options struct {
	Capacity   uint64 // items of the first layer, if all slots could be used
	Slots      uint64 // of a bucket, 1 to 255
	Iterations uint16 // at most, until a layer is full
	Growth     uint16 // factor from a layer's buckets to the next one's, 0 to 32768; 0 for never
}

// New returns an empty filter; false if it cannot be that large. Buckets and growth are rounded up
// to powers of two.
func New(o Options) (f *Filter, ok bool) {
	if o.Slots == 0 || o.Slots > maxSlots || o.Growth > maxGrowth || o.Iterations == 0 || o.Capacity > maxBytes {
		return nil, false
	}
	f = &Filter{buckets: powerOfTwo(max(o.Capacity/o.Slots, 1)), slots: o.Slots, pageShift: pageShift(o.Slots),
		iterations: o.Iterations, growth: o.Growth}
	if o.Growth > 0 {
		f.growth = uint16(powerOfTwo(uint64(o.Growth)))
	}
	return f, f.grow(maxBytes) == Added
}

// powerOfTwo rounds up.
func powerOfTwo(n uint64) uint64 { return 1 << bits.Len64(n-1) }

// pageShift returns how many buckets of so many slots a page has, as a power of two.
func pageShift(slots uint64) uint8 { return uint8(bits.Len64(pages.Size/slots) - 1) }

// grow adds a layer of at most room bytes, and returns Added if that succeeds.
func (f *Filter) grow(room int) Outcome {
	factor := 0
	if len(f.layers) > 0 {
		factor = bits.TrailingZeros16(f.growth) * len(f.layers)
	}
	if len(f.layers) == maxLayers || bits.Len64(f.buckets)+factor > 33 {
		return NoRoom
	}
	buckets := f.buckets << factor
	size := buckets * f.slots
	if size > maxBytes-f.bytes || size > uint64(max(room, 0)) {
		return NoRoom
	}
	f.layers = append(f.layers, layer{slots: pages.New(size, f.slots<<f.pageShift), mask: buckets - 1})
	f.bytes += size
	return Added
}

// place is where an item belongs: its print, and the two numbers of which a layer's mask makes its
// buckets.
type place struct {
	print         byte
	first, second uint64
}

func placeOf(item []byte) place {
	h := murmur.Hash64(item, 0)
	return at(byte(h%255)+1, h)
}

// at returns the place of a print that is in a bucket.
func at(print byte, bucket uint64) place { return place{print, bucket, other(print, bucket)} }

// other returns the other bucket of a print.
func other(print byte, bucket uint64) uint64 { return bucket ^ uint64(print)*0x5bd1e995 }

// bucket returns the slots of a bucket, nil if all are free and not made yet.
func (f *Filter) bucket(l *layer, i uint64) []byte {
	i &= l.mask
	page := l.slots.Page(i >> f.pageShift)
	if page == nil {
		return nil
	}
	from := i & (1<<f.pageShift - 1) * f.slots
	return page[from : from+f.slots]
}

// has reports whether a layer has the print in one of its buckets.
func (f *Filter) has(l *layer, p place) bool {
	return bytes.IndexByte(f.bucket(l, p.first), p.print) >= 0 || bytes.IndexByte(f.bucket(l, p.second), p.print) >= 0
}

// Has reports whether item was probably added; false means that it was not, or was deleted.
// O(length of item + layers); allocates nothing.
func (f *Filter) Has(item []byte) bool { return f.hasPlace(placeOf(item)) }

func (f *Filter) hasPlace(p place) bool {
	for i := range f.layers {
		if f.has(&f.layers[i], p) {
			return true
		}
	}
	return false
}

// Count returns how often item was probably added. As in RedisBloom, a print counts twice where
// the two buckets of the item are one.
func (f *Filter) Count(item []byte) (n int) {
	p := placeOf(item)
	for i := range f.layers {
		l := &f.layers[i]
		n += count(f.bucket(l, p.first), p.print) + count(f.bucket(l, p.second), p.print)
	}
	return n
}

func count(bucket []byte, print byte) (n int) {
	for _, slot := range bucket {
		if slot == print {
			n++
		}
	}
	return n
}

// Outcome is what Add did.
type Outcome uint8

// The outcomes. Only Added changes the filter.
const (
	Added  Outcome = iota
	Seen           // it was probably there
	Full           // the filter does not grow, and found no slot
	NoRoom         // there is no memory for a further layer
)

// Add adds item, be it there or not. O(length of item + layers + iterations), and now and then a
// new layer, which may take up to room bytes.
func (f *Filter) Add(item []byte, room int) Outcome { return f.add(placeOf(item), room) }

// AddNew adds item, unless it is probably there. See Add.
func (f *Filter) AddNew(item []byte, room int) Outcome {
	p := placeOf(item)
	if f.hasPlace(p) {
		return Seen
	}
	return f.add(p, room)
}

func (f *Filter) add(p place, room int) Outcome {
	if !f.put(p) && !f.displace(p) {
		if f.growth == 0 {
			return Full
		}
		if fault := f.grow(room); fault != Added {
			return fault
		}
		f.put(p)
	}
	f.items++
	return Added
}

// put sets a free slot, if possible in the last layer.
func (f *Filter) put(p place) bool {
	for i := len(f.layers) - 1; i >= 0; i-- {
		if f.putInto(&f.layers[i], p) {
			return true
		}
	}
	return false
}

// putInto sets a free slot of a layer, if it has one for the place.
func (f *Filter) putInto(l *layer, p place) bool {
	return l.used < l.slots.Len() && (f.set(l, p.first, p.print) || f.set(l, p.second, p.print))
}

// set sets a free slot of a bucket, if it has one.
func (f *Filter) set(l *layer, i uint64, print byte) bool {
	l.slots.Make(i & l.mask >> f.pageShift)
	b := f.bucket(l, i)
	free := bytes.IndexByte(b, 0)
	if free < 0 {
		return false
	}
	b[free] = print
	l.used++
	return true
}

// displace puts a print, whose two buckets are full, into the last layer, where others move to
// their other buckets. If that does not end within the iterations it moves them back, and returns
// false.
func (f *Filter) displace(p place) bool {
	l := &f.layers[len(f.layers)-1]
	if l.used == l.slots.Len() {
		return false
	}
	print, i, victim := p.print, p.first, uint64(0)
	for range f.iterations {
		b := f.bucket(l, i)
		print, b[victim] = b[victim], print
		i = other(print, i)
		if f.set(l, i, print) {
			return true
		}
		victim = (victim + 1) % f.slots
	}
	for range f.iterations {
		victim = (victim + f.slots - 1) % f.slots
		i = other(print, i)
		b := f.bucket(l, i)
		print, b[victim] = b[victim], print
	}
	return false
}

// Delete deletes one print of item, and reports whether there was one. It now and then calls
// Compact.
func (f *Filter) Delete(item []byte) bool {
	p := placeOf(item)
	for i := len(f.layers) - 1; i >= 0; i-- {
		l := &f.layers[i]
		if !free(f.bucket(l, p.first), p.print) && !free(f.bucket(l, p.second), p.print) {
			continue
		}
		l.used--
		f.items = max(f.items, 1) - 1
		f.deleted++
		if len(f.layers) > 1 && float64(f.deleted) > float64(f.items)*0.1 {
			f.compact(false)
		}
		return true
	}
	return false
}

// free frees a slot with the print.
func free(bucket []byte, print byte) bool {
	i := bytes.IndexByte(bucket, print)
	if i >= 0 {
		bucket[i] = 0
	}
	return i >= 0
}

// Compact moves prints from later layers to earlier ones, and removes layers at the end that are
// empty then. O(bytes made * layers).
func (f *Filter) Compact() { f.compact(true) }

// compact is Compact. Unless all layers are meant it stops at the first that it cannot empty.
func (f *Filter) compact(all bool) {
	for i := len(f.layers) - 1; i > 0; i-- {
		if !f.empty(i) && !all {
			break
		}
	}
	f.deleted = 0
}

// empty moves the prints of a layer to earlier ones, and removes it if it is the last and no print
// stayed.
func (f *Filter) empty(i int) bool {
	l := &f.layers[i]
	page := uint64(1) << f.pageShift
	for first, left := uint64(0), l.used; left > 0; first += page {
		slots := l.slots.Page(first >> f.pageShift)
		for j, print := range slots {
			if print == 0 {
				continue
			}
			left--
			if f.putBefore(i, at(print, first+uint64(j)/f.slots)) {
				slots[j] = 0
				l.used--
			}
		}
	}
	if l.used > 0 {
		return false
	}
	if i == len(f.layers)-1 {
		f.bytes -= l.slots.Len()
		f.layers[i] = layer{}
		f.layers = f.layers[:i]
	}
	return true
}

// putBefore sets a free slot before layer i, if possible in the first.
func (f *Filter) putBefore(i int, p place) bool {
	for j := range f.layers[:i] {
		if f.putInto(&f.layers[j], p) {
			return true
		}
	}
	return false
}

// Len returns the number of items that were added and not deleted, as far as is known.
func (f *Filter) Len() int { return int(f.items) }

// Deleted returns the number of items that were deleted since the filter was last compacted.
func (f *Filter) Deleted() uint64 { return f.deleted }

// Layers returns the number of layers.
func (f *Filter) Layers() int { return len(f.layers) }

// Buckets returns the number of buckets of the first layer.
func (f *Filter) Buckets() uint64 { return f.buckets }

// Slots returns the number of slots of a bucket, 1 to 255.
func (f *Filter) Slots() uint64 { return f.slots }

// Growth returns the factor from a layer's buckets to the next one's; 0 if there is no next one.
func (f *Filter) Growth() uint16 { return f.growth }

// Iterations returns how many prints move at most until a layer is full.
func (f *Filter) Iterations() uint16 { return f.iterations }

// SlotBytes returns the bytes of all slots, be they made or not.
func (f *Filter) SlotBytes() uint64 { return f.bytes }

// Layer returns how many slots layer i has, and how many of them are used.
func (f *Filter) Layer(i int) (slots, used uint64) { return f.layers[i].slots.Len(), f.layers[i].used }

// Bytes returns the bytes beyond the Filter itself, as the allocator rounds them, when all slots
// are made. O(layers).
func (f *Filter) Bytes() int {
	n := sizeclass.RoundScanned(cap(f.layers) * int(unsafe.Sizeof(layer{})))
	for i := range f.layers {
		n += f.layers[i].slots.Held()
	}
	return n
}

// Encoding returns the form as OBJECT ENCODING says it, which is raw for what a module holds.
func (f *Filter) Encoding() string { return "raw" }

// Clone returns a copy that shares nothing with f. O(bytes made).
func (f *Filter) Clone() value.Value {
	c := *f
	c.layers = make([]layer, len(f.layers))
	for i := range c.layers {
		c.layers[i] = f.layers[i]
		c.layers[i].slots = f.layers[i].slots.Clone()
	}
	return &c
}

// Packed returns false: a filter is more than its slots.
func (f *Filter) Packed() ([]byte, bool) { return nil, false }
