package rdb

import (
	"encoding/binary"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// A listpack is what followed the ziplist in Redis 7: an entry tells its own length at its end, not that
// of the one before.
//
//	bytes u32 | entries u16, 65535 if not known | entry ... | FF
//	entry: encoding data length-of-both, 7 bits a byte, most significant first, backwards
//
//	0nnnnnnn  integer 0 to 127        10nnnnnn  string         110nnnnn nnnnnnnn  integer of 13 bits
//	1110nnnn nnnnnnnn  string         F0 u32 LE  string        F1 .. F4  integers of 16, 24, 32, 64 bits
const (
	listpackHead = 6
	listpackEnd  = 0xff
)

// listpack walks over one whose bytes come from outside.
type listpack struct {
	b   []byte
	at  int
	bad bool
}

// listpackOf begins a walk.
func listpackOf(b []byte) *listpack {
	p := &listpack{b: b, at: listpackHead}
	p.bad = len(b) < listpackHead+1 || uint64(binary.LittleEndian.Uint32(b)) != uint64(len(b)) || b[len(b)-1] != listpackEnd
	return p
}

// more reports whether there is another entry.
func (p *listpack) more() bool { return !p.bad && p.at < len(p.b)-1 }

// size returns the number of entries that the header tells, or an estimate from above.
func (p *listpack) size() int {
	if p.bad {
		return 0
	}
	if n := binary.LittleEndian.Uint16(p.b[4:]); n != 0xffff {
		return int(n)
	}
	return len(p.b) / 2
}

// ended reports whether the walk came to the end without meeting damage.
func (p *listpack) ended() bool { return !p.bad && p.at == len(p.b)-1 }

// next returns the next entry; after damage is met, bad is set.
func (p *listpack) next() (e ziplist.Entry) {
	head, size, isInt := p.shape()
	total := head + size
	end := p.at + total
	back := backBytes(total)
	if p.bad || end+back > len(p.b)-1 || !p.closes(end, total, back) {
		p.bad = true
		return e
	}
	data := p.b[p.at+head : end : end]
	if isInt {
		e.Int = p.integer(data)
	} else {
		e.Str = data
	}
	p.at = end + back
	return e
}

// shape returns the bytes of the encoding and of the data of the entry.
func (p *listpack) shape() (head, size int, isInt bool) {
	rest := p.b[p.at : len(p.b)-1]
	c := rest[0]
	switch {
	case c < 0x80:
		return 1, 0, true
	case c < 0xc0:
		return 1, int(c & 0x3f), false
	case c < 0xe0:
		return 2, 0, true
	case c < 0xf0 && len(rest) >= 2:
		return 2, int(c&0x0f)<<8 | int(rest[1]), false
	case c == 0xf0 && len(rest) >= 5:
		if n := binary.LittleEndian.Uint32(rest[1:]); uint64(n) < uint64(len(rest)) {
			return 5, int(n), false
		}
	case c >= 0xf1 && c <= 0xf4:
		return 1, [...]int{2, 3, 4, 8}[c-0xf1], true
	}
	p.bad = true
	return 0, 0, false
}

// integer returns the integer at p.at with the given data.
func (p *listpack) integer(data []byte) int64 {
	c := p.b[p.at]
	switch {
	case c < 0x80:
		return int64(c)
	case c < 0xe0:
		return int64(c&0x1f)<<8<<51>>51 | int64(p.b[p.at+1])
	}
	var u uint64
	for i, b := range data {
		u |= uint64(b) << (8 * i)
	}
	shift := 64 - 8*len(data)
	return int64(u<<shift) >> shift
}

// backBytes returns how many bytes tell the length of an entry of n bytes.
func backBytes(n int) int {
	switch {
	case n <= 1<<7-1:
		return 1
	case n < 1<<14-1: // so, less by one, does Redis
		return 2
	case n < 1<<21-1:
		return 3
	case n < 1<<28-1:
		return 4
	}
	return 5
}

// closes reports whether the bytes behind an entry tell its length.
func (p *listpack) closes(end, total, back int) bool {
	n := 0
	for i, c := range p.b[end : end+back] {
		if (c >= 0x80) != (i > 0) {
			return false
		}
		n = n<<7 | int(c&0x7f)
	}
	return n == total
}
