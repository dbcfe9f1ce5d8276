package keyspace_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// compactAll compacts a keyspace in small slices.
func compactAll(ks *keyspace.Keyspace) (done keyspace.Compacted) {
	ks.StartCompaction(false)
	for more := true; more; {
		var slice keyspace.Compacted
		slice, more = ks.Compact(500)
		done.Moved, done.Stayed = done.Moved+slice.Moved, done.Stayed+slice.Stayed
		done.KeysMoved, done.KeysStayed = done.KeysMoved+slice.KeysMoved, done.KeysStayed+slice.KeysStayed
	}
	return done
}

// mixed returns a keyspace with keys of many sizes, some boxed, some with deadlines, some whose
// elements have them. Nine of ten were deleted.
func mixed(rng *rand.Rand, keys int) *keyspace.Keyspace {
	ks := keyspace.New(3, rng.Uint64(), rng.Uint64N)
	ks.Now = 1_700_000_000_000
	for i := range keys {
		ks.Begin()
		db, key := ks.DB(i%2), []byte("key:"+strconv.Itoa(i))
		switch i % 5 {
		case 0:
			h := db.Create(key, keyspace.Hash).(*hash.Hash)
			h.Set([]byte("field"), make([]byte, 40*rng.IntN(2)), hash.Limits{MaxEntries: 100, MaxValue: 100})
			if i%10 == 0 {
				h.SetDeadline([]byte("field"), ks.Now+1+rng.Int64N(1e6), rng.Uint64N)
			}
			db.Commit(key)
		case 1:
			db.Set(key, ks.String(make([]byte, 440*rng.IntN(2))), false)
		default:
			db.Set(key, ks.String(make([]byte, 32*rng.IntN(3))), false)
		}
		if i%3 == 0 {
			db.SetDeadline(key, ks.Now+1+rng.Int64N(1e9))
		}
	}
	for i := range keys {
		if ks.Begin(); rng.IntN(10) > 0 {
			ks.DB(i % 2).Delete([]byte("key:" + strconv.Itoa(i)))
		}
	}
	ks.Begin()
	return ks
}

func TestCompactionGivesMemoryBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ks := mixed(rng, 100_000)
	before, sizes := now(ks), keyBytes(ks)
	live, held := ks.CellBytes()
	require.Greater(t, held, 3*live)

	done := compactAll(ks)
	checkAll(t, ks)
	after, less := ks.CellBytes()
	require.Equal(t, live, after)
	require.Less(t, less, held/2, "each database has a chunk of each size")
	require.Equal(t, before, now(ks))
	require.Equal(t, sizes, keyBytes(ks), "what keys are accounted with")
	require.Greater(t, done.KeysMoved, done.KeysStayed)
	require.Greater(t, done.Moved, done.KeysMoved, "leaves and pieces of the table move, too")
	require.Equal(t, ks.DB(0).Len()+ks.DB(1).Len(), done.KeysMoved+done.KeysStayed, "nothing has changed meanwhile")

	ks.Now += 1e9
	for i := range ks.Len() {
		for more := true; more; _, more = ks.DB(i).Expiry().Reap(1000) {
			ks.Begin()
		}
		require.Zero(t, ks.DB(i).Expiry().Volatile(), "deadlines still lead to the keys")
		require.Zero(t, ks.DB(i).Expiry().Subexpiry())
	}
	checkAll(t, ks)
}

// keyBytes returns what each key is accounted with.
func keyBytes(ks *keyspace.Keyspace) map[string]int {
	sizes := map[string]int{}
	for i := range ks.Len() {
		var keys []string
		ks.DB(i).Keys().Each(func(key string, _ keyspace.Type) bool {
			keys = append(keys, key+"")
			return true
		})
		for _, key := range keys {
			sizes[strconv.Itoa(i)+key] = ks.DB(i).Usage().Key([]byte(key))
		}
	}
	return sizes
}

// A twin goes through the same changes without a compaction. In between there are snapshots, and
// clones are taken.
func TestCompactionChangesNothing(t *testing.T) {
	const keys = 15_000
	for seed := range quick.Rounds(uint64(2)) {
		ks := mixed(rand.New(rand.NewPCG(seed, 1)), keys)
		twin := mixed(rand.New(rand.NewPCG(seed, 1)), keys)
		require.Equal(t, now(twin), now(ks))
		rng := rand.New(rand.NewPCG(seed, 2))
		moved := 0
		for round := range 3 {
			ks.StartCompaction(round%2 == 1)
			want, saved := now(ks), picture{}
			s := ks.Snapshot(saved.take)
			for saving := true; saving; {
				done, _ := ks.Compact(2000)
				moved += done.KeysMoved
				changes := rng.Uint64()
				for _, each := range []*keyspace.Keyspace{ks, twin} {
					rng := rand.New(rand.NewPCG(changes, 3))
					for range 50 {
						scribbleOrDelete(each, rng, keys)
					}
				}
				saving = s.Step(100)
			}
			require.Equal(t, want, saved, "the snapshot")
			require.Equal(t, now(twin), now(ks))
			checkAll(t, ks)
			c := ks.Clone()
			checkAll(t, c)
			require.Equal(t, now(twin), now(c))
			_, more := c.Compact(1000)
			require.False(t, more, "a clone is not being compacted")
			if seed == 1 && round == 1 {
				ks.Adopt(c)
				checkAll(t, ks)
			}
		}
		ks.StopCompaction()
		checkAll(t, ks)
		require.Greater(t, moved, 100)
	}
}

// scribbleOrDelete is scribble, or a deletion half of the time, which leaves gaps.
func scribbleOrDelete(ks *keyspace.Keyspace, rng *rand.Rand, keys int) {
	if rng.IntN(2) == 0 {
		ks.Begin()
		ks.DB(rng.IntN(2)).Delete([]byte("key:" + strconv.Itoa(rng.IntN(keys))))
		return
	}
	scribble(ks, rng, keys)
}

// A copy has no room to grow, which shows that it is one, and is a quicklist, which is not packed.
func TestCompactionCopiesValuesIfAsked(t *testing.T) {
	ks := keyspace.New(1, 1, rand.New(rand.NewPCG(1, 2)).Uint64N)
	db := ks.DB(0)
	for _, key := range [][]byte{[]byte("short"), make([]byte, 1000)} {
		l := db.Create(key, keyspace.List).(*list.List)
		for range 20 {
			l.Push(list.Tail, make([]byte, 1000), list.Defaults)
		}
		db.Commit(key)
		before, text := db.Usage().Key(key), now(ks)

		require.False(t, ks.StartCompaction(false), "there is nothing to move")
		require.True(t, ks.StartCompaction(true))
		done, more := ks.Compact(1e6)
		require.False(t, more)
		require.Zero(t, done.Moved)
		require.Less(t, db.Usage().Key(key), before)
		require.Equal(t, text, now(ks))
		require.NoError(t, db.Check())
	}
}
