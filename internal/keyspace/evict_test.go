package keyspace

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/str"
)

func TestSampleReachesEveryKey(t *testing.T) {
	db := newKeyspace().DB(0)
	db.Eviction().Sample(5, false, 0, func(string, uint32) { require.Fail(t, "nothing is there") })
	fill(db, 100, never)
	seen := map[string]bool{}
	for range 1000 {
		n := 0
		db.Eviction().Sample(5, false, 0, func(key string, _ uint32) { seen[key] = true; n++ })
		require.Equal(t, 5, n)
	}
	require.Len(t, seen, 100)
	db.Eviction().Sample(5, true, 0, func(string, uint32) { require.Fail(t, "no key has a deadline") })
}

// Keys with deadlines are found where they are many among all keys and where they are few, be their
// deadlines close together or far apart.
func TestSampleOfVolatileKeys(t *testing.T) {
	for name, every := range map[string]int{"many": 2, "few": 100} {
		db := newKeyspace().DB(0)
		fill(db, 2000, func(i int) int64 {
			switch {
			case i%every != 0:
				return 0
			case i%(2*every) == 0:
				return start + 86_400_000 + int64(i)
			}
			return start + 60_000 + int64(i)
		})
		seen := map[string]bool{}
		for range 20_000 {
			db.Eviction().Sample(3, true, 0, func(key string, _ uint32) {
				deadline, ok := db.Deadline([]byte(key))
				require.True(t, ok && deadline != 0, key)
				seen[key] = true
			})
		}
		require.Len(t, seen, 2000/every, name)
		key, ok := db.Eviction().Any(true)
		require.True(t, ok)
		require.True(t, seen[key])
	}
}

func TestStaleness(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("k")
	db.Set(key, ks.Int(1), false)
	ks.Now += 7000
	given := 0
	see := func(_ string, staleness uint32) { given++; require.EqualValues(t, 7, staleness) }
	for range 100 { // of which some skip the one key
		db.Eviction().Sample(1, false, 7, see)
		db.Eviction().Sample(1, false, 8, func(string, uint32) { require.Fail(t, "none is so stale") })
	}
	require.NotZero(t, given)
	staleness, ok := db.Eviction().Staleness(key, false)
	require.True(t, ok)
	require.EqualValues(t, 7, staleness, "to sample is not to access")
	_, ok = db.Eviction().Staleness(key, true)
	require.False(t, ok, "it has no deadline")
	_, ok = db.Eviction().Staleness([]byte("other"), false)
	require.False(t, ok)
	ks.Access.LFU = true
	db.Set([]byte("f"), ks.Int(1), false)
	staleness, _ = db.Eviction().Staleness([]byte("f"), false)
	require.EqualValues(t, 255-lfuInit, staleness)
}

func TestSoonest(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	_, _, ok := db.Eviction().FirstDue()
	require.False(t, ok)
	fill(db, 100, func(i int) int64 { return start + 1000 + int64(i*7%100) })
	for i := range 50 { // these move later and leave their items behind
		require.True(t, db.SetDeadline(keyOf(i), start+5000+int64(i)))
	}
	require.True(t, db.SetDeadline(keyOf(99), 0))
	last := int64(0)
	for n := 99; n > 0; n-- {
		key, deadline, ok := db.Eviction().FirstDue()
		require.True(t, ok)
		require.GreaterOrEqual(t, deadline, last)
		real, _ := db.Deadline([]byte(key))
		require.Equal(t, real, deadline)
		last = deadline
		require.True(t, db.Delete([]byte(key)))
		require.NoError(t, db.Check())
	}
	_, _, ok = db.Eviction().FirstDue()
	require.False(t, ok)
	require.Equal(t, 1, db.Len())
}

func TestSoonestKeepsWhatIsDueWhereDueKeysAreKept(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 10, func(i int) int64 { return start + 1 + int64(i) })
	require.True(t, db.SetDeadline(keyOf(0), start+100))
	ks.KeepExpired = true
	ks.Now += 50
	key, deadline, ok := db.Eviction().FirstDue()
	require.True(t, ok)
	require.Equal(t, string(keyOf(1)), key)
	require.EqualValues(t, start+2, deadline)
	require.Equal(t, 10, db.Len())
	require.NoError(t, db.Check())
}

// TestEvictedMemoryServesTheNextKeys and those only that are as large.
func TestEvictedMemoryServesTheNextKeys(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	key := func(i int) []byte { return fmt.Appendf(nil, "key:%08d", i) }
	value := []byte("0123456789012345678901234567890123456789")
	for i := range 2000 {
		db.Set(key(i), ks.Text(value), false)
	}
	i, names := 0, make([][]byte, 3000)
	for i := range names {
		names[i] = key(i)
	}
	require.Zero(t, testing.AllocsPerRun(900, func() {
		db.Delete(names[i])
		db.Set(names[2000+i], ks.Text(value), false)
		i++
	}))
	db.SetDeadline(names[i], ks.Now+1)
	require.True(t, db.Delete(names[i]))
	db.Set(names[0], ks.Text(value), false)
	deadline, ok := db.Deadline(names[0])
	require.True(t, ok)
	require.Zero(t, deadline, "what the key before had is gone")
	for range 48 {
		i++
		require.True(t, db.Delete(names[i]))
		require.False(t, db.Delete(names[i]))
	}
	db.Set(names[1], ks.Text(append(value, "more that needs another size"...)), false)
	db.Set(names[2], ks.Int(7), false)
	for j := range names {
		if v, ok := db.Find(names[j]); ok && j > 2 {
			require.Equal(t, string(value), string(v.(*str.Value).Text(nil)))
		}
		ks.Begin()
	}
	require.NoError(t, db.Check())
}
