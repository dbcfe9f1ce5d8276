// Package listpack is the packed sequence of strings and integers in which streams keep their
// entries: one []byte, no pointers, laid out byte for byte as in Redis since 5.0.
//
//	bytes    count  element             element             end
//	[u32 LE] [u16]  [code data backlen] [code data backlen] [FF]
//	   |       |
//	   |       number of elements; 65535 = too many to say, walk
//	   length of the whole, header and end included
//
// An element begins with its code, and ends with the length of code and data, so that it can be
// found from behind:
//
//	0nnnnnnn                  the integers 0 to 127
//	10nnnnnn                  string of n bytes
//	110nnnnn nnnnnnnn         integer of 13 bits
//	1110nnnn nnnnnnnn         string, n of 12 bits
//	F0 u32 LE                 string
//	F1 i16  F2 i24  F3 i32  F4 i64    integers, little endian
//
// The backlen is 1 to 5 bytes of 7 bits, the most significant first; all but the first have their
// high bit set, so that reading it backwards knows where it begins.
//
// Invariants, all verified by Check:
//
//  1. The first field is the length of the slice, and its last byte is FF.
//  2. The count is the number of elements, or 65535.
//  3. Each backlen is the length of code and data before it, in as few bytes as the length of it
//     needs.
//
// A value that is the canonical decimal form of an int64 is stored as an integer in the shortest
// code, as in a ziplist, and comes out as a ziplist.Entry like there.
//
// Positions are byte offsets of elements; that of no element is End, behind the last. They stay
// valid until the list is changed before them.
//
// Non-goals: insertion and deletion in the middle, which streams do not do; reading damaged bytes:
// what comes from outside must pass Check first.
package listpack

import (
	"encoding/binary"
	"slices"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// List is one listpack. The zero value is not a list: use New. Methods that change a list return
// it, as append does, and may have overwritten or abandoned the receiver's bytes.
type List []byte

const (
	headerSize = 6
	end        = 0xff
	uncounted  = 65535
)

// First is the position of the first element, or of the end of an empty list.
const First = headerSize

// New returns an empty list of seven bytes, with room for capacity bytes.
func New(capacity int) List { return In(make([]byte, 0, max(capacity, headerSize+1))) }

// In is New in the memory of room, which it overwrites.
func In(room []byte) List { return List(append(room[:0], 0, 0, 0, 0, 0, 0, end)).sized() }

// Len returns the number of elements. O(1) below 65535 of them, then O(n).
func (l List) Len() int {
	if n := int(binary.LittleEndian.Uint16(l[4:])); n != uncounted {
		return n
	}
	n := 0
	for pos := First; pos < l.End(); pos = l.Next(pos) {
		n++
	}
	return n
}

// End returns the position behind the last element.
func (l List) End() int { return len(l) - 1 }

// Append adds v behind the last element, as an integer if it is the text of one. O(len(v))
// amortised.
func (l List) Append(v []byte) List { return l.AppendEntry(ziplist.EntryOf(v)) }

// AppendInt is Append of n's decimal text.
func (l List) AppendInt(n int64) List {
	at := l.End()
	l = appendInt(l[:at], n)
	return l.close(at)
}

// AppendEntry is Append of an entry, an integer as such.
func (l List) AppendEntry(e ziplist.Entry) List {
	if e.IsInt() {
		return l.AppendInt(e.Int)
	}
	at := l.End()
	return appendString(l[:at], e.Str).close(at)
}

// From returns a listpack of the entries of a ziplist, in the memory of room if that suffices.
// O(n).
func From(room []byte, zl ziplist.List) List {
	l := In(room)
	for p := zl.First(); p != ziplist.None; {
		var e ziplist.Entry
		e, p = zl.Get(p)
		l = l.AppendEntry(e)
	}
	return l
}

// close ends a list whose last element was begun at a position: it still lacks its backlen.
func (l List) close(at int) List {
	l = append(appendBacklen(l, len(l)-at), end)
	if n := binary.LittleEndian.Uint16(l[4:]); n != uncounted {
		binary.LittleEndian.PutUint16(l[4:], n+1)
	}
	return l.sized()
}

// sized writes the length of the list into it.
func (l List) sized() List {
	binary.LittleEndian.PutUint32(l, uint32(len(l)))
	return l
}

// ReplaceInt overwrites the element at pos with n. O(1) if the new element has the size of the old,
// else O(bytes).
func (l List) ReplaceInt(pos int, n int64) List {
	var buf [16]byte
	element := appendInt(buf[:0], n)
	element = appendBacklen(element, len(element))
	next := l.Next(pos)
	if next-pos == len(element) {
		copy(l[pos:], element)
		return l
	}
	return List(slices.Replace(l, pos, next, element...)).sized()
}

// Get returns the element at pos and the position behind it. Its Str aliases the list. The position
// must be an element's.
func (l List) Get(pos int) (e ziplist.Entry, next int) {
	head, size, isInt := l.shape(pos)
	data := pos + head
	next = data + size + backlenBytes(head+size)
	if !isInt {
		return ziplist.Entry{Str: l[data : data+size : data+size]}, next
	}
	return ziplist.Entry{Int: l.integer(pos)}, next
}

// Int returns the integer at pos and the position behind it. The position must be an integer's.
func (l List) Int(pos int) (n int64, next int) {
	if c := l[pos]; c < 0x80 {
		return int64(c), pos + 2
	}
	e, next := l.Get(pos)
	return e.Int, next
}

// Next returns the position behind the element at pos.
func (l List) Next(pos int) int {
	head, size, _ := l.shape(pos)
	return pos + head + size + backlenBytes(head+size)
}

// Skip returns the position behind n elements from the one at pos on.
func (l List) Skip(pos, n int) int {
	for range n {
		pos = l.Next(pos)
	}
	return pos
}

// Prev returns the position of the element before pos, which may be End. There must be one.
func (l List) Prev(pos int) int {
	n, shift := 0, 0
	for {
		pos--
		n |= int(l[pos]&0x7f) << shift
		shift += 7
		if l[pos]&0x80 == 0 {
			return pos - n
		}
	}
}
