package lua

import (
	"strings"
	"unsafe"
)

// Long strings are handled in pieces with ticks between, so that the hook runs every few
// milliseconds in every function that takes megabytes. Short ones pay one comparison for that.

// Piece is how much of a long string is handled between two ticks.
const Piece = 1 << 20

// tickPiece counts a piece of a string of n bytes, if that is a long one.
func (L *State) tickPiece(n int) {
	if n > Piece {
		L.Tick(Piece >> 8)
	}
}

// write appends s, with ticks if it is long.
func (L *State) write(b *strings.Builder, s string) {
	for len(s) > Piece {
		b.WriteString(s[:Piece])
		L.Tick(Piece >> 8)
		s = s[Piece:]
	}
	b.WriteString(s)
}

// Append appends s to dst, which has room for it, with ticks if s is long.
func (L *State) Append(dst []byte, s string) []byte {
	if len(s) > Piece {
		return L.addLong(dst, s)
	}
	return append(dst, s...)
}

// addLong is Append for a long string.
func (L *State) addLong(dst []byte, s string) []byte {
	for len(s) > Piece {
		dst = append(dst, s[:Piece]...)
		L.Tick(Piece >> 8)
		s = s[Piece:]
	}
	return append(dst, s...)
}

// room returns an empty slice with room for n bytes or a few more. make would clear megabytes in
// one long step; a strings.Builder leaves its memory as the allocator found it, and this takes it
// over. The Builder is dropped, so nothing else refers to the bytes.
func room(n int) []byte {
	if n <= Piece {
		return make([]byte, 0, n)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:0]
}

// NewBytes returns an empty slice with room for a string of n bytes, counted against the memory
// limit. Once filled it goes to Bytes.
func (L *State) NewBytes(n int) []byte {
	L.Alloc(stringBytes(n))
	return room(n)
}

// clone returns a copy of s as a value.
func (L *State) clone(s string) Value {
	L.work(len(s))
	if len(s) <= Piece {
		L.Alloc(stringBytes(len(s)))
		return String(strings.Clone(s))
	}
	return Bytes(L.Append(L.NewBytes(len(s)), s))
}

// same reports whether two strings of one length are equal.
func (L *State) same(a, b string) bool {
	for len(a) > Piece {
		if a[:Piece] != b[:Piece] {
			return false
		}
		L.Tick(Piece >> 8)
		a, b = a[Piece:], b[Piece:]
	}
	return a == b
}

// compare is strings.Compare.
func (L *State) compare(a, b string) int {
	for len(a) > Piece && len(b) > Piece && a[:Piece] == b[:Piece] {
		L.Tick(Piece >> 8)
		a, b = a[Piece:], b[Piece:]
	}
	return strings.Compare(a, b)
}

// find is strings.Index: O(len(s)) if sub is no longer than a piece.
func (L *State) find(s, sub string) int {
	if len(s) <= Piece {
		return strings.Index(s, sub)
	}
	head := sub[:min(len(sub), Piece)]
	for from := 0; from+len(sub) <= len(s); {
		i := strings.Index(s[from:min(from+Piece+len(head), len(s))], head)
		L.work(len(head))
		switch {
		case i < 0:
			from += Piece + 1
			L.Tick(Piece >> 8)
		case len(sub) <= len(s)-from-i && L.same(s[from+i:from+i+len(sub)], sub):
			L.work(i)
			return from + i
		default:
			from += i + 1
		}
	}
	return -1
}

// IndexByte is strings.IndexByte, with ticks if s is long.
func (L *State) IndexByte(s string, c byte) int {
	for from := 0; ; from += Piece {
		if len(s)-from <= Piece {
			if i := strings.IndexByte(s[from:], c); i >= 0 {
				return from + i
			}
			return -1
		}
		if i := strings.IndexByte(s[from:from+Piece], c); i >= 0 {
			return from + i
		}
		L.Tick(Piece >> 8)
	}
}

// stretch is how many bytes are looked at one by one between two ticks.
const stretch = 1 << 14

// span returns the end of the run of bytes from set that begins at s[i].
func (L *State) span(s string, i int, set *byteSet) int {
	for {
		from, end := i, min(i+stretch, len(s))
		for i < end && set[s[i]] {
			i++
		}
		if L != nil {
			L.Tick((i - from) >> 3)
		}
		if i < end || i == len(s) {
			return i
		}
	}
}
