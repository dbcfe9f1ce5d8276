package keyspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAdopt: what was put into a twin is all there is afterwards, with its deadlines, also for a
// snapshot that was being taken of what was there before.
func TestAdopt(t *testing.T) {
	ks := New(2, 1, func(uint64) uint64 { return 0 })
	ks.Now = 1000
	ks.DB(0).Set([]byte("old"), ks.String([]byte("1")), false)
	ks.DB(1).Set([]byte("old"), ks.String([]byte("2")), false)
	require.False(t, ks.Empty())
	var saved []string
	picture := ks.Snapshot(func(r *Record, _ *Pace) { saved = append(saved, r.Key) })

	twin := ks.Twin(ks.dice)
	require.True(t, twin.Empty())
	twin.DB(1).SetUntil([]byte("new"), twin.String([]byte("3")), 2000)
	twin.DB(1).Set([]byte("old"), twin.String([]byte("4")), false)
	ks.Adopt(twin)
	require.True(t, twin.Empty())
	for picture.Step(1) {
	}
	require.Equal(t, []string{"old", "old"}, saved)
	require.Zero(t, ks.DB(0).Len())
	require.Equal(t, 2, ks.DB(1).Len())
	require.Equal(t, 1, ks.DB(1).Expiry().Volatile())
	require.NoError(t, ks.DB(1).Check())
	again := 0
	for next := ks.Snapshot(func(*Record, *Pace) { again++ }); next.Step(1); {
	}
	require.Equal(t, 2, again)
	ks.Now = 2000
	require.False(t, ks.DB(1).Exists([]byte("new")))
	require.NoError(t, ks.DB(1).Check())
}

// TestBytesOfAllDatabases moves a key to databases that held none before, and asks for the sum.
func TestBytesOfAllDatabases(t *testing.T) {
	ks := newKeyspace()
	sum := func() (n int) {
		for i := range ks.Len() {
			n += ks.DB(i).Usage().Bytes()
		}
		return n
	}
	require.Zero(t, ks.Bytes())
	last := ks.Len() - 1
	ks.DB(1).Set([]byte("k"), ks.Int(1), false)
	require.NotZero(t, sum())
	require.Equal(t, sum(), ks.Bytes())
	ks.Swap(last-1, 1)
	require.Equal(t, sum(), ks.Bytes())
	twin := ks.Twin(ks.dice)
	twin.DB(last).Set([]byte("k"), ks.Int(1), false)
	require.Equal(t, twin.DB(last).Usage().Bytes(), twin.Bytes())
	ks.Adopt(twin)
	require.Equal(t, sum(), ks.Bytes())
}
