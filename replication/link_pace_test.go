package replication

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPace checks that the link rests between small pieces that arrive often, unless a client waits for an acknowledgement.
func TestPace(t *testing.T) {
	var p pace
	at := int64(1e12)
	rests := func(after, n int64) bool {
		at += after
		return p.rests(at, n)
	}
	require.False(t, rests(0, 100), "the first piece")
	require.True(t, rests(restOften-1, 100))
	require.False(t, rests(restOften, 100), "seldom")
	require.False(t, rests(1, restBytes), "much at once")
	require.True(t, rests(1, restBytes-1))
	p.asked = at
	require.False(t, rests(1, 100), "a client waits")
	for range noRest / restOften * 2 {
		rests(restOften-1, 100)
	}
	require.True(t, rests(restOften-1, 100), "it waits no more")
}
