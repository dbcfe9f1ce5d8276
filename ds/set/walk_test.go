package set

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
)

func TestScan(t *testing.T) {
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			var s Set
			fill(&s, 500, f.prefix, f.lim)
			seen, cursor, steps := map[string]bool{}, uint64(0), 0
			for {
				given := 0
				cursor = s.Scan(cursor, 10, func(e ziplist.Entry) {
					given++
					seen[string(e.Append(nil))] = true
				})
				steps++
				if cursor == 0 {
					break
				}
				require.GreaterOrEqual(t, given, 10)
			}
			require.Len(t, seen, 500)
			if name == "hashtable" {
				require.Greater(t, steps, 10)
			} else {
				require.Equal(t, 1, steps)
			}
		})
	}
}

// What is there during the whole walk is given, while the table grows and shrinks between the
// steps.
func TestScanWhileChanging(t *testing.T) {
	var s Set
	fill(&s, 100, "m", Limits{})
	seen, cursor, extra := map[string]bool{}, uint64(0), 0
	for step := 0; ; step++ {
		cursor = s.Scan(cursor, 3, func(e ziplist.Entry) { seen[string(e.Append(nil))] = true })
		if cursor == 0 {
			break
		}
		for range 40 {
			if step%16 < 8 {
				s.Add(bs("x"+strconv.Itoa(extra)), Limits{})
				extra++
			} else if extra > 0 {
				extra--
				s.Remove(bs("x" + strconv.Itoa(extra)))
			}
		}
	}
	for i := range 100 {
		require.True(t, seen["m"+strconv.Itoa(i)], i)
	}
}

func TestEachStops(t *testing.T) {
	for name, f := range forms {
		var s Set
		fill(&s, 20, f.prefix, f.lim)
		n := 0
		s.Each(func(ziplist.Entry) bool { n++; return n < 5 })
		require.Equal(t, 5, n, name)
	}
}

// near requires the counts to be those of an even distribution, give or take a quarter.
func near(t *testing.T, counts map[string]int, kinds, total int) {
	t.Helper()
	require.Len(t, counts, kinds)
	for m, n := range counts {
		require.InEpsilon(t, float64(total)/float64(kinds), float64(n), 0.25, m)
	}
}

func TestRandomAndDrawAreEven(t *testing.T) {
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			var s Set
			fill(&s, 20, f.prefix, f.lim)
			dice := rand.New(rand.NewPCG(1, 2)).Uint64N
			randoms, draws := map[string]int{}, map[string]int{}
			for range 20000 {
				randoms[string(s.Random(dice).Append(nil))]++
			}
			near(t, randoms, 20, 20000)
			s.Draw(20000, dice, func(e ziplist.Entry) bool {
				draws[string(e.Append(nil))]++
				return true
			})
			near(t, draws, 20, 20000)
			n := 0
			s.Draw(100, dice, func(ziplist.Entry) bool { n++; return n < 7 })
			require.Equal(t, 7, n)
			s.Draw(0, dice, func(ziplist.Entry) bool { n++; return true })
			require.Equal(t, 7, n)
		})
	}
}

func TestSample(t *testing.T) {
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			var s Set
			fill(&s, 20, f.prefix, f.lim)
			dice := rand.New(rand.NewPCG(1, 2)).Uint64N
			for _, count := range []int{-1, 0, 1, 5, 7, 19, 20, 21, 1000} {
				counts, rounds, want := map[string]int{}, 3000, max(0, min(count, 20))
				for range rounds {
					got := map[string]bool{}
					s.Sample(count, dice, func(e ziplist.Entry) bool {
						got[string(e.Append(nil))] = true
						counts[string(e.Append(nil))]++
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
				s.Sample(count, dice, func(ziplist.Entry) bool { n++; return n < 3 })
				require.Equal(t, 3, n)
			}
		})
	}
}

// Each selection that Pop may make has the same probability, whatever the way it is made.
func TestPopIsEven(t *testing.T) {
	for name, f := range forms {
		t.Run(name, func(t *testing.T) {
			var full Set
			fill(&full, 20, f.prefix, f.lim)
			dice := rand.New(rand.NewPCG(1, 2)).Uint64N
			for _, count := range []int{1, 2, 5, 15, 16, 17, 18, 19} {
				counts, rounds := map[string]int{}, 3000
				for range rounds {
					s, popped := *full.Clone().(*Set), map[string]bool{}
					s.Pop(count, f.lim, dice, func(e ziplist.Entry) {
						popped[string(e.Append(nil))] = true
						counts[string(e.Append(nil))]++
					})
					require.Len(t, popped, count)
					require.Equal(t, 20-count, s.Len())
					s.Each(func(e ziplist.Entry) bool {
						require.False(t, popped[string(e.Append(nil))])
						return true
					})
				}
				near(t, counts, 20, count*rounds)
			}
		})
	}
}
