package str

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of strings.
var Type = &value.Type{Name: "string", Number: 0, Keeps: true, Size: sizeclass.Round(int(unsafe.Sizeof(Value{})))}

// Type implements value.Value.
func (v *Value) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (v *Value) Allocations(_ int) int {
	return 1
}

// Digest implements value.Value.
func (v *Value) Digest(m *value.Mixer) {
	m.Mix(v.Text(nil))
}
