package keyspace_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// scribbled returns a keyspace that was changed at random many times.
func scribbled(rng *rand.Rand, databases, keys, changes int) *keyspace.Keyspace {
	ks := keyspace.New(databases, rng.Uint64(), rng.Uint64N)
	ks.Now = 1_700_000_000_000
	for range changes {
		scribble(ks, rng, keys)
	}
	ks.Begin()
	return ks
}

func checkAll(t *testing.T, ks *keyspace.Keyspace) {
	t.Helper()
	for i := range ks.Len() {
		require.NoError(t, ks.DB(i).Check())
	}
}

// A clone has what the original has, at any moment of its life, and each goes on alone.
func TestClonesGoOnAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, changes := range []int{0, 1, 10, 100, 3000, 30000} {
		ks := scribbled(rng, 3, max(changes/3, 2), changes)
		before := now(ks)
		c := ks.Clone()
		checkAll(t, c)
		require.Equal(t, before, now(c), changes)
		reserved := ks.CloneIn(keyspace.NewReserve(max(ks.CloneBytes(), keyspace.LeastReserve)))
		checkAll(t, reserved)
		require.Equal(t, before, now(reserved), changes)

		for range changes {
			scribble(ks, rng, max(changes/3, 2))
		}
		require.Equal(t, before, now(c), "the clone sees no change")
		changed := now(ks)
		for range changes {
			scribble(c, rng, max(changes/3, 2))
		}
		require.Equal(t, changed, now(ks), "nor does the original")
		checkAll(t, c)
		checkAll(t, ks)

		other := scribbled(rng, 3, 10, 100)
		other.Adopt(ks.Clone())
		checkAll(t, other)
		require.Equal(t, changed, now(other))

		other.AdoptClone(c)
		other.AdoptClone(ks)
		checkAll(t, other)
		require.Equal(t, changed, now(other))
		for range changes {
			scribble(other, rng, max(changes/3, 2))
		}
		checkAll(t, other)
		require.Equal(t, changed, now(ks), "the original sees no change of a clone in its place")
	}
}

// A clone may be taken while a snapshot is saved, and a snapshot be taken of what was adopted.
func TestClonesAndSnapshots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ks, other := scribbled(rng, 2, 1000, 3000), scribbled(rng, 2, 10, 100)
	want, saved := now(ks), picture{}
	s := ks.Snapshot(saved.take)
	s.Step(100)
	c := ks.Clone()
	for s.Step(100) {
	}
	require.Equal(t, want, saved)
	for _, into := range []*keyspace.Keyspace{other, ks} {
		for _, adopt := range []func(){func() { into.Adopt(c.Clone()) }, func() { into.AdoptClone(c) }} {
			adopt()
			checkAll(t, into)
			saved = picture{}
			s := into.Snapshot(saved.take)
			s.Step(100)
			into.AdoptClone(c) // which leaves alone what the snapshot still walks
			for s.Step(100) {
			}
			require.Equal(t, want, saved)
		}
	}
}

// BenchmarkClone measures what a fork of a world takes, and a script that is debugged on a copy.
func BenchmarkClone(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			ks := filled(n)
			measureClones(b, ks.Clone, func() {})
		})
		b.Run(strconv.Itoa(n)+"/reserved", func(b *testing.B) {
			ks := filled(n)
			var r *keyspace.Reserve
			measureClones(b, func() *keyspace.Keyspace { return ks.CloneIn(r) },
				func() { r = keyspace.NewReserve(ks.CloneBytes()) })
		})
	}
}

func measureClones(b *testing.B, clone func() *keyspace.Keyspace, prepare func()) {
	prepare()
	for b.Loop() {
		c := clone()
		b.StopTimer()
		c.DB(0).Flush()
		for c.ReleaseFlushed(1000) {
		}
		prepare()
		b.StartTimer()
	}
}

// filled returns a keyspace with strings, half of them with deadlines.
func filled(n int) *keyspace.Keyspace {
	ks := keyspace.New(1, 1, func(n uint64) uint64 { return 0 })
	ks.Now = 1_700_000_000_000
	for i := range n {
		ks.Begin()
		ks.DB(0).SetUntil(strconv.AppendInt([]byte("key:"), int64(i), 10), ks.String([]byte("value of 16 byte")),
			int64(i%2)*(ks.Now+int64(i)+1000))
	}
	return ks
}
