package keyspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// fill gives a key n elements e0 e1 ... of a type, small ones.
func fill(db *keyspace.DB, dice func(uint64) uint64, key string, t keyspace.Type, n int) {
	v := db.Create([]byte(key), t)
	for i := range n {
		e := fmt.Appendf(nil, "e%d", i)
		switch v := v.(type) {
		case *hash.Hash:
			v.Set(e, e, hash.Limits{MaxEntries: 100, MaxValue: 64})
		case *set.Set:
			v.Add(e, set.Limits{MaxEntries: 100, MaxValue: 64})
		case *zset.Set:
			v.Add(e, float64(i), zset.Limits{MaxEntries: 100, MaxValue: 64}, dice)
		case *list.List:
			v.Push(list.Tail, e, list.Defaults)
		}
	}
	db.Commit([]byte(key))
}

// date gives elements of a key a deadline.
func date(t *testing.T, db *keyspace.DB, dice func(uint64) uint64, key string, deadline int64, elements ...string) {
	v, ok := db.Edit([]byte(key))
	require.True(t, ok)
	for _, e := range elements {
		require.True(t, v.(keyspace.Collection).SetDeadline([]byte(e), deadline, dice), e)
	}
	require.False(t, db.Commit([]byte(key)))
}

var collections = []keyspace.Type{keyspace.Hash, keyspace.Set, keyspace.ZSet, keyspace.List}

// expirations records the calls of OnExpireElements.
type expirations []string

func (l *expirations) record(_ *keyspace.DB, key string, what keyspace.ExpiredElements) {
	var names []string
	for _, n := range what.Names {
		names = append(names, string(n))
	}
	*l = append(*l, fmt.Sprintf("%s %s %d %s %v", key, what.Type, what.Count, strings.Join(names, ","), what.Emptied))
}

func newDated(t *testing.T) (*keyspace.Keyspace, *keyspace.DB, func(uint64) uint64, *expirations) {
	dice := func(n uint64) uint64 { return n / 2 }
	ks := keyspace.New(2, 1, dice)
	ks.Now, ks.NameExpired = 1000, true
	var told expirations
	ks.OnExpireElements = told.record
	t.Cleanup(func() { require.NoError(t, ks.DB(0).Check()) })
	return ks, ks.DB(0), dice, &told
}

func TestADueElementIsNeverLent(t *testing.T) {
	for _, typ := range collections {
		for _, n := range []int{3, 300} {
			ks, db, dice, told := newDated(t)
			fill(db, dice, "k", typ, n)
			date(t, db, dice, "k", 1010, "e1")
			require.Equal(t, 1, db.Expiry().Subexpiry())
			ks.Now = 1009
			v, _ := db.Find([]byte("k"))
			require.Equal(t, n, v.Len())
			ks.Now = 1010
			v, _ = db.Find([]byte("k"))
			require.Equal(t, n-1, v.Len(), "%s of %d", typ, n)
			require.Equal(t, expirations{fmt.Sprintf("k %s 1 e1 false", typ)}, *told)
			require.Zero(t, db.Expiry().Subexpiry())
		}
	}
}

func TestAKeyGoesWithItsLastElement(t *testing.T) {
	for _, typ := range collections {
		ks, db, dice, told := newDated(t)
		fill(db, dice, "k", typ, 2)
		date(t, db, dice, "k", 1010, "e0", "e1")
		ks.Now = 1010
		seen := 0
		db.Keys().Each(func(string, keyspace.Type) bool { seen++; return true })
		require.Zero(t, seen, "a walk does not meet it")
		require.False(t, db.Exists([]byte("k")))
		require.Zero(t, db.Len())
		require.Len(t, *told, 1)
		require.True(t, strings.HasSuffix((*told)[0], "true"))
	}
}

// Readers of a replica do not see due elements; its master, whose commands are replayed, may still
// change them.
func TestDueElementsAreHiddenWhereTheyAreKept(t *testing.T) {
	for _, typ := range collections {
		ks, db, dice, told := newDated(t)
		ks.KeepExpired = true
		for _, key := range []string{"k", "all"} {
			fill(db, dice, key, typ, 2)
		}
		date(t, db, dice, "k", 1010, "e1")
		date(t, db, dice, "all", 1010, "e0", "e1")
		ks.Now = 1010
		for range 2 {
			v, _ := db.Find([]byte("k"))
			require.Equal(t, 1, v.Len())
			require.False(t, db.Exists([]byte("all")))
			require.Zero(t, db.Expiry().Next())
		}
		ks.Replaying = true
		v, _ := db.Edit([]byte("k"))
		require.Equal(t, 2, v.Len())
		require.True(t, v.(keyspace.Collection).SetDeadline([]byte("e1"), 0, dice))
		db.Commit([]byte("k"))
		ks.Replaying = false
		v, _ = db.Find([]byte("k"))
		require.Equal(t, 2, v.Len())
		require.Empty(t, *told)

		v, _ = db.Edit([]byte("all"))
		require.Nil(t, v)
		ks.KeepExpired = false
		require.False(t, db.Exists([]byte("all")))
	}
}

