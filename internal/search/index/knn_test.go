package index_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/json"
	"github.com/miniserver-go/miniserver/internal/search/index"
	"github.com/miniserver-go/miniserver/internal/search/query"
	"github.com/miniserver-go/miniserver/internal/search/text"
)

// spaceOf returns an index over vectors of some dimensions, numbers and tags.
func spaceOf(s index.Space) *index.Index {
	d := index.Definition{Name: "v", Prefixes: []string{""}, Score: 1, Stops: text.DefaultStopWords}
	v := index.NewField(&d, "v", "v", index.Vector)
	v.Space = s
	d.Fields = []*index.Field{v, index.NewField(&d, "n", "n", index.Numeric), index.NewField(&d, "g", "g", index.Tag)}
	return index.New(d)
}

func blobOf(dice *rand.Rand, dim int) string {
	var blob []byte
	for range dim {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(float32(dice.NormFloat64())))
	}
	return string(blob)
}

func never() bool { return false }

// near returns the keys that a query for a vector finds, with their distances.
func near(t *testing.T, x *index.Index, text, blob string) map[string]float64 {
	t.Helper()
	root, err := query.Parse(x.Schema(), query.Request{Text: text, Dialect: 2, Slop: -1,
		Params: map[string]string{"b": blob}})
	require.NoError(t, err, text)
	r, err := x.Search(&index.Search{Limit: 1000, Unordered: true, Query: index.Query{Root: root,
		Fields: query.AllFields, Slop: -1}})
	require.NoError(t, err, text)
	found := make(map[string]float64)
	for i := range r.Documents {
		d := &r.Documents[i]
		found[d.Key()], _ = d.Distance("d")
	}
	return found
}

// TestRecall: without a graph all neighbours are found, and with one nearly all.
func TestRecall(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 7))
	x := spaceOf(index.Space{Algorithm: index.HNSW, Dimensions: 8, M: 8, Construction: 50, Runtime: 5})
	clock := func() int64 { return 0 }
	require.Equal(t, &hnsw.Recall{}, x.Recall(x.Fields[0], 10, 20, clock))
	require.EqualValues(t, 1, x.Recall(x.Fields[0], 10, 20, clock).Share())
	for i := range 5000 {
		x.Put(fmt.Sprint(i), document(map[string]string{"v": blobOf(dice, 8)}), 0)
	}
	require.Equal(t, &hnsw.Recall{Vectors: 5000, Asked: 20, Wanted: 200, Found: 200},
		x.Recall(x.Fields[0], 10, 20, clock))
	require.False(t, x.Connect(never))
	r := x.Recall(x.Fields[0], 10, 100, clock)
	require.Equal(t, 1000, r.Wanted)
	require.Greater(t, r.Share(), 0.5)
	require.Less(t, r.Share(), 1.0)
}

// TestGraphsFindTheNearest: while documents come, change, go, and are renamed, an index with a
// graph finds nearly the same as one that looks at all vectors, and the same distances.
func TestGraphsFindTheNearest(t *testing.T) {
	const dim = 8
	for _, metric := range []index.Metric{index.L2, index.InnerProduct, index.Cosine} {
		dice := rand.New(rand.NewPCG(3, uint64(metric)))
		s := index.Space{Algorithm: index.HNSW, Dimensions: dim, Metric: metric, M: 16, Construction: 50, Runtime: 50,
			Epsilon: 0.2}
		graph := spaceOf(s)
		s.Algorithm = index.Flat
		flat := spaceOf(s)
		docs := make(map[string]*hash.Hash)
		both := func(change func(x *index.Index)) { change(graph); change(flat) }
		for round := range 4000 {
			key := fmt.Sprint("p:", dice.IntN(2000))
			switch op := dice.IntN(8); {
			case op == 0:
				delete(docs, key)
				both(func(x *index.Index) { x.Remove(key) })
			case op == 1 && docs[key] != nil:
				to := fmt.Sprint("p:", dice.IntN(2000))
				if to != key {
					docs[to] = docs[key]
					delete(docs, key)
					both(func(x *index.Index) { require.True(t, x.Rename(key, to)) })
				}
			case op == 2 && docs[key] != nil: // the vector stays
				docs[key].Set([]byte("n"), fmt.Append(nil, dice.IntN(100)), limits)
				both(func(x *index.Index) { x.Put(key, docs[key], 0) })
			default:
				docs[key] = document(map[string]string{"v": blobOf(dice, dim), "n": fmt.Sprint(dice.IntN(100)),
					"g": []string{"a", "b"}[dice.IntN(2)]})
				both(func(x *index.Index) { x.Put(key, docs[key], 0) })
			}
			if round%4 > 0 {
				graph.Connect(func() bool { return dice.IntN(10) == 0 })
			}
		}
		require.Greater(t, graph.Len(), 1000)
		for _, connected := range []bool{false, true} {
			if connected {
				require.False(t, graph.Connect(never))
				require.Zero(t, graph.Waiting())
			}
			fresh := graph.Fresh()
			for _, key := range graph.Keys() {
				fresh.Put(key, docs[key], 0)
			}
			require.NoError(t, graph.Check(fresh, 0))
			requireNearlyEqual(t, flat, graph, dice, dim)
		}
		for key := range docs {
			both(func(x *index.Index) { x.Remove(key) })
		}
		require.Empty(t, near(t, graph, "*=>[KNN 10 @v $b AS d]", blobOf(dice, dim)))
		require.Less(t, graph.Holds().VectorBytes, 100_000)
	}
}

