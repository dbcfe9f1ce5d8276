package lua

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A table that is filled again and again keeps no room for many elements.
func TestRefillForgetsRoomForMany(t *testing.T) {
	table := NewTable(0, 0)
	for _, n := range []int{keptArray, 0, keptArray} {
		table.Refill(n)
		require.Equal(t, keptArray, cap(table.array))
	}
	for _, n := range []int{1_000_000, 1_000_000, 1} {
		table.Refill(n)
		require.Less(t, cap(table.array), max(2*n, keptArray))
	}
}
