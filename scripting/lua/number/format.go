package number

import (
	"math"
	"strconv"
)

// Append appends f as C's "%.14g" prints it, which is what tostring shows: integers below 1e14
// without a point, "inf", "-inf", "nan" and, for a NaN with its sign bit set (what x86 produces
// for 0/0), "-nan".
func Append(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -1e14 && i < 1e14 {
		if i == 0 && math.Signbit(f) {
			return append(dst, '-', '0')
		}
		return strconv.AppendInt(dst, i, 10)
	}
	if out, ok := appendShort(dst, f); ok {
		return out
	}
	return AppendG(dst, f, 14)
}

// appendShort appends f if it is the float64 nearest to a decimal number of up to three decimals
// and 14 digits: then these digits are what "%.14g" shows.
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

// AppendG appends f as C's "%.<precision>g".
func AppendG(dst []byte, f float64, precision int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return AppendNonFinite(dst, f)
	}
	return strconv.AppendFloat(dst, f, 'g', precision, 64)
}

// AppendNonFinite appends an infinity or a NaN in C's spelling.
func AppendNonFinite(dst []byte, f float64) []byte {
	if math.Signbit(f) {
		dst = append(dst, '-')
	}
	if math.IsNaN(f) {
		return append(dst, "nan"...)
	}
	return append(dst, "inf"...)
}
