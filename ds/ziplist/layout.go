package ziplist

import (
	"encoding/binary"
	"fmt"
	"iter"
)

// Cell describes one entry of a list.
type Cell struct {
	Offset       int      // of its first byte in the list
	PrevlenBytes int      // 1 or 5
	Prevlen      int      // length of the entry before it
	Encoding     Encoding // kind of the entry
	HeadBytes    int      // bytes of the encoding: 1, 2 or 5
	DataBytes    int      // bytes of the data; 0 for the integers 0 to 12
	Entry        Entry    // the content; its Str aliases the list
}

// Bytes returns the length of the whole entry.
func (c Cell) Bytes() int { return c.PrevlenBytes + c.HeadBytes + c.DataBytes }

// Encoding is the first byte of an entry's encoding.
type Encoding byte

// String returns str6, str14, str32, int8, int16, int24, int32, int64, imm
// for the integers 0 to 12, or invalid.
func (e Encoding) String() string {
	switch {
	case e < str14:
		return "str6"
	case e < str32:
		return "str14"
	case e < ints:
		return "str32"
	case e >= imm0 && e <= imm12:
		return "imm"
	}
	switch e {
	case int8s:
		return "int8"
	case int16s:
		return "int16"
	case int24s:
		return "int24"
	case int32s:
		return "int32"
	case int64s:
		return "int64"
	}
	return "invalid"
}

// Layout describes the entries from first to last. It stops at the first that
// is damaged; Check returns what is wrong there. O(n).
func (l List) Layout() iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for p := headerSize; p < len(l)-endSize; {
			c, err := l.cell(p)
			if err != nil || !yield(c) {
				return
			}
			p += c.Bytes()
		}
	}
}

// Check returns an error naming the first violation of the package's
// invariants, nil if there is none. It never panics, whatever the bytes, and
// lists that pass are safe for all methods. O(n).
func (l List) Check() error {
	if len(l) < headerSize+endSize {
		return fmt.Errorf("ziplist: %d bytes are too few", len(l))
	}
	if n := binary.LittleEndian.Uint32(l); uint64(n) != uint64(len(l)) {
		return fmt.Errorf("ziplist: zlbytes is %d of %d bytes", n, len(l))
	}
	if l[len(l)-endSize] != end {
		return fmt.Errorf("ziplist: no end at offset %d", len(l)-endSize)
	}
	p, last, n := headerSize, headerSize, 0
	for ; p < len(l)-endSize; n++ {
		c, err := l.cell(p)
		if err != nil {
			return err
		}
		if c.Prevlen != p-last {
			return fmt.Errorf("ziplist: entry at offset %d has prevlen %d after %d bytes", p, c.Prevlen, p-last)
		}
		last, p = p, p+c.Bytes()
	}
	if t := binary.LittleEndian.Uint32(l[4:]); uint64(t) != uint64(last) {
		return fmt.Errorf("ziplist: zltail is %d instead of %d", t, last)
	}
	if c := l.count(); c != unknownLen && c != n {
		return fmt.Errorf("ziplist: zllen is %d with %d entries", c, n)
	}
	return nil
}

// cell decodes the entry at p, looking at each byte's presence first.
func (l List) cell(p int) (Cell, error) {
	c := Cell{Offset: p, PrevlenBytes: prevlenSize(l[p])}
	room := len(l) - endSize - p - c.PrevlenBytes // bytes left for encoding and data
	q := p + c.PrevlenBytes
	if l[p] == end || room < 1 {
		return c, fmt.Errorf("ziplist: no entry at offset %d", p)
	}
	c.Prevlen, c.Encoding, c.HeadBytes = l.prevlen(p), Encoding(l[q]), 1
	switch enc := l[q]; {
	case enc >= str32 && enc < ints:
		c.HeadBytes = 5
	case enc >= str14 && enc < ints:
		c.HeadBytes = 2
	case spans[enc] == 0:
		return c, fmt.Errorf("ziplist: entry at offset %d has encoding %#x", p, enc)
	}
	if room < c.HeadBytes {
		return c, fmt.Errorf("ziplist: entry at offset %d has half an encoding", p)
	}
	n := uint64(spans[l[q]])
	if n == 0 {
		n = l.longSpan64(q)
	}
	if n > uint64(room) {
		return c, fmt.Errorf("ziplist: entry at offset %d goes past the end", p)
	}
	c.DataBytes = int(n) - c.HeadBytes
	c.Entry, _ = l.Get(p)
	return c, nil
}

// longSpan64 is longSpan where an int of 32 bits might not hold it.
func (l List) longSpan64(q int) uint64 {
	if l[q] < str32 {
		return uint64(l.longSpan(q))
	}
	return 5 + uint64(binary.BigEndian.Uint32(l[q+1:]))
}

// EntryBytes returns the length that e would have as the entry after one of prev bytes. O(1).
func EntryBytes(e Entry, prev int) int {
	x := intItem(e.Int)
	if !e.IsInt() {
		x = stringItem(e.Str)
	}
	return sizeOfPrevlen(prev) + x.size()
}

// EmptyBytes is the length of a list without entries.
const EmptyBytes = headerSize + endSize
