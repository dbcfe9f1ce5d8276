package lua

import (
	"math"
	"math/bits"
	"strconv"
)

// A numeral may be megabytes long. Then a short one of the same value is read in its place: that can be stopped,
// and strconv.ParseFloat loses count of integers of more than 800 digits.

const (
	// longNumeral is the length from which numerals are cut.
	longNumeral = 800
	// mostDigits is how many digits are kept: more than the 767 that decide how a number is rounded, if it is
	// known whether anything but zeros follows.
	mostDigits = 780
)

var (
	blankBytes   = makeSet(isBlank)
	zeroDigit    = makeSet(func(c byte) bool { return c == '0' })
	digitBytes   = makeSet(func(c byte) bool { return c-'0' < 10 })
	hexBytes     = makeSet(isHexDigit)
	payloadOfNaN = makeSet(func(c byte) bool { return c == '_' || isAlnum(c) })
)

// toNumber is Value.ToNumber. A nil L takes as long as it takes.
func (L *State) toNumber(v Value) (float64, bool) {
	if v.IsString() {
		return L.parseNumber(v.str())
	}
	return v.ToNumber()
}

func (L *State) parseNumber(s string) (float64, bool) {
	if len(s) >= longNumeral {
		s = L.shortNumeral(s)
	}
	return parseNumber(s)
}

// strtod is the function strtod for what may be long.
func (L *State) strtod(s string) (f float64, length int) {
	f, length = strtod(s[:min(len(s), longNumeral)])
	if len(s) < longNumeral || length < longNumeral/2 && (length == len(s) || s[length] != '(') {
		return f, length
	}
	out, sign := make([]byte, 0, longNumeral), 0
	if s[0] == '-' || s[0] == '+' {
		out, sign = append(out, s[0]), 1
	}
	out, length = L.cutNumeral(out, s[sign:])
	f, _ = strtod(string(out))
	return f, sign + length
}

// shortNumeral returns a numeral of the value that s has, "" if it has none.
func (L *State) shortNumeral(s string) string {
	at := L.span(s, 0, &blankBytes)
	out := make([]byte, 0, longNumeral)
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		out = append(out, s[at])
		at++
	}
	out, length := L.cutNumeral(out, s[at:])
	end := L.span(s, at+length, &blankBytes)
	if length == 0 || end < len(s) && s[end] != 0 {
		return ""
	}
	return string(out)
}

// cutNumeral appends a short form of what strtod would read at the start of s, behind a sign, and returns
// how much of s that is.
func (L *State) cutNumeral(out []byte, s string) ([]byte, int) {
	if isHexFloat(s) {
		out, length := L.cutDigits(append(out, "0x"...), s[2:], &hexBytes, 'p', 4)
		return out, 2 + length
	}
	if n := wordLength(s, "infinity", "inf", "nan"); n > 0 {
		out = append(out, s[:n]...)
		if s[0]|0x20 == 'n' && n < len(s) && s[n] == '(' {
			if end := L.span(s, n+1, &payloadOfNaN); end < len(s) && s[end] == ')' {
				n = end + 1
			}
		}
		return out, n
	}
	return L.cutDigits(out, s, &digitBytes, 'e', 1)
}

// cutDigits appends the leading digits of a number as an integer, a digit more for what else there is,
// and an exponent with that letter, which a digit shifts by weight.
func (L *State) cutDigits(out []byte, s string, digits *byteSet, letter byte, weight int) ([]byte, int) {
	first := len(out)
	zeros := L.span(s, 0, &zeroDigit)
	end := L.span(s, zeros, digits)
	kept := min(end, zeros+mostDigits)
	out = append(out, s[zeros:kept]...)
	shift, seen := end-kept, end
	more := L.span(s, kept, &zeroDigit) < end
	if end < len(s) && s[end] == '.' {
		from := end + 1
		end = L.span(s, from, digits)
		seen += end - from
		if len(out) == first {
			zeros = L.span(s, from, &zeroDigit)
			shift, from = from-zeros, zeros
		}
		kept = min(end, from+mostDigits-(len(out)-first))
		out = append(out, s[from:kept]...)
		shift -= kept - from
		more = more || L.span(s, kept, &zeroDigit) < end
	}
	if seen == 0 {
		return out, 0
	}
	switch {
	case more:
		out = append(out, '1')
		shift--
	case len(out) == first:
		out = append(out, '0')
	}
	exponent, length := L.cutExponent(s[end:], letter)
	exponent = min(max(exponent+shift*weight, -1e6), 1e6)
	return strconv.AppendInt(append(out, letter), int64(exponent), 10), end + length
}

// cutExponent returns the exponent that s begins with, kept within bounds, and how long it is.
func (L *State) cutExponent(s string, letter byte) (exponent, length int) {
	at := 1
	if len(s) > 1 && (s[1] == '-' || s[1] == '+') {
		at = 2
	}
	if exponentLength(s[:min(at+1, len(s))], letter) == 0 {
		return 0, 0
	}
	length = L.span(s, at, &digitBytes)
	at = L.span(s, at, &zeroDigit)
	if length-at > 12 {
		exponent = 1e12
	} else {
		exponent, _ = strconv.Atoi("0" + s[at:length])
	}
	if s[1] == '-' {
		exponent = -exponent
	}
	return exponent, length
}

// parseBase reads an integer as C's strtoul does, blanks around it allowed.
func (L *State) parseBase(s string, base int) (float64, bool) {
	at := L.span(s, 0, &blankBytes)
	negative := at < len(s) && s[at] == '-'
	if negative || at < len(s) && s[at] == '+' {
		at++
	}
	if base == 16 && isHexFloat(s[at:]) && s[at+2] != '.' {
		at += 2
	}
	n, end := L.digitsOf(s, at, uint64(base))
	if negative && n != math.MaxUint64 {
		n = -n
	}
	rest := L.span(s, end, &blankBytes)
	return float64(n), end > at && (rest == len(s) || s[rest] == 0)
}

// digitsOf reads digits from s[at] on: what they say, at most 2^64-1, and where they end.
func (L *State) digitsOf(s string, at int, base uint64) (n uint64, end int) {
	for ; at < len(s); at++ {
		digit := uint64(hexDigitValue(s[at]))
		if !isAlnum(s[at]) || digit >= base {
			break
		}
		if high, low := bits.Mul64(n, base); high > 0 || low+digit < low {
			n = math.MaxUint64
		} else {
			n = low + digit
		}
		if at%stretch == 0 {
			L.Tick(stretch >> 3)
		}
	}
	return n, at
}
