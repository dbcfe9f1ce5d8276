package array

import (
	"slices"
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Type is the data type of arrays.
var Type = &value.Type{Name: "array", Number: 8, Size: sizeclass.RoundScanned(int(unsafe.Sizeof(Array{}))),
	New:  func() value.Value { return new(Array) },
	Open: func(v value.Value, packed []byte) { v.(*Array).Open(packed) }}

var _ value.Settler = (*Array)(nil)

// Type implements value.Value.
func (a *Array) Type() *value.Type { return Type }

// Encoding implements value.Value. Redis has one encoding.
func (a *Array) Encoding() string { return "sliced-array" }

// Packed implements value.Value.
func (a *Array) Packed() ([]byte, bool) { return a.packed, a.large == nil }

// Allocations implements value.Value.
func (a *Array) Allocations(int) int {
	if a.large == nil {
		return 1
	}
	return a.large.slices
}

// Digest implements value.Value: equal elements and next indexes have equal digests.
func (a *Array) Digest(m *value.Mixer) {
	var index, text []byte
	m.MixNumber(a.Len())
	m.Mix(strconv.AppendUint(nil, a.Next(), 10))
	a.Scan(0, MaxIndex, func(i uint64, e ziplist.Entry) bool {
		index, text = strconv.AppendUint(index[:0], i, 10), e.Append(text[:0])
		m.XorPair(index, text)
		return true
	})
}

// Clone implements value.Value.
func (a *Array) Clone() value.Value {
	if a.large == nil {
		return &Array{packed: slices.Clone(a.packed)}
	}
	return &Array{large: a.large.clone()}
}
