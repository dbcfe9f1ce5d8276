package latency

import "math/bits"

// histogram counts durations in microseconds. Its buckets are an eighth of a power of two wide, so
// that a percentile is at most 12 % too high. The zero value is empty and holds no memory.
type histogram struct {
	counts []uint32
	total  int64
}

const (
	bucketBits = 3
	maxBucket  = (40 - bucketBits + 1) << bucketBits // durations up to 2^40 microseconds
	maxMicros  = 1<<40 - 1
)

// bucket returns the number of the bucket for a duration.
func bucket(micros int64) int {
	n := uint64(max(0, min(micros, maxMicros)))
	if n < 1<<bucketBits {
		return int(n)
	}
	shift := bits.Len64(n) - bucketBits - 1
	return (shift+1)<<bucketBits + int(n>>shift) - 1<<bucketBits
}

// upperBound returns the longest duration that a bucket counts.
func upperBound(bucket int) int64 {
	if bucket < 1<<bucketBits {
		return int64(bucket)
	}
	shift := bucket>>bucketBits - 1
	base := int64(1<<bucketBits + bucket&(1<<bucketBits-1))
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
			return upperBound(i)
		}
	}
	return 0
}

// cumulative calls fn with powers of two and how many durations stay below each. It leaves out
// those whose number is that of the power before.
func (h *histogram) cumulative(fn func(micros, count int64)) {
	seen, told, limit := int64(0), int64(0), int64(1)
	for i, n := range h.counts {
		for upperBound(i) > limit {
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
