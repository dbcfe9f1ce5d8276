package bitmap

import (
	"crypto/subtle"
	"encoding/binary"
)

// Combining strings, bit by bit. A string shorter than the result counts as if zeros followed.

// And makes dst, which is no shorter than src, the conjunction of both. O(len(dst)).
func And(dst, src []byte) {
	for len(src) >= 16 && len(dst) >= 16 {
		low := binary.LittleEndian.Uint64(dst) & binary.LittleEndian.Uint64(src)
		high := binary.LittleEndian.Uint64(dst[8:]) & binary.LittleEndian.Uint64(src[8:])
		binary.LittleEndian.PutUint64(dst, low)
		binary.LittleEndian.PutUint64(dst[8:], high)
		dst, src = dst[16:], src[16:]
	}
	for i, x := range src {
		dst[i] &= x
	}
	clear(dst[len(src):])
}

// Or makes dst, which is no shorter than src, the disjunction of both. O(len(src)).
func Or(dst, src []byte) {
	for len(src) >= 16 && len(dst) >= 16 {
		low := binary.LittleEndian.Uint64(dst) | binary.LittleEndian.Uint64(src)
		high := binary.LittleEndian.Uint64(dst[8:]) | binary.LittleEndian.Uint64(src[8:])
		binary.LittleEndian.PutUint64(dst, low)
		binary.LittleEndian.PutUint64(dst[8:], high)
		dst, src = dst[16:], src[16:]
	}
	for i, x := range src {
		dst[i] |= x
	}
}

// Xor makes dst, which is no shorter than src, the exclusive disjunction of both. O(len(src)).
func Xor(dst, src []byte) { subtle.XORBytes(dst, dst, src) }

// Not inverts dst. O(len(dst)).
func Not(dst []byte) {
	for len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, ^binary.LittleEndian.Uint64(dst))
		dst = dst[8:]
	}
	for i := range dst {
		dst[i] = ^dst[i]
	}
}
