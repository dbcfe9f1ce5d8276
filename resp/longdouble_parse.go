package resp

import (
	"bytes"
	"errors"
	"math/big"
	"math/bits"
	"strconv"
)

const (
	maxLongDoubleText = 5*1024 - 1 // bytes Redis reads as a long double
	minLongDoubleExp  = -16446     // C's nearest long double of 2^minLongDoubleExp is zero
	maxExactDigits    = 19         // decimal digits that always fit 64 bits
	maxExactPower     = 27         // 5^27 is the largest power of five in 64 bits
)

// ParseLongDouble parses b, correctly rounded, and returns false if b is not a number.
// It accepts what Redis accepts for INCRBYFLOAT: the forms of ParseFloat except nan, in at
// most 5119 bytes, and refuses overflow and underflow to zero. Up to 19 digits with a small
// exponent allocate nothing; longer numbers use math/big.
func ParseLongDouble(b []byte) (LongDouble, bool) {
	body, negative := cutSign(b)
	if len(body) == 0 || len(b) > maxLongDoubleText {
		return LongDouble{}, false
	}
	var x LongDouble
	var ok bool
	switch c := body[0]; {
	case c != '.' && (c < '0' || c > '9'):
		f, ok := parseWord(body, negative)
		return LongDouble{special: f}, ok && f == f
	case isHex(body):
		x, ok = parseBig(body, 0)
		ok = ok && bytes.IndexByte(body, '_') < 0 // math/big reads 0x1_0
	default:
		x, ok = parseDecimal(body)
	}
	return x.signed(negative), ok
}

// parseDecimal parses decimal digits with an optional point and exponent.
func parseDecimal(body []byte) (LongDouble, bool) {
	var mant uint64
	var point, any bool
	significant, exp := 0, 0
	i := 0
	for ; i < len(body); i++ {
		c := body[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		any = true
		if significant > 0 || c != '0' {
			significant++
		}
		if significant <= maxExactDigits {
			mant = mant*10 + uint64(c-'0')
		}
		if point {
			exp--
		}
	}
	power, ok := parseExponent(body[i:])
	exp += power
	switch {
	case !any || !ok:
		return LongDouble{}, false
	case mant == 0:
		return LongDouble{}, true
	case significant <= maxExactDigits && exp >= -maxExactPower && exp <= maxExactPower:
		return scaleExact(mant, exp), true
	}
	x, ok := parseBig(body, 10)
	return x, ok && x.mant != 0
}

// parseExponent reads an optional decimal exponent; one beyond an int is the nearest int.
func parseExponent(b []byte) (n int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	n, err := strconv.Atoi(string(b[1:]))
	return n, b[0]|0x20 == 'e' && (err == nil || errors.Is(err, strconv.ErrRange))
}

// parseBig parses a number in the syntax of math/big, and refuses numbers out of range.
func parseBig(text []byte, base int) (x LongDouble, ok bool) {
	f, _, err := new(big.Float).SetPrec(64).Parse(string(text), base)
	if err != nil || f.IsInf() {
		return x, false
	}
	exp := f.MantExp(f)
	mant, _ := f.SetMantExp(f, 64).Uint64()
	x = round(mant, 0, exp-128)
	return x, f.Sign() == 0 || x.representable()
}

// representable reports whether x, not zero, is neither an infinity nor rounded to zero by C.
func (x LongDouble) representable() bool {
	top := x.exp + 63 // x is in [2^top, 2^(top+1))
	return x.IsFinite() && (top > minLongDoubleExp || top == minLongDoubleExp && x.mant<<1 != 0)
}

// powersOfFive holds 5^0 to 5^27.
var powersOfFive = func() (table [maxExactPower + 1]uint64) {
	table[0] = 1
	for i := 1; i < len(table); i++ {
		table[i] = table[i-1] * 5
	}
	return table
}()

// scaleExact returns mant * 10^exp, correctly rounded: it takes one exact multiplication, or one
// division with its rest. mant is not 0.
func scaleExact(mant uint64, exp int) LongDouble {
	if exp >= 0 {
		hi, lo := bits.Mul64(mant, powersOfFive[exp])
		return round(hi, lo, exp)
	}
	// Both are normalised, and the quotient halved so that it is below 1.
	divisor := powersOfFive[-exp]
	up, down := bits.LeadingZeros64(mant), bits.LeadingZeros64(divisor)
	divisor <<= down
	mant <<= up
	hi, rest := bits.Div64(mant>>1, mant<<63, divisor)
	lo, rest := bits.Div64(rest, 0, divisor)
	if rest != 0 {
		lo |= 1
	}
	return round(hi, lo, exp+down-up-127)
}
