package json

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of documents, named as by RedisJSON.
var Type = &value.Type{Name: "ReJSON-RL", Number: 5, Size: docSize, Keeps: true, Module: module,
	New:  func() value.Value { return new(Doc) },
	Open: func(v value.Value, packed []byte) { v.(*Doc).Open(packed) }}

var _ value.Settler = (*Doc)(nil)

// Type implements value.Value.
func (d *Doc) Type() *value.Type { return Type }

// Len implements value.Value: a document is one value.
func (d *Doc) Len() int { return 1 }

// Encoding implements value.Value: Redis says raw of what a module holds.
func (d *Doc) Encoding() string { return "raw" }

// Packed implements value.Value: a small document is one text.
func (d *Doc) Packed() ([]byte, bool) { return d.packed, d.tree == nil }

// Allocations implements value.Value.
func (d *Doc) Allocations(int) int {
	if d.tree == nil {
		return 1
	}
	return len(d.tree.cells)
}

// Digest implements value.Value: equal texts have equal digests.
func (d *Doc) Digest(m *value.Mixer) { m.Mix(AppendText(nil, d.Root())) }

// Clone implements value.Value.
func (d *Doc) Clone() value.Value {
	c := new(Doc)
	if d.tree == nil {
		c.Open(slices.Clone(d.packed))
		return c
	}
	c.tree = d.tree.clone()
	return c
}
