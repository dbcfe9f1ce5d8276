package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
)

// JSON by go-redis. docs/json.md shows the first function as it is.

func TestACart(t *testing.T) {
	w := miniserver.Run(t).NewWorld(t)
	client := clientOf(t, w)
	ctx := t.Context()
	cart := map[string]any{"user": "alice", "items": []any{map[string]any{"name": "shoes", "count": 1, "price": 80}}}
	client.JSONSet(ctx, "cart:7", "$", cart)
	client.Expire(ctx, "cart:7", time.Hour)

	client.JSONArrAppend(ctx, "cart:7", "$.items", `{"name":"hat","count":2,"price":12.5}`)
	client.JSONNumIncrBy(ctx, "cart:7", `$.items[?(@.name=="shoes")].count`, 1)
	client.JSONMerge(ctx, "cart:7", "$", `{"coupon":"SPRING","user":null}`) // null takes the member away
	require.Equal(t, `["hat"]`, client.JSONGet(ctx, "cart:7", "$.items[?(@.price<50)].name").Val())
	require.Equal(t, "2", client.JSONGet(ctx, "cart:7", ".items[0].count").Val())
	require.ElementsMatch(t, []any{"items", "coupon"}, client.JSONObjKeys(ctx, "cart:7", "$").Val()[0])

	w.Advance(time.Hour)
	require.Empty(t, client.JSONGet(ctx, "cart:7", "$").Val())
}

const shoes = `{"name":"shoes","price":80.5,"stock":3,"sold":false,"sizes":[40,41,42],"maker":{"name":"Ada","since":null}}`

// TestJSON calls go-redis' methods for JSON, in both protocols.
func TestJSON(t *testing.T) {
	eachProtocol(t, func(client *redis.Client) {
		jsonDocuments(t, client)
		jsonArrays(t, client)
		jsonTypes(t, client)
		jsonErrors(t, client)
		jsonPipeline(t, client)
	})
}

// eachProtocol calls fn with a client that speaks RESP2, and with one that speaks RESP3.
func eachProtocol(t *testing.T, fn func(client *redis.Client)) {
	s := miniserver.Run(t)
	for _, protocol := range []int{2, 3} {
		options, err := redis.ParseURL(s.NewWorld(t).URL())
		require.NoError(t, err)
		options.Protocol = protocol
		client := redis.NewClient(options)
		t.Cleanup(func() { _ = client.Close() })
		t.Log("RESP", protocol)
		fn(client)
	}
}

func jsonDocuments(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "OK", client.JSONSet(ctx, "shoes", "$", shoes).Val())
	require.Equal(t, "OK", client.JSONSet(ctx, "made", "$", map[string]any{"name": "fez"}).Val())
	require.ErrorIs(t, client.JSONSetMode(ctx, "shoes", "$", "1", "NX").Err(), redis.Nil)
	require.ErrorIs(t, client.JSONSetMode(ctx, "none", "$", "1", "XX").Err(), redis.Nil)
	require.Equal(t, shoes, client.JSONGet(ctx, "shoes").Val())
	require.Equal(t, "["+shoes+"]", client.JSONGet(ctx, "shoes", "$").Val())
	require.Equal(t, `["shoes","Ada"]`, client.JSONGet(ctx, "shoes", "$..name").Val())
	require.Equal(t, "80.5", client.JSONGet(ctx, "shoes", ".price").Val())
	require.JSONEq(t, `{"$.name":["shoes"],"$.stock":[3]}`, client.JSONGet(ctx, "shoes", "$.name", "$.stock").Val())
	require.Equal(t, "{\n\t\"name\": \"fez\"\n}",
		client.JSONGetWithArgs(ctx, "made", &redis.JSONGetArgs{Indent: "\t", Newline: "\n", Space: " "}).Val())
	require.Equal(t, "[]", client.JSONGet(ctx, "shoes", "$.none").Val())
	require.Empty(t, client.JSONGet(ctx, "none", "$").Val())
	require.Equal(t, "OK", client.JSONMSet(ctx, "hat", "$", `{"stock":5}`, "sock", "$", `{"stock":7}`).Val())
	require.Equal(t, []any{"[5]", nil, "[7]"}, client.JSONMGet(ctx, "$.stock", "hat", "none", "sock").Val())
	require.Equal(t, []any{"5", nil, "7"}, client.JSONMGet(ctx, ".stock", "hat", "none", "sock").Val())
	require.Equal(t, "OK", client.JSONMerge(ctx, "hat", "$", `{"name":"fez","stock":null}`).Val())
	require.Equal(t, `{"name":"fez"}`, client.JSONGet(ctx, "hat").Val())
}

