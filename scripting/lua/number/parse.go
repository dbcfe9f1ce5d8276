package number

import (
	"math"
	"strconv"
)

// Parse reads s as Lua 5.1 converts a string to a number: C's strtod (decimal, hexadecimal with or
// without fraction and binary exponent, inf, nan) between optional white space. As in C the string
// ends at its first zero byte. It reports false when anything else remains. O(len(s)), counted by
// m.
func Parse(m Meter, s string) (float64, bool) {
	if f, ok := parseDigits(s); ok {
		return f, true
	}
	if len(s) >= longNumeral {
		s = shorten(m, s)
	}
	return parseBlanks(s)
}

// parseDigits is the fast path for 1 to 15 decimal digits, optionally signed.
func parseDigits(s string) (float64, bool) {
	digits := s
	if len(s) > 1 && s[0] == '-' {
		digits = s[1:]
	}
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	n := int64(0)
	for i := 0; i < len(digits); i++ {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	f := float64(n)
	if len(digits) != len(s) {
		f = -f
	}
	return f, true
}

// parseBlanks reads a number between white space.
func parseBlanks(s string) (float64, bool) {
	i := skipBlanks(s, 0)
	f, end := strtod(s[i:])
	if end == 0 {
		return 0, false
	}
	i = skipBlanks(s, i+end)
	return f, i == len(s) || s[i] == 0
}

func skipBlanks(s string, i int) int {
	for i < len(s) && IsBlank(s[i]) {
		i++
	}
	return i
}

// IsBlank reports whether c is white space in the C locale.
func IsBlank(c byte) bool { return c == ' ' || c-'\t' < 5 }

// strtod is ParsePrefix for numerals that are not long.
func strtod(s string) (f float64, length int) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	negative := i == 1 && s[0] == '-'
	switch {
	case i == len(s):
		return 0, 0
	case s[i]|0x20 == 'i':
		f, length = math.Inf(1), wordLength(s[i:], "infinity", "inf")
	case s[i]|0x20 == 'n':
		f, length = positiveNaN(), nanLength(s[i:])
	case isHexFloat(s[i:]):
		f, length = hexFloat(s[i:])
	default:
		f, length = decimalFloat(s[i:])
	}
	if length == 0 {
		return 0, 0
	}
	if negative {
		f = -f
	}
	return f, i + length
}

// NegativeNaN returns what an invalid operation leaves on x86.
func NegativeNaN() float64 { return math.Float64frombits(0xfff8 << 48) }

func positiveNaN() float64 { return math.Float64frombits(0x7ff8 << 48) }

// wordLength returns the length of the first of the lower-case words that s
// begins with, whatever its case, or 0.
func wordLength(s string, words ...string) int {
	for _, w := range words {
		if len(s) >= len(w) && equalFold(s[:len(w)], w) {
			return len(w)
		}
	}
	return 0
}

func equalFold(s, lower string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// nanLength measures "nan" or "nan(letters, digits and underscores)".
func nanLength(s string) int {
	n := wordLength(s, "nan")
	if n == 0 || n == len(s) || s[n] != '(' {
		return n
	}
	for i := n + 1; i < len(s); i++ {
		if s[i] == ')' {
			return i + 1
		}
		if s[i] != '_' && !IsAlnum(s[i]) {
			break
		}
	}
	return n
}

// IsAlnum reports whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 }

// decimalFloat measures digits, point and exponent and converts them.
func decimalFloat(s string) (float64, int) {
	i, digits := 0, 0
	n, scale := uint64(0), 0
	for ; i < len(s) && s[i]-'0' < 10; i++ {
		n = n*10 + uint64(s[i]-'0')
	}
	digits = i
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && s[i]-'0' < 10; i++ {
			n = n*10 + uint64(s[i]-'0')
			scale++
		}
		digits += scale
	}
	if digits == 0 {
		return 0, 0
	}
	exponent := exponentLength(s[i:], 'e')
	if exponent == 0 && digits <= 15 {
		return float64(n) / powersOfTen[scale], i // both exact, so this is rounded once
	}
	i += exponent
	f, _ := strconv.ParseFloat(s[:i], 64)
	return f, i
}

var powersOfTen = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

func digitRun(s string, i int) (end, count int) {
	end = i
	for end < len(s) && s[end]-'0' < 10 {
		end++
	}
	return end, end - i
}

// exponentLength measures the letter (in either case), a sign and at least
// one digit; 0 if they are not all there.
func exponentLength(s string, letter byte) int {
	if len(s) == 0 || s[0]|0x20 != letter {
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	end, digits := digitRun(s, i)
	if digits == 0 {
		return 0
	}
	return end
}

// isHexFloat reports whether s begins with 0x and a hexadecimal digit,
// perhaps after a point; otherwise C reads the lone "0".
func isHexFloat(s string) bool {
	if len(s) < 3 || s[0] != '0' || s[1]|0x20 != 'x' {
		return false
	}
	return IsHexDigit(s[2]) || s[2] == '.' && len(s) > 3 && IsHexDigit(s[3])
}

// IsHexDigit reports whether c is a hexadecimal digit.
func IsHexDigit(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

// hexFloat measures and converts a hexadecimal number; up to 16 digits without fraction and
// exponent allocate nothing.
func hexFloat(s string) (float64, int) {
	i, n := 2, uint64(0)
	for i < len(s) && IsHexDigit(s[i]) {
		n = n<<4 | uint64(HexDigit(s[i]))
		i++
	}
	whole := i
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && IsHexDigit(s[i]); i++ {
		}
	}
	exponent := exponentLength(s[i:], 'p')
	if i == whole && exponent == 0 && whole <= 2+16 {
		return float64(n), i
	}
	number := s[:i+exponent]
	if exponent == 0 {
		number += "p0"
	}
	f, _ := strconv.ParseFloat(number, 64)
	return f, i + exponent
}

// HexDigit returns the value of a digit in a base up to 36: c must be an ASCII letter or digit.
func HexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return (c | 0x20) - 'a' + 10
}
