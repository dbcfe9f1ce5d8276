package hash

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Type is the data type of hashes.
var Type = &value.Type{Name: "hash", Number: 4, Size: sizeclass.Round(int(unsafe.Sizeof(Hash{})))}

// Type implements value.Value.
func (h *Hash) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (h *Hash) Allocations(_ int) int { return value.Allocations(h) }

// Digest implements value.Value.
func (h *Hash) Digest(m *value.Mixer) {
	h.Each(func(field, val ziplist.Entry) bool {
		name := field.Text(nil)
		var pair value.Digest
		pair.Mix(name)
		pair.Mix(val.Text(nil))
		if deadline, _ := h.Deadline(name); deadline != 0 {
			pair.Xor(value.Volatile)
		}
		m.Xor(pair[:])
		return true
	})
}
