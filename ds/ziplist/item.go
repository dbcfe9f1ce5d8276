package ziplist

import (
	"encoding/binary"
	"math"
)

// item is a value on its way into a list.
type item struct {
	str  []byte // the data of a string
	n    int64  // the integer, if enc >= ints
	enc  byte   // first byte of the encoding
	head int    // bytes of the encoding
	data int    // bytes of the data
}

// size returns the bytes the item takes behind its prevlen.
func (x *item) size() int { return x.head + x.data }

// stringItem encodes v, as an integer if it is the text of one.
func stringItem(v []byte) item {
	if n, ok := parseInt(v); ok {
		return intItem(n)
	}
	switch n := len(v); {
	case n < 1<<6:
		return item{str: v, enc: byte(n), head: 1, data: n}
	case n < 1<<14:
		return item{str: v, enc: str14 | byte(n>>8), head: 2, data: n}
	default:
		return item{str: v, enc: str32, head: 5, data: n}
	}
}

// intItem encodes n in the fewest bytes.
func intItem(n int64) item {
	enc := byte(int64s)
	switch {
	case n >= 0 && n <= 12:
		enc = imm0 + byte(n)
	case n == int64(int8(n)):
		enc = int8s
	case n == int64(int16(n)):
		enc = int16s
	case n >= -1<<23 && n < 1<<23:
		enc = int24s
	case n == int64(int32(n)):
		enc = int32s
	}
	return item{n: n, enc: enc, head: 1, data: int(spans[enc]) - 1}
}

// write stores encoding and data at b, which has room for size bytes.
func (x *item) write(b []byte) {
	b[0] = x.enc
	switch {
	case x.enc < str14:
		copy(b[1:], x.str)
	case x.enc < str32:
		b[1] = byte(x.data)
		copy(b[2:], x.str)
	case x.enc < ints:
		binary.BigEndian.PutUint32(b[1:], uint32(x.data))
		copy(b[5:], x.str)
	default:
		for i, u := 1, uint64(x.n); i <= x.data; i++ {
			b[i] = byte(u)
			u >>= 8
		}
	}
}

// parseInt returns the int64 whose canonical decimal text v is: no sign but
// '-', no leading zero, no "-0".
func parseInt(v []byte) (n int64, ok bool) {
	digits, negative := v, false
	if len(v) > 0 && v[0] == '-' {
		digits, negative = v[1:], true
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	if digits[0] == '0' {
		return 0, len(v) == 1
	}
	u := uint64(0) // 19 digits cannot overflow it
	for _, c := range digits {
		if c -= '0'; c > 9 {
			return 0, false
		}
		u = u*10 + uint64(c)
	}
	if negative {
		return -int64(u), u <= -math.MinInt64
	}
	return int64(u), u <= math.MaxInt64
}
