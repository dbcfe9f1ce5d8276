// Package bloom is the scalable Bloom filter: it says of an item that it was surely never added, or
// that it probably was.
//
//	items 0 ..  capacity     capacity * growth        capacity * growth^2
//	      [ layer, rate/2 ]  [ layer, rate/4       ]  [ layer, rate/8 ...
//
//	a layer's bits   bit of item, probe i:  (a + i*b) mod bits     a, b: two hashes of the item
//
// A layer that holds as many items as it is meant for is followed by a larger one with half its
// rate of false positives, so that all layers together stay below the rate that was asked for. A
// fixed filter has one layer, of the whole rate, and takes no more items than that.
//
// Invariants, the first four verified by Check:
//
//  1. There is at least one layer, and a fixed filter has one.
//  2. A layer's bytes are a positive multiple of 8, and its probes are those of its bits per item.
//  3. The items of the layers add up to the filter's.
//  4. No layer is larger than maxBytes.
//  5. What was added is found.
//
// Sizes, hashes and the dump are bit for bit those of RedisBloom. Unlike there, a filter reserved
// for a thousand million items is made at once: see package pages. A layer of more than 16 GiB is
// refused instead of left to the allocator, and so are dumps of the first versions, which rounded
// sizes to powers of two or hashed to 32 bits.
package bloom

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/murmur"
	"github.com/miniserver-go/miniserver/ds/pages"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/libm"
)

// maxBytes bounds one layer, and all layers of a dump together.
const maxBytes = 16 << 30

// tightening is how much lower each layer's rate is than the one's before.
const tightening = 0.5

// The logarithm of 2 and its square with RedisBloom's digits.
const (
	ln2       = 0.693147180559945
	ln2Square = 0.480453013918201
)

// Filter is one filter. New and FromHeader make one; the zero value is of no use.
type Filter struct {
	layers []layer
	items  uint64
	growth uint32
	fixed  bool
}

type layer struct {
	bits     pages.Block
	items    uint64
	capacity uint64
	rate     float64
	perItem  float64 // bits
	probes   uint32
}

// Options are the properties of a new filter.
type Options struct {
	Capacity uint64  // items of the first layer
	Rate     float64 // of false positives, between 0 and 1
	Growth   uint32  // factor from a layer's capacity to the next one's
	Fixed    bool    // never grows
}

// New returns an empty filter; false if a layer cannot be that large or that exact.
func New(o Options) (f *Filter, ok bool) {
	f = &Filter{growth: o.Growth, fixed: o.Fixed}
	if !o.Fixed {
		o.Rate *= tightening
	}
	return f, f.grow(o.Capacity, o.Rate, maxBytes) == Added
}

// grow adds a layer of at most room bytes, and returns Added if that succeeds.
func (f *Filter) grow(capacity uint64, rate float64, room int) Outcome {
	if capacity == 0 || !(rate > 0 && rate < 1) {
		return Stuck
	}
	l := layer{capacity: capacity, rate: rate, perItem: -(libm.Log(rate) / ln2Square)}
	l.probes = probes(l.perItem)
	size := float64(capacity) * l.perItem
	switch {
	case size > maxBytes*8:
		return Stuck
	case size > float64(max(room, 0))*8:
		return NoRoom
	}
	l.bits = pages.New((max(uint64(size), 1)+63)/64*8, pages.Size)
	f.layers = append(f.layers, l)
	return Added
}

func probes(perItem float64) uint32 { return uint32(math.Ceil(ln2 * perItem)) }

// hash is the two hashes of an item.
type hash struct{ a, b uint64 }

const firstSeed = 0xc6a4a7935bd1e995

func hashOf(item []byte) hash {
	a := murmur.Hash64(item, firstSeed)
	return hash{a, murmur.Hash64(item, a)}
}

// has reports whether all bits of an item are set.
func (l *layer) has(h hash) bool {
	size, x := l.bits.Len()*8, h.a
	for range l.probes {
		bit := x % size
		page := l.bits.Page(bit / (8 * pages.Size))
		if page == nil || page[bit/8%pages.Size]>>(bit%8)&1 == 0 {
			return false
		}
		x += h.b
	}
	return true
}

