package index

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRankingIsTheBeginOfAll: a ranking has the first of all documents in order, also if they came
// in order, or the other way around, and if those below its least score have another one.
func TestRankingIsTheBeginOfAll(t *testing.T) {
	dice := rand.New(rand.NewPCG(9, 9))
	for range 2000 {
		var by *Order
		unordered := false
		switch dice.IntN(3) {
		case 0:
			by = &Order{Key: func(d *Document) Value { return NumberValue(d.Score) }, Descending: dice.IntN(2) == 0}
		case 1:
			unordered = true
		}
		docs := &table{docs: make([]*document, dice.IntN(40))}
		var all []Document
		for i := range docs.docs {
			docs.docs[i] = new(document)
			all = append(all, Document{document: docs.docs[i], id: ID(i + 1), Score: float64(dice.IntN(6))})
			if dice.IntN(3) == 0 {
				all[i].Explanation = new(Explanation)
			}
		}
		order := func(a, b Document) int {
			score, number := cmp.Compare(a.Score, b.Score), cmp.Compare(a.id, b.id)
			switch {
			case unordered:
				return number
			case by == nil:
				return cmp.Or(-score, number)
			case by.Descending:
				return cmp.Or(-score, -number)
			}
			return cmp.Or(score, number)
		}
		way, most := dice.IntN(3)-1, 1+dice.IntN(12)
		offset := dice.IntN(most + 1)
		slices.SortStableFunc(all, func(a, b Document) int { return way * order(a, b) })
		r := newRanking(by, unordered, most)
		for _, d := range all {
			if d.Score < r.least() {
				d.Score -= dice.Float64()
			}
			r.add(&d)
		}
		slices.SortFunc(all, order)
		found := r.page(docs, offset)
		all = all[min(offset, len(all)):min(most, len(all))]
		require.Len(t, found, len(all))
		for i := range found {
			found[i].SortKey = Value{}
			require.Equal(t, all[i], found[i])
		}
	}
}
