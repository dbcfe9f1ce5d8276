package rdb

import "encoding/binary"

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

// low and high move a word on over eight zero bytes: what its halves make of it.
func low(w uint64) uint64 {
	return tables[7][w&0xff] ^ tables[6][w>>8&0xff] ^ tables[5][w>>16&0xff] ^ tables[4][w>>24&0xff]
}

func high(w uint64) uint64 {
	return tables[3][w>>32&0xff] ^ tables[2][w>>40&0xff] ^ tables[1][w>>48&0xff] ^ tables[0][w>>56]
}

// lane is how many bytes sum3 takes in a row: so many that joining three lanes costs little.
const lane = 8 << 10

// acrossLane is what a checksum is multiplied by to move it on over a lane of zero bytes.
var acrossLane = shifted(1<<63, lane)

// sum3 moves a checksum on over three lanes at once. One lane would wait for the tables most of the time,
// as each word needs what became of the one before.
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
