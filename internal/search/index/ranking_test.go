package index

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRankingIsTheBeginOfAll: a ranking has the first of all documents in order, also if they came
// in order, or the other way around.
func TestRankingIsTheBeginOfAll(t *testing.T) {
	dice := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		r := &ranking{most: 1 + dice.IntN(12)}
		switch dice.IntN(3) {
		case 0:
			r.by = &Order{Key: func(d *Document) Value { return NumberValue(d.Score) }, Descending: dice.IntN(2) == 0}
		case 1:
			r.unordered = true
		}
		var all []Document
		for id := range ID(dice.IntN(40)) {
			all = append(all, Document{id: id + 1, Score: float64(dice.IntN(6))})
		}
		way := dice.IntN(3) - 1
		slices.SortStableFunc(all, func(a, b Document) int { return way * r.compare(&a, &b) })
		for i := range all {
			r.add(&all[i])
		}
		slices.SortFunc(all, func(a, b Document) int { return r.compare(&a, &b) })
		found := r.page(0)
		require.Len(t, found, min(r.most, len(all)))
		for i := range found {
			require.Equal(t, all[i].id, found[i].id)
		}
	}
}
