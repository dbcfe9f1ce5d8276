package keyspace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/zset"
)

func newKeyspace() *Keyspace {
	ks := New(2, 3, rand.New(rand.NewPCG(5, 6)).Uint64N)
	ks.Now = start
	return ks
}

func keyOf(i int) []byte { return []byte("key:" + strconv.Itoa(i)) }

// fill sets n keys to short strings, key i with deadline(i).
func fill(db *DB, n int, deadline func(i int) int64) {
	for i := range n {
		db.SetUntil(keyOf(i), db.ks.String([]byte("value")), deadline(i))
	}
}

func never(int) int64 { return 0 }

// boxedKey reports how a key lies in memory.
func (db *DB) boxedKey(key string) bool { return db.lookup(key).head().kind() == boxed }

func TestSmallIsPackedLargeIsBoxed(t *testing.T) {
	db := newKeyspace().DB(0)
	limit := packMax - headerSize - deadlineSize - len("k")
	for _, c := range []struct {
		size  int
		boxed bool
	}{{0, false}, {limit, false}, {limit + 1, true}, {100_000, true}, {limit, false}, {7, false}} {
		text := bytes.Repeat([]byte("x"), c.size)
		db.Set([]byte("k"), db.ks.String(text), false)
		require.Equal(t, c.boxed, db.boxedKey("k"), c.size)
		v, _ := db.Find([]byte("k"))
		require.Equal(t, string(text), string(v.(*str.Value).Text(nil)))
		require.NoError(t, db.Check())
	}
	long := strings.Repeat("k", packMax)
	db.Set([]byte(long), db.ks.Int(1), false)
	require.True(t, db.boxedKey(long), "a long key is not packed with the smallest value")
	require.NoError(t, db.Check())
}

func TestCollectionsAreBoxedAsTheyGrow(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("z")
	lim := zset.Limits{MaxEntries: 100, MaxValue: 64}
	boxedAt := 0
	for i := range 150 {
		ks.Begin()
		v, ok := db.Edit(key)
		if !ok {
			v = db.Create(key, ZSet)
		}
		v.(*zset.Set).Add([]byte("member:"+strconv.Itoa(i)), float64(i), lim, ks.dice)
		require.False(t, db.Commit(key))
		require.NoError(t, db.Check())
		if boxedAt == 0 && db.boxedKey("z") {
			boxedAt = i
		}
	}
	require.Equal(t, lim.MaxEntries, boxedAt, "a ziplist is packed whatever its length")
	ks.Begin()
	v, _ := db.Find(key)
	require.Equal(t, 150, v.Len())
	require.Equal(t, "skiplist", v.Encoding())

	ks.Begin()
	edited, _ := db.Edit(key)
	require.Equal(t, 150, edited.(*zset.Set).RemoveRangeByRank(0, -1, func([]byte, float64) {}))
	require.True(t, db.Commit(key), "an empty collection is no key")
	require.False(t, db.Exists(key))
	require.Zero(t, db.Len())
	require.NoError(t, db.Check())
}

func TestSmallSetsArePackedInBothForms(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	lim := set.Limits{MaxInts: 512, MaxEntries: 128, MaxValue: 64}
	for encoding, member := range map[string]string{"intset": "1", "ziplist": "m"} {
		key := []byte(encoding)
		for i := range 600 {
			ks.Begin()
			v, ok := db.Edit(key)
			if !ok {
				v = db.Create(key, Set)
			}
			v.(*set.Set).Add([]byte(member+strconv.Itoa(i)), lim)
			require.False(t, db.Commit(key))
			if i == 20 {
				require.False(t, db.boxedKey(encoding))
				found, _ := db.Peek(key)
				require.Equal(t, encoding, found.Encoding())
			}
		}
		require.True(t, db.boxedKey(encoding), "a hash table is")
		require.NoError(t, db.Check())
	}
}

