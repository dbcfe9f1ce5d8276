package bitmap

import (
	"bytes"
	"crypto/subtle"
	"encoding/binary"
)

// Combining strings, bit by bit. A string shorter than the result counts as if zeros followed.

// And makes dst, which is no shorter than src, the conjunction of both. O(len(dst)).
func And(dst, src []byte) {
	i := 0
	for ; i+32 <= len(src) && i+32 <= len(dst); i += 32 {
		to, from := dst[i:i+32:i+32], src[i:i+32:i+32]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)&binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(to[8:])&binary.LittleEndian.Uint64(from[8:]))
		binary.LittleEndian.PutUint64(to[16:],
			binary.LittleEndian.Uint64(to[16:])&binary.LittleEndian.Uint64(from[16:]))
		binary.LittleEndian.PutUint64(to[24:],
			binary.LittleEndian.Uint64(to[24:])&binary.LittleEndian.Uint64(from[24:]))
	}
	dst, src = dst[i:], src[i:]
	for i, x := range src {
		dst[i] &= x
	}
	clear(dst[len(src):])
}

// Or makes dst, which is no shorter than src, the disjunction of both. O(len(src)).
func Or(dst, src []byte) {
	i := 0
	for ; i+32 <= len(src) && i+32 <= len(dst); i += 32 {
		to, from := dst[i:i+32:i+32], src[i:i+32:i+32]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)|binary.LittleEndian.Uint64(from))
		binary.LittleEndian.PutUint64(to[8:], binary.LittleEndian.Uint64(to[8:])|binary.LittleEndian.Uint64(from[8:]))
		binary.LittleEndian.PutUint64(to[16:],
			binary.LittleEndian.Uint64(to[16:])|binary.LittleEndian.Uint64(from[16:]))
		binary.LittleEndian.PutUint64(to[24:],
			binary.LittleEndian.Uint64(to[24:])|binary.LittleEndian.Uint64(from[24:]))
	}
	dst, src = dst[i:], src[i:]
	for i, x := range src {
		dst[i] |= x
	}
}

// Xor makes dst, which is no shorter than src, the exclusive disjunction of both. O(len(src)).
func Xor(dst, src []byte) { subtle.XORBytes(dst, dst, src) }

// AndNot takes the bits of src from dst, which is no shorter. O(len(src)).
func AndNot(dst, src []byte) {
	for i, x := range src {
		dst[i] &^= x
	}
}

// One adds src to a count of the bits that are set in exactly one string: dst has these bits, and
// more the bits that are set in several. Neither is shorter than src. O(len(src)).
func One(dst, more, src []byte) {
	for i, x := range src {
		more[i] |= dst[i] & x
		dst[i] = (dst[i] | x) &^ more[i]
	}
}

// ones is a block of them.
var ones = bytes.Repeat([]byte{0xff}, 4<<10)

// Not inverts dst. O(len(dst)).
func Not(dst []byte) {
	for len(dst) > 0 {
		n := subtle.XORBytes(dst, dst, ones)
		dst = dst[n:]
	}
}
