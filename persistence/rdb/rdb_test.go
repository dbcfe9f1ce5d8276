package rdb

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/stretchr/testify/require"
)

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (m *memory) WriteAt(b []byte, at int64) (int, error) { return copy(m.Bytes()[at:], b), nil }

func dice(n uint64) uint64 { return rand.Uint64N(n) }

// limits returns the engine's thresholds divided by a divisor; with 0 all thresholds are 0.
func limits(divisor int) Limits {
	l := Limits{Hash: hash.Limits{MaxEntries: 512, MaxValue: 64}, ZSet: zset.Limits{MaxEntries: 128, MaxValue: 64},
		Set: set.Limits{MaxInts: 512, MaxEntries: 128, MaxValue: 64}, List: list.Defaults, Dice: dice}
	if divisor != 1 {
		l.Hash.MaxEntries, l.ZSet.MaxEntries, l.Set.MaxInts, l.Set.MaxEntries = 0, 0, 0, 0
		l.List.Node = 1
	}
	return l
}

// filled returns a keyspace with random values of all types.
func filled(rng *rand.Rand, keys int, lim Limits) *keyspace.Keyspace {
	ks := newKeyspace(4, rng.Uint64(), dice)
	ks.Now = 1_700_000_000_000
	for i := range keys {
		ks.Begin()
		key := fmt.Appendf(nil, "key:%d", i)
		db := ks.DB(rng.IntN(4))
		db.Set(key, randomValue(ks, rng, lim), false)
		if rng.IntN(3) == 0 {
			db.SetDeadline(key, ks.Now+1+rng.Int64N(1e9))
		}
	}
	return ks
}

// randomText returns a text: a number, a short word, a long one that repeats, or random bytes.
func randomText(rng *rand.Rand) []byte {
	switch rng.IntN(6) {
	case 0:
		return strconv.AppendInt(nil, rng.Int64()>>rng.IntN(64), 10)
	case 1:
		return strconv.AppendInt(nil, -rng.Int64()>>rng.IntN(64), 10)
	case 2:
		return []byte(strings.Repeat("abcdefg hijk ", rng.IntN(30)))
	case 3:
		b := make([]byte, rng.IntN(300))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	return fmt.Appendf(nil, "word%d", rng.IntN(1000))
}

func randomValue(ks *keyspace.Keyspace, rng *rand.Rand, lim Limits) keyspace.Value {
	n := 1 + rng.IntN(1<<rng.IntN(11))
	switch rng.IntN(8) {
	case 0, 1:
		b := randomText(rng)
		if rng.IntN(20) == 0 {
			b = bytes.Repeat(b, 1000)
		}
		v := str.Of(b)
		return &v
	case 2:
		l := &list.List{}
		for range n {
			l.Push(list.Tail, randomText(rng), lim.List)
		}
		if rng.IntN(3) == 0 {
			l.Push(list.Head, bytes.Repeat([]byte("large"), 5000), lim.List)
		}
		return l
	case 3:
		s := &set.Set{}
		for range n {
			if n%2 == 0 {
				s.Add(strconv.AppendInt(nil, rng.Int64()>>rng.IntN(64), 10), lim.Set)
			} else {
				s.Add(randomText(rng), lim.Set)
			}
		}
		return s
	case 4:
		h := &hash.Hash{}
		for range n {
			h.Set(randomText(rng), randomText(rng), lim.Hash)
		}
		return h
	case 5:
		z := &zset.Set{}
		for range n {
			score := []float64{rng.NormFloat64(), float64(rng.Int64() >> rng.IntN(64)), math.Inf(1), 0}[rng.IntN(4)]
			z.Add(randomText(rng), score, lim.ZSet, dice)
		}
		return z
	case 6:
		f, _ := bloom.New(bloom.Options{Capacity: uint64(n), Rate: 0.01, Growth: 2})
		for range 2 * n {
			f.Add(randomText(rng), math.MaxInt)
		}
		return f
	}
	return randomStream(rng, n)
}

func randomStream(rng *rand.Rand, n int) *stream.Stream {
	s := &stream.Stream{}
	id := stream.ID{Ms: rng.Uint64N(1e12)}
	var ids []stream.ID
	for range n {
		id.Ms += rng.Uint64N(3)
		id.Seq++
		s.Append(id, [][]byte{[]byte("field"), randomText(rng), randomText(rng), randomText(rng)}, stream.Defaults)
		ids = append(ids, id)
	}
	for range rng.IntN(3) {
		s.Delete(ids[rng.IntN(n)])
	}
	for g := range rng.IntN(3) {
		group := s.AddGroup(fmt.Appendf(nil, "group%d", g), ids[n/2], []int64{stream.Unknown, 3}[rng.IntN(2)])
		for c := range rng.IntN(4) {
			consumer := group.AddConsumer(fmt.Appendf(nil, "consumer%d", c), rng.Int64N(1e12))
			consumer.Active = consumer.Seen
			for range rng.IntN(5) {
				p := group.Deliver(ids[rng.IntN(n)], consumer)
				p.Delivered, p.Count = rng.Int64N(1e12), rng.Int64N(10)
			}
		}
	}
	return s
}

// saved returns a keyspace as a snapshot.
func saved(t *testing.T, ks *keyspace.Keyspace, compress bool) []byte {
	t.Helper()
	return savedAs(t, ks, compress, Format{})
}

func savedAs(t *testing.T, ks *keyspace.Keyspace, compress bool, format Format) []byte {
	t.Helper()
	var file memory
	w := NewWriter(&file, 0)
	records := NewRecords(compress)
	records.Marks, records.Format = IdleTimes, format
	records.Aux("ctime", "1700000000")
	var buf []byte
	ks.Records(func(r *keyspace.Record) bool {
		records.Record(r, nil)
		buf = records.Take(buf)
		require.NoError(t, w.Write(buf))
		return true
	})
	require.NoError(t, w.Write(records.Take(nil)))
	require.NoError(t, w.End(records.Version()))
	return file.Bytes()
}

// loaded reads a snapshot into a keyspace.
func loaded(src []byte, lim Limits, size int64) (*keyspace.Keyspace, error) {
	ks := newKeyspace(4, 7, dice)
	ks.Now = 1_700_000_000_000
	r := NewReader(bytes.NewReader(src), Options{Limits: lim, Keyspace: ks, Size: size})
	for r.Next() {
		if r.Item == Key && !ks.Restore(&r.Record) {
			return ks, fmt.Errorf("%q is there twice", r.Record.Key)
		}
	}
	return ks, r.Err()
}

func check(t *testing.T, ks *keyspace.Keyspace) {
	t.Helper()
	for i := range ks.Len() {
		require.NoError(t, ks.DB(i).Check())
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		ks := filled(rng, 40, limits(int(seed%2)))
		check(t, ks)
		file := saved(t, ks, seed%3 > 0)
		for _, size := range []int64{0, int64(len(file))} {
			got, err := loaded(file, limits(int(seed/2%2)), size)
			require.NoError(t, err, "seed %d", seed)
			require.Equal(t, ks.Digest(), got.Digest(), "seed %d", seed)
			check(t, got)
		}
	}
}

func TestPayloads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var e Encoder
	for seed := range uint64(200) {
		ks := filled(rng, 1, limits(int(seed%2)))
		ks.Records(func(r *keyspace.Record) bool {
			b := e.Payload([]byte("before"), r.Value)[len("before"):]
			require.True(t, ValidPayload(b, Versions{}))
			other := newKeyspace(1, 1, dice)
			v, err := ReadPayload(b, Options{Limits: limits(1), Keyspace: other})
			require.NoError(t, err)
			other.DB(0).Set([]byte("k"), v, false)
			require.NoError(t, other.DB(0).Check())
			key := []byte(r.Key)
			deadline, _ := ks.DB(r.DB).Deadline(key)
			other.DB(0).SetDeadline([]byte("k"), deadline)
			require.Equal(t, ks.DB(r.DB).ValueDigest(key), other.DB(0).ValueDigest([]byte("k")))
			b[rng.IntN(len(b)-8)]++
			require.False(t, ValidPayload(b, Versions{}))
			return false
		})
	}
}

