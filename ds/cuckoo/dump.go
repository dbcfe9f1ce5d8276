package cuckoo

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// A dump is a header and the layers' slots, one after the other, in chunks. An iterator is 1 plus
// the bytes of slots already dumped. All numbers are little-endian:
//
//	header   items u64 | buckets u64 | deleted u64 | layers u64 | slots of a bucket u16 |
//	         iterations u16 | growth u16
const headerBytes = 4*8 + 3*2

// AppendHeader appends the header of the filter's dump.
func (f *Filter) AppendHeader(dst []byte) []byte {
	order := binary.LittleEndian
	for _, n := range []uint64{f.items, f.buckets, f.deleted, uint64(len(f.layers))} {
		dst = order.AppendUint64(dst, n)
	}
	for _, n := range []uint16{uint16(f.slots), f.iterations, f.growth} {
		dst = order.AppendUint16(dst, n)
	}
	return dst
}

// AppendChunk appends up to most bytes of the dump from an iterator on, and returns the iterator
// behind them; 0 and no bytes at the end, or if the iterator is none. As in RedisBloom, a layer of
// up to most bytes is one chunk, wherever in it the iterator is.
func (f *Filter) AppendChunk(dst []byte, iter int64, most uint64) (chunk []byte, next int64) {
	l, offset := f.find(iter)
	if l == nil {
		return dst, 0
	}
	if l.slots.Len() <= most {
		offset = 0
	}
	n := min(most, l.slots.Len()-offset)
	return l.slots.Append(dst, offset, n), iter + int64(n)
}

// find returns the layer in which an iterator is and where there; nil if in none.
func (f *Filter) find(iter int64) (l *layer, offset uint64) {
	if iter < 1 {
		return nil, 0
	}
	offset = uint64(iter - 1)
	for i := range f.layers {
		if l = &f.layers[i]; offset < l.slots.Len() {
			return l, offset
		}
		offset -= l.slots.Len()
	}
	return nil, 0
}

// IsHeader reports whether b has the length of a header.
func IsHeader(b []byte) bool { return len(b) == headerBytes }

// FromHeader returns the filter that a header describes, with free slots only; false if the header
// is damaged, or describes a filter that this package cannot make.
func FromHeader(b []byte) (f *Filter, ok bool) {
	if !IsHeader(b) {
		return nil, false
	}
	order := binary.LittleEndian
	f = &Filter{items: order.Uint64(b), buckets: order.Uint64(b[8:]), deleted: order.Uint64(b[16:]),
		slots: uint64(order.Uint16(b[32:])), iterations: order.Uint16(b[34:]), growth: order.Uint16(b[36:])}
	layers := order.Uint64(b[24:])
	if f.checkShape(layers) != nil {
		return nil, false
	}
	f.pageShift = pageShift(f.slots)
	for range layers {
		if f.grow(maxBytes) != Added {
			return nil, false
		}
	}
	return f, true
}

// Load puts a chunk of a dump in its place: next is the iterator that came with it. It returns
// false if that is not in one layer.
func (f *Filter) Load(next int64, chunk []byte) bool {
	if len(chunk) == 0 || next <= int64(len(chunk)) {
		return false
	}
	l, offset := f.find(next - int64(len(chunk)))
	if l == nil || uint64(len(chunk)) > l.slots.Len()-offset {
		return false
	}
	l.used += used(chunk) - f.usedFrom(l, offset, uint64(len(chunk)))
	l.slots.Write(offset, chunk)
	return true
}

// usedFrom returns how many of n slots of a layer are used.
func (f *Filter) usedFrom(l *layer, offset, n uint64) (total uint64) {
	var piece [512]byte
	for n > 0 {
		part := min(n, uint64(len(piece)))
		total += used(l.slots.Append(piece[:0], offset, part))
		offset, n = offset+part, n-part
	}
	return total
}

func used(slots []byte) uint64 { return uint64(len(slots) - count(slots, 0)) }

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(bytes of all slots).
func (f *Filter) Check() error {
	if err := f.checkShape(uint64(len(f.layers))); err != nil {
		return err
	}
	bytes := uint64(0)
	for i := range f.layers {
		l := &f.layers[i]
		if i > 0 && l.mask+1 != (f.layers[i-1].mask+1)*uint64(f.growth) || l.slots.Len() != (l.mask+1)*f.slots {
			return fmt.Errorf("cuckoo: layer %d has %d buckets and %d slots", i, l.mask+1, l.slots.Len())
		}
		if n := f.usedFrom(l, 0, l.slots.Len()); n != l.used {
			return fmt.Errorf("cuckoo: layer %d counts %d used slots of %d", i, l.used, n)
		}
		bytes += l.slots.Len()
	}
	if bytes != f.bytes || bytes > maxBytes || f.layers[0].mask+1 != f.buckets {
		return fmt.Errorf("cuckoo: %d buckets and %d bytes, counted as %d", f.buckets, bytes, f.bytes)
	}
	return nil
}

// checkShape checks all numbers but those of single layers.
func (f *Filter) checkShape(layers uint64) error {
	switch {
	case layers == 0 || layers > maxLayers || f.growth == 0 && layers > 1:
		return fmt.Errorf("cuckoo: %d layers with a growth of %d", layers, f.growth)
	case bits.OnesCount64(f.buckets) != 1 || f.slots == 0 || f.slots > maxSlots:
		return fmt.Errorf("cuckoo: %d buckets of %d slots", f.buckets, f.slots)
	case f.iterations == 0 || f.growth > maxGrowth || bits.OnesCount16(f.growth) > 1:
		return fmt.Errorf("cuckoo: %d iterations and a growth of %d", f.iterations, f.growth)
	case f.items > math.MaxInt64 || f.deleted > math.MaxInt64:
		return fmt.Errorf("cuckoo: %d items, %d deleted", f.items, f.deleted)
	}
	return nil
}
