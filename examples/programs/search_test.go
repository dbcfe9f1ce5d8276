package main

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver"
	"github.com/miniserver-go/miniserver/internal/reference"
	_ "github.com/miniserver-go/miniserver/search"
)

// Search by go-redis. docs/search.md shows the first function as it is.

func TestBooks(t *testing.T) {
	client := clientOf(t, miniserver.Run(t).NewWorld(t))
	ctx := t.Context()
	client.FTCreate(ctx, "books", &redis.FTCreateOptions{OnHash: true, Prefix: []any{"book:"}},
		&redis.FieldSchema{FieldName: "title", FieldType: redis.SearchFieldTypeText, Weight: 2},
		&redis.FieldSchema{FieldName: "genre", FieldType: redis.SearchFieldTypeTag},
		&redis.FieldSchema{FieldName: "year", FieldType: redis.SearchFieldTypeNumeric, Sortable: true})
	client.HSet(ctx, "book:1", "title", "The Time Machine", "genre", "novel,science fiction", "year", 1895)
	client.HSet(ctx, "book:2", "title", "Travels with a Donkey", "genre", "travel", "year", 1879)

	found := client.FTSearch(ctx, "books", "@genre:{science fiction} @year:[1890 1900]").Val()
	require.Equal(t, 1, found.Total)
	require.Equal(t, "The Time Machine", found.Docs[0].Fields["title"])
	newest := client.FTSearchWithArgs(ctx, "books", "*",
		&redis.FTSearchOptions{SortBy: []redis.FTSearchSortBy{{FieldName: "year", Desc: true}}}).Val()
	require.Equal(t, "book:1", newest.Docs[0].ID)
}

// TestSearch calls go-redis' methods for search, in both protocols, on hashes and JSON.
func TestSearch(t *testing.T) {
	eachProtocol(t, func(client *redis.Client) { searchEverything(t, client) })
}

// TestSearchOfRedisStack shows that the test above expects what Redis Stack replies.
func TestSearchOfRedisStack(t *testing.T) {
	stack := reference.RedisStack74.Start(t)
	for _, protocol := range []int{2, 3} {
		client := redis.NewClient(&redis.Options{Network: "unix", Addr: stack.Socket, Protocol: protocol})
		searchEverything(t, client)
		require.NoError(t, client.Close())
	}
}

func searchEverything(t *testing.T, client *redis.Client) {
	for _, json := range []bool{false, true} {
		require.NoError(t, client.FlushAll(t.Context()).Err())
		b := bikes{T: t, Client: client, json: json}
		b.create()
		b.search()
		b.aggregate()
		b.correct()
		b.nearest()
		b.drop()
	}
}

// bikes is an index of bikes: hashes or JSON.
type bikes struct {
	*testing.T
	*redis.Client
	json bool
}

// field describes a field, which has the same name in queries whatever the documents are.
func (b bikes) field(name string, kind redis.SearchFieldType) *redis.FieldSchema {
	path := name
	if b.json {
		path = "$." + name
	}
	return &redis.FieldSchema{FieldName: path, As: name, FieldType: kind}
}

func (b bikes) put(key string, fields map[string]any) {
	if b.json {
		require.NoError(b, b.JSONSet(b.Context(), key, "$", fields).Err())
		return
	}
	require.NoError(b, b.HSet(b.Context(), key, fields).Err())
}

