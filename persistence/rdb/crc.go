package rdb

import "encoding/binary"

// The checksum is CRC-64/Jones: polynomial ad93d23594c935a9, reflected, starting at 0 and not
// inverted. So it is linear: the checksum of a||b is that of a, advanced over len(b) zero bytes,
// xor that of b. Therefore the header, which depends on the data, can be written last.

const jones = 0x95ac9329ac4bc9b5 // the polynomial, reflected

// tables[k][b] is byte b advanced over k+1 bytes. With them Sum processes eight bytes at once.
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

// Sum returns a checksum advanced over b. The checksum of no bytes is 0. O(len(b)).
func Sum(crc uint64, b []byte) uint64 {
	for len(b) >= 3*lane {
		crc = sum3(crc, b)
		b = b[3*lane:]
	}
	for len(b) >= 8 {
		crc ^= binary.LittleEndian.Uint64(b)
		crc = low(crc) ^ high(crc)
		b = b[8:]
	}
	for _, c := range b {
		crc = crc>>8 ^ tables[0][byte(crc)^c]
	}
	return crc
}

// low advances the lower half of a word over eight zero bytes.
func low(w uint64) uint64 {
	return tables[7][w&0xff] ^ tables[6][w>>8&0xff] ^ tables[5][w>>16&0xff] ^ tables[4][w>>24&0xff]
}

// high advances the upper half of a word over eight zero bytes.
func high(w uint64) uint64 {
	return tables[3][w>>32&0xff] ^ tables[2][w>>40&0xff] ^ tables[1][w>>48&0xff] ^ tables[0][w>>56]
}

// lane is how many bytes in a row each of the three checksums of sum3 covers: enough to make
// joining them cheap.
const lane = 8 << 10

// acrossLane is the factor that advances a checksum over a lane of zero bytes.
var acrossLane = shifted(1<<63, lane)

// sum3 advances a checksum over three lanes at once. With a single lane the processor would mostly
// wait for the tables, since each word needs the result of the one before.
func sum3(crc uint64, b []byte) uint64 {
	x, y, z := b[:lane], b[lane:2*lane], b[2*lane:3*lane]
	var second, third uint64
	for i := 0; i <= lane-8; i += 8 {
		crc ^= binary.LittleEndian.Uint64(x[i : i+8])
		second ^= binary.LittleEndian.Uint64(y[i : i+8])
		third ^= binary.LittleEndian.Uint64(z[i : i+8])
		crc = low(crc) ^ high(crc)
		second = low(second) ^ high(second)
		third = low(third) ^ high(third)
	}
	return product(product(crc, acrossLane)^second, acrossLane) ^ third
}

// shifted returns a checksum advanced over n zero bytes. O(log n).
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
