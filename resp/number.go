package resp

import (
	"math"
	"strconv"
)

// FormatDouble appends f as Redis replies with it: a whole number up to 2^62 as an integer, all
// others as [FormatShortest] does; inf, -inf and nan. At most 25 bytes.
func FormatDouble(dst []byte, f float64) []byte {
	const maxPlain = 1 << 62
	if n := int64(f); float64(n) == f && n >= -maxPlain && n <= maxPlain && (n != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, n, 10)
	}
	if math.IsNaN(f) {
		return append(dst, "nan"...)
	}
	return FormatShortest(dst, f)
}

// Format17 appends f as C's "%.17g": 17 significant digits without trailing zeros,
// an exponent of at least two digits below 1e-4 and from 1e17 on; inf, -inf, nan and -nan.
// Up to Redis 7.0 all replies are in this format, later only the scores of ZSCAN.
func Format17(dst []byte, f float64) []byte {
	const maxPlain = 1e17
	if n := int64(f); float64(n) == f && n > -maxPlain && n < maxPlain && (n != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, n, 10)
	}
	if special := specialText(f); special != "" {
		if math.IsNaN(f) && math.Signbit(f) {
			dst = append(dst, '-')
		}
		return append(dst, special...)
	}
	return strconv.AppendFloat(dst, f, 'g', 17, 64)
}

// FormatHuman appends f with up to 17 digits after the point, no exponent and no trailing
// zeros; inf, -inf and nan. At most 326 bytes.
func FormatHuman(dst []byte, f float64) []byte {
	if special := specialText(f); special != "" {
		return append(dst, special...)
	}
	at := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', 17, 64)
	end := len(dst)
	for dst[end-1] == '0' {
		end--
	}
	if dst[end-1] == '.' {
		end--
	}
	if end == at+2 && dst[at] == '-' && dst[at+1] == '0' {
		return append(dst[:at], '0') // Redis 7.0 prints no negative zero here
	}
	return dst[:end]
}

// specialText returns the text of an infinity or nan, and "" for every other number.
func specialText(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	return ""
}

// ParseInt parses b as an int64. It returns false if b is not exactly what Writer.Int
// writes: no space, no plus sign, no leading zero, no "-0".
func ParseInt(b []byte) (int64, bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	if digits[0] == '0' {
		return 0, len(b) == 1
	}
	var n uint64
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	switch negative := len(digits) < len(b); {
	case negative && n <= 1<<63:
		return -int64(n), true
	case !negative && n <= math.MaxInt64:
		return int64(n), true
	}
	return 0, false
}

// Decimal returns n as text.
func Decimal(n int64) []byte { return strconv.AppendInt(nil, n, 10) }
