package hash

import (
	"encoding/binary"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// pair is a field with its value in one block without pointers:
//
//	[key length] key [value length] value
//
// A key length is one byte up to 63, a value length one byte up to 127; beyond
// that a byte of 0x80 and a u32. So the usual field and value take two bytes
// more than their texts. The bit 0x40 of the first byte is vacant.
//
// A block is as large as the allocator makes it anyway, and a new value that
// needs a block of the same size is written in place.
type pair struct{ block *byte }

const (
	shortKey   = 1<<6 - 1
	shortValue = 1<<7 - 1
	long       = 0x80
)

// newPair returns a pair with copies of key and value.
func newPair(key, value []byte) pair {
	b := make([]byte, sizeclass.Round(pairSize(len(key), len(value))))
	n := putLength(b, len(key), shortKey)
	n += copy(b[n:], key)
	n += putLength(b[n:], len(value), shortValue)
	copy(b[n:], value)
	return pair{unsafe.SliceData(b)}
}

// pairSize is the number of bytes a pair needs.
func pairSize(key, value int) int {
	return lengthSize(key, shortKey) + key + lengthSize(value, shortValue) + value
}

// Key returns the field, aliasing the block.
func (p pair) Key() string {
	n, at := p.length(0)
	return unsafe.String(p.at(at), n)
}

// field returns the field as bytes, aliasing the block.
func (p pair) field() []byte {
	k := p.Key()
	return unsafe.Slice(unsafe.StringData(k), len(k))
}

// value returns the value, aliasing the block; never nil.
func (p pair) value() []byte {
	n, at := p.length(p.valueStart())
	if n == 0 {
		return []byte{} // at may be behind the block
	}
	return unsafe.Slice(p.at(at), n)
}

// asEntries returns field and value as a packed hash would hand them out.
func (p pair) asEntries() (field, value ziplist.Entry) {
	return ziplist.Entry{Str: p.field()}, ziplist.Entry{Str: p.value()}
}

// setValue overwrites the value in place; the block must have just the size
// that the new one needs.
func (p pair) setValue(v []byte) {
	start := p.valueStart()
	b := unsafe.Slice(p.at(start), lengthSize(len(v), shortValue)+len(v))
	copy(b[putLength(b, len(v), shortValue):], v)
}

// bytes returns the size of the block.
func (p pair) bytes() int {
	n, at := p.length(p.valueStart())
	return sizeclass.Round(at + n)
}

// valueStart is the offset of the value's length.
func (p pair) valueStart() int {
	n, at := p.length(0)
	return at + n
}

// length returns the length stored at offset i, and the offset behind it.
func (p pair) length(i int) (n, at int) {
	if c := *p.at(i); c != long {
		return int(c), i + 1
	}
	return int(binary.LittleEndian.Uint32(unsafe.Slice(p.at(i+1), 4))), i + 5
}

func (p pair) at(i int) *byte { return (*byte)(unsafe.Add(unsafe.Pointer(p.block), i)) }

// lengthSize is the number of bytes that store the length n.
func lengthSize(n, short int) int {
	if n <= short {
		return 1
	}
	return 5
}

// putLength stores the length n in b and returns the bytes taken.
func putLength(b []byte, n, short int) int {
	if n <= short {
		b[0] = byte(n)
		return 1
	}
	b[0] = long
	binary.LittleEndian.PutUint32(b[1:], uint32(n))
	return 5
}
