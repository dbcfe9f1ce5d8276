package zset

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTowersLeadToOneAnother follows the spans of each level: they must meet exactly the nodes that
// are higher.
func TestTowersLeadToOneAnother(t *testing.T) {
	const n = 500
	rng := rand.New(rand.NewPCG(1, 2))
	s := &Set{}
	for _, i := range rng.Perm(n) {
		s.Add([]byte("m"+strconv.Itoa(i)), float64(i), Limits{}, rng.Uint64N)
	}
	layout, large := s.Layout()
	require.True(t, large)
	spans := make(map[int][]int)
	for i := -1; i < n; i++ {
		member, score, list := s.Tower(i)
		spans[i] = list
		if i >= 0 {
			require.Equal(t, "m"+strconv.Itoa(i), string(member))
			require.EqualValues(t, i, score)
		}
	}
	require.Len(t, spans[-1], len(layout.Nodes.Heights)-1)
	for level := range spans[-1] {
		higher := 0
		for _, nodes := range layout.Nodes.Heights[level+1:] {
			higher += nodes
		}
		met, at := 0, -1
		for {
			at += spans[at][level]
			if at == n-1 && len(spans[at]) <= level {
				break
			}
			require.Greater(t, len(spans[at]), level, "node %d is lower than its link", at)
			if met++; at == n-1 {
				break
			}
		}
		require.Equal(t, higher, met, "level %d", level+1)
	}
}
