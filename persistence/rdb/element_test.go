package rdb

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// withDeadlines sets deadlines of some elements of a collection. It leaves out hashes, whose type
// in the file has a place for deadlines.
func withDeadlines(rng *rand.Rand, ks *keyspace.Keyspace, v keyspace.Value) keyspace.Value {
	var names [][]byte
	switch v := v.(type) {
	case *list.List:
		for i := range v.Len() {
			names = append(names, strconv.AppendInt(nil, int64(i), 10))
		}
	case *set.Set:
		v.Each(func(member ziplist.Entry) bool { names = append(names, member.Append(nil)); return true })
	case *zset.Set:
		v.Each(func(member []byte, _ float64) bool { names = append(names, bytes.Clone(member)); return true })
	}
	for i, name := range names {
		if i == 0 || rng.IntN(3) == 0 {
			if !SetElementDeadline(v, name, ks.Now+1+rng.Int64N(1e9), dice) {
				panic("no element " + string(name))
			}
		}
	}
	return v
}

// elementDeadlines returns the deadlines of a value's elements.
func elementDeadlines(v keyspace.Value) map[string]int64 {
	dates := make(map[string]int64)
	if d, ok := v.(keyspace.Collection); ok {
		EachElementDeadline(d, func(element []byte, deadline int64) { dates[string(element)] = deadline })
	}
	return dates
}

// TestPayloadsHoldDeadlines: a payload holds the deadlines of elements in a type that Redis does
// not know. Without them it has a type that Redis knows.
func TestPayloadsHoldDeadlines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var e Encoder
	seen := make(map[keyspace.Type]bool)
	for seed := range 400 {
		ks := newKeyspace(1, 1, dice)
		v := withDeadlines(rng, ks, randomValue(ks, rng, limits(seed%2)))
		if len(elementDeadlines(v)) == 0 {
			require.NotEqual(t, byte(typeVolatile), e.Payload(nil, v)[0])
			continue
		}
		seen[v.Type()] = true
		restored := func(payload []byte) (keyspace.Value, *keyspace.Keyspace) {
			require.True(t, ValidPayload(payload, Versions{}))
			other := newKeyspace(1, 1, dice)
			lent := bytes.Clone(payload)
			got, err := ReadPayload(lent, Options{Limits: limits(1), Keyspace: other})
			require.NoError(t, err)
			other.DB(0).Set([]byte("k"), got, false)
			clear(lent) // the value must not point there
			require.NoError(t, other.DB(0).Check())
			got, _ = other.DB(0).Peek([]byte("k"))
			return got, other
		}
		payload := e.Payload(nil, v)
		require.EqualValues(t, typeVolatile, payload[0])
		got, other := restored(payload)
		require.Equal(t, elementDeadlines(v), elementDeadlines(got))
		require.Equal(t, 1, other.DB(0).Expiry().Subexpiry())
		ks.DB(0).Set([]byte("k"), v, false)
		require.Equal(t, ks.DB(0).ValueDigest([]byte("k")), other.DB(0).ValueDigest([]byte("k")))

		plain := e.PayloadWithoutDeadlines(nil, v)
		require.LessOrEqual(t, plain[0], byte(typeHashPackTTL))
		got, _ = restored(plain)
		require.Empty(t, elementDeadlines(got))
		require.Equal(t, v.Len(), got.Len())
	}
	require.Len(t, seen, 3, "sets, sorted sets, lists")
}