func (b bikes) create() {
	price, area := b.field("price", redis.SearchFieldTypeNumeric), b.field("area", redis.SearchFieldTypeGeoShape)
	price.Sortable, area.GeoShapeFieldType = true, "FLAT"
	options := &redis.FTCreateOptions{OnHash: !b.json, OnJSON: b.json, Prefix: []any{"bike:"}}
	require.Equal(b, "OK", b.FTCreate(b.Context(), "bikes", options, price, area,
		b.field("brand", redis.SearchFieldTypeText), b.field("about", redis.SearchFieldTypeText),
		b.field("state", redis.SearchFieldTypeTag), b.field("at", redis.SearchFieldTypeGeo)).Val())
	b.put("bike:1", map[string]any{"brand": "Velorim", "about": "The tiniest kids bike", "price": 270,
		"state": "new", "at": "-74.0,40.7", "area": "POINT (1 1)"})
	b.put("bike:2", map[string]any{"brand": "Bicyk", "about": "Kids ride with little weight", "price": 1200,
		"state": "used", "at": "-73.9,40.8", "area": "POINT (2 2)"})
	b.put("bike:3", map[string]any{"brand": "Nord", "about": "A mountain bike for forests", "price": 815,
		"state": "used", "at": "-0.1,51.5", "area": "POINT (5 5)"})
	require.EqualError(b, b.FTCreate(b.Context(), "bikes", options, price).Err(), "Index already exists")
}

// found requires of a query that it finds documents, in this order of their prices.
func (b bikes) found(query string, options redis.FTSearchOptions, ids ...string) {
	options.SortBy = []redis.FTSearchSortBy{{FieldName: "price", Asc: true}}
	result, err := b.FTSearchWithArgs(b.Context(), "bikes", query, &options).Result()
	require.NoError(b, err, query)
	require.Equal(b, len(ids), result.Total, query)
	for i, id := range ids {
		require.Equal(b, id, result.Docs[i].ID, query)
	}
}

func (b bikes) search() {
	for query, ids := range map[string][]string{
		"*":                          {"bike:1", "bike:3", "bike:2"},
		"kids":                       {"bike:1", "bike:2"},
		"@about:(kids -tiniest)":     {"bike:2"},
		"mountain | little":          {"bike:3", "bike:2"},
		"%moutain%":                  {"bike:3"},
		`"mountain bike"`:            {"bike:3"},
		"@price:[815 (1200]":         {"bike:3"},
		"@state:{used | none}":       {"bike:3", "bike:2"},
		"@at:[-74 40.7 30 km]":       {"bike:1", "bike:2"},
		"@state:{new} @brand:veloc*": {},
	} {
		b.found(query, redis.FTSearchOptions{}, ids...)
	}
	square := map[string]any{"square": "POLYGON ((0 0, 0 3, 3 3, 3 0, 0 0))"}
	b.found("@area:[WITHIN $square]", redis.FTSearchOptions{Params: square, DialectVersion: 3}, "bike:1", "bike:2")
	filters := []redis.FTSearchFilter{{FieldName: "price", Min: 300, Max: 900}}
	b.found("*", redis.FTSearchOptions{Filters: filters}, "bike:3")
	page := b.FTSearchWithArgs(b.Context(), "bikes", "*", &redis.FTSearchOptions{
		LimitOffset: 1, Limit: 1, SortBy: []redis.FTSearchSortBy{{FieldName: "price", Desc: true}},
		Return: []redis.FTSearchReturn{{FieldName: "brand", As: "maker"}}}).Val()
	require.Equal(b, 3, page.Total)
	require.Equal(b, []redis.Document{{ID: "bike:3", Fields: map[string]string{"maker": "Nord"}}}, page.Docs)
	require.ErrorContains(b, b.FTSearch(b.Context(), "bikes", "(").Err(), "Syntax error at offset")
	require.EqualError(b, b.FTSearch(b.Context(), "none", "x").Err(), "none: no such index")
}

func (b bikes) aggregate() {
	groups := b.FTAggregateWithArgs(b.Context(), "bikes", "*", &redis.FTAggregateOptions{Steps: []redis.FTAggregateStep{
		{GroupBy: &redis.FTAggregateGroupBy{Fields: []any{"@state"}, Reduce: []redis.FTAggregateReducer{
			{Reducer: redis.SearchCount, As: "n"}, {Reducer: redis.SearchAvg, Args: []any{"@price"}, As: "mean"}}}},
		{SortBy: &redis.FTAggregateSortByStep{Fields: []redis.FTAggregateSortBy{{FieldName: "@mean", Desc: true}}}},
	}}).Val()
	require.Equal(b, []redis.AggregateRow{
		{Fields: map[string]any{"state": "used", "n": "2", "mean": "1007.5"}},
		{Fields: map[string]any{"state": "new", "n": "1", "mean": "270"}}}, groups.Rows)
}

