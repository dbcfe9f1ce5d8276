package stream

import (
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of streams.
var Type = &value.Type{Name: "stream", Number: 6, Keeps: true, New: func() value.Value { return new(Stream) },
	Size: sizeclass.Round(int(unsafe.Sizeof(Stream{})))}

// Type implements value.Value.
func (s *Stream) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (s *Stream) Allocations(_ int) (n int) {
	n = s.TreeNodes()
	if groups := s.Groups(); len(groups) > 0 {
		n += len(groups) * (1 + groups[0].Pending())
	}
	return n
}

// Digest implements value.Value. As in Redis the groups do not count.
func (s *Stream) Digest(m *value.Mixer) {
	var buf []byte
	for w := s.Walk(ID{}, MaxID); w.Next(); {
		buf = strconv.AppendUint(buf[:0], w.ID.Ms, 10)
		buf = strconv.AppendUint(append(buf, '.'), w.ID.Seq, 10)
		m.Mix(buf)
		for range w.Len {
			field, val := w.Pair()
			m.Mix(field.Text(nil))
			m.Mix(val.Text(nil))
		}
	}
}
