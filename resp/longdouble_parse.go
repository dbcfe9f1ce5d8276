package resp

import (
	"math/big"
	"math/bits"
)

const (
	maxLongDoubleText = 5*1024 - 1 // bytes Redis reads as a long double
	minLongDoubleExp  = -16446     // at and below 2^this C's nearest long double is zero
	maxExactDigits    = 19         // decimal digits that always fit 64 bits
	maxExactPower     = 27         // 5^27 is the largest power of five in 64 bits
	exponentLimit     = 1_000_000  // exponents saturate here, far outside the range
)

// ParseLongDouble returns the number b spells, correctly rounded, and false if b is not one.
// It accepts what Redis accepts for INCRBYFLOAT: the forms of ParseFloat except nan, in at
// most 5119 bytes, and refuses overflow and underflow to zero. Up to 19 digits with a small
// exponent allocate nothing; others go through math/big.
func ParseLongDouble(b []byte) (LongDouble, bool) {
	body, negative := cutSign(b)
	if len(body) == 0 || len(b) > maxLongDoubleText {
		return LongDouble{}, false
	}
	if c := body[0]; c != '.' && (c < '0' || c > '9') {
		f, ok := parseWord(body, negative)
		return LongDouble{infinite: true, negative: negative}, ok && f == f
	}
	scan := scanDecimal
	if isHex(body) {
		scan, body = scanHex, body[2:]
	}
	x, ok := scan(body, negative)
	return x, ok && !x.infinite
}

// scanHex reads hexadecimal digits, a point among them, and a binary exponent.
func scanHex(body []byte, negative bool) (LongDouble, bool) {
	var hi, lo uint64
	var more, point, any bool
	exp := 0
	i := 0
	for ; i < len(body); i++ {
		c := body[i]
		if c == '.' && !point {
			point = true
			continue
		}
		digit, ok := hexDigit(c)
		if !ok {
			break
		}
		any = true
		if hi>>60 == 0 {
			hi, lo = hi<<4|lo>>60, lo<<4|digit
		} else {
			more = more || digit != 0
			exp += 4
		}
		if point {
			exp -= 4
		}
	}
	power, ok := scanExponent(body[i:], 'p')
	if !any || !ok {
		return LongDouble{}, false
	}
	x := round(negative, hi, lo, more, exp+power)
	return x, x.mant == 0 || x.representable()
}

func hexDigit(c byte) (uint64, bool) {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0'), true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10, true
	}
	return 0, false
}

// scanDecimal reads decimal digits, a point among them, and a decimal exponent.
func scanDecimal(body []byte, negative bool) (LongDouble, bool) {
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
	power, ok := scanExponent(body[i:], 'e')
	if !any || !ok {
		return LongDouble{}, false
	}
	exp += power
	switch {
	case mant == 0:
		return LongDouble{negative: negative}, true
	case significant <= maxExactDigits && exp >= -maxExactPower && exp <= maxExactPower:
		return scaleExact(negative, mant, exp), true
	case significant+exp < -5000 || significant+exp > 5000:
		return LongDouble{}, false
	}
	x := scaleBig(negative, body[:i], exp)
	return x, x.infinite || x.representable()
}

// representable reports whether x, not zero, is not rounded to zero by C.
func (x LongDouble) representable() bool {
	top := x.exp + 63 // x is in [2^top, 2^(top+1))
	return x.infinite || top > minLongDoubleExp || top == minLongDoubleExp && x.mant<<1 != 0
}

// scanExponent reads an optional exponent after letter, to the end of b.
func scanExponent(b []byte, letter byte) (int, bool) {
	if len(b) == 0 {
		return 0, true
	}
	if b[0]|0x20 != letter {
		return 0, false
	}
	digits, negative := cutSign(b[1:])
	if len(digits) == 0 {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int(c-'0'), exponentLimit)
	}
	if negative {
		n = -n
	}
	return n, true
}

// powersOfFive holds 5^0 to 5^27.
var powersOfFive = func() (table [maxExactPower + 1]uint64) {
	table[0] = 1
	for i := 1; i < len(table); i++ {
		table[i] = table[i-1] * 5
	}
	return table
}()

// scaleExact returns mant * 10^exp from one multiplication or division that loses nothing
// but a rest. mant is not 0.
func scaleExact(negative bool, mant uint64, exp int) LongDouble {
	if exp >= 0 {
		hi, lo := bits.Mul64(mant, powersOfFive[exp])
		return round(negative, hi, lo, false, exp)
	}
	divisor := powersOfFive[-exp]
	up, down := bits.LeadingZeros64(mant), bits.LeadingZeros64(divisor)
	rest, divisor := mant<<up, divisor<<down
	exp += down - up

	var whole uint64
	if rest >= divisor {
		whole, rest = 1, rest-divisor
	}
	hi, rest := bits.Div64(rest, 0, divisor)
	lo, rest := bits.Div64(rest, 0, divisor)
	if whole == 1 {
		return round(negative, 1<<63|hi>>1, hi<<63|lo>>1, lo&1 != 0 || rest != 0, exp-127)
	}
	return round(negative, hi, lo, rest != 0, exp-128)
}

// scaleBig returns digits * 10^exp, where digits may contain a point that exp accounts for.
func scaleBig(negative bool, digits []byte, exp int) LongDouble {
	plain := make([]byte, 0, len(digits))
	for _, c := range digits {
		if c != '.' {
			plain = append(plain, c)
		}
	}
	numerator, _ := new(big.Int).SetString(string(plain), 10)
	denominator := big.NewInt(1)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil)
	if exp < 0 {
		denominator = scale
	} else {
		numerator.Mul(numerator, scale)
	}
	quotient := new(big.Float).SetPrec(64).SetMode(big.ToNearestEven)
	quotient.Quo(new(big.Float).SetInt(numerator), new(big.Float).SetInt(denominator))
	var mantissa big.Float
	top := quotient.MantExp(&mantissa)
	mant, _ := mantissa.SetMantExp(&mantissa, 64).Uint64()
	return round(negative, mant, 0, false, top-128)
}
