package dict

import (
	"math"
	"math/bits"
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

func TestScanChainOfAQuietMapGivesEachOnce(t *testing.T) {
	for _, n := range []int{1, 6, 7, 100, 1000} {
		m, _ := filled(n)
		for m.RehashStep(1) {
		}
		seen := make([]int, n)
		steps := 0
		for cursor := uint64(0); ; steps++ {
			cursor = m.ScanChain(cursor, func(e *item) { seen[e.value]++ })
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
		next := m.ScanChain(rng.Uint64(), func(*item) {})
		require.Less(t, next, uint64(len(m.cur.buckets)))
		next = m.Scan(rng.Uint64(), 1+rng.IntN(20), func(*item) {})
		require.LessOrEqual(t, next, uint64(cursorMask))
	}
}

// What stays during a whole walk is given, whatever comes and goes between the steps.
func TestScanChainGuarantee(t *testing.T) {
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
			t.Run(name, func(t *testing.T) { scanChainsWhile(t, seed, c.before, c.insert, c.remove) })
		}
	}
}

// scanChainsWhile walks a map of before elements, of which 50 stay, inserting and removing some others
// between the steps.
func scanChainsWhile(t *testing.T, seed uint64, before, insert, remove int) {
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
		cursor = m.ScanChain(cursor, func(e *item) { seen[e.value] = true })
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

// What stays during a whole walk is given, in pages of the size asked for, and no key twice, whatever
// comes and goes between the pages.
func TestScanPages(t *testing.T) {
	churns := map[string]struct{ before, insert, remove int }{
		"still":     {500, 0, 0},
		"growing":   {300, 8, 0},
		"shooting":  {50, 400, 0},
		"shrinking": {4000, 0, 20},
		"crashing":  {4000, 0, 4000},
		"churning":  {1000, 40, 40},
	}
	for name, c := range churns {
		for _, count := range []int{1, 2, 3, 5, 10, 37, 1000} {
			for seed := range uint64(4) {
				t.Run(name, func(t *testing.T) { scanPagesWhile(t, seed, count, c.before, c.insert, c.remove) })
			}
		}
	}
}

// scanPagesWhile walks a map of before elements, inserting new ones and removing any between the pages;
// some that were removed come back.
func scanPagesWhile(t *testing.T, seed uint64, count, before, insert, remove int) {
	rng := rand.New(rand.NewPCG(seed, uint64(count)))
	m := New[*item](seed)
	add := func(i int) {
		if key := strconv.Itoa(i); m.Lookup(key) == nil {
			m.Insert(&item{key: key, value: i})
		}
	}
	stays := map[int]bool{}
	for i := range before {
		add(i)
		stays[i] = true
	}
	seen := map[int]bool{}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		given := 0
		cursor = m.Scan(cursor, count, func(e *item) {
			given++
			if seen[e.value] {
				t.Fatalf("element %d was given before", e.value)
			}
			seen[e.value] = true
		})
		require.LessOrEqual(t, given, count)
		require.LessOrEqual(t, cursor, uint64(cursorMask))
		for range rng.IntN(insert + 1) {
			add(rng.IntN(5000))
		}
		for range rng.IntN(remove + 1) {
			i := rng.IntN(before)
			m.Delete(strconv.Itoa(i))
			delete(stays, i)
		}
	}
	require.NoError(t, m.Check())
	for i := range stays {
		if !seen[i] {
			t.Fatalf("element %d was there all the time", i)
		}
	}
}

func TestScanStaysNearCount(t *testing.T) {
	for n := range 200 { // in the midst of a rehash as well
		m, _ := filled(n)
		for _, count := range []int{1, 2, 5, 100, math.MaxInt, 0, -1} {
			pages := 0
			for cursor, left := uint64(0), n; left > 0; pages++ {
				cursor = m.Scan(cursor, count, func(*item) { left-- })
				require.Equal(t, max(0, n-(pages+1)*min(max(count, 1), n)), left, "COUNT %d of %d", count, n)
			}
		}
	}
}

// A step begins with the element that has the cursor's own place, and goes on with the next in order.
func TestScanBeginsAtTheCursor(t *testing.T) {
	m, items := filled(100)
	for _, e := range items {
		var given []*item
		next := m.Scan(m.Hash(e.key)&cursorMask, 1, func(e *item) { given = append(given, e) })
		require.Equal(t, []*item{e}, given)
		require.True(t, next == 0 || bits.Reverse64(next) > bits.Reverse64(m.Hash(e.key)&cursorMask))
	}
	for _, c := range []struct{ low, high, want uint64 }{
		{0b0100, 0b0111, 0b0110}, {7, 8, 8}, {0, 1, 1}, {0, math.MaxUint64, 1 << 63}, {1 << 63, 1<<63 + 5, 1<<63 + 4},
	} {
		require.Equal(t, c.want, between(c.low, c.high), "between %b and %b", c.low, c.high)
	}
}

// Elements with equal hashes have one place, and no cursor is between them.
func TestScanGivesEqualHashesTogether(t *testing.T) {
	m, _ := filled(20)
	for range 40 {
		m.Insert(&item{key: "same"})
	}
	pages := []int{}
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		given := 0
		cursor = m.Scan(cursor, 1, func(*item) { given++ })
		if given > 0 {
			pages = append(pages, given)
		}
	}
	require.Len(t, pages, 21)
	require.Contains(t, pages, 40)
}

// A page of a sparse table ends after ten chains for each element asked for, as in Redis.
func TestScanOfASparseTableIsBounded(t *testing.T) {
	m, _ := filled(10000)
	m.Pause() // keeps it from shrinking
	for i := range 9999 {
		m.Delete("k" + strconv.Itoa(i))
	}
	pages, given := 0, 0
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		cursor = m.Scan(cursor, 3, func(*item) { given++ })
		pages++
	}
	require.Equal(t, 1, given)
	require.InDelta(t, len(m.cur.buckets)/30, pages, 1)
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
