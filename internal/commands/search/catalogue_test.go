package search

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChangesStayFew: keys that change again and again take little memory, and stay in the order of
// their last changes.
func TestChangesStayFew(t *testing.T) {
	var ch changes
	ch.note("once")
	for range 100_000 {
		ch.note("b")
		ch.note("a")
		require.Less(t, len(ch.keys), 2*mostChanges)
	}
	ch.rename("b", "c")
	ch.note("once")
	require.Equal(t, []string{"c", "a", "b", "once"},
		slices.DeleteFunc(ch.keys, func(key string) bool { return key == "" }))
}
