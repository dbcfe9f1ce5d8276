//go:build linux

package main

import "slices"

// attempts bounds the number of attempts to make a finding shorter.
const attempts = 400

// reduce returns a short part of items for which fails is true, as it must be for all of them. It
// leaves out halves, then quarters, and at last single items.
func reduce[T any](items []T, fails func([]T) bool) []T {
	left := attempts
	for size := (len(items) + 1) / 2; size > 0 && left > 0; size /= 2 {
		for at := len(items); at > 0 && left > 0; at -= size {
			shorter := slices.Delete(slices.Clone(items), max(at-size, 0), at)
			if left--; fails(shorter) {
				items = shorter
			}
			at = min(at, len(items)+size)
		}
	}
	return items
}
