package hll

import (
	"encoding/binary"
	"math/bits"
)

const seed = 0xadc83b19

// place returns the register that a hash chooses, and the rank that it has there, 1 to 51.
func place(h uint64) (at int, rank uint8) {
	return int(h & mask), uint8(bits.TrailingZeros64(h>>precision|1<<rankBits)) + 1
}

// hash is MurmurHash64A, Austin Appleby's hash in the public domain, with Redis' seed.
func hash(b []byte) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := seed ^ uint64(len(b))*m
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * m
		k ^= k >> r
		h = (h ^ k*m) * m
	}
	if len(b) > 0 {
		var tail uint64
		for i, x := range b {
			tail |= uint64(x) << (8 * i)
		}
		h = (h ^ tail) * m
	}
	h = (h ^ h>>r) * m
	return h ^ h>>r
}
