//go:build !amd64 && !arm64

package simd

import "unsafe"

// dotRows returns the scalar product of two vectors of the same length, which is a multiple of
// lanes.
func dotRows(v, w []float32) float32 { return plainDot(v, w) }

// dotIntRows is the same for integers, whose number is a multiple of intRow.
func dotIntRows(v, w []int8) int32 { return plainDotInts(v, w) }

func prefetch(unsafe.Pointer, int) {}
