package resp

import (
	"math/big"
	"math/bits"
	"strconv"
)

// LongDouble is C's 80-bit long double: a sign, 64 bits of mantissa and a wide exponent.
// INCRBYFLOAT and HINCRBYFLOAT compute in it, and the bits beyond a float64 show in
// their replies: 0.1 + 0.2 is 0.3 there. Its zero value is 0.
//
// A finite number is mant * 2^exp with the mantissa's highest bit set, or all zero.
// Numbers too small for a normalised mantissa keep their precision here, which C loses;
// 17 digits after the point never show it.
type LongDouble struct {
	mant     uint64
	exp      int
	negative bool
	infinite bool
	nan      bool
}

const (
	longDoubleMaxExp = 16384 - 64 // of mant * 2^exp
	humanScale       = 1e17       // units of the last digit after the point
)

// IsFinite reports whether x is neither an infinity nor nan.
func (x LongDouble) IsFinite() bool { return !x.infinite && !x.nan }

// MaxLongDouble is the greatest finite number.
var MaxLongDouble = LongDouble{mant: 1<<64 - 1, exp: longDoubleMaxExp}

// Neg returns -x.
func (x LongDouble) Neg() LongDouble {
	x.negative = !x.negative
	return x
}

// Less reports whether x < y; it is false if either is nan.
func (x LongDouble) Less(y LongDouble) bool {
	d := y.Add(x.Neg())
	return !d.nan && !d.negative && (d.mant != 0 || d.infinite)
}

// Add returns x + y rounded to even, an infinity on overflow, nan for inf - inf.
func (x LongDouble) Add(y LongDouble) LongDouble {
	switch {
	case x.nan || y.nan, x.infinite && y.infinite && x.negative != y.negative:
		return LongDouble{nan: true}
	case x.infinite || y.mant == 0 && !y.infinite:
		return x
	case y.infinite || x.mant == 0:
		return y
	}
	if x.exp < y.exp || x.exp == y.exp && x.mant < y.mant {
		x, y = y, x
	}
	hi, lo, lost := shiftRight(y.mant, uint(x.exp-y.exp))
	if x.negative == y.negative {
		return x.plus(hi, lo, lost)
	}
	return x.minus(hi, lo, lost)
}

// plus adds the magnitude hi.lo, which was cut if lost, to x's.
func (x LongDouble) plus(hi, lo uint64, lost bool) LongDouble {
	sum, carry := bits.Add64(x.mant, hi, 0)
	if carry == 0 {
		return round(x.negative, sum, lo, lost, x.exp-64)
	}
	lost = lost || lo&1 != 0
	lo = lo>>1 | sum<<63
	return round(x.negative, sum>>1|1<<63, lo, lost, x.exp-63)
}

// minus takes the magnitude hi.lo, which was cut if lost, from x's, which is not smaller.
func (x LongDouble) minus(hi, lo uint64, lost bool) LongDouble {
	var borrow uint64
	if lost {
		borrow = 1 // take one unit too much; what was cut is a part of that unit
	}
	lo, borrow = bits.Sub64(0, lo, borrow)
	hi, _ = bits.Sub64(x.mant, hi, borrow)
	return round(x.negative, hi, lo, lost, x.exp-64)
}

// shiftRight returns mant * 2^64 >> n as two words and whether a set bit was lost.
func shiftRight(mant uint64, n uint) (hi, lo uint64, lost bool) {
	switch {
	case n == 0:
		return mant, 0, false
	case n < 64:
		return mant >> n, mant << (64 - n), false
	case n < 128:
		return 0, mant >> (n - 64), mant<<(128-n) != 0
	}
	return 0, 0, mant != 0
}

// round returns the LongDouble nearest to hi.lo * 2^exp, where hi.lo is a 128-bit integer
// and more says that the exact number is larger by a part of its last bit.
func round(negative bool, hi, lo uint64, more bool, exp int) LongDouble {
	if hi == 0 {
		hi, lo, exp = lo, 0, exp-64
	}
	if hi == 0 {
		return LongDouble{negative: negative}
	}
	if n := bits.LeadingZeros64(hi); n > 0 {
		hi, lo, exp = hi<<n|lo>>(64-n), lo<<n, exp-n
	}
	exp += 64
	if half, rest := lo>>63 != 0, lo<<1 != 0 || more; half && (rest || hi&1 != 0) {
		hi++
		if hi == 0 {
			hi, exp = 1<<63, exp+1
		}
	}
	if exp > longDoubleMaxExp {
		return LongDouble{negative: negative, infinite: true}
	}
	return LongDouble{mant: hi, exp: exp, negative: negative}
}

// AppendHuman appends x the way INCRBYFLOAT stores it: up to 17 digits after the point,
// no exponent, no trailing zeros, no negative zero; inf, -inf or nan.
func (x LongDouble) AppendHuman(dst []byte) []byte {
	if x.nan {
		return append(dst, "nan"...)
	}
	if x.infinite {
		if x.negative {
			return append(dst, "-inf"...)
		}
		return append(dst, "inf"...)
	}
	whole, fraction, ok := x.decimal()
	if x.negative && (whole|fraction != 0 || !ok) {
		dst = append(dst, '-')
	}
	if !ok {
		n := new(big.Int).SetUint64(x.mant)
		return n.Lsh(n, uint(x.exp)).Append(dst, 10)
	}
	return appendFraction(strconv.AppendUint(dst, whole, 10), fraction)
}

// decimal splits x's magnitude into its whole part and its fraction in units of 10^-17,
// rounded to even. It returns false from 2^64 on, where there is no fraction.
func (x LongDouble) decimal() (whole, fraction uint64, ok bool) {
	if x.exp > 0 {
		return 0, 0, false
	}
	if x.exp <= -128 {
		return 0, 0, true // below 2^-64, which 17 digits do not show
	}
	whole = x.mant >> uint(-x.exp)

	// The fraction is hi.lo / 2^128; times 10^17 it is the digits and a rest high.low / 2^128.
	shift := uint(128 + x.exp)
	hi, lo := x.mant>>(64-shift), x.mant<<shift
	if shift >= 64 {
		hi, lo = x.mant<<(shift-64), 0
	}
	carry, low := bits.Mul64(lo, humanScale)
	digits, high := bits.Mul64(hi, humanScale)
	high, c := bits.Add64(high, carry, 0)
	digits += c

	const half = 1 << 63
	if high > half || high == half && (low != 0 || digits&1 != 0) {
		digits++
	}
	if digits == humanScale {
		return whole + 1, 0, true
	}
	return whole, digits, true
}

// appendFraction appends a point and the digits of fraction * 10^-17 without trailing zeros,
// or nothing for 0.
func appendFraction(dst []byte, fraction uint64) []byte {
	if fraction == 0 {
		return dst
	}
	at := len(dst)
	dst = strconv.AppendUint(dst, humanScale+fraction, 10)
	dst[at] = '.'
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}