func (b bikes) correct() {
	ctx := b.Context()
	require.Equal(b, "mountain", b.FTSpellCheck(ctx, "bikes", "mountin").Val()[0].Suggestions[0].Suggestion)
	require.EqualValues(b, 2, b.FTDictAdd(ctx, "words", "gravel", "tandem").Val())
	require.ElementsMatch(b, []string{"gravel", "tandem"}, b.FTDictDump(ctx, "words").Val())
	require.EqualValues(b, 1, b.FTDictDel(ctx, "words", "gravel").Val())
	require.Equal(b, "OK", b.FTSynUpdate(ctx, "bikes", "small", []any{"kids", "children"}).Val())
	require.Len(b, b.FTSynDump(ctx, "bikes").Val(), 2)
	require.ElementsMatch(b, []string{"new", "used"}, b.FTTagVals(ctx, "bikes", "state").Val())
	require.Contains(b, b.FTExplain(ctx, "bikes", "mountain").Val(), "mountain")
}

func (b bikes) nearest() {
	at := b.field("at", redis.SearchFieldTypeVector)
	at.VectorArgs = &redis.FTVectorArgs{
		HNSWOptions: &redis.FTHNSWOptions{Type: "FLOAT32", Dim: 2, DistanceMetric: "L2"}}
	options := &redis.FTCreateOptions{OnHash: !b.json, OnJSON: b.json, Prefix: []any{"place:"}}
	require.NoError(b, b.FTCreate(b.Context(), "places", options, at).Err())
	for key, x := range map[string]float32{"place:1": 1, "place:2": 2, "place:5": 5} {
		var vector any = []float32{x, 0}
		if !b.json {
			vector = floats(x, 0)
		}
		b.put(key, map[string]any{"at": vector})
	}
	near := b.FTSearchWithArgs(b.Context(), "places", "*=>[KNN 2 @at $here AS d]", &redis.FTSearchOptions{
		Params: map[string]any{"here": floats(2, 0)}, DialectVersion: 2,
		Return: []redis.FTSearchReturn{{FieldName: "d"}},
		SortBy: []redis.FTSearchSortBy{{FieldName: "d", Asc: true}}}).Val()
	require.Equal(b, []redis.Document{{ID: "place:2", Fields: map[string]string{"d": "0"}},
		{ID: "place:1", Fields: map[string]string{"d": "1"}}}, near.Docs)
}

// floats returns the bytes of a vector.
func floats(components ...float32) (blob []byte) {
	for _, x := range components {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(x))
	}
	return blob
}

func (b bikes) drop() {
	ctx := b.Context()
	info := b.FTInfo(ctx, "bikes").Val()
	require.Equal(b, []any{"bikes", 3, 0}, []any{info.IndexName, info.NumDocs, info.HashIndexingFailures})
	require.Len(b, info.Attributes, 6)
	require.ElementsMatch(b, []string{"bikes", "places"}, b.FT_List(ctx).Val())
	require.Equal(b, "OK", b.FTAlter(ctx, "bikes", false, []any{"wheels", "NUMERIC"}).Val())
	require.Equal(b, "OK", b.FTAliasAdd(ctx, "bikes", "cycles").Val())
	require.Equal(b, 2, b.FTSearch(ctx, "cycles", "kids").Val().Total)
	require.Equal(b, "OK", b.FTDropIndexWithArgs(ctx, "bikes", &redis.FTDropIndexOptions{DeleteDocs: true}).Val())
	require.Empty(b, b.Keys(ctx, "bike:*").Val())
}
