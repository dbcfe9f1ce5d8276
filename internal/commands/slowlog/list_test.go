package slowlog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A log that is full keeps the last entries, in memory for twice as many at most.
func TestKeepsTheLast(t *testing.T) {
	l := list{most: 1000}
	for range 10_000 {
		l.add(entry{args: []string{"PING"}})
		require.LessOrEqual(t, cap(l.entries), 2*l.most)
	}
	require.Len(t, l.entries, 1000)
	require.Equal(t, int64(9000), l.entries[0].id)
	require.Equal(t, int64(9999), l.entries[999].id)
	l.most = 10
	l.trim()
	require.Equal(t, int64(9990), l.entries[0].id)
}
