package dict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// item is the element of these tests.
type item struct {
	key   string
	value int
}

func (i *item) Key() string { return i.key }

// filled returns a map with the keys k0 ... k(n-1), and its items.
func filled(n int) (*Map[*item], []*item) {
	m := New[*item](7)
	items := make([]*item, n)
	for i := range items {
		items[i] = &item{key: "k" + strconv.Itoa(i), value: i}
		m.Insert(items[i])
	}
	return m, items
}

func TestZeroMapIsEmpty(t *testing.T) {
	var m Map[*item]
	e, ok := m.Find("a")
	require.False(t, ok)
	require.Nil(t, e)
	require.Nil(t, m.Lookup("a"))
	_, ok = m.Delete("a")
	require.False(t, ok)
	require.Zero(t, m.Scan(0, 1, func(*item) { t.Fatal("element in an empty map") }))
	require.Zero(t, m.ScanChain(0, func(*item) { t.Fatal("element in an empty map") }))
	m.Each(func(*item) bool { t.Fatal("element in an empty map"); return true })
	require.Nil(t, m.Random(func(uint64) uint64 { return 0 }))
	require.Zero(t, m.Bytes())
	require.False(t, m.RehashStep(1))
	require.NoError(t, m.Check())
	m.Insert(&item{key: "a"})
	require.Equal(t, 1, m.Len())
	require.Equal(t, 64, m.Bytes())
}

func TestInsertFindDelete(t *testing.T) {
	for _, n := range []int{1, 2, 6, 7, 12, 100, 5000} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			m, items := filled(n)
			require.NoError(t, m.Check())
			require.Equal(t, n, m.Len())
			for _, it := range items {
				e, ok := m.Find(it.key)
				require.True(t, ok)
				require.Same(t, it, e)
			}
			for i, it := range items {
				e, ok := m.Delete(it.key)
				require.True(t, ok)
				require.Same(t, it, e)
				require.Nil(t, m.Lookup(it.key))
				require.Equal(t, n-i-1, m.Len())
				if n < 1000 || i%100 == 0 {
					require.NoError(t, m.Check())
				}
			}
			require.Zero(t, m.Bytes(), "an emptied map keeps no table")
		})
	}
}

func TestLookupSlotCanBeReplaced(t *testing.T) {
	m, items := filled(50)
	next := &item{key: items[20].key, value: -1}
	*m.Lookup(next.key) = next
	e, _ := m.Find(next.key)
	require.Same(t, next, e)
	require.Equal(t, 50, m.Len())
	require.NoError(t, m.Check())
}

func TestLookupsLeaveSlotsAlone(t *testing.T) {
	m, items := filled(100)
	for !m.RehashStep(0) {
		items = append(items, &item{key: fmt.Sprint("more", m.Len())})
		m.Insert(items[len(items)-1])
	}
	for _, it := range items {
		p := m.Lookup(it.key)
		for _, other := range items {
			m.Find(other.key)
		}
		require.Same(t, it, *p)
	}
}

func TestClearKeepsTheSeed(t *testing.T) {
	m, _ := filled(100)
	h := m.Hash("x")
	m.Clear()
	require.Zero(t, m.Len())
	require.Zero(t, m.Bytes())
	require.Equal(t, h, m.Hash("x"))
}

func TestReserveAvoidsResizing(t *testing.T) {
	m := New[*item](1)
	m.Reserve(1000)
	before := m.Stats().Buckets
	for i := range 1000 {
		m.Insert(&item{key: strconv.Itoa(i)})
		require.Zero(t, m.Stats().Old)
	}
	require.Equal(t, before, m.Stats().Buckets)
	m.Reserve(1 << 20)
	require.Equal(t, before, m.Stats().Buckets, "a map in use is left alone")
}

func TestTagOfMatch(t *testing.T) {
	var b bucket[*item]
	tags := []uint64{1, 255, 1, 128, 127, 2}
	for i, tag := range tags {
		b.put(i, tag, nil)
	}
	for tag := range uint64(256) {
		var want uint64
		for i, other := range tags {
			if other == tag {
				want |= 0x80 << (8 * i)
			}
		}
		require.Equal(t, want, b.match(tag), "tag %d", tag)
	}
}

