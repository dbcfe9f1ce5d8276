package lua

import "math"

// toBit reduces f to 32 bits as the bit library does: rounded to the nearest
// integer (ties to even), modulo 2^32. Adding 2^52 + 2^51 leaves the integer
// in the low bits of the sum; what is larger than that is not exact in C either.
func toBit(f float64) uint32 {
	return uint32(math.Float64bits(f + (1<<52 + 1<<51)))
}

// hexDigits are the digits of bit.tohex.
const (
	lowerHex = "0123456789abcdef"
	upperHex = "0123456789ABCDEF"
)

// appendHex appends the lowest digits hexadecimal digits of n, in capitals if
// digits is negative; at most 8.
func appendHex(dst []byte, n uint32, digits int32) []byte {
	alphabet := lowerHex
	if digits < 0 {
		digits, alphabet = -digits, upperHex
	}
	if digits < 0 || digits > 8 {
		digits = 8
	}
	for shift := (digits - 1) * 4; shift >= 0; shift -= 4 {
		dst = append(dst, alphabet[n>>shift&15])
	}
	return dst
}
