package main

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// Vector sets by go-redis. docs/vectors.md shows the first function as it is.

func TestFilms(t *testing.T) {
	client := clientOf(t, miniserver.Run(t).NewWorld(t))
	ctx := t.Context()
	client.VAddWithArgs(ctx, "films", "alien", &redis.VectorValues{Val: []float64{0.9, 0.1, 0}},
		&redis.VAddArgs{SetAttr: `{"year":1979,"genre":"horror"}`})
	client.VAddWithArgs(ctx, "films", "solaris", &redis.VectorValues{Val: []float64{0.7, 0.6, 0}},
		&redis.VAddArgs{SetAttr: `{"year":1972,"genre":"drama"}`})
	client.VAddWithArgs(ctx, "films", "amelie", &redis.VectorValues{Val: []float64{0, 0.2, 0.9}},
		&redis.VAddArgs{SetAttr: `{"year":2001,"genre":"comedy"}`})

	near := client.VSimWithScores(ctx, "films", &redis.VectorValues{Val: []float64{1, 0.2, 0}}).Val()
	require.Equal(t, "alien", near[0].Name)
	require.InDelta(t, 0.998, near[0].Score, 0.001)
	like := client.VSimWithArgs(ctx, "films", &redis.VectorRef{Name: "alien"},
		&redis.VSimArgs{Count: 2, Filter: `.genre in ["drama", "comedy"]`})
	require.Equal(t, []string{"solaris", "amelie"}, like.Val())
}

// TestVectorSets calls go-redis' methods for vector sets, in both protocols.
func TestVectorSets(t *testing.T) {
	eachProtocol(t, func(client *redis.Client) {
		addVectors(t, client)
		readVectors(t, client)
		searchVectors(t, client)
	})
}

// values returns a vector with these components.
func values(components ...float64) *redis.VectorValues { return &redis.VectorValues{Val: components} }

func addVectors(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	for _, element := range []struct {
		name string
		x, y float64
	}{{"a", 3, 4}, {"b", 4, 3}, {"c", -4, 3}} {
		args := &redis.VAddArgs{Cas: true, NoQuant: true, EF: 100, M: 8}
		require.True(t, client.VAddWithArgs(ctx, "k", element.name, values(element.x, element.y), args).Val())
		require.False(t, client.VAddWithArgs(ctx, "k", element.name, values(element.x, element.y), args).Val())
	}
	blob := &redis.VectorFP32{Val: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0}}
	require.True(t, client.VAdd(ctx, "blobs", "one", blob).Val())
	require.True(t, client.VAddWithArgs(ctx, "reduced", "r", values(1, 2, 3), &redis.VAddArgs{Reduce: 2}).Val())
	require.EqualError(t, client.VAdd(ctx, "k", "d", values(1, 2)).Err(),
		"ERR asked quantization mismatch with existing vector set")
}

func readVectors(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.EqualValues(t, 3, client.VCard(ctx, "k").Val())
	require.EqualValues(t, 2, client.VDim(ctx, "k").Val())
	require.EqualError(t, client.VDim(ctx, "none").Err(), "ERR key does not exist")
	require.True(t, client.VIsMember(ctx, "k", "a").Val())
	require.False(t, client.VIsMember(ctx, "k", "z").Val())
	require.Len(t, client.VEmb(ctx, "k", "a", false).Val(), 2)
	require.Equal(t, "f32", client.VEmb(ctx, "k", "a", true).Val()[0])
	require.True(t, client.VSetAttr(ctx, "k", "a", `{"n":1}`).Val())
	require.JSONEq(t, `{"n":1}`, client.VGetAttr(ctx, "k", "a").Val())
	require.True(t, client.VClearAttributes(ctx, "k", "a").Val())
	require.ErrorIs(t, client.VGetAttr(ctx, "k", "a").Err(), redis.Nil)
	info := client.VInfo(ctx, "k").Val()
	require.Equal(t, "f32", info["quant-type"])
	require.EqualValues(t, 8, info["hnsw-m"])
	require.ElementsMatch(t, []string{"b", "c"}, client.VLinks(ctx, "k", "a").Val()[0])
	require.Len(t, client.VLinksWithScores(ctx, "k", "a").Val()[0], 2)
	require.Contains(t, []string{"a", "b", "c"}, client.VRandMember(ctx, "k").Val())
	require.ElementsMatch(t, []string{"a", "b", "c"}, client.VRandMemberCount(ctx, "k", 5).Val())
	require.Equal(t, []string{"b", "c"}, client.VRange(ctx, "k", "(a", "+", 10).Val())
}

func searchVectors(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	client.VSetAttr(ctx, "k", "b", map[string]any{"n": 2})
	require.Equal(t, []string{"a", "b", "c"}, client.VSim(ctx, "k", values(3, 4)).Val())
	scores := client.VSimWithArgsWithScores(ctx, "k", &redis.VectorRef{Name: "a"},
		&redis.VSimArgs{Count: 2, EF: 50, Truth: true, NoThread: true, Epsilon: 0.5}).Val()
	require.Len(t, scores, 2)
	require.InDelta(t, 0.98, scores[1].Score, 1e-6)
	both := client.VSimWithArgsWithScoresWithAttribs(ctx, "k", values(3, 4),
		&redis.VSimArgs{Filter: ".n == 2", FilterEF: 10}).Val()
	require.Len(t, both, 1)
	require.JSONEq(t, `{"n":2}`, *both[0].Attribs)
	attributes := client.VSimWithArgsWithAttribs(ctx, "k", values(3, 4), nil).Val()
	require.Nil(t, attributes[0].Attribs)
	require.EqualError(t, client.VSim(ctx, "k", &redis.VectorRef{Name: "z"}).Err(), "ERR element not found in set")
	require.Empty(t, client.VSim(ctx, "none", values(1)).Val())
	require.True(t, client.VRem(ctx, "k", "c").Val())
	require.False(t, client.VRem(ctx, "k", "c").Val())
}
