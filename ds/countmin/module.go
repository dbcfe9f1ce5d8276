package countmin

import (
	"encoding/binary"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Type is the data type of count-min sketches.
var Type = &value.Type{Name: "CMSk-TYPE", Number: 5, Keeps: true, Module: module,
	Size: sizeclass.Round(int(unsafe.Sizeof(Sketch{})))}

// Type implements value.Value.
func (s *Sketch) Type() *value.Type { return Type }

// Allocations implements value.Value.
func (s *Sketch) Allocations(_ int) int { return 1 }

// Digest implements value.Value.
func (s *Sketch) Digest(m *value.Mixer) {
	for _, n := range []uint64{s.width, s.depth, s.total} {
		m.Mix(binary.LittleEndian.AppendUint64(nil, n))
	}
	for offset := uint64(0); offset < s.cells.Len(); offset += pieceBytes {
		m.Mix(s.AppendCells(nil, offset, pieceBytes))
	}
}

const pieceBytes = 1 << 20

// module is how RedisBloom saves a sketch: width, depth, total, cells.
var module = &value.Module{Name: "CMSk-TYPE", Version: version, Save: save, Load: load}

const version = 0

func save(v value.Value, to value.PartWriter) {
	s := v.(*Sketch)
	to.Uint(s.width)
	to.Uint(s.depth)
	to.Uint(s.total)
	offset := uint64(0)
	to.Pieces(int(s.cells.Len()), func(dst []byte, most int) []byte {
		before := len(dst)
		dst = s.AppendCells(dst, offset, uint64(most))
		offset += uint64(len(dst) - before)
		return dst
	})
}

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a count-min sketch of version %d cannot be read", written)
		return nil
	}
	width, depth, total, cells := from.Uint(), from.Uint(), from.Uint(), from.Text()
	if !from.OK() {
		return nil
	}
	s, ok := New(width, depth)
	if !ok || s.cells.Len() != uint64(len(cells)) {
		from.Fail("a count-min sketch is damaged, or too large")
		return nil
	}
	s.total = total
	s.cells.Write(0, cells)
	return s
}
