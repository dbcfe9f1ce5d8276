package simd

import "unsafe"

// dotRows returns the scalar product of two vectors of the same length, which is a multiple of
// lanes.
func dotRows(v, w []float32) float32 { return neonDot(&v[0], &w[0], len(v)) }

// squareRows returns the sum of the squares of the differences of two such vectors.
func squareRows(v, w []float32) float32 { return neonSquares(&v[0], &w[0], len(v)) }

// dotIntRows is dotRows for integers, whose number is a multiple of intRow.
func dotIntRows(v, w []int8) int32 { return neonDotInts(&v[0], &w[0], len(v)) }

//go:noescape
func neonDot(v, w *float32, n int) float32

//go:noescape
func neonSquares(v, w *float32, n int) float32

//go:noescape
func neonDotInts(v, w *int8, n int) int32

//go:noescape
func prefetch(p unsafe.Pointer, n int)
