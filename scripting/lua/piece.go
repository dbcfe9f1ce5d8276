package lua

import (
	"strings"
	"unsafe"
)

// Long strings are handled in pieces with ticks between, so that the hook runs every few milliseconds
// whatever a script does with megabytes. Short ones pay a comparison for that.

// piece is how much of a long string is handled between two ticks.
const piece = 1 << 20

// tickPiece counts a piece of a string of n bytes, if that is a long one.
func (L *State) tickPiece(n int) {
	if n > piece {
		L.Tick(piece >> 8)
	}
}

// write appends s, with ticks if it is long.
func (L *State) write(b *strings.Builder, s string) {
	for len(s) > piece {
		b.WriteString(s[:piece])
		L.Tick(piece >> 8)
		s = s[piece:]
	}
	b.WriteString(s)
}

// add appends s to dst, which has room for it.
func (L *State) add(dst []byte, s string) []byte {
	if len(s) > piece {
		return L.addLong(dst, s)
	}
	return append(dst, s...)
}

func (L *State) addLong(dst []byte, s string) []byte {
	for len(s) > piece {
		dst = append(dst, s[:piece]...)
		L.Tick(piece >> 8)
		s = s[piece:]
	}
	return append(dst, s...)
}

// room returns an empty slice with room for n bytes or a few more. Much room is left as the allocator
// found it, for clearing it would be one long step.
func room(n int) []byte {
	if n <= piece {
		return make([]byte, 0, n)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), b.Cap())[:0]
}

// clone returns a copy of s as a value.
func (L *State) clone(s string) Value {
	L.Alloc(stringBytes(len(s)))
	L.work(len(s))
	if len(s) <= piece {
		return String(strings.Clone(s))
	}
	return Bytes(L.add(room(len(s)), s))
}

// CopyString returns a string with the contents of b, counted against the memory limit. It ticks.
func (L *State) CopyString(b []byte) Value {
	return L.clone(unsafe.String(unsafe.SliceData(b), len(b)))
}

// same reports whether two strings of one length are equal.
func (L *State) same(a, b string) bool {
	for len(a) > piece {
		if a[:piece] != b[:piece] {
			return false
		}
		L.Tick(piece >> 8)
		a, b = a[piece:], b[piece:]
	}
	return a == b
}

// compare is strings.Compare.
func (L *State) compare(a, b string) int {
	for len(a) > piece && len(b) > piece && a[:piece] == b[:piece] {
		L.Tick(piece >> 8)
		a, b = a[piece:], b[piece:]
	}
	return strings.Compare(a, b)
}

// find is strings.Index: O(len(s)) if sub is no longer than a piece.
func (L *State) find(s, sub string) int {
	if len(s) <= piece {
		return strings.Index(s, sub)
	}
	head := sub[:min(len(sub), piece)]
	for from := 0; from+len(sub) <= len(s); {
		i := strings.Index(s[from:min(from+piece+len(head), len(s))], head)
		L.work(len(head))
		switch {
		case i < 0:
			from += piece + 1
			L.Tick(piece >> 8)
		case len(sub) <= len(s)-from-i && L.same(s[from+i:from+i+len(sub)], sub):
			L.work(i)
			return from + i
		default:
			from += i + 1
		}
	}
	return -1
}

// indexByte is strings.IndexByte.
func (L *State) indexByte(s string, c byte) int {
	for from := 0; ; from += piece {
		if len(s)-from <= piece {
			if i := strings.IndexByte(s[from:], c); i >= 0 {
				return from + i
			}
			return -1
		}
		if i := strings.IndexByte(s[from:from+piece], c); i >= 0 {
			return from + i
		}
		L.Tick(piece >> 8)
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
