package zset

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScanGivesAll(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		var s Set
		const n = 300
		for i := range n {
			s.Add(strconv.AppendInt(nil, int64(i), 10), float64(i), lim, fixedDice(uint64(i)))
		}
		seen := map[string]float64{}
		steps := 0
		for cursor := uint64(0); steps == 0 || cursor != 0; steps++ {
			cursor = s.Scan(cursor, 10, func(member []byte, score float64) { seen[string(member)] = score })
		}
		require.Len(t, seen, n)
		require.Equal(t, 17.0, seen["17"])
		require.LessOrEqual(t, steps, n/10+1)
	})
}

func TestDrawIsEven(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(20, lim)
		hits := map[string]int{}
		dice := fixedDice(5)
		s.Draw(20000, dice, func(m []byte, _ float64) bool { hits[string(m)]++; return true })
		for range 20000 {
			s.Draw(1, dice, func(m []byte, _ float64) bool { hits[string(m)]++; return true })
		}
		require.Len(t, hits, 20)
		for m, times := range hits {
			require.InDelta(t, 2000, times, 250, m)
		}
		calls := 0
		s.Draw(10, dice, func([]byte, float64) bool { calls++; return calls < 4 })
		require.Equal(t, 4, calls)
		s.Draw(-1, dice, func([]byte, float64) bool { t.Fatal("nothing was asked for"); return true })
	})
}

func TestSampleIsDistinctAndEven(t *testing.T) {
	inForms(t, func(t *testing.T, lim Limits) {
		s := letters(20, lim)
		dice := fixedDice(6)
		for _, count := range []int{1, 3, 5, 7, 10, 19} {
			hits := map[string]int{}
			const rounds = 4000
			for range rounds {
				round := map[string]bool{}
				s.Sample(count, dice,
					func(m []byte, _ float64) bool { round[string(m)] = true; hits[string(m)]++; return true })
				require.Len(t, round, count)
			}
			for m, times := range hits {
				require.InDelta(t, rounds*count/20, times, 250, "%s of %d", m, count)
			}
		}
		var got pairs
		s.Sample(20, dice, got.take)
		var want pairs
		s.Range(0, -1, true, want.take)
		require.Equal(t, want, got, "all of them come in descending order, as from Redis")
		s.Sample(0, dice, func([]byte, float64) bool { t.Fatal("nothing was asked for"); return true })
	})
}
