package vectors

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/hnsw"
)

// TestRecall: a search of the least effort misses some, one that looks at nearly all finds all, and
// elements are asked for as often as is said.
func TestRecall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := New(Options{Kind: hnsw.Float, Dim: 8, M: 4}, 1)
	clock := func() int64 { return 0 }
	require.Equal(t, &hnsw.Recall{}, s.Recall(10, 100, 20, clock))
	for i := range 2000 {
		v := hnsw.NewVector(hnsw.Float, components(rng, 8))
		s.Add([]byte(fmt.Sprint(i)), &v, nil, 50)
	}
	least := s.Recall(10, 1, 100, clock)
	require.Equal(t, []int{2000, 100, 1000}, []int{least.Vectors, least.Asked, least.Wanted})
	require.Greater(t, least.Share(), 0.3)
	require.Less(t, least.Share(), 1.0)
	require.Equal(t, &hnsw.Recall{Vectors: 2000, Asked: 30, Wanted: 300, Found: 300}, s.Recall(10, 2000, 30, clock))
	require.Equal(t, 7, s.Recall(5000, 1, 7, clock).Asked)
}
