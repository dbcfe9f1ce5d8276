package vectors

import (
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of vector sets.
var Type = &value.Type{Name: "vectorset", Number: 5, Size: sizeclass.RoundScanned(int(unsafe.Sizeof(Set{}))),
	Module: module}

var _ value.Settler = (*Set)(nil)

// Type implements value.Value.
func (s *Set) Type() *value.Type { return Type }

// Encoding implements value.Value: Redis says raw of what a module holds.
func (s *Set) Encoding() string { return "raw" }

// Packed implements value.Value: a set is more than one text.
func (s *Set) Packed() ([]byte, bool) { return nil, false }

// Allocations implements value.Value.
func (s *Set) Allocations(most int) int { return min(s.Len(), most) }

// Bytes implements value.Value.
func (s *Set) Bytes() int {
	return s.graph.Bytes() + s.index.Bytes() + s.cells.Bytes() + sizeclass.Round(4*len(s.matrix))
}

// Parts are the bytes of a set beyond the Set itself.
type Parts struct {
	Graph, Vectors int // of the graph, and of the vectors in it
	Names, Index   int // names with attributes, and what finds them
	Matrix         int
}

// Parts returns where the bytes are.
func (s *Set) Parts() Parts {
	return Parts{Graph: s.graph.Bytes(), Vectors: s.graph.VectorBytes() * s.Len(), Names: s.cells.Bytes(),
		Index: s.index.Bytes(), Matrix: sizeclass.Round(4 * len(s.matrix))}
}

// Clone implements value.Value. The copies share what never changes.
func (s *Set) Clone() value.Value {
	return &Set{graph: s.graph.Clone(), index: *s.index.Clone(), cells: s.cells.Clone(), cursor: s.cursor, seed: s.seed,
		input: s.input, matrix: s.matrix, attributes: s.attributes}
}

// Digest implements value.Value, as Redis does: the elements in any order, with vectors as they are
// kept. Links do not count, nor do the lengths that vectors had.
func (s *Set) Digest(m *value.Mixer) {
	var all value.Digest
	add := func(parts ...[]byte) {
		var one value.Digest
		for _, part := range parts {
			one.Mix(part)
		}
		all.Xor(one[:])
	}
	add(strconv.AppendInt(nil, int64(s.Len()), 10), strconv.AppendInt(nil, int64(s.graph.Dim()), 10))
	var buf []byte
	s.Each(func(e Element) bool {
		v := s.Vector(e)
		buf = v.Append(buf[:0])
		if text := s.Attributes(e); len(text) > 0 {
			add(buf, s.Name(e), text)
		} else {
			add(buf, s.Name(e))
		}
		return true
	})
	m.Xor(all[:])
}

// Settle implements value.Settler.
func (s *Set) Settle(mem value.Memory, compact bool) (done bool) {
	s.graph.Settle(mem, compact)
	s.index.Settle(mem, compact)
	s.cells.Settle(mem, compact)
	return true
}

// Drop implements value.Settler.
func (s *Set) Drop(n int) (more bool) {
	more = s.graph.Drop(n)
	more = s.index.Drop(n) || more
	return s.cells.Drop(n) || more
}

// BlockBytes implements value.Settler.
func (s *Set) BlockBytes() int { return s.graph.BlockBytes() + s.index.Held() + s.cells.Held() }
