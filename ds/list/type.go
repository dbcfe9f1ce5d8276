package list

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Type is the data type of lists.
var Type = &value.Type{Name: "list", Number: 1, Size: sizeclass.Round(int(unsafe.Sizeof(List{})))}

// Type implements value.Value.
func (l *List) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (l *List) Allocations(most int) (n int) {
	if _, packed := l.Packed(); packed {
		return 1
	}
	l.Nodes(func(Node) bool {
		n++
		return n <= most
	})
	return n
}

// Digest implements value.Value.
func (l *List) Digest(m *value.Mixer) {
	l.Range(0, l.Len(), func(e ziplist.Entry) { m.Mix(e.Text(nil)) })
	m.XorVolatile(l.Deadlines)
}
