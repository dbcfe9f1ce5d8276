package array

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/resp"
)

// A word is an element of a slice, in eight bytes. Its three lowest bits say what it is:
//
//	tagNone      no element: the word is 0
//	tagShort     a text of up to 7 bytes:     5 bits length │ bytes
//	tagInt       an integer of 61 bits
//	tagDecimal   a fraction in decimal:       4 bits scale │ 57 bits: the number times 10^scale
//	tagFar       a longer text:               29 bits unused │ where its cell is
//
// Each text has one word, but for where its cell is.
type word = uint64

const (
	tagNone word = iota
	tagShort
	tagInt
	tagDecimal
	tagFar

	tagBits = 3
	tagMask = 1<<tagBits - 1

	shortMost   = 7 // bytes of a short text
	intMost     = 1<<60 - 1
	scaleBits   = 4
	scaleMost   = 1<<scaleBits - 1
	decimalMost = 1<<56 - 1
	farShift    = 32

	wordText = 24 // bytes that the text of an integer or a fraction takes at most
)

// wordOf returns the word of a text that needs no cell; ok is false if it needs one.
func wordOf(text []byte) (w word, ok bool) {
	if n, isInt := resp.ParseInt(text); isInt {
		if n >= -intMost-1 && n <= intMost {
			return word(n)<<tagBits | tagInt, true
		}
		return 0, false
	}
	if len(text) <= shortMost {
		w = word(len(text))<<tagBits | tagShort
		for i, c := range text {
			w |= word(c) << (8 * (i + 1))
		}
		return w, true
	}
	n, scale, ok := parseDecimal(text)
	return word(n)<<(tagBits+scaleBits) | word(scale)<<tagBits | tagDecimal, ok
}

// parseDecimal returns a fraction as a number times 10^scale. ok is false unless the text is just
// what appendDecimal makes of them.
func parseDecimal(text []byte) (n int64, scale int, ok bool) {
	digits, negative := text, text[0] == '-'
	if negative {
		digits = text[1:]
	}
	point := -1
	for i, c := range digits {
		switch {
		case c == '.' && point < 0 && i > 0:
			point = i
		case c < '0' || c > '9' || n > decimalMost:
			return 0, 0, false
		default:
			n = 10*n + int64(c-'0')
		}
	}
	scale = len(digits) - 1 - point
	if point < 0 || scale == 0 || scale > scaleMost || n > decimalMost || negative && n == 0 ||
		digits[0] == '0' && point > 1 {
		return 0, 0, false
	}
	if negative {
		n = -n
	}
	return n, scale, true
}

// appendDecimal appends a fraction to dst.
func appendDecimal(dst []byte, n int64, scale int) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	start := len(dst)
	dst = strconv.AppendInt(dst, n, 10)
	for len(dst)-start <= scale {
		dst = append(dst, 0)
		copy(dst[start+1:], dst[start:])
		dst[start] = '0'
	}
	dst = append(dst, 0)
	point := len(dst) - 1 - scale
	copy(dst[point+1:], dst[point:])
	dst[point] = '.'
	return dst
}

// entry returns the element that a word is. It is valid until the next call.
func (x *large) entry(w word) ziplist.Entry {
	switch w & tagMask {
	case tagInt:
		return ziplist.Entry{Int: int64(w) >> tagBits}
	case tagShort:
		*(*uint64)(unsafe.Pointer(&x.text)) = w >> 8
		return ziplist.Entry{Str: x.text[:w>>tagBits&(1<<5-1)]}
	case tagDecimal:
		return ziplist.Entry{Str: appendDecimal(x.text[:0], int64(w)>>(tagBits+scaleBits), int(w>>tagBits&scaleMost))}
	}
	return ziplist.EntryOf(arena.Text(x.cells.At(arena.Ref(w >> farShift))))
}

// store returns a word for a text, which may get a cell.
func (x *large) store(text []byte) word {
	if w, ok := wordOf(text); ok {
		return w
	}
	r := x.cells.Alloc(arena.TextSize(len(text)))
	arena.PutText(x.cells.At(r), text)
	return word(r)<<farShift | tagFar
}

// cellOf returns the cell of a word and the bytes that were asked for; ok is false if it has none.
func (x *large) cellOf(w word) (r arena.Ref, size int, ok bool) {
	if w&tagMask != tagFar {
		return 0, 0, false
	}
	r = arena.Ref(w >> farShift)
	return r, arena.TextSize(len(arena.Text(x.cells.At(r)))), true
}

// release frees the cell of a word, if it has one.
func (x *large) release(w word) {
	if r, size, ok := x.cellOf(w); ok {
		x.cells.Free(r, size)
	}
}

// doubleBits are the bits of a double that Redis keeps of a fraction in an array.
const doubleBits = ^uint64(0b11)

// Double returns the number as which Redis keeps the text of an element: a double without its two
// lowest bits. ok is false if it keeps the text, because that is no fraction with a point, or not
// what such a number is written as.
func Double(text []byte) (f float64, ok bool) {
	points := 0
	for i, c := range text {
		switch {
		case c == '.':
			points++
		case (c < '0' || c > '9') && (c != '-' || i > 0):
			return 0, false
		}
	}
	if points != 1 {
		return 0, false
	}
	if f, ok = resp.ParseFloat(text); !ok {
		return 0, false
	}
	f = math.Float64frombits(math.Float64bits(f) & doubleBits)
	var buf [40]byte
	return f, string(AppendDouble(buf[:0], f)) == string(text)
}

// AppendDouble appends to dst the text of a double that Redis keeps for an element.
func AppendDouble(dst []byte, f float64) []byte {
	start := len(dst)
	dst = resp.FormatShortest(dst, f)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' || c == 'n' { // of inf and nan, too
			return dst
		}
	}
	return append(dst, '.', '0')
}
