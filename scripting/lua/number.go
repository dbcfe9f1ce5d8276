package lua

import (
	"math"
	"strconv"
)

// formatNumber appends f as C's "%.14g" prints it: integers below 1e14
// without a point, "inf", "-inf", "nan" and, for a NaN with its sign bit set
// (what x86 produces for 0/0), "-nan".
func formatNumber(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -1e14 && i < 1e14 {
		if i == 0 && math.Signbit(f) {
			return append(dst, '-', '0')
		}
		return strconv.AppendInt(dst, i, 10)
	}
	if out, ok := appendShort(dst, f); ok {
		return out
	}
	return appendG(dst, f, 14)
}

// appendShort appends f if it is what a decimal number with up to three decimals and 14 digits in all is read
// as: that is then what 14 digits of f show.
func appendShort(dst []byte, f float64) ([]byte, bool) {
	for decimals := 1; decimals <= 3; decimals++ {
		power := powersOfTen[decimals]
		n := f * power
		if n != math.Trunc(n) {
			continue
		}
		if math.Abs(n) >= 1e14 || n/power != f {
			return dst, false
		}
		if n < 0 {
			dst, n = append(dst, '-'), -n
		}
		whole, scale := uint64(n)/uint64(power), uint64(power)
		dst = strconv.AppendUint(dst, whole, 10)
		dst = append(dst, '.')
		for rest := uint64(n) % scale; scale > 1; rest %= scale {
			scale /= 10
			dst = append(dst, '0'+byte(rest/scale))
		}
		for dst[len(dst)-1] == '0' { // of 268.35 only the product by 1000 is an integer
			dst = dst[:len(dst)-1]
		}
		return dst, true
	}
	return dst, false
}

// appendG appends f as C's "%.<precision>g".
func appendG(dst []byte, f float64, precision int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendNonFinite(dst, f)
	}
	return strconv.AppendFloat(dst, f, 'g', precision, 64)
}

// appendNonFinite appends an infinity or a NaN in C's spelling.
func appendNonFinite(dst []byte, f float64) []byte {
	if math.Signbit(f) {
		dst = append(dst, '-')
	}
	if math.IsNaN(f) {
		return append(dst, "nan"...)
	}
	return append(dst, "inf"...)
}

// parseNumber reads s as Lua 5.1 converts a string to a number: C's strtod
// (decimal, hexadecimal with or without fraction and binary exponent, inf,
// nan) between optional white space. As in C the string ends at its first
// zero byte. It reports false when anything else remains. It is not for long strings: see State.parseNumber.
func parseNumber(s string) (float64, bool) {
	if f, ok := parseDigits(s); ok {
		return f, true
	}
	return parseStrtod(s)
}

// parseDigits is the short way for 1 to 15 decimal digits, optionally signed.
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

func parseStrtod(s string) (float64, bool) {
	i := skipBlanks(s, 0)
	f, end := strtod(s[i:])
	if end == 0 {
		return 0, false
	}
	i = skipBlanks(s, i+end)
	return f, i == len(s) || s[i] == 0
}

func skipBlanks(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c-'\t' < 5 }

// strtod reads the longest number at the start of s, which must not begin
// with white space, and returns its value and its length; the length is 0
// when there is none. Overflow gives an infinity, underflow a zero, as in C.
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

func positiveNaN() float64 { return math.Float64frombits(0x7ff8 << 48) }

// negativeNaN is what an invalid operation leaves on x86.
func negativeNaN() float64 { return math.Float64frombits(0xfff8 << 48) }

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
		if s[i] != '_' && !isAlnum(s[i]) {
			break
		}
	}
	return n
}

func isAlnum(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 }

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
	return isHexDigit(s[2]) || s[2] == '.' && len(s) > 3 && isHexDigit(s[3])
}

func isHexDigit(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

// hexFloat measures and converts a hexadecimal number; up to 16 digits
// without fraction and exponent need no allocation.
func hexFloat(s string) (float64, int) {
	i, n := 2, uint64(0)
	for i < len(s) && isHexDigit(s[i]) {
		n = n<<4 | uint64(hexDigitValue(s[i]))
		i++
	}
	whole := i
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isHexDigit(s[i]); i++ {
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

func hexDigitValue(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return (c | 0x20) - 'a' + 10
}
