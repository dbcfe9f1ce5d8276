package snapshot

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/quick"
	"github.com/miniserver-go/miniserver/persistence/disk"
)

// largeValues builds one value of each type, of a megabyte or more.
func largeValues() map[string]keyspace.Value {
	rng := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, 4<<20)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	even := make([]byte, 4<<20)
	a, b := str.OfEnc(noise, str.Raw), str.OfEnc(even, str.Raw)
	h, s, z, l, x := &hash.Hash{}, &set.Set{}, &zset.Set{}, &list.List{}, &stream.Stream{}
	for i := range 40_000 {
		text := fmt.Appendf(nil, "element %d %x", i, rng.Uint64())
		h.Set(text, text, hash.Limits{})
		s.Add(text, set.Limits{})
		z.Add(text, rng.NormFloat64(), zset.Limits{}, rng.Uint64N)
		l.Push(list.Tail, text, list.Defaults)
		x.Append(stream.ID{Ms: uint64(i + 1)}, [][]byte{text, text}, stream.Defaults)
	}
	return map[string]keyspace.Value{"noise": &a, "zeros": &b, "hash": h, "set": s, "zset": z, "list": l, "stream": x}
}

// shrink removes some elements of a collection.
func shrink(v keyspace.Value) {
	for n := range 100 {
		switch v := v.(type) {
		case *hash.Hash:
			field, _ := v.Random(rand.Uint64N)
			v.Delete(field.Str)
		case *set.Set:
			v.Remove(v.Random(rand.Uint64N).Str)
		case *zset.Set:
			v.RemoveRangeByRank(100*n, 100*n, nil)
		case *list.List:
			v.RemoveEnd(list.End(n%2), n)
		case *stream.Stream:
			v.Delete([]stream.ID{v.First(), v.Last()}[n%2])
		}
	}
}

// TestLargeValuesAreSavedInSlices: a hold of the lock can end after a small part of a large value.
// When a command changes a collection, nothing is encoded for that; of a string the rest is. The
// file holds the data at the start.
func TestLargeValuesAreSavedInSlices(t *testing.T) {
	quick.Skip(t, "fills memory")
	for name, v := range largeValues() {
		for _, changed := range []bool{false, true} {
			disk := new(disk.Memory)
			b := newBench(t, disk)
			b.Engine.Home().Keyspace.DB(0).Set([]byte(name), v, false)
			want := b.Engine.Home().Keyspace.Digest()
			var run func()
			b.opts.Background = func(fn func()) { run = fn }
			require.Equal(t, "Background saving started", b.do("BGSAVE"))
			bgsave := b.running
			slices, bytes := 0, 0
			for more := true; more && slices < 5; slices++ {
				bgsave.slice(time.Time{}) // whose time is up after a step
				more = bgsave.snapshot != nil
				block := bgsave.encoder.Take(nil)
				require.NoError(t, bgsave.out.Write(block))
				require.LessOrEqual(t, len(block), 16<<10, name)
				bytes += len(block)
			}
			require.Equal(t, 5, slices, "%s takes more than these", name)
			if changed {
				ks := b.Engine.Home().Keyspace
				ks.Begin()
				v, ok := ks.DB(0).Edit([]byte(name))
				require.True(t, ok)
				if v.Type() == keyspace.String {
					require.Greater(t, bgsave.encoder.Len(), 0, name)
				} else {
					require.Zero(t, bgsave.encoder.Len(), name)
					shrink(v)
				}
				ks.DB(0).Commit([]byte(name))
			}
			b.do("SET " + name + " other")
			run()
			require.NotEqual(t, want, b.Engine.Home().Keyspace.Digest())
			copied := newBench(t, disk)
			require.NoError(t, copied.Load(false))
			require.Equal(t, want, copied.Engine.Home().Keyspace.Digest(), name)
		}
	}
}
