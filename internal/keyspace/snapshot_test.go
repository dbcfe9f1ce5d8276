package keyspace_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// picture is what a snapshot takes: a line for each key.
type picture map[string]string

func (p picture) take(r *keyspace.Record, pace *keyspace.Pace) {
	for range min(r.Value.Len(), 1000) {
		if pace.Yield(500) {
			break
		}
	}
	name := fmt.Sprintf("%d %s", r.DB, r.Key)
	if _, twice := p[name]; twice {
		name += " twice"
	}
	p[name] = describe(r)
}

// describe tells a record's value and deadline.
func describe(r *keyspace.Record) string {
	ks := keyspace.New(1, 1, func(n uint64) uint64 { return 0 })
	ks.Restore(&keyspace.Record{Key: "k", Value: r.Value.Clone(), Deadline: r.Deadline, Idle: -1, Freq: -1})
	return fmt.Sprint(ks.DB(0).ValueDigest([]byte("k")), r.Deadline)
}

// now returns the picture of a keyspace that stands still.
func now(ks *keyspace.Keyspace) picture {
	p := picture{}
	ks.Records(func(r *keyspace.Record) bool {
		p.take(r, nil)
		return true
	})
	return p
}

// scribble changes a keyspace at random.
func scribble(ks *keyspace.Keyspace, rng *rand.Rand, keys int) {
	ks.Begin()
	db := ks.DB(rng.IntN(ks.Len()))
	key := []byte("key:" + strconv.Itoa(rng.IntN(keys)))
	other := []byte("key:" + strconv.Itoa(rng.IntN(keys)))
	switch rng.IntN(13) {
	case 0, 1:
		db.Set(key, ks.String(strconv.AppendInt(nil, rng.Int64(), 10)), rng.IntN(2) == 0)
	case 2:
		db.Delete(key)
	case 3:
		db.SetDeadline(key, ks.Now+1+rng.Int64N(100))
	case 4, 5:
		if v, ok := db.Edit(key); ok {
			change(v, rng)
			db.Commit(key)
		}
	case 6:
		if !db.Exists(key) {
			change(db.Create(key, []keyspace.Type{keyspace.Hash, keyspace.List}[rng.IntN(2)]), rng)
			db.Commit(key)
		}
	case 7:
		if string(key) != string(other) && db.Exists(key) {
			db.Rename(key, other)
		}
	case 8:
		if to := ks.DB(rng.IntN(ks.Len())); db.Exists(key) && (to != db || string(key) != string(other)) {
			db.Copy(key, to, other)
		}
	case 9:
		ks.Now += rng.Int64N(5)
		db.Expiry().Reap(10)
	case 10:
		if rng.IntN(20) == 0 {
			db.Flush()
		} else {
			db.Find(key)
		}
	case 11:
		if rng.IntN(10) == 0 {
			ks.Swap(0, 1)
		} else {
			db.Keys().RehashStep(3)
		}
	case 12:
		db.Delete(key)
	}
}

// change adds to a collection, now and then so much that it leaves its small form.
func change(v keyspace.Value, rng *rand.Rand) {
	n := 1 + rng.IntN(4)
	if rng.IntN(10) == 0 {
		n = 60
	}
	for range n {
		text := strconv.AppendInt(nil, rng.Int64(), 36)
		switch v := v.(type) {
		case *hash.Hash:
			v.Set(text, text, hash.Limits{MaxEntries: 50, MaxValue: 64})
		case *list.List:
			v.Push(list.Tail, text, list.Limits{Node: 20})
		}
	}
}

// A snapshot is what was there when it was started, whatever happens until it is through.
func TestSnapshotIsOfItsStart(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ks := keyspace.New(3, seed, rng.Uint64N)
		ks.Now = 1000
		keys := 10 << rng.IntN(7)
		for range keys * 3 {
			scribble(ks, rng, keys)
		}
		for round := range 3 { // each leaves the marks as the next needs them
			want, got := now(ks), picture{}
			s := ks.Snapshot(got.take)
			require.True(t, ks.Snapshotting())
			for more := true; more; more = s.Step(1 + rng.IntN(3)) {
				for range rng.IntN(20) {
					scribble(ks, rng, keys)
				}
			}
			require.False(t, ks.Snapshotting())
			require.Equal(t, want, got, "seed %d round %d", seed, round)
			for i := range ks.Len() {
				require.NoError(t, ks.DB(i).Check())
			}
		}
	}
}

func TestRestoreDoesNotReplace(t *testing.T) {
	ks := keyspace.New(1, 1, func(uint64) uint64 { return 0 })
	ks.Now = 1_000_000
	r := keyspace.Record{Key: "k", Value: ks.String([]byte("v")), Deadline: 2_000_000, Idle: 100, Freq: -1}
	require.True(t, ks.Restore(&r))
	require.False(t, ks.Restore(&r))
	deadline, _ := ks.DB(0).Deadline([]byte("k"))
	require.EqualValues(t, 2_000_000, deadline)
	require.EqualValues(t, 100, ks.DB(0).Marks().Idle([]byte("k")))
	require.NoError(t, ks.DB(0).Check())
}
