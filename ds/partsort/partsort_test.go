package partsort

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

type numbered struct{ value, number int }

func byValue(a, b *numbered) int { return cmp.Compare(a.value, b.value) }

// TestSort: the range holds what a full sort would put there, and nothing is lost.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		n := rng.IntN(200)
		list := make([]numbered, n)
		for i := range list {
			list[i] = numbered{rng.IntN(1 + rng.IntN(100)), i}
		}
		want := slices.Clone(list)
		slices.SortFunc(want, func(a, b numbered) int { return byValue(&a, &b) })
		from := rng.IntN(n + 1)
		to := from + rng.IntN(n-from+1)
		Sort(list, from, to, byValue)
		for i := from; i < to; i++ {
			require.Equal(t, want[i].value, list[i].value, "%d in %d to %d of %d", i, from, to, n)
		}
		slices.SortFunc(list, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
		for i, e := range list {
			require.Equal(t, i, e.number)
		}
	}
}

func TestSortOfEqualElements(t *testing.T) {
	list := make([]numbered, 100_000) // quadratic if it were naive
	Sort(list, 0, len(list), byValue)
	for i := range list {
		list[i].value = i
	}
	Sort(list, 10, 20, byValue)
	require.Equal(t, 15, list[15].value)
}
