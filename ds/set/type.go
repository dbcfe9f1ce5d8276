package set

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Type is the data type of sets.
var Type = &value.Type{Name: "set", Number: 2, Size: sizeclass.Round(int(unsafe.Sizeof(Set{})))}

// Type implements value.Value.
func (s *Set) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (s *Set) Allocations(_ int) int { return value.Allocations(s) }

// Digest implements value.Value.
func (s *Set) Digest(m *value.Mixer) {
	s.Each(func(member ziplist.Entry) bool {
		m.Xor(member.Text(nil))
		return true
	})
	m.XorVolatile(s.Deadlines)
}
