// Package sizeclass computes how many bytes Go's allocator uses for a request, so that byte
// accounts equal the heap and a block can grow in place up to its class.
//
// The classes are those of Go 1.26 (internal/runtime/gc/sizeclasses.go); a test compares them with
// the runtime in use.
package sizeclass

import "sort"

// classes are the sizes above 1 KiB of which the runtime makes small blocks
// (internal/runtime/gc/sizeclasses.go); what is larger takes whole pages.
var classes = [...]int{
	1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5376,
	6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336,
	16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
}

// Round returns the bytes that the allocator hands out for n bytes without pointers. O(1).
func Round(n int) int {
	const page = 8192
	switch {
	case n == 0:
		return 0
	case n <= 8:
		return 8
	case n <= 16:
		return 16
	case n <= 32:
		return roundUp(n, 8)
	case n <= 256:
		return roundUp(n, 16)
	case n <= 512:
		return roundUp(n, 32)
	case n <= 768:
		return roundUp(n, 64)
	case n <= 1024:
		return roundUp(n, 128)
	case n <= classes[len(classes)-1]:
		return classes[sort.SearchInts(classes[:], n)]
	}
	return roundUp(n, page)
}

// RoundScanned is Round for n bytes that hold pointers: from 512 bytes to 32 KiB such a block
// carries a header of 8 bytes for the collector.
func RoundScanned(n int) int {
	if n <= 512 || n > 32<<10-8 {
		return Round(n)
	}
	return Round(n + 8)
}

// roundUp rounds n up to a multiple of unit, a power of two.
func roundUp(n, unit int) int { return (n + unit - 1) &^ (unit - 1) }