func jsonArrays(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "[5]", client.JSONNumIncrBy(ctx, "shoes", "$.stock", 2).Val())
	require.Equal(t, "[80.75]", client.JSONNumIncrBy(ctx, "shoes", "$.price", 0.25).Val())
	if client.Options().Protocol == 2 { // in RESP3 go-redis 9.23 takes a null for the whole reply
		require.Equal(t, "[null,null]", client.JSONNumIncrBy(ctx, "shoes", "$..name", 1).Val())
	}
	require.Equal(t, []int64{5}, client.JSONArrAppend(ctx, "shoes", "$.sizes", 43, `"44"`).Val())
	require.Equal(t, []int64{2}, client.JSONArrIndex(ctx, "shoes", "$.sizes", 42).Val())
	require.Equal(t, []int64{-1}, client.JSONArrIndex(ctx, "shoes", "$.sizes", 99).Val())
	require.Equal(t, []int64{6}, client.JSONArrInsert(ctx, "shoes", "$.sizes", 0, 39).Val())
	require.Equal(t, []int64{6}, client.JSONArrLen(ctx, "shoes", "$.sizes").Val())
	require.Equal(t, []string{`"44"`}, client.JSONArrPop(ctx, "shoes", "$.sizes", -1).Val())
	stop := 2
	require.Equal(t, []int64{2},
		client.JSONArrTrimWithArgs(ctx, "shoes", "$.sizes", &redis.JSONArrTrimArgs{Start: 1, Stop: &stop}).Val())
	require.Equal(t, "[[40,41]]", client.JSONGet(ctx, "shoes", "$.sizes").Val())
}

func jsonTypes(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	require.Equal(t, "ReJSON-RL", client.Type(ctx, "shoes").Val())
	kinds := []any{"string", "number", "integer", "boolean", "array", "object"}
	if client.Options().Protocol == 3 {
		kinds = []any{kinds}
	}
	require.Equal(t, kinds, client.JSONType(ctx, "shoes", "$.*").Val())
	require.Equal(t, []any{[]any{"name", "since"}}, client.JSONObjKeys(ctx, "shoes", "$.maker").Val())
	number := func(n int64) *int64 { return &n }
	require.Equal(t, []*int64{number(2)}, client.JSONObjLen(ctx, "shoes", "$.maker").Val())
	require.Equal(t, []*int64{number(10)}, client.JSONStrAppend(ctx, "shoes", "$.name", `", red"`).Val())
	require.Equal(t, []*int64{number(10), number(3)}, client.JSONStrLen(ctx, "shoes", "$..name").Val())
	require.Equal(t, []*int64{number(1)}, client.JSONToggle(ctx, "shoes", "$.sold").Val())
	require.Equal(t, []*int64{nil}, client.JSONToggle(ctx, "shoes", "$.name").Val())
}

func jsonErrors(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	client.Set(ctx, "text", "x", 0)
	was := client.JSONGet(ctx, "shoes").Val()
	require.EqualError(t, client.JSONGet(ctx, "shoes", ".none").Err(), "ERR Path '$.none' does not exist")
	require.ErrorContains(t, client.JSONGet(ctx, "shoes", "$[").Err(), "Error occurred on position 2")
	require.EqualError(t, client.JSONGet(ctx, "text").Err(), "Existing key has wrong Redis type")
	require.EqualError(t, client.JSONSet(ctx, "none", "$.a", "1").Err(), "ERR new objects must be created at the root")
	require.EqualError(t, client.JSONSet(ctx, "shoes", "$", "{").Err(),
		"EOF while parsing an object at line 1 column 1")
	require.EqualError(t, client.JSONArrInsert(ctx, "shoes", "$.sizes", 9, 1).Err(), "ERR index out of bounds")
	require.Equal(t, was, client.JSONGet(ctx, "shoes").Val())

	require.EqualValues(t, 1, client.JSONClear(ctx, "shoes", "$.sizes").Val())
	require.EqualValues(t, 2, client.JSONDel(ctx, "shoes", "$..name").Val())
	require.Zero(t, client.JSONForget(ctx, "shoes", "$.none").Val())
	require.EqualValues(t, 1, client.JSONDel(ctx, "shoes", "$").Val())
	require.Zero(t, client.JSONDel(ctx, "shoes", "$").Val())
}

func jsonPipeline(t *testing.T, client *redis.Client) {
	ctx := t.Context()
	for _, pipeline := range []redis.Pipeliner{client.Pipeline(), client.TxPipeline()} {
		pipeline.JSONSet(ctx, "k", "$", `{"a":1}`)
		added := pipeline.JSONNumIncrBy(ctx, "k", "$.a", 1)
		absent := pipeline.JSONGet(ctx, "k", ".none")
		var document map[string]int
		got := pipeline.JSONGet(ctx, "k", ".")
		deleted := pipeline.JSONDel(ctx, "k", "$")
		_, err := pipeline.Exec(ctx)
		require.EqualError(t, err, "ERR Path '$.none' does not exist")
		require.EqualError(t, absent.Err(), err.Error())
		require.Equal(t, "[2]", added.Val())
		require.NoError(t, json.Unmarshal([]byte(got.Val()), &document))
		require.Equal(t, map[string]int{"a": 2}, document)
		require.EqualValues(t, 1, deleted.Val())
	}
}
