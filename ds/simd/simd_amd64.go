package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// dotRows returns the scalar product of two vectors of the same length, which is a multiple of
// lanes.
func dotRows(v, w []float32) float32 {
	if hasAVX2 {
		return avx2Dot(&v[0], &w[0], len(v))
	}
	return plainDot(v, w)
}

// squareRows returns the sum of the squares of the differences of two such vectors.
func squareRows(v, w []float32) float32 {
	if hasAVX2 {
		return avx2Squares(&v[0], &w[0], len(v))
	}
	return plainSquares(v, w)
}

// dotIntRows is dotRows for integers, whose number is a multiple of intRow.
func dotIntRows(v, w []int8) int32 {
	if hasAVX2 {
		return avx2DotInts(&v[0], &w[0], len(v))
	}
	return plainDotInts(v, w)
}

//go:noescape
func avx2Dot(v, w *float32, n int) float32

//go:noescape
func avx2Squares(v, w *float32, n int) float32

//go:noescape
func avx2DotInts(v, w *int8, n int) int32

//go:noescape
func prefetch(p unsafe.Pointer, n int)
