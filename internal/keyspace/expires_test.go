package keyspace

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/dict"
)

// keysOfOneCode returns keys whose items the index of deadlines cannot tell apart.
func keysOfOneCode(db *DB) (keys [][]byte) {
	first := map[uint32]string{}
	for i := range 300_000 {
		key := strconv.Itoa(i)
		code := dict.Code(db.table.Hash(key))
		if other, ok := first[code]; ok {
			keys = append(keys, []byte(other), []byte(key))
		}
		first[code] = key
	}
	return keys
}

// TestKeysOfOneCode moves the deadlines of such keys at random, and reaps them in time.
func TestKeysOfOneCode(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	keys := keysOfOneCode(db)
	require.NotEmpty(t, keys)
	due := map[string]int64{} // 0 for a key without a deadline
	ks.OnExpire = func(_ *DB, key string) {
		require.NotZero(t, due[key])
		require.LessOrEqual(t, due[key], ks.Now)
		delete(due, key)
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		ks.Begin()
		key, at := keys[draw.IntN(len(keys))], ks.Now+1+draw.Int64N(20)
		switch draw.IntN(8) {
		case 0:
			delete(due, string(key))
			db.Delete(key)
		case 1:
			delete(due, string(key))
			db.Set(key, ks.Int(1), false)
			due[string(key)] = 0
		case 2:
			ks.Now++
			for _, more := db.Expiry().Reap(2); more; {
				_, more = db.Expiry().Reap(2)
			}
			for key, deadline := range due {
				require.True(t, deadline == 0 || deadline > ks.Now, "%s should have been reaped at %d", key, deadline)
			}
		case 3:
			requireFirstDue(t, db, due)
		default:
			if _, ok := due[string(key)]; ok {
				due[string(key)] = at
			}
			db.SetDeadline(key, at)
		}
		require.Equal(t, len(due), db.Len())
		require.NoError(t, db.Check())
	}
}

func requireFirstDue(t *testing.T, db *DB, due map[string]int64) {
	var times []int64
	for _, deadline := range due {
		if deadline != 0 {
			times = append(times, deadline)
		}
	}
	key, deadline, ok := db.Eviction().FirstDue()
	require.Equal(t, len(times) > 0, ok)
	if ok {
		require.Equal(t, slices.Min(times), deadline)
		require.Equal(t, deadline, due[key])
	}
}

// The mean is exact, whatever the sum.
func TestAverageTTL(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	require.Zero(t, db.Expiry().AverageTTL())
	for i, deadline := range []int64{ks.Now + 10, ks.Now + 30, math.MaxInt64 - 2, math.MaxInt64, math.MaxInt64 - 1} {
		db.SetUntil([]byte(strconv.Itoa(i)), ks.Int(1), deadline)
	}
	db.Set([]byte("other"), ks.Int(1), false)
	require.NoError(t, db.Check())
	for _, key := range []string{"0", "1"} {
		db.Set([]byte(key), ks.Int(1), false)
	}
	require.Equal(t, math.MaxInt64-1-ks.Now, db.Expiry().AverageTTL())
	db.SetDeadline([]byte("0"), ks.Now+10)
	for _, key := range []string{"2", "3"} {
		db.Delete([]byte(key))
	}
	db.SetDeadline([]byte("4"), ks.Now+30)
	require.Equal(t, int64(20), db.Expiry().AverageTTL())
	db.Flush()
	require.Zero(t, db.Expiry().AverageTTL())
}
