package json

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// A value is packed as a byte that says what it is, and what follows it:
//
//	tagNull tagFalse tagTrue                nothing
//	tagInt8 .. tagInt64, tagUint64          the integer, little-endian, in as few bytes as it
//	                                        needs
//	tagSmall + n                            nothing: the integer n, 0 <= n < 64
//	tagFloat32, tagDouble                   the number; 4 bytes if they are exact
//	tagDecimal16 + n, tagDecimal32 + n      2 or 4 bytes: the number times 10^(n+1)
//	tagText8, tagText16                     1 or 2 bytes of length, the text in UTF-8, not escaped
//	tagShort + n                            n bytes of text, n < 128
//	tagArray                                2 bytes of length, 2 of the number of elements, these
//	tagObject                               2 bytes of length, the members: name, value
//	tagFarText, tagFarArray, tagFarObject   4 bytes: where the value lies, see tree.go
//
// The name of a member is a varint: where the name begins in the names of the document.
const (
	tagNull byte = iota
	tagFalse
	tagTrue
	tagInt8
	tagInt16
	tagInt32
	tagInt64
	tagUint64
	tagFloat32
	tagDouble
	tagText8
	tagText16
	tagArray
	tagObject
	tagFarText
	tagFarArray
	tagFarObject
	tagDecimal16                           // and what follows: with one digit behind the point, two ..
	tagDecimal32 = tagDecimal16 + maxScale // the same
	tagsEnd      = tagDecimal32 + maxScale

	maxScale = 5
	tagSmall = 0x40
	maxSmall = 0x3f
	tagShort = 0x80
	maxShort = 0x7f
)

const (
	objectHead = 3 // tag and length, as of tagText16
	arrayHead  = 5 // tag, length, and number of elements
	farBytes   = 5 // tag and place
)

// Kind is what a value is. Integers and other numbers are told apart, as JSON.TYPE does.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Boolean
	Integer
	Number
	String
	Array
	Object
)

// String returns the name that JSON.TYPE replies.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}[k]
}

// kinds is by the tag.
var kinds = [...]Kind{tagNull: Null, tagFalse: Boolean, tagTrue: Boolean, tagInt8: Integer, tagInt16: Integer,
	tagInt32: Integer, tagInt64: Integer, tagUint64: Integer, tagFloat32: Number, tagDouble: Number,
	tagText8: String, tagText16: String, tagArray: Array, tagObject: Object, tagFarText: String,
	tagFarArray: Array, tagFarObject: Object}

func kindOf(tag byte) Kind {
	switch {
	case tag >= tagShort:
		return String
	case tag >= tagSmall:
		return Integer
	case tag >= tagDecimal16:
		return Number
	}
	return kinds[tag]
}

// fixed is the size of a packed value by its tag; 0 where it has a length.
var fixed = [...]uint8{tagNull: 1, tagFalse: 1, tagTrue: 1, tagInt8: 2, tagInt16: 3, tagInt32: 5, tagInt64: 9,
	tagUint64: 9, tagFloat32: 5, tagDouble: 9, tagText8: 0, tagText16: 0, tagArray: 0, tagObject: 0,
	tagFarText: farBytes, tagFarArray: farBytes, tagFarObject: farBytes,
	tagDecimal16: 3, 3, 3, 3, 3, tagDecimal32: 5, 5, 5, 5, 5}

// sizeOf returns the bytes of the packed value at the beginning of b.
func sizeOf(b []byte) int {
	tag := b[0]
	switch {
	case tag >= tagShort:
		return 1 + int(tag-tagShort)
	case tag >= tagSmall:
		return 1
	case fixed[tag] != 0:
		return int(fixed[tag])
	case tag == tagText8:
		return 2 + int(b[1])
	}
	return headOf(tag) + lengthOf(b)
}

// appendInt packs an integer.
func appendInt(dst []byte, n int64) []byte {
	order := binary.LittleEndian
	switch {
	case n >= 0 && n <= maxSmall:
		return append(dst, tagSmall+byte(n))
	case n == int64(int8(n)):
		return append(dst, tagInt8, byte(n))
	case n == int64(int16(n)):
		return order.AppendUint16(append(dst, tagInt16), uint16(n))
	case n == int64(int32(n)):
		return order.AppendUint32(append(dst, tagInt32), uint32(n))
	}
	return order.AppendUint64(append(dst, tagInt64), uint64(n))
}

