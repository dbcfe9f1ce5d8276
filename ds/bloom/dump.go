package bloom

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/ds/pages"
)

// A dump is a header and the layers' bits, one after the other, in chunks. An iterator is 1 plus
// the bytes of bits already dumped. All numbers are little-endian:
//
//	header   items u64 | layers u32 | options u32 | growth u32 | layer ...
//	layer    bytes u64 | bits u64 | items u64 | rate f64 | bits per item f64 | probes u32 |
//	         capacity u64 | n2 u8
const (
	headerBytes = 8 + 4 + 4 + 4
	layerBytes  = 5*8 + 4 + 8 + 1
)

// The options of a dump: sizes as they are, 64 bit hashes, no growth.
const (
	unrounded = 1
	force64   = 4
	noScaling = 8
)

// mostPerItem is more bits per item than the lowest rate that a float64 can hold needs.
const mostPerItem = 1600

// AppendHeader appends the header of the filter's dump.
func (f *Filter) AppendHeader(dst []byte) []byte {
	order := binary.LittleEndian
	options := uint32(unrounded | force64)
	if f.fixed {
		options |= noScaling
	}
	dst = order.AppendUint64(dst, f.items)
	dst = order.AppendUint32(dst, uint32(len(f.layers)))
	dst = order.AppendUint32(dst, options)
	dst = order.AppendUint32(dst, f.growth)
	for i := range f.layers {
		l := &f.layers[i]
		dst = order.AppendUint64(dst, l.bits.Len())
		dst = order.AppendUint64(dst, l.bits.Len()*8)
		dst = order.AppendUint64(dst, l.items)
		dst = order.AppendUint64(dst, math.Float64bits(l.rate))
		dst = order.AppendUint64(dst, math.Float64bits(l.perItem))
		dst = order.AppendUint32(dst, l.probes)
		dst = order.AppendUint64(dst, l.capacity)
		dst = append(dst, 0)
	}
	return dst
}

// AppendChunk appends up to most bytes of the dump from an iterator on, and returns the iterator
// behind them; 0 and no bytes at the end, or if the iterator is none.
func (f *Filter) AppendChunk(dst []byte, iter int64, most uint64) (chunk []byte, next int64) {
	l, offset := f.at(iter)
	if l == nil {
		return dst, 0
	}
	n := min(most, l.bits.Len()-offset)
	return l.bits.Append(dst, offset, n), iter + int64(n)
}

// at returns the layer in which an iterator is and where there; nil if in none.
func (f *Filter) at(iter int64) (l *layer, offset uint64) {
	if iter < 1 {
		return nil, 0
	}
	offset = uint64(iter - 1)
	for i := range f.layers {
		if l = &f.layers[i]; offset < l.bits.Len() {
			return l, offset
		}
		offset -= l.bits.Len()
	}
	return nil, 0
}

// FromHeader returns the filter that a header describes, with no bit set; false if the header is
// damaged or not one that this package writes.
func FromHeader(b []byte) (f *Filter, ok bool) {
	order := binary.LittleEndian
	if len(b) < headerBytes {
		return nil, false
	}
	n, options := order.Uint32(b[8:]), order.Uint32(b[12:])
	if n == 0 || uint64(len(b)) != headerBytes+uint64(n)*layerBytes || options&^noScaling != unrounded|force64 {
		return nil, false
	}
	f = &Filter{items: order.Uint64(b), growth: order.Uint32(b[16:]), fixed: options&noScaling != 0}
	f.layers = make([]layer, n)
	left := uint64(maxBytes)
	for i := range f.layers {
		if !f.layers[i].read(b[headerBytes+i*layerBytes:], &left) {
			return nil, false
		}
	}
	if f.Check() != nil {
		return nil, false
	}
	return f, true
}

// read reads a layer's part of a header and takes its bytes from what is left.
func (l *layer) read(b []byte, left *uint64) bool {
	order := binary.LittleEndian
	bytes, size := order.Uint64(b), order.Uint64(b[8:])
	if bytes == 0 || bytes%8 != 0 || bytes > *left || size != bytes*8 || b[layerBytes-1] != 0 {
		return false
	}
	*left -= bytes
	*l = layer{
		items: order.Uint64(b[16:]), capacity: order.Uint64(b[44:]), probes: order.Uint32(b[40:]),
		rate: math.Float64frombits(order.Uint64(b[24:])), perItem: math.Float64frombits(order.Uint64(b[32:])),
	}
	l.bits = pages.New(bytes, pages.Size)
	return true
}

// Fault is why a chunk was not loaded.
type Fault uint8

// The faults.
const (
	Loaded  Fault = iota
	Damaged       // the iterator cannot be behind the chunk
	NoLayer       // there are no bits where the chunk belongs
	TooLong       // it goes beyond its layer
)

// Load puts a chunk of a dump in its place: next is the iterator that came with it.
func (f *Filter) Load(next int64, chunk []byte) Fault {
	if next <= 0 || next < int64(len(chunk)) {
		return Damaged
	}
	l, offset := f.at(next - int64(len(chunk)))
	switch {
	case l == nil:
		return NoLayer
	case uint64(len(chunk)) > l.bits.Len()-offset:
		return TooLong
	}
	l.bits.Write(offset, chunk)
	return Loaded
}

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(layers).
func (f *Filter) Check() error {
	if len(f.layers) == 0 || f.fixed && len(f.layers) > 1 {
		return fmt.Errorf("bloom: %d layers, fixed: %t", len(f.layers), f.fixed)
	}
	items := uint64(0)
	for i := range f.layers {
		l := &f.layers[i]
		if err := l.check(); err != nil {
			return err
		}
		if items+l.items < items {
			return fmt.Errorf("bloom: too many items")
		}
		items += l.items
	}
	if items != f.items {
		return fmt.Errorf("bloom: %d items in the layers, %d in the filter", items, f.items)
	}
	return nil
}

// check checks a layer.
func (l *layer) check() error {
	switch {
	case l.bits.Len() == 0 || l.bits.Len()%8 != 0 || l.bits.Len() > maxBytes:
		return fmt.Errorf("bloom: a layer of %d bytes", l.bits.Len())
	case !(l.rate > 0 && l.rate < 1):
		return fmt.Errorf("bloom: a rate of %v", l.rate)
	case !(l.perItem > 0 && l.perItem < mostPerItem) || l.probes != probes(l.perItem):
		return fmt.Errorf("bloom: %d probes for %v bits per item", l.probes, l.perItem)
	}
	return nil
}
