package topk

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// module is how RedisBloom saves a sketch. All numbers in texts are little-endian:
//
//	k width depth decay
//	a text with the cells, row by row:         fingerprint u32 | count u32
//	a text with the heap:                      fingerprint u32 | length u32 | address u64 |
//	                                           count u32 | padding u32
//	k texts, the items of the heap, each with a zero behind it; the zero alone for an empty place
//
// The address of the first entry is here the state of the random numbers, which is 0 as long as
// there were none; the others are 0. Nobody reads those of RedisBloom.
var module = &value.Module{Name: "TopK-TYPE", Version: version, Save: save, Load: load}

const (
	version    = 0
	entryBytes = 24
)

func save(v value.Value, to value.PartWriter) {
	s := v.(*Sketch)
	to.Uint(uint64(s.K))
	to.Uint(uint64(s.Width))
	to.Uint(uint64(s.Depth))
	to.Double(s.Decay)
	writeText(to, int(s.cells.Len()), s.appendCells)
	writeText(to, len(s.heap)*entryBytes, s.appendHeap)
	var text []byte
	for _, e := range s.heap {
		text = append(append(text[:0], e.Item...), 0)
		to.Text(text)
	}
}

// whole is the size of texts that are compressed, for which they must be in memory.
const whole = 16 << 20

// writeText writes a text of size bytes. from appends n of them from an offset on.
func writeText(to value.PartWriter, size int, from func(dst []byte, offset, n int) []byte) {
	if size <= whole {
		to.Text(from(nil, 0, size))
		return
	}
	at := 0
	to.Pieces(size, func(dst []byte, most int) []byte {
		n := min(most, size-at)
		if n >= entryBytes {
			n -= n % entryBytes
		}
		dst, at = from(dst, at, n), at+n
		return dst
	})
}

func (s *Sketch) appendCells(dst []byte, offset, n int) []byte {
	return s.cells.Append(dst, uint64(offset), uint64(n))
}

// appendHeap appends entries. offset and n are multiples of their size.
func (s *Sketch) appendHeap(dst []byte, offset, n int) []byte {
	order := binary.LittleEndian
	for i := offset / entryBytes; i < (offset+n)/entryBytes; i++ {
		e, address := &s.heap[i], uint64(0)
		if i == 0 {
			address = s.state
		}
		dst = order.AppendUint32(dst, e.hash)
		dst = order.AppendUint32(dst, uint32(len(e.Item)))
		dst = order.AppendUint64(dst, address)
		dst = order.AppendUint32(dst, e.Count)
		dst = order.AppendUint32(dst, 0)
	}
	return dst
}

func load(from value.PartReader, written int) value.Value {
	if written != version {
		from.Fail("a Top-K sketch of version %d cannot be read", written)
		return nil
	}
	k, width, depth, decay := from.Uint(), from.Uint(), from.Uint(), from.Double()
	cells, heap := from.Text(), from.Text()
	if !from.OK() {
		return nil
	}
	o := Options{uint32(k), uint32(width), uint32(depth), decay}
	if max(k, width, depth) > math.MaxUint32 || !o.Valid() || uint64(len(cells)) != width*depth*cellBytes ||
		uint64(len(heap)) != k*entryBytes {
		from.Fail("a Top-K sketch is damaged")
		return nil
	}
	s := New(o)
	s.cells.Write(0, cells)
	s.state = binary.LittleEndian.Uint64(heap[8:])
	for i := range s.heap {
		if !s.loadEntry(i, heap[i*entryBytes:], from.Text()) && from.OK() {
			from.Fail("an item of a Top-K sketch is damaged")
		}
		if !from.OK() {
			return nil
		}
	}
	return s
}

// loadEntry puts an entry into its place. It returns false if it cannot be there. Of an item with a
// zero byte RedisBloom saves what is before it: the rest is lost, and so are further items with the
// same begin.
func (s *Sketch) loadEntry(i int, from, text []byte) bool {
	order := binary.LittleEndian
	item, ok := strings.CutSuffix(string(text), "\x00")
	e := Entry{Item: item, hash: order.Uint32(from), Count: order.Uint32(from[16:])}
	length := uint64(order.Uint32(from[4:]))
	cut := uint64(len(item)) < length
	if cut {
		e.hash = fingerprint([]byte(item))
	}
	again := !e.Empty() && s.find(e.hash, []byte(item)) >= 0
	switch {
	case !ok, uint64(len(item)) > length, !e.Empty() && e.hash != fingerprint([]byte(item)), again && !cut:
		return false
	case again:
		e = Entry{}
	}
	s.heap[i] = e
	s.itemBytes += sizeclass.Round(len(e.Item))
	if s.index != nil && !e.Empty() {
		s.index.add(e.hash, i)
	}
	return true
}
