package number

import (
	"math"
	"math/bits"
	"strconv"
)

// A numeral may be megabytes long. Then a short one of the same value is read in its place, for two
// reasons: the Meter's hook can stop the search for it, and strconv.ParseFloat loses count of
// integers of more than 800 digits.

const (
	// longNumeral is the length from which numerals are cut.
	longNumeral = 800
	// mostDigits is how many digits are kept: more than the 767 that decide how a number is
	// rounded, if it is known whether anything but zeros follows.
	mostDigits = 780
)

func isZero(c byte) bool       { return c == '0' }
func isDigit(c byte) bool      { return c-'0' < 10 }
func isNaNPayload(c byte) bool { return c == '_' || IsAlnum(c) }

// ParsePrefix reads the longest number at the start of s, which must not begin with white space, as
// C's strtod does, and returns its value and its length; the length is 0 when there is none.
// Overflow gives an infinity, underflow a zero. m counts the work on long ones.
func ParsePrefix(m Meter, s string) (f float64, length int) {
	f, length = strtod(s[:min(len(s), longNumeral)])
	if len(s) < longNumeral || length < longNumeral/2 && (length == len(s) || s[length] != '(') {
		return f, length
	}
	out, sign := make([]byte, 0, longNumeral), 0
	if s[0] == '-' || s[0] == '+' {
		out, sign = append(out, s[0]), 1
	}
	out, length = cutNumeral(m, out, s[sign:])
	f, _ = strtod(string(out))
	return f, sign + length
}

// shorten returns a numeral of the value that s has, "" if it has none.
func shorten(m Meter, s string) string {
	at := span(m, s, 0, IsBlank)
	out := make([]byte, 0, longNumeral)
	if at < len(s) && (s[at] == '-' || s[at] == '+') {
		out = append(out, s[at])
		at++
	}
	out, length := cutNumeral(m, out, s[at:])
	end := span(m, s, at+length, IsBlank)
	if length == 0 || end < len(s) && s[end] != 0 {
		return ""
	}
	return string(out)
}

// cutNumeral appends a short form of what strtod would read at the start of s, behind a sign, and
// returns how much of s that is.
func cutNumeral(m Meter, out []byte, s string) ([]byte, int) {
	if isHexFloat(s) {
		out, length := cutDigits(m, append(out, "0x"...), s[2:], IsHexDigit, 'p', 4)
		return out, 2 + length
	}
	if n := wordLength(s, "infinity", "inf", "nan"); n > 0 {
		out = append(out, s[:n]...)
		if s[0]|0x20 == 'n' && n < len(s) && s[n] == '(' {
			if end := span(m, s, n+1, isNaNPayload); end < len(s) && s[end] == ')' {
				n = end + 1
			}
		}
		return out, n
	}
	return cutDigits(m, out, s, isDigit, 'e', 1)
}

// cutDigits appends the leading digits of a number as an integer, a digit more for what else there
// is, and an exponent with that letter, which a digit shifts by weight.
func cutDigits(m Meter, out []byte, s string, isOne func(c byte) bool, letter byte, weight int) ([]byte, int) {
	first := len(out)
	zeros := span(m, s, 0, isZero)
	end := span(m, s, zeros, isOne)
	kept := min(end, zeros+mostDigits)
	out = append(out, s[zeros:kept]...)
	shift, seen := end-kept, end
	more := span(m, s, kept, isZero) < end
	if end < len(s) && s[end] == '.' {
		from := end + 1
		end = span(m, s, from, isOne)
		seen += end - from
		if len(out) == first {
			zeros = span(m, s, from, isZero)
			shift, from = from-zeros, zeros
		}
		kept = min(end, from+mostDigits-(len(out)-first))
		out = append(out, s[from:kept]...)
		shift -= kept - from
		more = more || span(m, s, kept, isZero) < end
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
	exponent, length := cutExponent(m, s[end:], letter)
	exponent = min(max(exponent+shift*weight, -1e6), 1e6)
	return strconv.AppendInt(append(out, letter), int64(exponent), 10), end + length
}

// cutExponent returns the exponent that s begins with, kept within bounds, and how long it is.
func cutExponent(m Meter, s string, letter byte) (exponent, length int) {
	at := 1
	if len(s) > 1 && (s[1] == '-' || s[1] == '+') {
		at = 2
	}
	if exponentLength(s[:min(at+1, len(s))], letter) == 0 {
		return 0, 0
	}
	length = span(m, s, at, isDigit)
	at = span(m, s, at, isZero)
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

// ParseBase reads an integer in a base of 2 to 36 as C's strtoul does, between optional white
// space.
func ParseBase(m Meter, s string, base int) (float64, bool) {
	at := span(m, s, 0, IsBlank)
	negative := at < len(s) && s[at] == '-'
	if negative || at < len(s) && s[at] == '+' {
		at++
	}
	if base == 16 && isHexFloat(s[at:]) && s[at+2] != '.' {
		at += 2
	}
	n, end := digitsOf(m, s, at, uint64(base))
	if negative && n != math.MaxUint64 {
		n = -n
	}
	rest := span(m, s, end, IsBlank)
	return float64(n), end > at && (rest == len(s) || s[rest] == 0)
}

// digitsOf reads digits from s[at] on: what they say, at most 2^64-1, and where they end.
func digitsOf(m Meter, s string, at int, base uint64) (n uint64, end int) {
	for ; at < len(s); at++ {
		digit := uint64(HexDigit(s[at]))
		if !IsAlnum(s[at]) || digit >= base {
			break
		}
		if high, low := bits.Mul64(n, base); high > 0 || low+digit < low {
			n = math.MaxUint64
		} else {
			n = low + digit
		}
		if at%stretch == 0 && m != nil {
			m.Tick(stretch >> 3)
		}
	}
	return n, at
}

// stretch is how many bytes are read between two ticks.
const stretch = 1 << 14

// span returns the end of the run of bytes that has, from s[i] on.
func span(m Meter, s string, i int, has func(c byte) bool) int {
	for {
		from, end := i, min(i+stretch, len(s))
		for i < end && has(s[i]) {
			i++
		}
		if m != nil {
			m.Tick((i - from) >> 3)
		}
		if i < end || i == len(s) {
			return i
		}
	}
}