func TestDeadlineAndAccessSurviveWrites(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("h")
	grow := func(text string) {
		ks.Begin()
		v, ok := db.Edit(key)
		if !ok {
			v = db.Create(key, Hash)
		}
		v.(*hash.Hash).Set([]byte(text[:1]), []byte(text), hash.Limits{MaxEntries: 100, MaxValue: 1000})
		db.Commit(key)
	}
	grow("a")
	db.SetDeadline(key, start+5000)
	for _, text := range []string{"b", strings.Repeat("c", 100), strings.Repeat("d", 900), "e"} {
		grow(text)
		deadline, ok := db.Deadline(key)
		require.True(t, ok)
		require.EqualValues(t, start+5000, deadline)
		require.NoError(t, db.Check())
	}
	require.EqualValues(t, start+5000, db.Expiry().Next())
}

func TestViewsAreNotChangesUntilSettled(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("k")
	db.Set(key, ks.String([]byte("old")), false)
	v, _ := db.Edit(key)
	v.(*str.Value).Append([]byte("+new"))
	found, _ := db.Find(key)
	require.Equal(t, "old", string(found.(*str.Value).Text(nil)))
	db.Commit(key)
	found, _ = db.Find(key)
	require.Equal(t, "old+new", string(found.(*str.Value).Text(nil)))
}

// TestLargePayloadsAreChangedInTheirCells until they need one of another size.
func TestLargePayloadsAreChangedInTheirCells(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("k")
	text := bytes.Repeat([]byte("x"), copyMax+1)
	db.Set(key, ks.String(text), false)
	moves := 0
	for len(text) < packMax-100 {
		ks.Begin()
		before := db.lookup("k").entry
		v, _ := db.Edit(key)
		more := fmt.Appendf(nil, "%d", len(text))
		v.(*str.Value).Append(more)
		text = append(text, more...)
		if len(text)%7 == 0 {
			db.SetDeadline(key, start+int64(len(text))) // may move the entry while it is open
		}
		db.Commit(key)
		if db.lookup("k").entry != before {
			moves++
		}
		found, _ := db.Find(key)
		require.Equal(t, string(text), string(found.(*str.Value).Text(nil)))
		if len(text)%50 == 0 {
			require.NoError(t, db.Check())
		}
	}
	require.False(t, db.boxedKey("k"))
	require.InDelta(t, 55, moves, 5, "eight sizes from one power of two to the next, and the deadline")
}

func TestArgumentsAreCopied(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	for _, size := range []int{5, 5000} {
		key, text := bytes.Repeat([]byte("k"), size), bytes.Repeat([]byte("v"), size)
		db.Set(key, ks.String(text), false)
		clear(key)
		clear(text)
		v, ok := db.Find(bytes.Repeat([]byte("k"), size))
		require.True(t, ok)
		require.Equal(t, strings.Repeat("v", size), string(v.(*str.Value).Text(nil)))
	}
	require.NoError(t, db.Check())
}

func TestRepackInPlace(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("key")
	db.SetUntil(key, ks.String([]byte("value-1")), start+1000)
	before := db.lookup("key").entry
	db.Set(key, ks.String([]byte("value-22")), true)
	db.Set(key, ks.Int(5), true)
	require.Equal(t, before, db.lookup("key").entry, "same size class, same memory")
	deadline, _ := db.Deadline(key)
	require.EqualValues(t, start+1000, deadline)
	db.Set(key, ks.String(make([]byte, 40)), true)
	require.NotEqual(t, before, db.lookup("key").entry)
	require.NoError(t, db.Check())
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("limiter:1234")
	texts := map[string][]byte{"packed": []byte("0123456789"), "boxed": make([]byte, 3000)}
	for name, text := range texts {
		db.Set(key, ks.String(text), false)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			ks.Begin()
			db.Set(key, ks.String(text), false)
		}), name)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			ks.Begin()
			db.Find(key)
		}), name)
	}
	db.Set(key, ks.Int(1), false)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ks.Begin()
		v, _ := db.Edit(key)
		n, _ := v.(*str.Value).Int()
		*v.(*str.Value) = str.OfInt(n + 1)
		db.Commit(key)
	}), "count up")
	ttl := int64(1000)
	db.SetDeadline(key, ks.Now+ttl)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ttl++
		db.SetDeadline(key, ks.Now+ttl)
	}), "renew")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ks.Begin()
		ttl++
		db.SetUntil(key, ks.String(texts["packed"]), ks.Now+ttl)
	}), "set and renew")
}

