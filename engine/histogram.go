package engine

import "math/bits"

// histogram counts durations in microseconds. Its buckets are an eighth of a power of two wide, so
// that a percentile is at most 12 % too high. The zero value is empty and holds no memory.
type histogram struct {
	counts []uint32
	total  int64
}

const (
	eighths    = 3
	maxBucket  = (40 - eighths + 1) << eighths // durations up to 2^40 microseconds
	microsMost = 1<<40 - 1
)

// bucket returns the number of the bucket for a duration.
func bucket(micros int64) int {
	n := uint64(max(0, min(micros, microsMost)))
	if n < 1<<eighths {
		return int(n)
	}
	shift := bits.Len64(n) - eighths - 1
	return (shift+1)<<eighths + int(n>>shift) - 1<<eighths
}

// upper returns the longest duration that a bucket counts.
func upper(bucket int) int64 {
	if bucket < 1<<eighths {
		return int64(bucket)
	}
	shift := bucket>>eighths - 1
	base := int64(1<<eighths + bucket&(1<<eighths-1))
	return (base+1)<<shift - 1
}

func (h *histogram) add(micros int64, n int) {
	if h.counts == nil {
		h.counts = make([]uint32, maxBucket)
	}
	h.counts[bucket(micros)] += uint32(n)
	h.total += int64(n)
}

// percentile returns the duration that p percent of the counted ones do not exceed.
func (h *histogram) percentile(p float64) int64 {
	want := int64(float64(h.total)*p/100 + 0.5)
	seen := int64(0)
	for i, n := range h.counts {
		if seen += int64(n); n > 0 && seen >= max(1, want) {
			return upper(i)
		}
	}
	return 0
}

// powers calls fn with each power of two that more durations stay below than below the one before,
// and their number.
func (h *histogram) powers(fn func(micros, count int64)) {
	seen, told, limit := int64(0), int64(0), int64(1)
	for i, n := range h.counts {
		for upper(i) > limit {
			if seen > told {
				fn(limit, seen)
				told = seen
			}
			limit *= 2
		}
		seen += int64(n)
	}
	if seen > told {
		fn(limit, seen)
	}
}
