// Package ziplist is the packed sequence of strings and integers in which
// small collections live: one []byte, no pointers, laid out byte for byte as
// in Redis up to 6.2.
//
//	zlbytes  zltail   zllen  entry             entry             end
//	[u32 LE] [u32 LE] [u16]  [prevlen enc ...] [prevlen enc ...] [FF]
//	   |        |        |
//	   |        |        number of entries; 65535 = too many to say, walk
//	   |        offset of the last entry, or of the end if there is none
//	   length of the whole, header and end included
//
// An entry is the length of its predecessor (one byte below 254, otherwise FE
// and a u32 LE), an encoding that includes the size, and the data:
//
//	00nnnnnn                    string of n bytes
//	01nnnnnn nnnnnnnn           string, n of 14 bits, big endian
//	10000000 u32 BE             string
//	C0 i16  D0 i32  E0 i64      integers, little endian
//	F0 i24  FE i8
//	F1 .. FD                    the integers 0 to 12, no data
//
// Invariants, all verified by Check:
//
//  1. zlbytes is the length of the slice, and its last byte is FF.
//  2. Every entry's prevlen is the exact length of the entry before it, 0 for
//     the first. It may use five bytes where one would do.
//  3. zltail is the offset of the last entry.
//  4. zllen is the number of entries, or 65535.
//
// A value that is the canonical decimal form of an int64 is stored as an
// integer in the shortest encoding; "07", "+7" and "-0" stay strings. Reading
// gives the same text back, so the difference does not show. An entry that
// grows past 253 bytes widens its successor's prevlen, which may widen the next
// and so on. As in Redis, a wide prevlen is narrowed only when its direct
// predecessor is inserted or deleted: else a list of entries near the limit
// would switch back and forth.
//
// Positions are byte offsets of entries and None. They stay valid until the
// next change; each method says whether the changed position stays valid.
//
// Non-goals: key and value roles, sorting and thresholds, which belong to the
// types above; lists of 4 GiB and more, which panic (types convert far below,
// see MaxBytes); reading damaged bytes. Methods trust their list: bytes from
// outside must pass Check first.
//
// Unlike Redis, changing methods work within the slice's spare capacity and
// allocate only beyond it, so that a caller with a scratch buffer allocates
// nothing; and Len never writes: Redis repairs a zllen of 65535 when asked.
package ziplist

import "encoding/binary"

// List is one ziplist. Its length is the ziplist's; capacity beyond it is
// room for changes. The zero value is not a list: use New.
//
// Methods that change a list return it, as append does, and may have
// overwritten or abandoned the receiver's bytes: the old List, its entries
// and positions are dead afterwards. Bytes given to them are copied and must
// not alias the list.
type List []byte

// None is the position of no entry: past the end, before the start, absent.
const None = -1

// MaxBytes is the length up to which types may let a list grow; past it they
// should choose another encoding, as Redis 6.2.6 and later do.
const MaxBytes = 1 << 30

const (
	headerSize = 10
	endSize    = 1
	end        = 0xFF
	wide       = 0xFE // first byte of a five-byte prevlen
	unknownLen = 0xFFFF
)

// New returns an empty list of eleven bytes.
func New() List {
	return AppendEmpty(nil)
}

// AppendEmpty returns buf[:0] made into an empty list; it allocates only if
// buf's capacity is below eleven bytes.
func AppendEmpty(buf []byte) List {
	return append(buf[:0], headerSize+endSize, 0, 0, 0, headerSize, 0, 0, 0, 0, 0, end)
}

// Bytes returns the number of bytes the list takes, header and end included.
func (l List) Bytes() int { return len(l) }

// Len returns the number of entries. O(1) below 65535 entries, then O(n).
func (l List) Len() int {
	if n := l.count(); n != unknownLen {
		return n
	}
	n := 0
	for p := headerSize; l[p] != end; p = l.after(p) {
		n++
	}
	return n
}

// Empty reports whether the list has no entry.
func (l List) Empty() bool { return l[headerSize] == end }

// First returns the position of the first entry, None in an empty list.
func (l List) First() int { return l.position(headerSize) }

// Last returns the position of the last entry, None in an empty list.
func (l List) Last() int { return l.position(l.tail()) }

// Next returns the position of the entry after pos, None after the last.
func (l List) Next(pos int) int { return l.position(l.after(pos)) }

// Prev returns the position of the entry before pos, None before the first.
func (l List) Prev(pos int) int {
	if pos == headerSize {
		return None
	}
	return pos - l.prevlen(pos)
}

// Index returns the position of entry i, counted from 0, or from -1 backwards
// from the last; None outside. O(n), walking from the nearer end.
func (l List) Index(i int) int {
	if n := l.count(); n != unknownLen {
		switch {
		case i >= n || i < -n:
			return None
		case i > n/2:
			i -= n
		case i < -n/2-1:
			i += n
		}
	}
	if i < 0 {
		p := l.Last()
		for ; p != None && i < -1; i++ {
			p = l.Prev(p)
		}
		return p
	}
	p := headerSize
	for ; l[p] != end && i > 0; i-- {
		p = l.after(p)
	}
	return l.position(p)
}

// position is p, or None if the list ends there.
func (l List) position(p int) int {
	if l[p] == end {
		return None
	}
	return p
}

// after returns the offset behind the entry at p: the next one's or the end's.
func (l List) after(p int) int {
	p += prevlenSize(l[p])
	switch enc := l[p]; {
	case enc < str14:
		return p + 1 + int(enc)
	case enc >= ints:
		return p + int(spans[enc])
	}
	return p + l.longSpan(p)
}

// prevlen returns the length of the entry before the one at p.
func (l List) prevlen(p int) int {
	if l[p] != wide {
		return int(l[p])
	}
	return int(binary.LittleEndian.Uint32(l[p+1:]))
}

// prevlenSize returns how many bytes the prevlen beginning with b takes.
func prevlenSize(b byte) int {
	if b == wide {
		return 5
	}
	return 1
}

func (l List) tail() int       { return int(binary.LittleEndian.Uint32(l[4:])) }
func (l List) setTail(pos int) { binary.LittleEndian.PutUint32(l[4:], uint32(pos)) }

func (l List) count() int { return int(binary.LittleEndian.Uint16(l[8:])) }

// addCount adds n to zllen, which stays at 65535 once it got there.
func (l List) addCount(n int) {
	if c := l.count(); c != unknownLen {
		binary.LittleEndian.PutUint16(l[8:], uint16(min(c+n, unknownLen)))
	}
}
