// Package bitmap reads and writes strings of bytes as strings of bits, and as integers of any width
// packed into them. It is pure functions on []byte: the strings are those of package str.
//
//	byte      0         1
//	        01101000  01100101        "he"
//	bit     01234567  89...           bit 0 is the most significant one of byte 0
//	field       ^^^^  ^^              u6 at 4: 100001 = 33
//
// Invariants:
//
//  1. A range of bits is half open and lies within its string.
//  2. What lies beyond a string's end reads as zeros; nothing writes there.
//
// Non-goals: compression, and limits to lengths, which belong to commands.
//
// Redis counts 28 bytes at a time by masks and shifts, and handles fields bit by bit. Here
// everything goes by words of 64 bits, and one instruction counts the bits of a word.
package bitmap

import (
	"encoding/binary"
	"math/bits"
)

// Bit returns bit number at of b, 0 or 1; 0 beyond the end. at must not be negative. O(1).
func Bit(b []byte, at int) int {
	if at>>3 >= len(b) {
		return 0
	}
	return int(b[at>>3]>>(7-at&7)) & 1
}

// SetBit makes bit number at of b, which must lie within it, the given one, 0 or 1. O(1).
func SetBit(b []byte, at, bit int) {
	mask := byte(0x80) >> (at & 7)
	if bit == 0 {
		b[at>>3] &^= mask
	} else {
		b[at>>3] |= mask
	}
}

// Count returns the number of ones in b. O(len(b)).
func Count(b []byte) (n int) {
	for len(b) >= 32 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(b)) +
			bits.OnesCount64(binary.LittleEndian.Uint64(b[8:])) +
			bits.OnesCount64(binary.LittleEndian.Uint64(b[16:])) +
			bits.OnesCount64(binary.LittleEndian.Uint64(b[24:]))
		b = b[32:]
	}
	for len(b) >= 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	for _, x := range b {
		n += bits.OnesCount8(x)
	}
	return n
}

// CountRange returns the number of ones among the bits from from up to, not including, to.
// O(to-from).
func CountRange(b []byte, from, to int) int {
	if from >= to {
		return 0
	}
	first, last := from>>3, (to-1)>>3
	before := b[first] &^ (0xff >> (from & 7))
	after := b[last] & (0x7f >> ((to - 1) & 7))
	return Count(b[first:last+1]) - bits.OnesCount8(before) - bits.OnesCount8(after)
}

// Find returns the number of the first bit equal to bit, 0 or 1, from from up to, not including,
// to; -1 if there is none. O(to-from).
func Find(b []byte, bit, from, to int) int {
	if from >= to {
		return -1
	}
	flip := uint64(bit) - 1 // all ones to look for a zero, so that it is a one that is looked for
	i, end := from>>3, (to+7)>>3
	if head := (b[i] ^ byte(flip)) & (0xff >> (from & 7)); head != 0 {
		return below(i<<3+bits.LeadingZeros8(head), to)
	}
	for i++; i+32 <= end && same(b[i:i+32], flip); i += 32 {
	}
	for ; i+8 <= end; i += 8 {
		if word := binary.BigEndian.Uint64(b[i:]) ^ flip; word != 0 {
			return below(i<<3+bits.LeadingZeros64(word), to)
		}
	}
	for ; i < end; i++ {
		if x := b[i] ^ byte(flip); x != 0 {
			return below(i<<3+bits.LeadingZeros8(x), to)
		}
	}
	return -1
}

// same reports whether four words are all equal to word.
func same(b []byte, word uint64) bool {
	_ = b[31]
	return (binary.BigEndian.Uint64(b)^word)|(binary.BigEndian.Uint64(b[8:])^word)|
		(binary.BigEndian.Uint64(b[16:])^word)|(binary.BigEndian.Uint64(b[24:])^word) == 0
}

// below returns at, or -1 if it is not below to.
func below(at, to int) int {
	if at >= to {
		return -1
	}
	return at
}