func TestChecksum(t *testing.T) {
	require.Equal(t, uint64(0xe9c6d914c4b8d9ca), Sum(0, []byte("123456789")), "the known one of CRC-64/Jones")
	table := crc64.MakeTable(jones)
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 300 {
		a, b := make([]byte, n), make([]byte, rng.IntN(70))
		for i := range a {
			a[i] = byte(rng.Uint32())
		}
		require.Equal(t, ^crc64.Update(^uint64(0), table, a), Sum(0, a))
		require.Equal(t, Sum(Sum(0, a), b), shifted(Sum(0, a), int64(len(b))))
	}
}

func TestCompression(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var z lzf
	compressed := 0
	for range 3000 {
		b := bytes.Repeat(randomText(rng), 1+rng.IntN(3))
		if rng.IntN(50) == 0 {
			b = bytes.Repeat(b, 500)
		}
		if len(b) < 4 {
			continue
		}
		out, ok := z.compress([]byte("before"), b, len(b), nil)
		if !ok {
			require.Equal(t, "before", string(out))
			continue
		}
		compressed++
		require.LessOrEqual(t, len(out)-6, len(b)-4)
		got, ok := decompress(nil, out[6:], len(b))
		require.True(t, ok)
		require.Equal(t, b, got)
		_, ok = decompress(nil, out[6:], len(b)+1)
		require.False(t, ok)
		_, ok = decompress(nil, out[6:], len(b)-1)
		require.False(t, ok)
	}
	require.Greater(t, compressed, 500)
}

