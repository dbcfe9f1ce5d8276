package resp

import (
	"math"
	"strconv"
)

// ParseFloat parses b as a double, and returns false if b is not one. It accepts what Redis
// accepts as a score, which is what C's strtod reads to the last byte: decimal and
// hexadecimal with an optional sign and exponent, inf, infinity and nan in any case.
// It refuses leading or trailing space, overflow, and underflow to zero. It accepts nan:
// callers must refuse it where Redis does. It allocates nothing for b up to 32 bytes.
func ParseFloat(b []byte) (float64, bool) {
	if n, ok := parseShortInt(b); ok {
		return float64(n), true
	}
	body, negative := cutSign(b)
	if len(body) == 0 {
		return 0, false
	}
	if c := body[0]; c != '.' && (c < '0' || c > '9') {
		return parseWord(body, negative)
	}
	for _, c := range body {
		if c == '_' { // strconv reads 0x1_0
			return 0, false
		}
	}
	f, err := parseDigits(body)
	if err != nil || f == 0 && underflows(body) {
		return 0, false
	}
	if negative {
		f = -f
	}
	return f, true
}

// parseDigits parses an unsigned number. Unlike strconv, C accepts a hexadecimal number without an
// exponent.
func parseDigits(body []byte) (float64, error) {
	if isHex(body) && !hasByte(body, 'p') {
		return strconv.ParseFloat(string(body)+"p0", 64)
	}
	return strconv.ParseFloat(string(body), 64)
}

// parseShortInt parses up to 15 decimal digits, the usual score, without strconv.
// It refuses "-0", which as a double is not 0.
func parseShortInt(b []byte) (int64, bool) {
	if len(b) > 15 {
		return 0, false
	}
	return ParseInt(b)
}

// parseWord parses the texts of infinity and nan.
func parseWord(body []byte, negative bool) (float64, bool) {
	switch {
	case equalFold(body, "inf"), equalFold(body, "infinity"):
		if negative {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case len(body) >= 3 && equalFold(body[:3], "nan") && isNaNTail(body[3:]):
		return math.NaN(), true
	}
	return 0, false
}

// isNaNTail reports whether tail is empty or a payload in parentheses, as in nan(0x1).
func isNaNTail(tail []byte) bool {
	if len(tail) == 0 {
		return true
	}
	if len(tail) < 2 || tail[0] != '(' || tail[len(tail)-1] != ')' {
		return false
	}
	for _, c := range tail[1 : len(tail)-1] {
		if c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// underflows reports whether a number that was parsed as zero has a digit other than 0 before
// its exponent.
func underflows(body []byte) bool {
	exponent := byte('e')
	if isHex(body) {
		body, exponent = body[2:], 'p'
	}
	for _, c := range body {
		if c|0x20 == exponent {
			return false
		}
		if c != '0' && c != '.' {
			return true
		}
	}
	return false
}

func cutSign(b []byte) (body []byte, negative bool) {
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		return b[1:], b[0] == '-'
	}
	return b, false
}

// IsHex reports whether text begins as a hexadecimal number.
func IsHex(text []byte) bool {
	body, _ := cutSign(text)
	return isHex(body)
}

func isHex(body []byte) bool { return len(body) > 2 && body[0] == '0' && body[1]|0x20 == 'x' }

// hasByte reports whether b contains the letter, which is given in lower case, in either case.
func hasByte(b []byte, letter byte) bool {
	for _, c := range b {
		if c|0x20 == letter {
			return true
		}
	}
	return false
}

// equalFold reports whether b is word in any case. word must be in lower case.
func equalFold(b []byte, word string) bool {
	if len(b) != len(word) {
		return false
	}
	for i, c := range b {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}