func TestNewKeyIsOneAllocation(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 1000, never)
	keys := make([][]byte, 200)
	for i := range keys {
		keys[i] = keyOf(2000 + i)
	}
	i := 0
	allocs := testing.AllocsPerRun(100, func() {
		ks.Begin()
		db.Set(keys[i], ks.Int(7), false)
		i++
	})
	require.LessOrEqual(t, allocs, 1.0)
}

func TestManyViewsAreGivenBack(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 10_000, never)
	for i := range 10_000 {
		db.Find(keyOf(i))
	}
	require.Len(t, ks.views.strs.slots, 10_000)
	ks.Begin()
	require.LessOrEqual(t, cap(ks.views.strs.slots), 2*poolKept)
}

func TestRenewingLeavesTheIndexAlone(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 100, func(i int) int64 { return start + 1000 })
	for range 1000 {
		ks.Now++
		for i := range 100 {
			db.SetDeadline(keyOf(i), ks.Now+1000)
		}
	}
	require.Equal(t, 100, db.expires.index.Len())
	require.Zero(t, db.expires.orphans())
	require.EqualValues(t, start+1000, db.Expiry().Next(), "the first announcement still stands")
	require.NoError(t, db.Check())

	removed, more := db.Expiry().Reap(1000)
	require.Zero(t, removed, "what surfaces is announced anew")
	require.False(t, more)
	require.EqualValues(t, ks.Now+1000, db.Expiry().Next())
	ks.Now += 1000
	removed, _ = db.Expiry().Reap(1000)
	require.Equal(t, 100, removed)
	require.Zero(t, db.expires.index.Len())
}

func TestOrphansAreBounded(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 10, never)
	for n := range 20_000 {
		key := keyOf(n % 10)
		db.SetDeadline(key, start+1_000_000+int64(n))
		db.SetDeadline(key, start+2_000_000+int64(n)) // later: its item stays
		db.SetDeadline(key, start+500_000+int64(n))   // earlier: its item is orphaned
		if n%3 == 0 {
			db.SetDeadline(key, 0)
		}
		require.LessOrEqual(t, db.expires.index.Len(), 10+1024+10)
	}
	require.NoError(t, db.Check())

	ks.Now += 10_000_000
	for more := true; more; {
		_, more = db.Expiry().Reap(100)
	}
	require.Zero(t, db.Expiry().Volatile())
	require.Zero(t, db.expires.index.Len())
	require.Zero(t, db.expires.orphans(), "each orphan surfaced once")
	require.NoError(t, db.Check())
}

func TestReapKeepsToItsBudget(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 1000, func(i int) int64 { return start + 1 + int64(i%7) })
	expired := 0
	ks.OnExpire = func(*DB, string) { expired++ }
	removed, more := db.Expiry().Reap(100)
	require.Zero(t, removed)
	require.False(t, more, "nothing is due yet")

	ks.Now += 7
	for i := 1; i <= 10; i++ {
		removed, more = db.Expiry().Reap(100)
		require.Equal(t, 100, removed)
		require.Equal(t, 100*i, expired)
		require.Equal(t, i < 10, more)
		require.NoError(t, db.Check())
	}
	require.Zero(t, db.Expiry().Next())
	require.Zero(t, db.Len())
}

func TestDueKeysAreInvisibleBeforeTheyAreReaped(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	var expired []string
	ks.OnExpire = func(db *DB, key string) { expired = append(expired, fmt.Sprint(db.ID(), key)) }
	fill(db, 8, func(i int) int64 { return start + 10 })
	ks.Now = start + 9
	require.True(t, db.Exists(keyOf(0)))
	ks.Now = start + 10
	require.Equal(t, 8, db.Len(), "they still count, as in Redis")
	for i, gone := range []func(key []byte) bool{
		func(key []byte) bool { return !db.Exists(key) },
		func(key []byte) bool { return db.Type(key) == None },
		func(key []byte) bool { return !db.Delete(key) },
		func(key []byte) bool { _, ok := db.Find(key); return !ok },
		func(key []byte) bool { _, ok := db.Edit(key); return !ok },
		func(key []byte) bool { _, ok := db.Deadline(key); return !ok },
		func(key []byte) bool { return !db.SetDeadline(key, start+1000) },
		func(key []byte) bool { db.Set(key, ks.Int(1), true); d, _ := db.Deadline(key); return d == 0 },
	} {
		require.True(t, gone(keyOf(i)), i)
		require.Len(t, expired, i+1)
		require.Equal(t, "0"+string(keyOf(i)), expired[i])
	}
	require.NoError(t, db.Check())
}

