package bloom

import "encoding/binary"

// murmur is MurmurHash64A, Austin Appleby's hash of 2008, which is in the public domain.
func murmur(data []byte, seed uint64) uint64 {
	const m = 0xc6a4a7935bd1e995
	h := seed ^ uint64(len(data))*m
	for ; len(data) >= 8; data = data[8:] {
		k := binary.LittleEndian.Uint64(data) * m
		h = (h ^ (k^k>>47)*m) * m
	}
	if len(data) > 0 {
		var tail [8]byte
		copy(tail[:], data)
		h = (h ^ binary.LittleEndian.Uint64(tail[:])) * m
	}
	h = (h ^ h>>47) * m
	return h ^ h>>47
}
