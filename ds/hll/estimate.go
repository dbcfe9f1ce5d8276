package hll

import "math"

// histogram is how many registers have each value.
type histogram [registerMax + 1]int

func (h *histogram) add(other *histogram) {
	for v, n := range other {
		h[v] += n
	}
}

// estimate returns the cardinality that makes such registers most likely, by the improved estimator
// of Otmar Ertl ("New cardinality estimation algorithms for HyperLogLog sketches", 2017), which
// needs no tables of corrections anywhere in the range.
//
// The conversions to float64 round products before they are added. Otherwise a processor with fused
// arithmetic would give another result.
func (h *histogram) estimate() int64 {
	const alpha = 0.721347520444481703680 // 1 / (2 ln 2)
	const m = float64(count)
	z := m * tau((m-float64(h[rankBits+1]))/m)
	for k := rankBits; k >= 1; k-- {
		z = (z + float64(h[k])) * 0.5
	}
	z += float64(m * sigma(float64(h[0])/m))
	return int64(math.Round(alpha * m * m / z))
}

// sigma is the term for the registers that are zero; x is their share.
func sigma(x float64) float64 {
	if x == 1 {
		return math.Inf(1)
	}
	y, z := 1.0, x
	for {
		x *= x
		last := z
		z += float64(x * y)
		if z == last {
			return z
		}
		y += y
	}
}

// tau is the term for the registers that are full; x is the share of the others.
func tau(x float64) float64 {
	if x == 0 || x == 1 {
		return 0
	}
	y, z := 1.0, 1-x
	for {
		x = math.Sqrt(x)
		last := z
		y *= 0.5
		z -= float64((1 - x) * (1 - x) * y)
		if z == last {
			return z / 3
		}
	}
}