// requireNearlyEqual asks two indexes, and compares what they find.
func requireNearlyEqual(t *testing.T, exact, quick *index.Index, dice *rand.Rand, dim int) {
	t.Helper()
	for _, q := range []string{"*=>[KNN 10 @v $b AS d]", "*=>[KNN 10 @v $b EF_RUNTIME 200 AS d]",
		"(@g:{a})=>[KNN 5 @v $b AS d]", "(@n:[3 5])=>[KNN 10 @v $b AS d]",
		"(@n:[3 50] @g:{b})=>[KNN 10 @v $b HYBRID_POLICY ADHOC_BF AS d]", "*=>[KNN 2000 @v $b AS d]",
		"@v:[VECTOR_RANGE 0.3 $b]=>{$yield_distance_as:d}", "@v:[VECTOR_RANGE 3 $b]=>{$yield_distance_as:d}"} {
		same, all := 0, 0
		for range 20 {
			blob := blobOf(dice, dim)
			found := near(t, quick, q, blob)
			for key, distance := range near(t, exact, strings.Replace(q, "EF_RUNTIME 200", "", 1), blob) {
				all++
				if d, ok := found[key]; ok && d == distance {
					same++
				}
				delete(found, key)
			}
			if strings.Contains(q, "RANGE") {
				require.Empty(t, found, "what is found lies in the range")
			}
		}
		require.GreaterOrEqual(t, float64(same), 0.93*float64(all), "%s: %d of %d", q, same, all)
	}
}

// TestVectorsOfAList: a document with several vectors is found once, by the nearest of them.
func TestVectorsOfAList(t *testing.T) {
	d := index.Definition{Name: "v", Prefixes: []string{""}, Score: 1, JSON: true}
	f := index.NewField(&d, "$.v[*]", "v", index.Vector)
	require.NoError(t, f.ParsePath())
	f.Space = index.Space{Algorithm: index.HNSW, Dimensions: 4, Metric: index.L2, M: 4, Construction: 50, Runtime: 10,
		Epsilon: 0.01, Multi: true}
	d.Fields = []*index.Field{f}
	x := index.New(d)
	dice := rand.New(rand.NewPCG(1, 1))
	for i := range 300 {
		var list []string
		for range 5 {
			list = append(list, fmt.Sprintf("[%d,%d,%d,%d]", i, dice.IntN(3), dice.IntN(3), dice.IntN(3)))
		}
		var p json.Parser
		d, _, err := p.Parse([]byte(`{"v":[` + strings.Join(list, ",") + `]}`))
		require.NoError(t, err)
		x.Put(fmt.Sprint(i), d, 0)
	}
	require.Equal(t, 1500, x.Waiting())
	x.Connect(never)
	var blob []byte
	for _, f := range []float32{100, 1, 1, 1} {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(f))
	}
	found := near(t, x, "*=>[KNN 9 @v $b AS d]", string(blob))
	require.Len(t, found, 9)
	for i := 97; i <= 103; i++ {
		require.Contains(t, found, fmt.Sprint(i))
	}
	require.Contains(t, near(t, x, "@v:[VECTOR_RANGE 4.5 $b]", string(blob)), "99")
}
