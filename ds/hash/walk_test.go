package hash

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

func TestScan(t *testing.T) {
	for name, lim := range forms {
		t.Run(name, func(t *testing.T) {
			var h Hash
			fill(&h, 500, lim)
			seen, cursor, steps := map[string]bool{}, uint64(0), 0
			for {
				given := 0
				cursor = h.Scan(cursor, 10, func(f, v ziplist.Entry) {
					given++
					seen[string(f.Append(nil))] = true
				})
				steps++
				if cursor == 0 {
					break
				}
				require.GreaterOrEqual(t, given, 10)
			}
			require.Len(t, seen, 500)
			if name == "packed" {
				require.Equal(t, 1, steps)
			} else {
				require.Greater(t, steps, 10)
			}
		})
	}
}

// What is there during the whole walk is given, while the table grows and
// shrinks between the steps.
func TestScanWhileChanging(t *testing.T) {
	var h Hash
	fill(&h, 100, Limits{})
	seen, cursor, extra := map[string]bool{}, uint64(0), 0
	for step := 0; ; step++ {
		cursor = h.Scan(cursor, 3, func(f, _ ziplist.Entry) { seen[string(f.Append(nil))] = true })
		if cursor == 0 {
			break
		}
		for range 40 {
			if step%16 < 8 {
				h.UpdateInt(bs("x"+strconv.Itoa(extra)), 1, Limits{})
				extra++
			} else if extra > 0 {
				extra--
				h.Delete(bs("x" + strconv.Itoa(extra)))
			}
		}
	}
	for i := range 100 {
		require.True(t, seen["f"+strconv.Itoa(i)], i)
	}
}

func TestEachStops(t *testing.T) {
	for name, lim := range forms {
		var h Hash
		fill(&h, 20, lim)
		n := 0
		h.Each(func(_, _ ziplist.Entry) bool { n++; return n < 5 })
		require.Equal(t, 5, n, name)
	}
}

// near requires the counts to be those of an even distribution, give or take
// a quarter.
func near(t *testing.T, counts map[string]int, kinds, total int) {
	t.Helper()
	require.Len(t, counts, kinds)
	for f, n := range counts {
		require.InEpsilon(t, float64(total)/float64(kinds), float64(n), 0.25, f)
	}
}

func TestRandomAndDrawAreEven(t *testing.T) {
	for name, lim := range forms {
		t.Run(name, func(t *testing.T) {
			var h Hash
			fill(&h, 20, lim)
			dice := rand.New(rand.NewPCG(1, 2)).Uint64N
			randoms, draws := map[string]int{}, map[string]int{}
			for range 20000 {
				f, v := h.Random(dice)
				require.Equal(t, "f"+string(v.Append(nil)), string(f.Append(nil)))
				randoms[string(f.Append(nil))]++
			}
			near(t, randoms, 20, 20000)
			h.Draw(20000, dice, func(f, v ziplist.Entry) bool {
				require.Equal(t, "f"+string(v.Append(nil)), string(f.Append(nil)))
				draws[string(f.Append(nil))]++
				return true
			})
			near(t, draws, 20, 20000)
			n := 0
			h.Draw(100, dice, func(_, _ ziplist.Entry) bool { n++; return n < 7 })
			require.Equal(t, 7, n)
			h.Draw(0, dice, func(_, _ ziplist.Entry) bool { n++; return true })
			require.Equal(t, 7, n)
		})
	}
}

func TestSample(t *testing.T) {
	for name, lim := range forms {
		t.Run(name, func(t *testing.T) {
			var h Hash
			fill(&h, 20, lim)
			dice := rand.New(rand.NewPCG(1, 2)).Uint64N
			for _, count := range []int{-1, 0, 1, 5, 7, 19, 20, 21, 1000} {
				counts, rounds, want := map[string]int{}, 3000, max(0, min(count, 20))
				for range rounds {
					got := map[string]bool{}
					h.Sample(count, dice, func(f, v ziplist.Entry) bool {
						require.Equal(t, "f"+string(v.Append(nil)), string(f.Append(nil)))
						got[string(f.Append(nil))] = true
						counts[string(f.Append(nil))]++
						return true
					})
					require.Len(t, got, want)
				}
				if want > 0 {
					near(t, counts, 20, want*rounds)
				}
			}
			for _, count := range []int{5, 18} {
				n := 0
				h.Sample(count, dice, func(_, _ ziplist.Entry) bool { n++; return n < 3 })
				require.Equal(t, 3, n)
			}
		})
	}
}
