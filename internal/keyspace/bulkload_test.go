package keyspace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBulkLoad: after Flush the keys are as if they had been restored one by one. A key that comes
// twice is reported, whether the first one is still in the group or in the database already.
func TestBulkLoad(t *testing.T) {
	for _, n := range []int{0, 1, PrefetchKeys - 1, PrefetchKeys, PrefetchKeys + 1, 1000} {
		a, b := New(3, 1, func(uint64) uint64 { return 0 }), New(3, 2, func(uint64) uint64 { return 0 })
		a.Now, b.Now = 1_000_000, 1_000_000
		f := a.BulkLoad()
		created := 0
		a.OnCreate = func(*DB, string) { created++ }
		for i := range n {
			r := Record{DB: i % 3, Key: fmt.Sprint("key:", i), Deadline: int64(i%2) * 2_000_000,
				Idle: int64(i), Freq: -1}
			r.Value = b.String(fmt.Appendf(nil, "value:%d", i))
			require.True(t, b.Restore(&r))
			a.Begin()
			r.Value = a.String(fmt.Appendf(nil, "value:%d", i))
			if f.Add(&r) {
				_, ok := f.Flush()
				require.True(t, ok)
			}
		}
		_, ok := f.Flush()
		require.True(t, ok)
		require.Equal(t, n, created)
		require.Equal(t, b.Digest(), a.Digest())
		for i := range 3 {
			require.NoError(t, a.DB(i).Check())
			require.Equal(t, b.DB(i).Expiry().Volatile(), a.DB(i).Expiry().Volatile())
		}
		if n > 0 {
			require.EqualValues(t, n-1, a.DB((n-1)%3).Marks().Idle(fmt.Append(nil, "key:", n-1)))
			f.Add(&Record{Key: "key:0", Value: a.String([]byte("again"))})
			twice, ok := f.Flush()
			require.False(t, ok)
			require.Equal(t, "key:0", twice)
		}
		for range 2 {
			f.Add(&Record{DB: 2, Key: "new", Value: a.String([]byte("x"))})
		}
		twice, ok := f.Flush()
		require.False(t, ok)
		require.Equal(t, "new", twice)
	}
}
