package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A log that is full keeps the last entries, in memory for twice as many at most.
func TestSlowlogKeepsTheLast(t *testing.T) {
	e := New(Options{Clock: func() int64 { return 1e15 }, Seed: 1})
	s := e.NewSession(nil)
	l := slowlog{maxLen: 1000}
	for range 10_000 {
		l.add(s, [][]byte{[]byte("PING")}, 1, 2)
		require.LessOrEqual(t, cap(l.entries), 2*l.maxLen)
	}
	require.Len(t, l.entries, 1000)
	require.Equal(t, int64(9000), l.entries[0].id)
	require.Equal(t, int64(9999), l.entries[999].id)
	l.maxLen = 10
	l.trim()
	require.Equal(t, int64(9990), l.entries[0].id)
}
