package stream

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrimmingSparesWhatGroupsNeed trims and deletes at random, and compares with what the groups
// say of each entry.
func TestTrimmingSparesWhatGroupsNeed(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := filled(60, Limits{Entries: 1 + rng.IntN(8)})
		groups := []*Group{s.AddGroup([]byte("g"), ID{Ms: uint64(rng.IntN(60))}, Unknown),
			s.AddGroup([]byte("h"), ID{Ms: uint64(rng.IntN(60))}, Unknown)}
		for _, g := range groups {
			c := g.AddConsumer([]byte("c"), 0)
			for ms := uint64(1); ms <= g.Last.Ms; ms++ {
				if rng.IntN(4) == 0 {
					g.Deliver(ID{Ms: ms}, c)
				}
			}
		}
		for ms := range uint64(60) {
			if rng.IntN(6) == 0 {
				s.Delete(ID{Ms: ms})
			}
		}
		trim := Trim{Refs: Refs(1 + rng.IntN(2)), Keep: rng.IntN(60), ByID: rng.IntN(2) == 0,
			Below: ID{Ms: uint64(rng.IntN(70))}, Nodes: rng.IntN(2) == 0}
		left, want := s.Len(), []uint64(nil)
		for ms := uint64(1); ms <= 60; ms++ {
			id := ID{Ms: ms}
			goes := trim.ByID && id.Before(trim.Below) || !trim.ByID && left > trim.Keep
			switch {
			case !s.Has(id):
			case goes && !(trim.Refs == AckedOnly && s.needed(id)):
				left--
			default:
				want = append(want, ms)
			}
		}
		before := s.Len()
		removed := s.Trim(trim)
		require.NoError(t, s.Check(), "seed %d", seed)
		var got []uint64
		for w := s.Walk(ID{}, MaxID); w.Next(); {
			got = append(got, w.ID.Ms)
		}
		require.Equal(t, before-removed, len(got), "seed %d: %+v", seed, trim)
		// It ends with the first node that does not go as a whole, as in Redis.
		if trim.Refs == AckedOnly && !trim.ByID {
			require.Subset(t, got, want, "seed %d: %+v", seed, trim)
			continue
		}
		require.Equal(t, want, got, "seed %d: %+v", seed, trim)
	}
}
