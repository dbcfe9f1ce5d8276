package bitmap

import (
	"encoding/binary"
	"math"
)

// Field is a type of integer as BITFIELD knows it: i1 to i64, in two's complement, and u1 to u63.
type Field struct {
	Signed bool
	Width  int // in bits
}

// Max returns the greatest integer of the type.
func (f Field) Max() int64 {
	if f.Signed {
		return math.MaxInt64 >> (64 - f.Width)
	}
	return math.MaxInt64 >> (63 - f.Width)
}

// Min returns the least integer of the type.
func (f Field) Min() int64 {
	if f.Signed {
		return math.MinInt64 >> (64 - f.Width)
	}
	return 0
}

// narrow returns the integer of the type that ends in the same bits as v.
func (f Field) narrow(v uint64) int64 {
	shift := 64 - f.Width
	if f.Signed {
		return int64(v<<shift) >> shift
	}
	return int64(v << shift >> shift)
}

// window is the bytes that a field may touch, padded with zeros: a field of 64 bits that begins
// within a byte ends in the ninth.
type window [16]byte

func open(b []byte, at int) (w window) {
	if i := at >> 3; i < len(b) {
		copy(w[:9], b[i:])
	}
	return w
}

// Get returns the integer whose first bit is number at of b. O(1).
func (f Field) Get(b []byte, at int) int64 {
	w, shift := open(b, at), at&7
	v := binary.BigEndian.Uint64(w[:]) << shift
	v |= uint64(w[8]) >> (8 - shift)
	return f.narrow(v >> (64 - f.Width))
}

// Put writes v's last bits as the integer whose first bit is number at of b, which must contain all
// of it. O(1).
func (f Field) Put(b []byte, at int, v int64) {
	w, shift := open(b, at), at&7
	bits, mask := uint64(v)<<(64-f.Width), uint64(math.MaxUint64)<<(64-f.Width)
	head := binary.BigEndian.Uint64(w[:])
	binary.BigEndian.PutUint64(w[:], head&^(mask>>shift)|bits>>shift)
	tail := 8 - shift // bits of the mask that go into the ninth byte lie this far to the left
	w[8] = w[8]&^byte(mask<<tail) | byte(bits<<tail)
	copy(b[at>>3:], w[:(shift+f.Width+7)>>3])
}

// Overflow is what becomes of a sum that is no integer of its type.
type Overflow uint8

// The kinds of Overflow.
const (
	Wrap     Overflow = iota // it is cut to the width
	Saturate                 // it becomes the type's greatest or least integer
	Fail                     // there is no sum
)

// Add returns the sum of v and by as an integer of the type; ok is false if there is none. v may
// lie outside the type. O(1).
func (f Field) Add(v, by int64, o Overflow) (sum int64, ok bool) {
	sum = v + by
	over, under := sum > f.Max(), sum < f.Min()
	switch {
	case by > 0 && sum < v, f.mistaken(v):
		over, under = true, false
	case by < 0 && sum > v:
		over, under = false, true
	}
	switch {
	case !over && !under:
		return sum, true
	case o == Fail:
		return 0, false
	case o == Wrap:
		return f.narrow(uint64(sum)), true
	case over:
		return f.Max(), true
	}
	return f.Min(), true
}

// mistaken reports whether Redis takes v, which lies below the type, for one above: what is less
// than zero where the type is unsigned, and what is so little that its distance from the greatest
// integer of the type has more than 63 bits.
func (f Field) mistaken(v int64) bool {
	if !f.Signed {
		return v < 0
	}
	return f.Width < 64 && v < f.Max()-math.MaxInt64
}
