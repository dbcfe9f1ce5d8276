package hnsw

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func components(rng *rand.Rand, dim int) []float32 {
	list := make([]float32, dim)
	for i := range list {
		list[i] = float32(rng.NormFloat64())
	}
	return list
}

func TestRandomChangesKeepTheInvariantsAndRecall(t *testing.T) {
	for _, kind := range []Kind{Float, Int8, Bit} {
		for _, m := range []int{4, 16, 100} {
			rng := rand.New(rand.NewPCG(1, uint64(kind)))
			g, nodes := New(kind, 20, m), []Ref(nil)
			for i := range 4000 {
				if i%3 == 2 {
					at := rng.IntN(len(nodes))
					g.Remove(nodes[at])
					nodes[at] = nodes[len(nodes)-1]
					nodes = nodes[:len(nodes)-1]
					compact(g, nodes)
				} else {
					v := NewVector(kind, components(rng, 20))
					nodes = append(nodes, g.Insert(&v, uint32(i), 100))
				}
				if i%500 == 0 {
					require.NoError(t, g.Check())
				}
			}
			require.NoError(t, g.Check())
			require.Greater(t, recall(g, rng, 200), 0.95, "kind %d, M %d", kind, m)
			full := g.Bytes()
			for len(nodes) > 0 {
				g.Remove(nodes[0])
				nodes = nodes[1:]
				compact(g, nodes)
				if len(nodes)%100 == 0 {
					require.NoError(t, g.Check())
				}
			}
			require.Zero(t, g.Len())
			require.Zero(t, g.cells.Live())
			require.Less(t, g.Bytes(), full/10, "the memory is given back")
		}
	}
}

// compact lets a graph move nodes, and keeps the list of them.
func compact(g *Graph, nodes []Ref) {
	g.Compact(func(data uint32, to Ref) {
		for i, r := range nodes {
			if r != to && g.cells.Retired(r) && g.Data(r) == data {
				nodes[i] = to
			}
		}
	})
}

// recall returns how many of the 10 nearest nodes a search finds whose distance is among them.
func recall(g *Graph, rng *rand.Rand, ef int) float64 {
	hits, all := 0, 0
	for range 50 {
		v := NewVector(g.kind, components(rng, g.dim))
		exact, found := g.Exact(&v, 10, nil), g.Search(&v, ef, nil, 0)
		for _, f := range found[:min(10, len(found))] {
			if f.Distance <= exact[len(exact)-1].Distance {
				hits++
			}
		}
		all += len(exact)
	}
	return float64(hits) / float64(all)
}

// Graphs of raw vectors find what is near by their own measures, and what lies within a radius.
func TestRawVectors(t *testing.T) {
	for recall, g := range map[float64]*Graph{0.85: New(Float, 12, 16), 0.99: NewEuclidean(12, 16)} {
		rng := rand.New(rand.NewPCG(5, 5))
		raw := func() Vector {
			c := components(rng, 12)
			for i := range c {
				c[i] += 3
			}
			return Raw(c)
		}
		var nodes []Ref
		for n := range 3000 {
			v := raw()
			nodes = append(nodes, g.Insert(&v, uint32(n), 100))
			require.Equal(t, v.Floats(), v.Components(nil))
		}
		require.NoError(t, g.Check())
		within, all, hits := 0, 0, 0
		for range 50 {
			v := raw()
			exact := g.Exact(&v, 200, nil)
			require.IsIncreasing(t, []float32{exact[0].Distance, exact[199].Distance})
			radius := exact[99].Distance
			found, _ := g.Within(&v, radius, radius+(exact[199].Distance-radius)/2, 100, 3000)
			for _, f := range found {
				require.LessOrEqual(t, f.Distance, radius)
			}
			within, all = within+len(found), all+100
			for _, f := range g.Search(&v, 100, nil, 0)[:10] {
				if f.Distance <= exact[9].Distance {
					hits++
				}
			}
			_, ok := g.Within(&v, radius, radius+(exact[199].Distance-radius)/2, 100, len(found))
			require.True(t, ok)
			if len(found) > 0 {
				_, ok = g.Within(&v, radius, radius+(exact[199].Distance-radius)/2, 100, len(found)-1)
				require.False(t, ok, "there are more")
			}
			found, ok = g.Within(&v, exact[0].Distance-1, exact[0].Distance-1, 10, 0)
			require.True(t, ok)
			require.Empty(t, found)
		}
		require.Greater(t, float64(within)/float64(all), recall)
		require.Greater(t, hits, 475)
		for _, r := range nodes {
			g.Remove(r)
		}
		require.Zero(t, g.cells.Live())
	}
}