func TestCreationIsReported(t *testing.T) {
	ks := newKeyspace()
	var created []string
	ks.OnCreate = func(db *DB, key string) { created = append(created, fmt.Sprint(db.ID(), key)) }
	db := ks.DB(0)
	db.Set([]byte("a"), ks.Int(1), false)
	db.Set([]byte("a"), ks.Int(2), false)
	db.Copy([]byte("a"), ks.DB(1), []byte("b"))
	db.Rename([]byte("a"), []byte("c"))
	v := db.Create([]byte("h"), Hash)
	require.Len(t, created, 3, "not before it is settled")
	v.(*hash.Hash).Set([]byte("f"), []byte("v"), hash.Limits{MaxEntries: 1, MaxValue: 1})
	db.Commit([]byte("h"))
	require.Equal(t, []string{"0a", "1b", "0c", "0h"}, created)
}

func TestScanSeesWhatStays(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 500, never)
	seen := map[string]bool{}
	next := 500
	for cursor, begun := uint64(0), false; cursor != 0 || !begun; begun = true {
		cursor = db.Keys().Scan(cursor, 5, anyKey, func(key string, typ Type) {
			require.Equal(t, String, typ)
			seen[strings.Clone(key)] = true
		})
		for range 40 { // the table grows and shrinks under the scan
			if next < 3000 {
				db.Set(keyOf(next), ks.Int(1), false)
				next++
			}
		}
		for i := 300; i < next && next >= 3000; i += 3 {
			db.Delete(keyOf(i))
		}
	}
	for i := range 300 {
		require.True(t, seen[string(keyOf(i))], i)
	}
}

func TestScanReapsDueKeys(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 100, func(i int) int64 { return int64(i%2) * (start + 1) })
	ks.Now++
	seen := 0
	for cursor, begun := uint64(0), false; cursor != 0 || !begun; begun = true {
		cursor = db.Keys().Scan(cursor, 5, anyKey, func(string, Type) { seen++ })
	}
	require.GreaterOrEqual(t, seen, 50)
	require.Equal(t, 50, db.Len())
	require.NoError(t, db.Check())
}

func TestScanLeavesKeysThatDoNotMatch(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	fill(db, 2, func(int) int64 { return start + 1 })
	ks.Now++
	first := string(keyOf(0))
	db.Keys().Scan(0, 100, func(key string, _ Type) bool { return key == first },
		func(key string, _ Type) { require.Fail(t, "due", key) })
	require.Equal(t, 1, db.Len())
	require.False(t, db.Erase(keyOf(0)))
	require.True(t, db.Erase(keyOf(1)), "due, but there")
	require.NoError(t, db.Check())
}

func TestRandomReachesEveryKey(t *testing.T) {
	db := newKeyspace().DB(0)
	_, ok := db.Keys().Random()
	require.False(t, ok)
	fill(db, 20, never)
	seen := map[string]bool{}
	for range 2000 {
		key, ok := db.Keys().Random()
		require.True(t, ok)
		seen[key] = true
	}
	require.Len(t, seen, 20)
}

func TestRandomReturnsAKeptKeyIfAllAreDue(t *testing.T) {
	ks := newKeyspace()
	db := ks.DB(0)
	ks.KeepExpired = true
	fill(db, 3, func(int) int64 { return start })
	_, ok := db.Keys().Random()
	require.True(t, ok)
	require.Equal(t, 3, db.Len())
	ks.KeepExpired = false
	_, ok = db.Keys().Random()
	require.False(t, ok)
	require.Zero(t, db.Len(), "now they were reaped on the way")
}

