package ziplist

import (
	"encoding/binary"
	"strconv"
)

// Encodings: the first byte tells the kind, for strings in its top two bits.
const (
	str6   = 0x00
	str14  = 0x40
	str32  = 0x80
	ints   = 0xC0 // integers from here
	int16s = 0xC0
	int32s = 0xD0
	int64s = 0xE0
	int24s = 0xF0
	imm0   = 0xF1 // 0, and so on to
	imm12  = 0xFD // 12
	int8s  = 0xFE
)

// spans holds, by first encoding byte, the bytes an entry takes behind its
// prevlen, or 0 where the first byte does not say.
var spans = func() (t [256]uint8) {
	for n := 0; n < str14; n++ {
		t[n] = uint8(1 + n)
	}
	t[int8s], t[int16s], t[int24s], t[int32s], t[int64s] = 2, 3, 4, 5, 9
	for n := imm0; n <= imm12; n++ {
		t[n] = 1
	}
	return t
}()

// longSpan is the number of bytes from the encoding at q of a 14 or 32 bit
// string to the end of its data.
func (l List) longSpan(q int) int {
	if l[q] < str32 {
		return 2 + int(binary.BigEndian.Uint16(l[q:])&0x3FFF)
	}
	return 5 + int(binary.BigEndian.Uint32(l[q+1:]))
}

// Entry is the content of one entry: a string, or an integer if Str is nil.
// The zero Entry is the integer 0. (Four words: the compiler keeps those in
// registers and no more.)
type Entry struct {
	Str []byte // aliases the list; empty but not nil for the empty string
	Int int64
}

// EntryOf returns v as a list that held it would give it back: as an integer if v is the text of
// one, else as a string that aliases v.
func EntryOf(v []byte) Entry {
	if n, ok := parseInt(v); ok {
		return Entry{Int: n}
	}
	if v == nil {
		v = []byte{}
	}
	return Entry{Str: v}
}

// IsInt reports whether the entry is an integer.
func (e Entry) IsInt() bool { return e.Str == nil }

// Get returns the entry at pos, which must be an entry's position, and the
// position of the next, None after the last. Entry.Str aliases the list.
func (l List) Get(pos int) (e Entry, next int) {
	q := pos + prevlenSize(l[pos])
	switch enc := l[q]; {
	case enc < str14:
		next = q + 1 + int(enc)
		e.Str = l[q+1 : next : next]
	case enc >= ints:
		next = q + int(spans[enc])
		e.Int = l.integer(q, next)
	case enc < str32:
		next = q + l.longSpan(q)
		e.Str = l[q+2 : next : next]
	default:
		next = q + l.longSpan(q)
		e.Str = l[q+5 : next : next]
	}
	if l[next] == end {
		next = None
	}
	return e, next
}

// integer decodes the integer whose encoding is at q and whose entry ends at
// next. The eight bytes that end there always exist and have the data on top.
func (l List) integer(q, next int) int64 {
	data := next - q - 1
	if data == 0 {
		return int64(l[q]) - imm0
	}
	return int64(binary.LittleEndian.Uint64(l[next-8:])) >> (uint(64-8*data) & 63)
}

// Append appends the entry's text to dst and returns it.
func (e Entry) Append(dst []byte) []byte {
	if e.IsInt() {
		return strconv.AppendInt(dst, e.Int, 10)
	}
	return append(dst, e.Str...)
}

// Text returns the entry's text: Str itself, which aliases the list, or the
// integer rendered into buf[:0]; 20 bytes of capacity always suffice there.
func (e Entry) Text(buf []byte) []byte {
	if e.IsInt() {
		return strconv.AppendInt(buf[:0], e.Int, 10)
	}
	return e.Str
}

// Len returns the length of the entry's text, without rendering it.
func (e Entry) Len() int {
	if !e.IsInt() {
		return len(e.Str)
	}
	n, u := 1, uint64(e.Int)
	if e.Int < 0 {
		n, u = 2, -u
	}
	for ; u >= 10; u /= 10 {
		n++
	}
	return n
}

// Equal reports whether the entry's text is v.
func (e Entry) Equal(v []byte) bool {
	if !e.IsInt() {
		return string(e.Str) == string(v)
	}
	n, ok := parseInt(v)
	return ok && n == e.Int
}

// Find returns the first position at or after from whose text is v, comparing
// one entry and then passing over skip (0 compares each, 1 finds keys among
// pairs); None if there is none or from is None. O(n).
func (l List) Find(v []byte, from, skip int) int {
	if from == None {
		return None
	}
	last, mask := lastBytes(v)
	num, state := int64(0), unparsed
	for p := from; l[p] != end; {
		q := p + prevlenSize(l[p])
		enc, next := l[q], 0
		switch {
		case enc < str14:
			next = q + 1 + int(enc)
			if int(enc) == len(v) && binary.LittleEndian.Uint64(l[next-8:])&mask == last &&
				string(l[q+1:next]) == string(v) {
				return p
			}
		case enc >= ints:
			next = q + int(spans[enc])
			if state == unparsed {
				num, state = parseWanted(v)
			}
			if state == parsed && l.integer(q, next) == num {
				return p
			}
		default:
			next = q + l.longSpan(q)
			if next-q > len(v) && string(l[next-len(v):next]) == string(v) && l.longStart(q)+len(v) == next {
				return p
			}
		}
		p = next
		for n := skip; n > 0 && l[p] != end; n-- {
			p = l.after(p)
		}
	}
	return None
}

// lastBytes returns the last eight bytes of v, or as many as it has, on top of
// a word, and the mask of those. Fields of a hash are more likely to differ
// there than in front. The eight bytes before the end of an entry always exist.
func lastBytes(v []byte) (last, mask uint64) {
	if n := len(v); n >= 8 {
		return binary.LittleEndian.Uint64(v[n-8:]), ^uint64(0)
	}
	for _, ch := range v {
		last = last>>8 | uint64(ch)<<56
	}
	return last, ^uint64(0) << (64 - 8*len(v))
}

// What Find knows of its value as an integer.
const (
	unparsed = iota
	parsed
	noInteger
)

func parseWanted(v []byte) (n int64, state int) {
	if n, ok := parseInt(v); ok {
		return n, parsed
	}
	return 0, noInteger
}

// longStart is the offset of the data of the long string whose encoding is at q.
func (l List) longStart(q int) int {
	if l[q] < str32 {
		return q + 2
	}
	return q + 5
}
