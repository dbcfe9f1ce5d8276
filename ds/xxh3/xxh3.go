// Package xxh3 is the hash function XXH3 with 64 bits, without a seed, by which DIGEST tells
// strings apart. It follows Yann Collet's specification; the same bytes give the same hash as
// everywhere.
//
//	length    way
//	0         a constant
//	1-3       all bytes, in one word of 32 bits
//	4-8       two words of 32 bits, which may overlap
//	9-16      two words of 64 bits, which may overlap
//	17-240    pairs of 16 bytes, from both ends inwards, or all of them in a row from 129 on
//	above     stripes of 64 bytes into eight lanes, which are stirred after 16 stripes
//
// The words are combined with those of a fixed secret and folded: multiplied to 128 bits, whose
// halves are combined.
//
// Invariant: the hash depends on nothing but the bytes.
//
// Non-goals: seeds, other secrets, hashing piece by piece, safety against crafted collisions.
package xxh3

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime32a = 0x9E3779B1
	prime32b = 0x85EBCA77
	prime32c = 0xC2B2AE3D
	prime64a = 0x9E3779B185EBCA87
	prime64b = 0xC2B2AE3D27D4EB4F
	prime64c = 0x165667B19E3779F9
	prime64d = 0x85EBCA77C2B2AE63
	prime64e = 0x27D4EB2F165667C5

	mixerA = 0x165667919E3779F9
	mixerB = 0x9FB21C651E98DF25
)

// secret is the specification's.
const secret = "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c\xde\xd4\x6d\xe9\x83\x90\x97\xdb" +
	"\x72\x40\xa4\xa4\xb7\xb3\x67\x1f\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21" +
	"\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c\x3c\x28\x52\xbb\x91\xc3\x00\xcb" +
	"\x88\xd0\x65\x8b\x1b\x53\x2e\xa3\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8" +
	"\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d\x8a\x51\xe0\x4b\xcd\xb4\x59\x31" +
	"\xc8\x9f\x7e\xc9\xd9\x78\x73\x64\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb" +
	"\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e\x2b\x16\xbe\x58\x7d\x47\xa1\xfc" +
	"\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e"

// key is the words of the secret that stand at each offset.
var key = func() (words [len(secret) - 7]uint64) {
	for i := range words {
		words[i] = binary.LittleEndian.Uint64([]byte(secret[i:]))
	}
	return words
}()

func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
func half(b []byte, at int) uint64 { return uint64(binary.LittleEndian.Uint32(b[at:])) }

func avalanche(h uint64) uint64 {
	h = (h ^ h>>37) * mixerA
	return h ^ h>>32
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// mix folds 16 bytes of b with the secret from offset k on.
func mix(b []byte, at, k int) uint64 {
	return fold(word(b, at)^key[k], word(b, at+8)^key[k+8])
}

// finish is the last step of the older hash XXH64.
func finish(h uint64) uint64 {
	h = (h ^ h>>33) * prime64b
	h = (h ^ h>>29) * prime64c
	return h ^ h>>32
}

// Sum64 returns the hash of b. O(len(b)).
func Sum64(b []byte) uint64 {
	switch n := len(b); {
	case n <= 16:
		return short(b)
	case n <= 128:
		return pairs(b)
	case n <= 240:
		return row(b)
	}
	return long(b)
}

// short hashes up to 16 bytes.
func short(b []byte) uint64 {
	n := len(b)
	switch {
	case n > 8:
		lo := word(b, 0) ^ key[24] ^ key[32]
		hi := word(b, n-8) ^ key[40] ^ key[48]
		return avalanche(uint64(n) + bits.ReverseBytes64(lo) + hi + fold(lo, hi))
	case n >= 4:
		h := (half(b, n-4) | half(b, 0)<<32) ^ key[8] ^ key[16]
		h ^= bits.RotateLeft64(h, 49) ^ bits.RotateLeft64(h, 24)
		h *= mixerB
		h = (h ^ (h>>35 + uint64(n))) * mixerB
		return h ^ h>>28
	case n > 0:
		h := uint64(b[0])<<16 | uint64(b[n>>1])<<24 | uint64(b[n-1]) | uint64(n)<<8
		return finish(h ^ uint64(uint32(key[0])^uint32(key[4])))
	}
	return finish(key[56] ^ key[64])
}

// pairs hashes 17 to 128 bytes.
func pairs(b []byte) uint64 {
	n := len(b)
	h := uint64(n) * prime64a
	for i := (n - 1) / 32; i >= 0; i-- {
		h += mix(b, 16*i, 32*i)
		h += mix(b, n-16*(i+1), 32*i+16)
	}
	return avalanche(h)
}

// row hashes 129 to 240 bytes.
func row(b []byte) uint64 {
	n := len(b)
	h := uint64(n) * prime64a
	for i := range 8 {
		h += mix(b, 16*i, 16*i)
	}
	h = avalanche(h)
	for i := 8; i < n/16; i++ {
		h += mix(b, 16*i, 16*(i-8)+3)
	}
	return avalanche(h + mix(b, n-16, 119))
}

const (
	lanes   = 8
	stripe  = 8 * lanes
	stripes = 16 // of a block
	block   = stripes * stripe
)

type state [lanes]uint64

// long hashes more than 240 bytes.
func long(b []byte) uint64 {
	s := state{prime32c, prime64a, prime64b, prime64c, prime64d, prime32b, prime64e, prime32a}
	rest := b
	for ; len(rest) > block; rest = rest[block:] {
		for i := range stripes {
			s.add(rest[i*stripe:], 8*i)
		}
		s.stir()
	}
	for i := range (len(rest) - 1) / stripe {
		s.add(rest[i*stripe:], 8*i)
	}
	s.add(b[len(b)-stripe:], 121)
	h := uint64(len(b)) * prime64a
	for i := 0; i < lanes; i += 2 {
		h += fold(s[i]^key[11+8*i], s[i+1]^key[19+8*i])
	}
	return avalanche(h)
}

// add adds a stripe, combined with the secret from offset k on.
func (s *state) add(b []byte, k int) {
	b = b[:stripe]
	keys := key[k : k+stripe-7]
	for i := range lanes {
		v := binary.LittleEndian.Uint64(b[8*i:])
		x := v ^ keys[8*i]
		s[i^1] += v
		s[i] += x & 0xffffffff * (x >> 32)
	}
}

// stir ends a block.
func (s *state) stir() {
	for i := range s {
		s[i] = (s[i] ^ s[i]>>47 ^ key[len(secret)-stripe+8*i]) * prime32a
	}
}
