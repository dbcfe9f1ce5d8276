//go:build !amd64 && !arm64

package simd

import "unsafe"

// dotRows returns the scalar product of two vectors of the same length, which is a multiple of
// lanes.
func dotRows(v, w []float32) float32 { return plainDot(v, w) }

// squareRows returns the sum of the squares of the differences of two such vectors.
func squareRows(v, w []float32) float32 { return plainSquares(v, w) }

// dotIntRows is dotRows for integers, whose number is a multiple of intRow.
func dotIntRows(v, w []int8) int32 { return plainDotInts(v, w) }

func prefetch(unsafe.Pointer, int) {}
