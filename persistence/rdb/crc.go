package rdb

// The checksum is CRC-64/Jones: polynomial ad93d23594c935a9, reflected, starting at 0 and not inverted.
// It is therefore linear: that of a||b is that of a, moved on by the length of b, xor that of b. So the
// header can be written last, when it is known what it must say.

const jones = 0x95ac9329ac4bc9b5 // the polynomial, reflected

// tables[k][b] moves byte b on by k+1 bytes, so that eight bytes are taken at once.
var tables = func() (t [8][256]uint64) {
	for b := range t[0] {
		crc := uint64(b)
		for range 8 {
			crc = crc>>1 ^ jones&-(crc&1)
		}
		t[0][b] = crc
	}
	for k := 1; k < len(t); k++ {
		for b := range t[k] {
			before := t[k-1][b]
			t[k][b] = before>>8 ^ t[0][before&0xff]
		}
	}
	return t
}()

// Sum moves a checksum on over b. That of nothing is 0. O(len(b)).
func Sum(crc uint64, b []byte) uint64 {
	for len(b) >= 8 {
		crc ^= uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		crc = tables[7][crc&0xff] ^ tables[6][crc>>8&0xff] ^ tables[5][crc>>16&0xff] ^ tables[4][crc>>24&0xff] ^
			tables[3][crc>>32&0xff] ^ tables[2][crc>>40&0xff] ^ tables[1][crc>>48&0xff] ^ tables[0][crc>>56]
		b = b[8:]
	}
	for _, c := range b {
		crc = crc>>8 ^ tables[0][byte(crc)^c]
	}
	return crc
}

// shifted returns a checksum moved on over n zero bytes. O(log n).
func shifted(crc uint64, n int64) uint64 {
	power := uint64(1) << (63 - 8) // x^8: a byte
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			crc = product(crc, power)
		}
		power = product(power, power)
	}
	return crc
}

// product multiplies two polynomials modulo the checksum's; the highest bit is x^0.
func product(a, b uint64) (p uint64) {
	for ; a != 0; a <<= 1 {
		p ^= b & -(a >> 63)
		b = b>>1 ^ jones&-(b&1)
	}
	return p
}
