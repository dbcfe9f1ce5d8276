package topk

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of Top-K sketches.
var Type = &value.Type{Name: "TopK-TYPE", Number: 5, Keeps: true, Module: module,
	Size: sizeclass.Round(int(unsafe.Sizeof(Sketch{})))}

// Type implements value.Value.
func (s *Sketch) Type() *value.Type { return Type }

// Encoding returns the form as OBJECT ENCODING says it, which is raw for what a module holds.
func (s *Sketch) Encoding() string { return "raw" }

// Packed returns false: a sketch is more than its cells.
func (s *Sketch) Packed() ([]byte, bool) { return nil, false }

// Allocations implements value.Value.
func (s *Sketch) Allocations(most int) int { return min(len(s.heap), most) }

// Parts are the bytes of a sketch beyond the Sketch itself, as the allocator rounds them.
type Parts struct {
	Cells, Heap, Items int
	Index              int // 0 without one
	Chances            int // 0 if it shares those of the default decay
}

// Parts returns where the bytes are, when all cells are made.
func (s *Sketch) Parts() Parts {
	p := Parts{Cells: s.cells.Held(), Heap: sizeclass.RoundScanned(len(s.heap) * int(unsafe.Sizeof(Entry{}))),
		Items: s.itemBytes, Index: sizeclass.Round(len(s.index) * 4)}
	if s.chances != usual {
		p.Chances = sizeclass.Round(int(unsafe.Sizeof(chances{})))
	}
	return p
}

// Bytes implements value.Value.
func (s *Sketch) Bytes() int {
	p := s.Parts()
	return p.Cells + p.Heap + p.Items + p.Index + p.Chances
}

// Clone implements value.Value. The copies share what never changes.
func (s *Sketch) Clone() value.Value {
	c := *s
	c.cells = s.cells.Clone()
	c.heap = slices.Clone(s.heap)
	c.index = slices.Clone(s.index)
	return &c
}

// Digest implements value.Value. The random numbers are no part of it: no reply shows them.
func (s *Sketch) Digest(m *value.Mixer) {
	order := binary.LittleEndian
	var head [20]byte
	order.PutUint32(head[:], s.K)
	order.PutUint32(head[4:], s.Width)
	order.PutUint32(head[8:], s.Depth)
	order.PutUint64(head[12:], math.Float64bits(s.Decay))
	m.Mix(head[:])
	var chunk []byte
	for at := uint64(0); at < s.cells.Len(); at += uint64(len(chunk)) {
		chunk = s.cells.Append(chunk[:0], at, min(1<<16, s.cells.Len()-at))
		m.Mix(chunk)
	}
	for _, e := range s.heap {
		m.Mix(order.AppendUint32([]byte(e.Item), e.Count))
	}
}

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(k) if there is an index.
func (s *Sketch) Check() error {
	if !s.Valid() || len(s.heap) != int(s.K) || s.cells.Len() != uint64(s.Width)*uint64(s.Depth)*cellBytes {
		return fmt.Errorf("topk: %+v, %d entries, %d bytes of cells", s.Options, len(s.heap), s.cells.Len())
	}
	items, indexed := 0, 0
	for i := range s.heap {
		e := &s.heap[i]
		items += sizeclass.Round(len(e.Item))
		if e.Empty() {
			continue
		}
		indexed++
		if hash := fingerprint([]byte(e.Item)); e.hash != hash || s.find(hash, []byte(e.Item)) != i {
			return fmt.Errorf("topk: item %q has the fingerprint %x and is found at %d instead of %d", e.Item,
				e.hash, s.find(hash, []byte(e.Item)), i)
		}
	}
	for _, place := range s.index {
		if place != 0 {
			indexed--
		}
	}
	if items != s.itemBytes || s.index != nil && indexed != 0 {
		return fmt.Errorf("topk: %d bytes of items, accounted %d; %d entries more than indexed", items, s.itemBytes,
			indexed)
	}
	return nil
}
