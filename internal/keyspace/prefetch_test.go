package keyspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFetch: whatever is fetched, nothing changes, not even a key that is due.
func TestFetch(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	var args [][]byte
	for i := range 3*PrefetchKeys + 1 {
		args = append(args, keyOf(i*cachedKeys/20))
	}
	db.Keys().Prefetch(args, 1)
	fill(db, 2*cachedKeys, func(i int) int64 { return start + int64(i%2) })
	require.True(t, db.Keys().Cold())
	ks.OnExpire = func(_ *DB, key string) { require.Fail(t, "removed", key) }
	before := ks.Digest()
	ks.Now++
	for n := range len(args) {
		for step := 1; step <= 3; step++ {
			db.Keys().Prefetch(args[:n], step)
		}
	}
	require.Equal(t, 2*cachedKeys, db.Len())
	ks.Now--
	require.Equal(t, before, ks.Digest())
	require.NoError(t, db.Check())
}
