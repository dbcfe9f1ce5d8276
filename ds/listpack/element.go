package listpack

import (
	"encoding/binary"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// The codes of elements that take a whole byte.
const (
	codeString32 = 0xf0
	codeInt16    = 0xf1
	codeInt24    = 0xf2
	codeInt32    = 0xf3
	codeInt64    = 0xf4
)

// shape returns the lengths of the code and of the data of the element at pos. An integer's code
// may hold all of it.
func (l List) shape(pos int) (head, size int, isInt bool) {
	switch c := l[pos]; {
	case c < 0x80:
		return 1, 0, true
	case c < 0xc0:
		return 1, int(c & 0x3f), false
	case c < 0xe0:
		return 2, 0, true
	case c < 0xf0:
		return 2, int(c&0x0f)<<8 | int(l[pos+1]), false
	case c == codeString32:
		return 5, int(binary.LittleEndian.Uint32(l[pos+1:])), false
	case c == codeInt64:
		return 1, 8, true
	default:
		return 1, int(c-codeInt16) + 2, true
	}
}

// integer returns the integer at pos.
func (l List) integer(pos int) int64 {
	data := l[pos+1:]
	switch c := l[pos]; {
	case c < 0x80:
		return int64(c)
	case c < 0xe0:
		return int64(int16(uint16(c)<<11|uint16(data[0])<<3) >> 3)
	case c == codeInt16:
		return int64(int16(binary.LittleEndian.Uint16(data)))
	case c == codeInt24:
		return int64(int32(uint32(data[0])<<8|uint32(data[1])<<16|uint32(data[2])<<24) >> 8)
	case c == codeInt32:
		return int64(int32(binary.LittleEndian.Uint32(data)))
	}
	return int64(binary.LittleEndian.Uint64(data))
}

// appendInt appends code and data of an integer.
func appendInt(dst []byte, n int64) []byte {
	switch {
	case n >= 0 && n < 1<<7:
		return append(dst, byte(n))
	case n >= -1<<12 && n < 1<<12:
		return append(dst, 0xc0|byte(n>>8)&0x1f, byte(n))
	case n >= -1<<15 && n < 1<<15:
		return binary.LittleEndian.AppendUint16(append(dst, codeInt16), uint16(n))
	case n >= -1<<23 && n < 1<<23:
		return append(dst, codeInt24, byte(n), byte(n>>8), byte(n>>16))
	case n >= -1<<31 && n < 1<<31:
		return binary.LittleEndian.AppendUint32(append(dst, codeInt32), uint32(n))
	}
	return binary.LittleEndian.AppendUint64(append(dst, codeInt64), uint64(n))
}

// appendString appends code and data of a string.
func appendString(dst List, v []byte) List { return append(appendCode(dst, len(v)), v...) }

// appendCode appends the code of a string of n bytes.
func appendCode(dst []byte, n int) []byte {
	switch {
	case n < 1<<6:
		return append(dst, 0x80|byte(n))
	case n < 1<<12:
		return append(dst, 0xe0|byte(n>>8), byte(n))
	}
	return binary.LittleEndian.AppendUint32(append(dst, codeString32), uint32(n))
}

// backlenBytes returns how many bytes Redis gives the backlen n. At the upper ends it gives more
// than would be needed.
func backlenBytes(n int) int {
	switch {
	case n < 1<<7:
		return 1
	case n < 1<<14-1:
		return 2
	case n < 1<<21-1:
		return 3
	case n < 1<<28-1:
		return 4
	}
	return 5
}

// appendBacklen appends the backlen n.
func appendBacklen(dst []byte, n int) []byte {
	size := backlenBytes(n)
	if size == 1 {
		return append(dst, byte(n))
	}
	dst = append(dst, byte(n>>(7*(size-1))))
	for i := size - 2; i >= 0; i-- {
		dst = append(dst, byte(n>>(7*i))&0x7f|0x80)
	}
	return dst
}

// Size returns how many bytes the elements of a ziplist take as a listpack. O(n).
func Size(zl ziplist.List) int {
	size := headerSize + 1
	var scratch [16]byte
	for p := zl.First(); p != ziplist.None; {
		var e ziplist.Entry
		e, p = zl.Get(p)
		n := len(appendInt(scratch[:0], e.Int))
		if !e.IsInt() {
			n = len(appendCode(scratch[:0], len(e.Str))) + len(e.Str)
		}
		size += n + backlenBytes(n)
	}
	return size
}