// The bits of a filter may be most of the memory: their payload is not copied again and again while
// it grows.
func TestPayloadOfAFilterIsAllocatedOnce(t *testing.T) {
	f, ok := bloom.New(bloom.Options{Capacity: 1 << 22, Rate: 0.01, Fixed: true})
	require.True(t, ok)
	require.LessOrEqual(t, testing.AllocsPerRun(3, func() { new(Encoder).Payload(nil, f) }), 14.)
}

// TestProducers writes a stream with idempotent producers as Redis 8.6 does, in the type that no
// earlier release knows.
func TestProducers(t *testing.T) {
	stored := &stream.Stream{}
	stored.SetIDLimits(stream.IDLimits{Seconds: 300, Most: 5})
	stored.Remember([]byte("q"), []byte("b"), stream.ID{Ms: 7}, stream.Always)
	stored.Remember([]byte("p"), []byte("a"), stream.ID{Ms: 5, Seq: 1}, stream.Always)
	stored.CountDuplicate()
	var e Encoder
	b := e.Payload(nil, stored)
	const empty = "\x1a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // type; nodes, entries, last, first, deleted, added, groups
	require.Equal(t, empty+"\x41\x2c\x05\x02"+"\x01p\x01\x01a\x05\x01"+"\x01q\x01\x01b\x07\x00"+"\x02\x01"+"\x0d\x00",
		string(b[:len(b)-8]))
	v, err := ReadPayload(b, Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
	require.NoError(t, err)
	read := v.(*stream.Stream)
	require.NoError(t, read.Check())
	require.Equal(t, stored.IDLimits(), read.IDLimits())
	require.Equal(t, stored.Producers().All(), read.Producers().All())
	require.Equal(t, b, e.Payload(nil, read))
	for _, damage := range []string{"\x00\x05\x00\x00\x00",
		"\x05\x00\x00\x00\x00", "\x05\x05\x01\x01p\x02\x01a\x05\x01\x01a\x05\x02\x01\x01"} {
		_, err := ReadPayload(finish([]byte(empty+damage), 0, 13),
			Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
		require.Error(t, err)
	}
}

// idle returns a stream with a consumer that was seen and never active.
func idle() *stream.Stream {
	s := &stream.Stream{}
	c := s.AddGroup([]byte("g"), stream.ID{}, 0).AddConsumer([]byte("c"), 7)
	c.Active = -1
	return s
}

// TestActivity writes when a consumer was last active as Redis does since 7.2, and not if older
// releases must read it.
func TestActivity(t *testing.T) {
	for version, want := range map[int]struct {
		of     byte
		active int64
	}{0: {typeStream3, -1}, 11: {typeStream3, -1}, 10: {typeStream1, 7}} {
		b := (&Encoder{Format: Format{Version: version}}).Payload(nil, idle())
		require.Equal(t, want.of, b[0])
		v, err := ReadPayload(b, Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
		require.NoError(t, err)
		c := v.(*stream.Stream).Groups()[0].Consumers()[0]
		require.Equal(t, []int64{7, want.active}, []int64{c.Seen, c.Active})
	}
}

// TestUncounted leaves out the counters of streams if Redis before 7.0 must read them.
func TestUncounted(t *testing.T) {
	s := idle()
	s.Groups()[0].Read = 5
	require.Equal(t, byte(typeStream2), (&Encoder{Format: Format{Version: 10}}).Payload(nil, s)[0])
	require.Equal(t, byte(typeStream1), (&Encoder{Format: Format{Version: 9}}).Payload(nil, s)[0])
}

// TestReturnedMessages writes messages that no consumer has as Redis 8.8 does, in the order in
// which they were returned.
func TestReturnedMessages(t *testing.T) {
	stored := &stream.Stream{}
	g := stored.AddGroup([]byte("g"), stream.ID{}, 0)
	g.Return(stream.ID{Ms: 9}).Count = 2
	g.Return(stream.ID{Ms: 5}).Count = math.MaxInt64
	var e Encoder
	b := e.Payload(nil, stored)
	require.Equal(t, byte(27), b[0])
	require.Equal(t, "\x02"+be(9)+be(0)+be(5)+be(0)+"\x40\x64\x40\x64\x00\x00\x00"+"\x0e\x00",
		string(b[len(b)-50:len(b)-8]))
	v, err := ReadPayload(b, Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
	require.NoError(t, err)
	read := v.(*stream.Stream)
	require.NoError(t, read.Check())
	require.Equal(t, b, e.Payload(nil, read))
	require.Nil(t, read.Producers())
	b[len(b)-27]++ // another ID
	seal(b)
	_, err = ReadPayload(b, Options{Limits: limits(1), Keyspace: newKeyspace(1, 1, dice)})
	require.Error(t, err)
}

// newKeyspace returns a keyspace whose values can be of all types, also of those of modules.
func newKeyspace(databases int, seed uint64, dice func(n uint64) uint64) *keyspace.Keyspace {
	ks := keyspace.New(databases, seed, dice)
	ks.Types = []keyspace.Type{bloom.Type}
	return ks
}