func TestEqualCallsMakeEqualGraphs(t *testing.T) {
	var links [2][]Ref
	for i := range links {
		rng := rand.New(rand.NewPCG(7, 7))
		g := New(Int8, 8, 4)
		for n := range 300 {
			v := NewVector(Int8, components(rng, 8))
			g.Insert(&v, uint32(n), 50)
		}
		for r := g.Newest(); r != 0; r = g.Older(r) {
			links[i] = append(links[i], g.Links(r, 0)...)
		}
	}
	require.Equal(t, links[0], links[1])
}

func TestSearchAcceptsSome(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	g := New(Float, 8, 8)
	for n := range 2000 {
		v := NewVector(Float, components(rng, 8))
		g.Insert(&v, uint32(n), 100)
	}
	v := NewVector(Float, components(rng, 8))
	third := func(r Ref) bool { return g.Data(r)%3 == 0 }
	require.Equal(t, g.Exact(&v, 5, third), g.Search(&v, 200, third, 10000)[:5])
	asked := 0
	g.Search(&v, 200, func(Ref) bool { asked++; return false }, 50)
	require.InDelta(t, 50, asked, 16)
}

func TestZeroAndUnorderedVectors(t *testing.T) {
	g := New(Float, 2, 4)
	nan := float32(0)
	nan /= nan
	for i, c := range [][]float32{{0, 0}, {nan, 1}, {1, 0}, {0, 1}, {nan, nan}} {
		v := NewVector(Float, c)
		g.Insert(&v, uint32(i), 10)
	}
	require.NoError(t, g.Check())
	v := NewVector(Float, []float32{1, 0})
	require.EqualValues(t, 2, g.Data(g.Search(&v, 5, nil, 0)[0].Node))
	require.Len(t, g.Search(&v, 5, nil, 0), 5)
}

func TestVectorsAreReadAsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, kind := range []Kind{Float, Int8, Bit} {
		v := NewVector(kind, components(rng, 70))
		data := v.Append(nil)
		w, ok := Parse(kind, 70, data)
		require.True(t, ok)
		require.Equal(t, data, w.Append(nil))
		_, ok = Parse(kind, 70, data[1:])
		require.False(t, ok)
	}
	_, ok := Parse(Bit, 3, []byte{8, 0, 0, 0, 0, 0, 0, 0})
	require.False(t, ok)
}

// embedded returns components of a vector near to one of many subjects, as texts that were embedded
// lie.
func embedded(rng *rand.Rand, dim int) []float32 {
	subject := rand.New(rand.NewPCG(rng.Uint64N(1000), 1))
	list := components(rng, dim)
	for i := range list {
		list[i] += float32(subject.NormFloat64())
	}
	return list
}

func BenchmarkInsert(b *testing.B) {
	for _, kind := range []Kind{Int8, Float, Bit} {
		b.Run(strconv.Itoa(int(kind)), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			g := New(kind, 128, 16)
			for b.Loop() {
				v := NewVector(kind, embedded(rng, 128))
				g.Insert(&v, 0, 200)
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, kind := range []Kind{Int8, Float, Bit} {
		rng := rand.New(rand.NewPCG(1, 1))
		g := New(kind, 128, 16)
		for range 20000 {
			v := NewVector(kind, embedded(rng, 128))
			g.Insert(&v, 0, 200)
		}
		b.Run(strconv.Itoa(int(kind)), func(b *testing.B) {
			for b.Loop() {
				v := NewVector(kind, embedded(rng, 128))
				g.Search(&v, 100, nil, 0)
			}
		})
	}
}