func TestNothingIsDueInAReplay(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("k")
	ks.Replaying = true
	db.SetUntil(key, ks.Int(1), start-1000)
	require.True(t, db.Exists(key))
	_, more := db.Expiry().Reap(10)
	require.False(t, more)
	require.Zero(t, db.Expiry().Next())
	ks.Replaying = false
	require.EqualValues(t, start-1000, db.Expiry().Next())
	require.False(t, db.Exists(key))
	require.NoError(t, db.Check())
}

func TestSwapExchangesContents(t *testing.T) {
	ks := newKeyspace()
	ks.DB(0).SetUntil([]byte("a"), ks.Int(1), start+50)
	ks.DB(1).Set([]byte("b"), ks.Int(1), false)
	ks.Swap(0, 1)
	require.True(t, ks.DB(1).Exists([]byte("a")))
	require.True(t, ks.DB(0).Exists([]byte("b")))
	require.EqualValues(t, start+50, ks.DB(1).Expiry().Next())
	require.Zero(t, ks.DB(0).Expiry().Next())
	require.Equal(t, 1, ks.DB(1).ID())
	for i := range 2 {
		require.NoError(t, ks.DB(i).Check())
	}
}

func TestIdleTime(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("k")
	db.Set(key, ks.Int(1), false)
	ks.Now += 90_000
	require.EqualValues(t, 90, db.Marks().Idle(key))
	db.Exists(key)
	db.Peek(key)
	db.Deadline(key)
	require.EqualValues(t, 90, db.Marks().Idle(key), "these leave no mark")
	ks.Access.NoTouch = true
	db.Find(key)
	require.EqualValues(t, 90, db.Marks().Idle(key))
	ks.Access.NoTouch = false
	db.Find(key)
	require.Zero(t, db.Marks().Idle(key))
	ks.Now += 5000
	db.Rename(key, []byte("l"))
	require.EqualValues(t, 5, db.Marks().Idle([]byte("l")))
	require.Zero(t, db.Marks().Idle(key))
}

func TestFrequency(t *testing.T) {
	ks := newKeyspace()
	ks.Access.LFU = true
	db, key := ks.DB(0), []byte("k")
	db.Set(key, ks.Int(1), false)
	require.EqualValues(t, lfuInit, db.Marks().Frequency(key))
	for range 1000 {
		db.Touch(key)
	}
	busy := db.Marks().Frequency(key)
	require.Greater(t, busy, int64(lfuInit+4))
	require.Less(t, busy, int64(60), "the counter is logarithmic")
	ks.Now += 3 * 60_000
	require.Equal(t, busy-3, db.Marks().Frequency(key), "one less for each minute")
	ks.Now += 500 * 60_000
	require.Zero(t, db.Marks().Frequency(key))
	ks.Access.DecayTime = 0
	require.Equal(t, busy, db.Marks().Frequency(key), "no decay")
}

func TestTypeNames(t *testing.T) {
	ks := newKeyspace()
	ks.Types = []Type{String, Hash, ZSet, List, Set}
	for _, typ := range ks.Types {
		named, ok := ks.TypeNamed(typ.String())
		require.True(t, ok)
		require.Equal(t, typ, named)
	}
	_, ok := ks.TypeNamed("none")
	require.False(t, ok)
}

func TestLargeTextIsNotCopied(t *testing.T) {
	ks := newKeyspace()
	db, key := ks.DB(0), []byte("k")
	write := func(v *str.Value, n int) {
		text := v.Edit(n)
		require.False(t, db.Commit(key))
		stored, _ := db.Find(key)
		require.Same(t, &text[0], &stored.(*str.Value).Edit(n)[0])
		require.NoError(t, db.Check())
	}
	write(db.Create(key, String).(*str.Value), largeValue)
	db.Set(key, ks.Text([]byte("short")), false)
	v, _ := db.Edit(key)
	write(v.(*str.Value), 2*largeValue)
}

func anyKey(string, Type) bool { return true }
