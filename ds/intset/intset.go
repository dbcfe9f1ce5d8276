// Package intset is the packed set of integers in which small sets of numbers live: one []byte, no
// pointers, laid out byte for byte as in Redis.
//
//	width    length   integers, ascending
//	[u32 LE] [u32 LE] [int][int][int] ...     each of width bytes, little endian
//
// Invariants, all verified by Check:
//
//  1. Width is 2, 4 or 8 and holds every integer.
//  2. The slice has eight bytes and length times width.
//  3. The integers ascend strictly, so each is there once.
//
// The width is that of the largest integer ever added: one that needs more widens all, and none is
// narrowed when it goes, as in Redis.
//
// Non-goals: thresholds and other members than integers, which belong to the type above; reading
// damaged bytes. Methods trust their set: bytes from outside must pass Check first.
//
// Unlike in Redis, changing methods work within the slice's spare capacity and allocate only beyond
// it, so that a caller with a scratch buffer allocates nothing.
package intset

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Set is one intset. Its length is the intset's; capacity beyond it is room for changes. The zero
// value is not a set: use New.
//
// Methods that change a set return it, as append does, and may have overwritten or abandoned the
// receiver's bytes: the old Set is dead afterwards.
type Set []byte

// MaxLen is the number of integers up to which types may let a set grow, as in Redis.
const MaxLen = 1 << 30

const headerSize = 8

// New returns an empty set of eight bytes.
func New() Set { return AppendEmpty(nil) }

// AppendEmpty returns buf[:0] made into an empty set; it allocates only if buf's capacity is below
// eight bytes.
func AppendEmpty(buf []byte) Set { return append(buf[:0], 2, 0, 0, 0, 0, 0, 0, 0) }

// Len returns the number of integers. O(1).
func (s Set) Len() int { return int(binary.LittleEndian.Uint32(s[4:])) }

// Width returns the bytes that each integer takes: 2, 4 or 8.
func (s Set) Width() int { return int(s[0]) }

// At returns integer i in ascending order; i must be below Len. O(1).
func (s Set) At(i int) int64 {
	switch s[0] {
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(s[headerSize+2*i:])))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(s[headerSize+4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(s[headerSize+8*i:]))
}

// Has reports whether n is in the set. O(log n).
func (s Set) Has(n int64) bool {
	_, found := s.search(n)
	return found
}

// Add adds n and reports whether it is new. O(bytes); a set past its capacity moves to a block of
// just the size it needs.
func (s Set) Add(n int64) (_ Set, added bool) {
	if width := widthOf(n); width > s.Width() {
		return s.widen(n, width), true
	}
	i, found := s.search(n)
	if found {
		return s, false
	}
	size, width := len(s), s.Width()
	s = s.grow(size + width)
	at := headerSize + i*width
	copy(s[at+width:], s[at:size])
	s.put(i, n)
	s.setLen(s.Len() + 1)
	return s, true
}

// Remove removes n and reports whether it was there. O(bytes).
func (s Set) Remove(n int64) (_ Set, removed bool) {
	i, found := s.search(n)
	if !found {
		return s, false
	}
	return s.RemoveAt(i), true
}

// RemoveAt removes integer i, which must be below Len. O(bytes).
func (s Set) RemoveAt(i int) Set {
	width := s.Width()
	at := headerSize + i*width
	s.setLen(s.Len() - 1)
	return s[:at+copy(s[at:], s[at+width:])]
}

// Filter removes the integers for which keep, called in ascending order, returns false. O(n).
func (s Set) Filter(keep func(n int64) bool) Set {
	kept := 0
	for i := range s.Len() {
		if n := s.At(i); keep(n) {
			s.put(kept, n)
			kept++
		}
	}
	s.setLen(kept)
	return s[:headerSize+kept*s.Width()]
}

// Trim returns the set in a block of its own size if it has more than a kilobyte of capacity and
// uses less than half of it, else the set as it is. It is for sets that are kept after they shrank,
// not for scratch buffers.
func (s Set) Trim() Set {
	if cap(s) <= 1024 || len(s) >= cap(s)/2 {
		return s
	}
	return append(Set(nil), s...)
}

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. It never panics, whatever the bytes, and sets that pass are safe for all methods. O(n).
func (s Set) Check() error {
	if len(s) < headerSize {
		return fmt.Errorf("intset: %d bytes are too few", len(s))
	}
	width, n := binary.LittleEndian.Uint32(s), binary.LittleEndian.Uint32(s[4:])
	if width != 2 && width != 4 && width != 8 {
		return fmt.Errorf("intset: integers of %d bytes", width)
	}
	if want := headerSize + uint64(n)*uint64(width); want != uint64(len(s)) {
		return fmt.Errorf("intset: %d bytes instead of %d", len(s), want)
	}
	for i := 1; i < s.Len(); i++ {
		if s.At(i-1) >= s.At(i) {
			return fmt.Errorf("intset: %d is followed by %d", s.At(i-1), s.At(i))
		}
	}
	return nil
}

// search returns the number of integers below n, and whether n is the next.
func (s Set) search(n int64) (i int, found bool) {
	lo, hi := 0, s.Len()
	if hi > 0 && n > s.At(hi-1) {
		return hi, false // what counts upwards is added at the end
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.At(mid) < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < s.Len() && s.At(lo) == n
}

// widen gives every integer width bytes and adds n, which needs as many and is therefore below or
// above all others.
func (s Set) widen(n int64, width int) Set {
	length, first := s.Len(), 0
	if n < 0 {
		first = 1
	}
	narrow := s
	s = s.grow(headerSize + (length+1)*width)
	for i := length - 1; i >= 0; i-- { // from the end on, or it would overwrite what is still to be read
		put(s, width, i+first, narrow.At(i))
	}
	put(s, width, length*(1-first), n)
	s[0] = byte(width)
	s.setLen(length + 1)
	return s
}

// grow makes the slice n bytes long, in place if capacity allows, else in a block of n bytes
// rounded up to what the allocator hands out anyway.
func (s Set) grow(n int) Set {
	if n <= cap(s) {
		return s[:n]
	}
	grown := append(Set(nil), make(Set, n)...)
	copy(grown, s)
	return grown
}

func (s Set) setLen(n int) { binary.LittleEndian.PutUint32(s[4:], uint32(n)) }

// put stores n as integer i.
func (s Set) put(i int, n int64) { put(s, s.Width(), i, n) }

// put stores n as integer i of width bytes.
func put(b []byte, width, i int, n int64) {
	b = b[headerSize+width*i:]
	switch width {
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(n))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(n))
	default:
		binary.LittleEndian.PutUint64(b, uint64(n))
	}
}

// widthOf returns the bytes that n needs.
func widthOf(n int64) int {
	switch {
	case n == int64(int16(n)):
		return 2
	case n >= math.MinInt32 && n <= math.MaxInt32:
		return 4
	}
	return 8
}
