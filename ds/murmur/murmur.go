// Package murmur is the two hash functions of RedisBloom, which Austin Appleby wrote in 2008 and
// put into the public domain. The same bytes and seed give the same hash as everywhere.
//
//	Hash64   MurmurHash64A: 8 bytes a step
//	Hash32   MurmurHash2: 4 bytes a step
//
// Invariant: a hash depends on nothing but the bytes and the seed.
//
// Non-goal: safety against crafted collisions, which both functions lack.
package murmur

import "encoding/binary"

// Hash64 returns the hash of MurmurHash64A. O(length); allocates nothing.
func Hash64(data []byte, seed uint64) uint64 {
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

// Hash32 returns the hash of MurmurHash2. O(length); allocates nothing.
func Hash32(data []byte, seed uint32) uint32 {
	const m = 0x5bd1e995
	h := seed ^ uint32(len(data))
	for ; len(data) >= 4; data = data[4:] {
		k := binary.LittleEndian.Uint32(data) * m
		h = h*m ^ (k^k>>24)*m
	}
	if len(data) > 0 {
		var tail [4]byte
		copy(tail[:], data)
		h = (h ^ binary.LittleEndian.Uint32(tail[:])) * m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}
