package rdb

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// LZF is the compression of strings. The compressed form is a sequence of
//
//	000nnnnn                              n+1 bytes as they are follow
//	lllooooo oooooooo                     l+2 bytes as they were o+1 bytes before, l from 1 to 6
//	111ooooo llllllll oooooooo            l+9 bytes
//
// A compressor may choose which repetitions it uses. This one chooses as Redis does, byte for byte.
// If it is hasty, it remembers fewer positions, and looks at fewer and fewer while it finds no
// repetition: it is fast on data that cannot be compressed.

const (
	lzfTable    = 1 << 16 // positions remembered
	lzfHasty    = 1 << 13 // of those, in haste
	lzfDistance = 1 << 13 // how far back a repetition may lie
	lzfLongest  = 264
	lzfLiterals = 32
)

// lzf compresses strings. Its table holds positions plus base. It is not cleared between strings:
// entries below base belong to an earlier one.
type lzf struct {
	table [lzfTable]uint32
	base  uint32
	hasty bool
}

// compress appends the compressed form of b, which must have 4 bytes or more. If that is not at
// least 4 bytes shorter, it returns dst unchanged and false. O(len(b)).
//
// pause, if not nil, is called after about each piece bytes, with the output since the last call.
// It returns an empty buffer for further output, and whether to continue.
func (z *lzf) compress(dst, b []byte, piece int, pause func(out []byte) (next []byte, more bool)) (_ []byte, ok bool) {
	if z.base+uint32(len(b)) < z.base || len(b) > 1<<30 {
		z.table, z.base = [lzfTable]uint32{}, 0
		if len(b) > 1<<30 {
			return dst, false
		}
	}
	start, most := len(dst), len(dst)+len(b)-4
	pending, i, more := 0, 0, true
	for more && i >= 0 && i < len(b)-2 {
		dst, i, pending = z.compressPiece(dst, b, i, min(i+piece, len(b)-2), pending, most)
		if pause != nil && i >= 0 {
			most -= len(dst)
			dst, more = pause(dst)
		}
	}
	z.base += uint32(len(b)) + 1
	if !more || i < 0 || withLiterals(dst, i-pending)+3 > most {
		return dst[:start], false
	}
	return appendLiterals(dst, b[pending:]), true
}

// withLiterals returns the length of dst with n literals behind, and the byte with which a further
// run of them begins.
func withLiterals(dst []byte, n int) int {
	return len(dst) + n/lzfLiterals*(lzfLiterals+1) + n%lzfLiterals + 1
}

// compressPiece compresses b from i to about end, which is at least 2 bytes before the end of b.
// The bytes from pending to i were looked at before but not appended; stillPending is where such
// bytes begin afterwards. next is negative if dst would get more than most bytes.
func (z *lzf) compressPiece(dst, b []byte, i, end, pending, most int) (_ []byte, next, stillPending int) {
	misses, few, mask := 0, 64, uint32(lzfTable-1)
	if z.hasty {
		few, mask = 6, lzfHasty-1
	}
	for i < end {
		from := z.remember(b, i, mask)
		if from < 1 || i-from > lzfDistance || b[from] != b[i] || b[from+1] != b[i+1] || b[from+2] != b[i+2] {
			misses++
			i += 1 + misses>>few
			continue
		}
		misses = 0
		size := withLiterals(dst, i-pending)
		if (i-pending)%lzfLiterals == 0 {
			size--
		}
		if size+4 >= most {
			return dst, -1, pending
		}
		n := repetition(b, from, i)
		dst = appendLiterals(dst, b[pending:i])
		dst = appendRepetition(dst, n, i-from-1)
		i += n
		pending = i
		if i < len(b)-2 {
			z.remember(b, i-2, mask)
			z.remember(b, i-1, mask)
		}
	}
	return dst, min(i, len(b)), pending
}

// remember notes that three bytes are at i. It returns where such bytes, or others of the same
// slot, were before; a negative number for nowhere.
func (z *lzf) remember(b []byte, i int, mask uint32) (from int) {
	h := uint32(b[i])<<16 | uint32(b[i+1])<<8 | uint32(b[i+2])
	slot := &z.table[(h>>8-h*5)&mask]
	from = int(*slot) - int(z.base) - 1
	*slot = z.base + uint32(i) + 1
	return from
}

// repetition returns how many bytes from i on repeat those from from on, at least 3. As Redis it
// leaves out the last two of b, but not if the first 19 bytes are all that is left.
func repetition(b []byte, from, i int) int {
	const careless = 16
	most := min(len(b)-i-2, lzfLongest)
	if most > careless {
		most = max(most, careless+3)
	}
	return max(common(b[from:], b[i:i+max(most, 3)]), 3)
}

// common returns how many bytes at the front of a and b, which is not longer, are the same.
func common(a, b []byte) (n int) {
	for ; len(b)-n >= 8; n += 8 {
		if differ := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func appendLiterals(dst, b []byte) []byte {
	for len(b) > 0 {
		n := min(len(b), lzfLiterals)
		dst = append(append(dst, byte(n-1)), b[:n]...)
		b = b[n:]
	}
	return dst
}

// appendRepetition appends a repetition of the n bytes that lie back+1 bytes before.
func appendRepetition(dst []byte, n, back int) []byte {
	if n -= 2; n < 7 {
		return append(dst, byte(n<<5|back>>8), byte(back))
	}
	return append(dst, byte(7<<5|back>>8), byte(n-7), byte(back))
}

// decompress appends the decompressed form of b. It reports whether b is valid and decompresses to
// exactly n bytes. O(n).
func decompress(dst, b []byte, n int) (_ []byte, ok bool) {
	start := len(dst)
	dst = slices.Grow(dst, n)
	out, at := dst[start:start+n], 0
	for i := 0; i < len(b); {
		c := int(b[i])
		i++
		if c < lzfLiterals {
			c++
			if c > len(b)-i || c > n-at {
				return dst, false
			}
			if c <= 16 && len(b)-i >= 16 && n-at >= 16 {
				copy16(out[at:], b[i:])
			} else {
				copy(out[at:at+c], b[i:])
			}
			i, at = i+c, at+c
			continue
		}
		size := c>>5 + 2
		if size == 9 && i < len(b) {
			size += int(b[i])
			i++
		}
		if i == len(b) {
			return dst, false
		}
		from := at - (c&0x1f<<8 | int(b[i])) - 1
		i++
		if from < 0 || size > n-at {
			return dst, false
		}
		if size <= 16 && at-from >= 16 && n-at >= 16 {
			copy16(out[at:], out[from:])
		} else {
			repeat(out[from:at+size], at-from)
		}
		at += size
	}
	return dst[:start+at], at == n
}

// copy16 copies 16 bytes, even if fewer are needed: a copy of variable length is slower.
func copy16(dst, src []byte) {
	_, _ = dst[15], src[15]
	binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src))
	binary.LittleEndian.PutUint64(dst[8:], binary.LittleEndian.Uint64(src[8:]))
}

// repeat fills b with repetitions of its first n bytes.
func repeat(b []byte, n int) {
	for n < len(b) {
		n += copy(b[n:], b[:n])
	}
}