// add sets the bits of an item.
func (l *layer) add(h hash) {
	size, x := l.bits.Len()*8, h.a
	for range l.probes {
		bit := x % size
		l.bits.Make(bit / (8 * pages.Size))[bit/8%pages.Size] |= 1 << (bit % 8)
		x += h.b
	}
	l.items++
}

// has reports whether the item is found in any layer, the last and largest first.
func (f *Filter) has(h hash) bool {
	for i := len(f.layers) - 1; i >= 0; i-- {
		if f.layers[i].has(h) {
			return true
		}
	}
	return false
}

// Has reports whether item was probably added; false means that it was not. O(length of item +
// probes of all layers); allocates nothing.
func (f *Filter) Has(item []byte) bool { return f.has(hashOf(item)) }

// Outcome is what Add did.
type Outcome uint8

// The outcomes. Only Added changes the filter.
const (
	Added  Outcome = iota
	Seen           // it was probably there
	Full           // the filter is fixed and holds all it is meant for
	Stuck          // no further layer can be made
	NoRoom         // there is no memory for a further layer
)

// Add adds item. O(length of item + probes of all layers), and now and then a new layer, which may
// take up to room bytes.
func (f *Filter) Add(item []byte, room int) Outcome {
	h := hashOf(item)
	if f.has(h) {
		return Seen
	}
	last := &f.layers[len(f.layers)-1]
	if last.items >= last.capacity {
		if f.fixed {
			return Full
		}
		over, capacity := bits.Mul64(last.capacity, uint64(f.growth))
		if over != 0 {
			return Stuck
		}
		if fault := f.grow(capacity, last.rate*tightening, room); fault != Added {
			return fault
		}
		last = &f.layers[len(f.layers)-1]
	}
	last.add(h)
	f.items++
	return Added
}

// Len returns the number of items added.
func (f *Filter) Len() int { return int(f.items) }

// Layers returns the number of layers.
func (f *Filter) Layers() int { return len(f.layers) }

// Layer describes a layer of a filter.
type Layer struct {
	Capacity, Items, Bits uint64
	Rate                  float64 // of false positives, when it is full
	Probes                uint32
}

// Layer describes layer i.
func (f *Filter) Layer(i int) Layer {
	l := &f.layers[i]
	return Layer{l.capacity, l.items, l.bits.Len() * 8, l.rate, l.probes}
}

// Fill returns the share of the bits of layer i that are set. O(bytes made).
func (f *Filter) Fill(i int) float64 {
	l, set := &f.layers[i], 0
	for j := range l.bits.Pages() {
		for _, b := range l.bits.Page(j) {
			set += bits.OnesCount8(b)
		}
	}
	return float64(set) / float64(l.bits.Len()*8)
}

// Capacity returns how many items all layers are meant for.
func (f *Filter) Capacity() (n uint64) {
	for i := range f.layers {
		n += f.layers[i].capacity
	}
	return n
}

// Growth returns the factor from a layer's capacity to the next one's; false if the filter is
// fixed.
func (f *Filter) Growth() (factor uint32, ok bool) { return f.growth, !f.fixed }

// BitBytes returns the bytes of the layers' bits, be they all made or not.
func (f *Filter) BitBytes() (n uint64) {
	for i := range f.layers {
		n += f.layers[i].bits.Len()
	}
	return n
}

// Bytes returns the bytes beyond the Filter itself, as the allocator rounds them, when all bits are
// made. O(layers).
func (f *Filter) Bytes() int {
	n := sizeclass.RoundScanned(cap(f.layers) * int(unsafe.Sizeof(layer{})))
	for i := range f.layers {
		n += f.layers[i].bits.Held()
	}
	return n
}

// Encoding returns the form as OBJECT ENCODING says it, which is raw for what a module holds.
func (f *Filter) Encoding() string { return "raw" }

// Clone returns a copy that shares nothing with f. O(bytes held).
func (f *Filter) Clone() value.Value {
	c := *f
	c.layers = slices.Clone(f.layers)
	for i := range c.layers {
		c.layers[i].bits = f.layers[i].bits.Clone()
	}
	return &c
}

// Packed returns false: a filter is more than its bits.
func (f *Filter) Packed() ([]byte, bool) { return nil, false }
