package topology

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClaims: what the own group says of itself is certain, of others the higher epoch counts, and
// who gave slots away says where they are until the new owner is heard.
func TestClaims(t *testing.T) {
	a := &Shard{ID: "a", Claims: []Claim{{0, 99, 1}, {200, 299, 3}}}
	b := &Shard{ID: "b", Claims: []Claim{{50, 149, 2}, {200, 250, 2}}, Gave: []Gift{{Claim{300, 399, 5}, "c"}}}
	c := &Shard{ID: "c", Claims: []Claim{{400, 16383, 1}}}
	m := NewMap("c", []*Shard{a, b, c})
	require.Same(t, a, m.Owner(49))
	require.Same(t, b, m.Owner(50))
	require.Same(t, a, m.Owner(200))
	require.Nil(t, m.Owner(199))
	require.False(t, m.IsComplete())
	require.Equal(t, [][2]int{{300, 16383}}, m.Slots(c))
	require.True(t, m.Owns(300))
	require.Equal(t, []*Shard{a, b, c}, m.InOrder())
	require.EqualValues(t, 3, m.Epoch())
	own := NewMap("a", []*Shard{a, b, c})
	require.Same(t, a, own.Owner(50), "its own claim, whatever others say")
	require.Same(t, c, NewMap("b", []*Shard{a, b, c}).Owner(300))
}

// TestMergeTakesTheLater: claims count by their revision, and the rest by term and entry.
func TestMergeTakesTheLater(t *testing.T) {
	s := &Shard{ID: "a", Rev: 2, Claims: []Claim{{0, 1, 1}}, Term: 5, At: 10, Leader: 1, Members: []Member{{ID: 1}}}
	both, more := s.Merge(&Shard{ID: "a", Rev: 1, Term: 4, At: 99, Leader: 2})
	require.False(t, more)
	require.Equal(t, s, both)
	both, more = s.Merge(&Shard{ID: "a", Rev: 3, Term: 5, At: 11, Leader: 1, Members: []Member{{ID: 1}}})
	require.True(t, more)
	require.Empty(t, both.Claims)
	require.EqualValues(t, 11, both.At)
	both, more = s.Merge(&Shard{ID: "a", Rev: 2, Term: 6, Leader: 2, Members: []Member{{ID: 1}, {ID: 2}}})
	require.True(t, more)
	require.EqualValues(t, 2, both.Leader)
	require.Equal(t, s.Claims, both.Claims)
}