func TestElementsAreReapedWithinTheBudget(t *testing.T) {
	for _, typ := range collections {
		ks, db, dice, _ := newDated(t)
		fill(db, dice, "k", typ, 250)
		for i := range 200 {
			date(t, db, dice, "k", 1010+int64(i), fmt.Sprintf("e%d", i))
		}
		require.EqualValues(t, 1010, db.Expiry().Next())
		ks.Now = 1109
		_, more := db.Expiry().Reap(50)
		if typ != keyspace.List { // whose due elements go at once
			require.True(t, more)
		}
		for more {
			_, more = db.Expiry().Reap(50)
		}
		require.EqualValues(t, 1110, db.Expiry().Next())
		v, _ := db.Peek([]byte("k"))
		require.Equal(t, 150, v.Len())
		require.Equal(t, 100, v.(keyspace.Collection).Volatile())
	}
}

func TestDeadlinesGoWhereTheKeyGoes(t *testing.T) {
	for _, typ := range collections {
		for _, n := range []int{3, 300} {
			ks, db, dice, _ := newDated(t)
			fill(db, dice, "k", typ, n)
			date(t, db, dice, "k", 1010, "e1")
			db.Copy([]byte("k"), db, []byte("copied"))
			db.Rename([]byte("k"), []byte("renamed"))
			db.Transfer([]byte("renamed"), ks.DB(1), []byte("moved"))
			date(t, db, dice, "copied", 0, "e1")
			require.Zero(t, db.Expiry().Subexpiry())
			require.EqualValues(t, 1010, ks.DB(1).Expiry().Next())
			require.NoError(t, ks.DB(1).Check())
			require.Equal(t, 1, ks.DB(1).Expiry().Subexpiry())
			ks.Swap(0, 1)
			v, _ := db.Peek([]byte("moved"))
			d, ok := v.(keyspace.Collection).Deadline([]byte("e1"))
			require.True(t, ok)
			require.EqualValues(t, 1010, d)
			db.Flush()
			require.Zero(t, db.Expiry().Next())
		}
	}
}

func TestAnotherValueHasNoDeadlines(t *testing.T) {
	for _, typ := range collections {
		ks, db, dice, _ := newDated(t)
		fill(db, dice, "k", typ, 3)
		date(t, db, dice, "k", 1010, "e1")
		db.Set([]byte("k"), ks.Int(1), false)
		require.Zero(t, db.Expiry().Subexpiry())
		require.NoError(t, db.Check())
		fill(db, dice, "other", typ, 3)
		db.Delete([]byte("other"))
		require.Zero(t, db.Expiry().Next())
	}
}

// TestRenewingAnElementIsLazy checks that a later deadline leaves the index alone.
func TestRenewingAnElementIsLazy(t *testing.T) {
	for _, typ := range collections {
		ks, db, dice, _ := newDated(t)
		fill(db, dice, "k", typ, 3)
		date(t, db, dice, "k", 1010, "e1")
		date(t, db, dice, "k", 2000, "e1")
		require.EqualValues(t, 1010, db.Expiry().Next())
		ks.Now = 1500
		db.Expiry().Reap(10)
		require.EqualValues(t, 2000, db.Expiry().Next())
		ks.Now = 2000
		db.Expiry().Reap(10)
		v, _ := db.Peek([]byte("k"))
		require.Equal(t, 2, v.Len())
	}
}

func TestReplayedElementsStay(t *testing.T) {
	for _, typ := range collections {
		ks, db, dice, told := newDated(t)
		fill(db, dice, "k", typ, 3)
		date(t, db, dice, "k", 1010, "e1")
		ks.Now, ks.Replaying = 5000, true
		v, _ := db.Find([]byte("k"))
		require.Equal(t, 3, v.Len())
		require.Zero(t, db.Expiry().Next())
		ks.Replaying = false
		v, _ = db.Find([]byte("k"))
		require.Equal(t, 2, v.Len())
		require.Len(t, *told, 1)
	}
}

// TestLongListsAreLeftAlone checks that the active side does not walk a long list all the time, and
// that readers see what is due gone all the same.
func TestLongListsAreLeftAlone(t *testing.T) {
	ks, db, dice, _ := newDated(t)
	fill(db, dice, "k", keyspace.List, 100_000)
	v, _ := db.Edit([]byte("k"))
	for i := range 10 {
		v.(*list.List).SetDeadlineAt(1000*i, 1010+int64(i))
	}
	db.Commit([]byte("k"))
	ks.Now = 1010
	db.Expiry().Reap(1000)
	require.Equal(t, 99_999, v.Len())
	require.EqualValues(t, 1010+100_000>>14, db.Expiry().Next())
	ks.Now = 1012
	_, more := db.Expiry().Reap(1000)
	require.False(t, more)
	require.Equal(t, 99_999, v.Len())
	v, _ = db.Find([]byte("k"))
	require.Equal(t, 99_997, v.Len())
	ks.Now = 1020
	db.Expiry().Reap(1000)
	require.Equal(t, 99_990, v.Len())
	require.Zero(t, db.Expiry().Subexpiry())
}