func TestHashDependsOnEveryByteAndTheLength(t *testing.T) {
	seen := map[uint64]bool{}
	fresh := func(buf []byte) {
		h := Hash(1, string(buf))
		require.False(t, seen[h], "% x", buf)
		seen[h] = true
		require.NotEqual(t, h, Hash(2, string(buf)))
	}
	for n := range 70 {
		buf := make([]byte, n)
		fresh(buf)
		for i := range buf {
			buf[i] = 0x40
			fresh(buf)
			buf[i] = 0
		}
	}
}

// Timestamps are the typical members; their low and high hash bits must be spread like random ones.
func TestHashSpreadsTimestamps(t *testing.T) {
	const n = 1 << 16
	var low, high [256]int
	for i := range n {
		h := Hash(3, strconv.Itoa(1700000000000+137*i))
		low[h&255]++
		high[h>>56]++
	}
	for i := range 256 {
		require.InDelta(t, n/256, low[i], 100, "index %d", i)
		require.InDelta(t, n/256, high[i], 100, "tag %d", i)
	}
}

func TestRandomIsUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 5, 13, 80, 161, 170} {
		m, _ := filled(n)
		hits := make([]int, n)
		const each = 1000
		for range n * each {
			hits[m.Random(rng.Uint64N).value]++
		}
		for i, got := range hits {
			require.InDelta(t, each, got, 200, "element %d of %d", i, n)
		}
	}
}

func TestStatsCountsEverything(t *testing.T) {
	m, _ := filled(1000)
	s := m.Stats()
	elements, chains := 0, 0
	for k, c := range s.Chains {
		elements += k * c
		chains += c
	}
	require.Equal(t, 1000, elements)
	require.Equal(t, s.Buckets+s.Old-s.Moved, chains)
	require.Equal(t, m.Bytes(), s.Bytes)
}

func TestCheckSeesDamage(t *testing.T) {
	damage := map[string]func(m *Map[*item]){
		"count":   func(m *Map[*item]) { m.n++ },
		"tag":     func(m *Map[*item]) { full(m).tags ^= 1 },
		"key":     func(m *Map[*item]) { full(m).slots[0].key += "x" },
		"hole":    func(m *Map[*item]) { full(m).next = &bucket[*item]{} },
		"deepest": func(m *Map[*item]) { m.cur.deepest = 0 },
	}
	for name, hurt := range damage {
		t.Run(name, func(t *testing.T) {
			m, _ := filled(300)
			for m.RehashStep(1) {
			}
			require.NoError(t, m.Check())
			hurt(m)
			require.Error(t, m.Check())
		})
	}
}

// full returns some bucket with elements and without an overflow bucket.
func full(m *Map[*item]) *bucket[*item] {
	for i := range m.cur.buckets {
		if b := &m.cur.buckets[i]; b.tags != 0 && b.next == nil {
			return b
		}
	}
	return nil
}

// What Bytes claims of a table must be what the runtime allocates for it.
func TestBytesAreTrue(t *testing.T) {
	for buckets := 1; buckets <= 1<<12; buckets *= 2 {
		var m Map[*item]
		m.Reserve(buckets * load)
		require.Len(t, m.cur.buckets, buckets)
		require.InEpsilon(t, m.Bytes(), allocated(func(m *Map[*item]) { m.Reserve(buckets * load) }), 0.05, "%d buckets", buckets)
	}
}

// allocated returns how many bytes fill allocates for a map. It is the least of several measurements, because other goroutines
// may allocate meanwhile.
func allocated(fill func(m *Map[*item])) float64 {
	const copies = 20
	least := math.Inf(1)
	for range 5 {
		var maps [copies]Map[*item]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range maps {
			fill(&maps[i])
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.TotalAlloc-before.TotalAlloc)/copies)
	}
	return least
}

// TestGuess: where no two keys share a bucket and a tag, the guess is the element.
func TestGuess(t *testing.T) {
	m := New[*item](1)
	_, ok := m.FirstMatch(m.Hash("a"))
	require.False(t, ok)
	for _, key := range []string{"a", "b", "c"} {
		m.Insert(&item{key: key})
	}
	for _, key := range []string{"a", "b", "c"} {
		e, ok := m.FirstMatch(m.Hash(key))
		require.True(t, ok)
		require.Equal(t, key, e.key)
	}
	_, ok = m.FirstMatch(m.Hash("d"))
	require.False(t, ok)
}
