package dict

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachSeesEveryElementOnce(t *testing.T) {
	for n := range 400 {
		m, _ := filled(n)
		seen := make([]int, n)
		m.Each(func(e *item) bool { seen[e.value]++; return true })
		for i, times := range seen {
			require.Equal(t, 1, times, "element %d of %d", i, n)
		}
	}
}

func TestEachStopsWhenTold(t *testing.T) {
	m, _ := filled(100)
	calls := 0
	m.Each(func(*item) bool { calls++; return calls < 3 })
	require.Equal(t, 3, calls)
	require.Zero(t, m.paused)
}

func TestEachMayDeleteWhatItIsGiven(t *testing.T) {
	for _, n := range []int{5, 30, 31, 400, 5000} {
		m, _ := filled(n)
		seen := 0
		m.Each(func(e *item) bool {
			seen++
			if e.value%3 != 0 {
				m.Delete(e.key)
			}
			return true
		})
		require.Equal(t, n, seen)
		require.Equal(t, (n+2)/3, m.Len())
		require.NoError(t, m.Check())
	}
}

func TestScanOfAQuietMapGivesEachOnce(t *testing.T) {
	for _, n := range []int{1, 6, 7, 100, 1000} {
		m, _ := filled(n)
		for m.RehashStep(1) {
		}
		seen := make([]int, n)
		steps := 0
		for cursor := uint64(0); ; steps++ {
			cursor = m.Scan(cursor, func(e *item) { seen[e.value]++ })
			require.Less(t, cursor, uint64(len(m.cur.buckets)))
			if cursor == 0 {
				break
			}
		}
		require.Equal(t, len(m.cur.buckets), steps+1)
		for i, times := range seen {
			require.Equal(t, 1, times, "element %d of %d", i, n)
		}
	}
}

func TestScanTakesAnyCursor(t *testing.T) {
	m, _ := filled(500)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		next := m.Scan(rng.Uint64(), func(*item) {})
		require.Less(t, next, uint64(len(m.cur.buckets)))
	}
}

// What stays during a whole walk is given, whatever comes and goes between the steps.
func TestScanGuarantee(t *testing.T) {
	churns := map[string]struct{ before, insert, remove int }{
		"still":     {500, 0, 0},
		"growing":   {300, 40, 0},
		"shooting":  {50, 400, 0},
		"shrinking": {20000, 0, 120},
		"crashing":  {20000, 0, 4000},
		"churning":  {3000, 30, 30},
	}
	for name, c := range churns {
		for seed := range uint64(8) {
			t.Run(name, func(t *testing.T) { scanWhile(t, seed, c.before, c.insert, c.remove) })
		}
	}
}

// scanWhile walks a map of before elements, of which 50 stay, inserting and removing some others
// between the steps.
func scanWhile(t *testing.T, seed uint64, before, insert, remove int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := New[*item](seed)
	next := 0
	add := func() { m.Insert(&item{key: strconv.Itoa(next), value: next}); next++ }
	for range before {
		add()
	}
	const stay = 50
	gone := stay
	seen := map[int]bool{}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		cursor = m.Scan(cursor, func(e *item) { seen[e.value] = true })
		for range rng.IntN(insert + 1) {
			if next < 40000 {
				add()
			}
		}
		for range rng.IntN(remove + 1) {
			if gone < next {
				m.Delete(strconv.Itoa(gone))
				gone++
			}
		}
	}
	require.NoError(t, m.Check())
	for i := range stay {
		require.True(t, seen[i], "element %d was there all the time", i)
	}
}

func TestPauseHoldsTheTables(t *testing.T) {
	m, _ := filled(20)
	for m.RehashStep(1) {
	}
	m.Pause()
	size := len(m.cur.buckets)
	for i := range 1000 {
		m.Insert(&item{key: "p" + strconv.Itoa(i)})
	}
	require.Len(t, m.cur.buckets, size)
	require.NoError(t, m.Check())
	m.Resume()
	m.Insert(&item{key: "last"})
	require.Greater(t, len(m.cur.buckets), 2*size, "the resize makes up for the pause")
	require.NoError(t, m.Check())
}

func TestResizeIsBounded(t *testing.T) {
	m := New[*item](5)
	for i := range 20000 {
		moved, old := m.moved, len(m.old.buckets)
		m.Insert(&item{key: strconv.Itoa(i), value: i})
		if old != 0 && len(m.old.buckets) == old {
			require.LessOrEqual(t, m.moved-moved, emptySkip)
		}
	}
	require.NoError(t, m.Check())
	for i := range 19990 {
		m.Delete(strconv.Itoa(i))
	}
	require.Less(t, len(m.cur.buckets)+len(m.old.buckets), 200)
	require.NoError(t, m.Check())
}

func TestSomeReachesEveryElement(t *testing.T) {
	new(Map[*item]).EachFrom(nil, 5, func(*item) bool { return false })
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 200 { // in the midst of a rehash as well
		m, _ := filled(n)
		seen := map[int]bool{}
		for range 40 * n {
			m.EachFrom(rng.Uint64N, 3, func(e *item) bool { seen[e.value] = true; return true })
		}
		require.Len(t, seen, n)
	}
	m, _ := filled(1000)
	calls := 0
	m.EachFrom(rng.Uint64N, 1000, func(*item) bool { calls++; return calls < 7 })
	require.Equal(t, 7, calls)
	calls = 0
	for m.RehashStep(1) {
	}
	m.EachFrom(rng.Uint64N, len(m.cur.buckets), func(*item) bool { calls++; return true })
	require.Equal(t, 1000, calls, "each once, round and round")
}
