package number

import "math"

// ToInt64 converts as x86's cvttsd2si does: what does not fit, and NaN, becomes the smallest
// integer.
func ToInt64(f float64) int64 {
	if f >= -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}

// ToInt32 is ToInt64 for C's int.
func ToInt32(f float64) int32 {
	if f > -1<<31-1 && f < 1<<31 {
		return int32(f)
	}
	return math.MinInt32
}

// ToUint64 converts as C compiled for x86 does: through the signed conversion, shifted by 2^63
// where the value reaches it.
func ToUint64(f float64) uint64 {
	if f >= 1<<63 {
		return uint64(ToInt64(f-1<<63)) ^ 1<<63
	}
	return uint64(ToInt64(f))
}