// appendUint packs an integer that may be above all of int64.
func appendUint(dst []byte, n uint64) []byte {
	if n <= math.MaxInt64 {
		return appendInt(dst, int64(n))
	}
	return binary.LittleEndian.AppendUint64(append(dst, tagUint64), n)
}

// appendDouble packs a number, which is finite.
func appendDouble(dst []byte, f float64) []byte {
	if short := float32(f); float64(short) == f {
		return binary.LittleEndian.AppendUint32(append(dst, tagFloat32), math.Float32bits(short))
	}
	return binary.LittleEndian.AppendUint64(append(dst, tagDouble), math.Float64bits(f))
}

// appendDecimal packs the number of so many digits behind the point, one to maxScale, that is n
// without the point, in its shortest form: the last digit is 0 only if it is the first behind the
// point. ok is false if there is no room for n.
func appendDecimal(dst []byte, n int64, scale int) (_ []byte, ok bool) {
	for ; scale > 1 && n%10 == 0; scale-- {
		n /= 10
	}
	switch order := binary.LittleEndian; {
	case n == int64(int16(n)):
		return order.AppendUint16(append(dst, tagDecimal16+byte(scale-1)), uint16(n)), true
	case n == int64(int32(n)):
		return order.AppendUint32(append(dst, tagDecimal32+byte(scale-1)), uint32(n)), true
	}
	return dst, false
}

// decimalOf returns what appendDecimal packed.
func decimalOf(b []byte) (n int64, scale int) {
	if b[0] < tagDecimal32 {
		return int64(int16(binary.LittleEndian.Uint16(b[1:]))), int(b[0]-tagDecimal16) + 1
	}
	return int64(int32(binary.LittleEndian.Uint32(b[1:]))), int(b[0]-tagDecimal32) + 1
}

// appendTextHead packs the tag and the length of a text of n bytes that is not far.
func appendTextHead(dst []byte, n int) []byte {
	switch {
	case n <= maxShort:
		return append(dst, tagShort+byte(n))
	case n <= math.MaxUint8:
		return append(dst, tagText8, byte(n))
	}
	return binary.LittleEndian.AppendUint16(append(dst, tagText16), uint16(n))
}

// appendFar packs the place of a value that lies elsewhere.
func appendFar(dst []byte, tag byte, place uint32) []byte {
	return binary.LittleEndian.AppendUint32(append(dst, tag), place)
}

// isFar reports whether a value lies elsewhere.
func isFar(tag byte) bool { return tag >= tagFarText && tag <= tagFarObject }

// place returns where a far value lies.
func place(b []byte) uint32 { return binary.LittleEndian.Uint32(b[1:]) }

// bodyOf returns the children of the container at the beginning of b, which is not far.
func bodyOf(b []byte) []byte {
	head := headOf(b[0])
	return b[head : head+lengthOf(b)]
}

// headOf returns the size of the head of a container, or of a long text.
func headOf(tag byte) int {
	if tag == tagArray {
		return arrayHead
	}
	return objectHead
}

// countOf returns the number of elements of the array at the beginning of b, which is not far.
func countOf(b []byte) int { return int(binary.LittleEndian.Uint16(b[3:])) }

// setCount changes it.
func setCount(b []byte, n int) { binary.LittleEndian.PutUint16(b[3:], uint16(n)) }

// lengthOf returns the length of the container at the beginning of b, which is not far.
func lengthOf(b []byte) int { return int(binary.LittleEndian.Uint16(b[1:])) }

// setLength changes it.
func setLength(b []byte, n int) { binary.LittleEndian.PutUint16(b[1:], uint16(n)) }

// nameOf returns the name at the beginning of b, and how many bytes it takes there.
func nameOf(b []byte) (name uint32, n int) {
	switch {
	case b[0] < 0x80:
		return uint32(b[0]), 1
	case b[1] < 0x80:
		return uint32(b[0]&0x7f) | uint32(b[1])<<7, 2
	case b[2] < 0x80:
		return uint32(b[0]&0x7f) | uint32(b[1]&0x7f)<<7 | uint32(b[2])<<14, 3
	}
	long, n := binary.Uvarint(b)
	return uint32(long), n
}

func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
