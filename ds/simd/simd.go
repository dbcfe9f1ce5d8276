// Package simd is scalar products and distances of vectors, with the instructions of the processor
// that do many components at once: AVX2 on amd64, NEON on arm64, and else a plain loop.
//
// The result is the same on every processor, to the last bit. Sums of integers are exact. Numbers
// with a point are added up in 16 lanes, of which each has every 16th product, and the lanes then
// in pairs:
//
//	lane    0  1  2 ... 15      v[0]w[0] + v[16]w[16] + ..., v[1]w[1] + v[17]w[17] + ..., ...
//	        0+8 1+9 ... 7+15    4 more rounds make one sum of them
//
// The products that fill no row of lanes are added last, one after the other. Each is rounded
// before it is added, as not all processors can do both at once. Squares of differences are added
// up as products are.
package simd

import "unsafe"

// lanes is how many sums of numbers with a point there are.
const lanes = 16

// Dot returns the scalar product of two vectors of the same length.
func Dot(v, w []float32) float32 {
	w = w[:len(v)]
	rows := len(v) &^ (lanes - 1)
	var sum float32
	if rows > 0 {
		sum = dotRows(v[:rows], w[:rows])
	}
	for i, x := range v[rows:] {
		sum += float32(x * w[rows+i])
	}
	return sum
}

// plainDot is dotRows as a loop.
func plainDot(v, w []float32) float32 {
	var sums [lanes]float32
	for len(v) >= lanes && len(w) >= lanes {
		x, y := (*[lanes]float32)(v), (*[lanes]float32)(w)
		for i := range sums {
			sums[i] += float32(x[i] * y[i])
		}
		v, w = v[lanes:], w[lanes:]
	}
	return total(&sums)
}

// total adds up the lanes.
func total(sums *[lanes]float32) float32 {
	for n := lanes / 2; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}

// Squares returns the sum of the squares of the differences of two vectors of the same length: the
// square of their Euclidean distance.
func Squares(v, w []float32) float32 {
	w = w[:len(v)]
	rows := len(v) &^ (lanes - 1)
	var sum float32
	if rows > 0 {
		sum = squareRows(v[:rows], w[:rows])
	}
	for i, x := range v[rows:] {
		d := x - w[rows+i]
		sum += float32(d * d)
	}
	return sum
}

// plainSquares is squareRows as a loop.
func plainSquares(v, w []float32) float32 {
	var sums [lanes]float32
	for len(v) >= lanes && len(w) >= lanes {
		x, y := (*[lanes]float32)(v), (*[lanes]float32)(w)
		for i := range sums {
			d := x[i] - y[i]
			sums[i] += float32(d * d)
		}
		v, w = v[lanes:], w[lanes:]
	}
	return total(&sums)
}

// intRow is how many integers are multiplied at once.
const intRow = 16

// DotInts returns the scalar product of two vectors of the same length, up to 1<<17.
func DotInts(v, w []int8) int32 {
	w = w[:len(v)]
	rows := len(v) &^ (intRow - 1)
	var sum int32
	if rows > 0 {
		sum = dotIntRows(v[:rows], w[:rows])
	}
	for i, x := range v[rows:] {
		sum += int32(x) * int32(w[rows+i])
	}
	return sum
}

// plainDotInts is dotIntRows as a loop.
func plainDotInts(v, w []int8) int32 {
	var a, b, c, d int32
	for len(v) >= 8 && len(w) >= 8 {
		x, y := (*[8]int8)(v), (*[8]int8)(w)
		a += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4])
		b += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5])
		c += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6])
		d += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7])
		v, w = v[8:], w[8:]
	}
	return a + b + c + d
}

// mostFetched is how many bytes Prefetch fetches. With more, the processor goes on by itself.
const mostFetched = 512

// Prefetch has the processor bring bytes from memory into its caches, n or the first few hundred,
// and does not wait for them.
func Prefetch(p unsafe.Pointer, n int) { prefetch(p, min(n, mostFetched)) }

// Fetch is Prefetch of a vector.
func Fetch(v []float32) { Prefetch(unsafe.Pointer(unsafe.SliceData(v)), 4*len(v)) }
