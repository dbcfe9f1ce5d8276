package bloom

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of Bloom filters.
var Type = &value.Type{Name: "MBbloom--", Number: 5, Keeps: true, Module: module,
	Size: sizeclass.Round(int(unsafe.Sizeof(Filter{})))}

// Type implements value.Value.
func (f *Filter) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (f *Filter) Allocations(_ int) int {
	return f.Len()
}

// Digest implements value.Value.
func (f *Filter) Digest(m *value.Mixer) {
	m.Mix(f.AppendHeader(nil))
	for chunk, iter := f.AppendChunk(nil, 1, 1<<20); iter != 0; chunk, iter = f.AppendChunk(chunk[:0], iter, 1<<20) {
		m.Mix(chunk)
	}
}
