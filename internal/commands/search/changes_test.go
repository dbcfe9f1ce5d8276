package search

import (
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
	require.Equal(t, 4*changeBytes+len("abconce"), ch.bytes())
	for _, want := range []string{"c", "a", "b", "once"} {
		key, ok := ch.take()
		require.True(t, ok)
		require.Equal(t, want, key)
	}
	_, ok := ch.take()
	require.False(t, ok)
	require.Zero(t, ch.bytes())
}
