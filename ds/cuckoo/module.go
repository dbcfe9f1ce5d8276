package cuckoo

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of cuckoo filters.
var Type = &value.Type{Name: "MBbloomCF", Number: 5, Keeps: true, Module: module,
	Size: sizeclass.Round(int(unsafe.Sizeof(Filter{})))}

// Type implements value.Value.
func (f *Filter) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (f *Filter) Allocations(_ int) int { return f.Layers() }

// Digest implements value.Value.
func (f *Filter) Digest(m *value.Mixer) {
	m.Mix(f.AppendHeader(nil))
	for i := range f.layers {
		l := &f.layers[i].slots
		for offset := uint64(0); offset < l.Len(); offset += pieceBytes {
			m.Mix(l.Append(nil, offset, min(pieceBytes, l.Len()-offset)))
		}
	}
}

const pieceBytes = 1 << 20

// module is how RedisBloom saves a filter:
//
//	layers buckets items deleted slots-of-a-bucket iterations growth
//	of each layer: buckets slots
var module = &value.Module{Name: "MBbloomCF", Version: version, Save: save, Load: load}

// version is the only version of the format whose filters grow.
const version = 4

func save(v value.Value, to value.PartWriter) {
	f := v.(*Filter)
	for _, n := range []uint64{uint64(len(f.layers)), f.buckets, f.items, f.deleted, f.slots,
		uint64(f.iterations), uint64(f.growth)} {
		to.Uint(n)
	}
	for i := range f.layers {
		l := &f.layers[i]
		to.Uint(l.mask + 1)
		offset := uint64(0)
		to.Pieces(int(l.slots.Len()), func(dst []byte, most int) []byte {
			n := min(uint64(most), l.slots.Len()-offset)
			dst = l.slots.Append(dst, offset, n)
			offset += n
			return dst
		})
	}
}

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a cuckoo filter of version %d cannot be read", written)
		return nil
	}
	layers := from.Uint()
	header, ok := headerOf(from, layers)
	if !ok || layers > maxLayers {
		from.Fail("a cuckoo filter is damaged")
		return nil
	}
	var buckets []uint64
	var slots [][]byte
	for i := uint64(0); i < layers && from.OK(); i++ {
		buckets, slots = append(buckets, from.Uint()), append(slots, from.Text())
	}
	if !from.OK() {
		return nil
	}
	f, ok := FromHeader(header)
	if !ok {
		from.Fail("a cuckoo filter is damaged, or too large")
		return nil
	}
	iter := int64(1)
	for i, text := range slots {
		iter += int64(len(text))
		if buckets[i] != f.layers[i].mask+1 || uint64(len(text)) != f.layers[i].slots.Len() || !f.Load(iter, text) {
			from.Fail("the slots of a cuckoo filter do not fit")
			return nil
		}
	}
	return f
}

// headerOf reads what a header tells, and returns that header.
func headerOf(from value.PartReader, layers uint64) (header []byte, ok bool) {
	order := binary.LittleEndian
	buckets, items, deleted := from.Uint(), from.Uint(), from.Uint()
	for _, n := range []uint64{items, buckets, deleted, layers} {
		header = order.AppendUint64(header, n)
	}
	ok = true
	for range 3 {
		n := from.Uint()
		ok = ok && n <= math.MaxUint16
		header = order.AppendUint16(header, uint16(n))
	}
	return header, ok
}
