package list

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/quick"
)

// listOf returns a list of texts, pushed at the tail.
func listOf(lim Limits, elements ...string) (l List) {
	for _, e := range elements {
		l.Push(Tail, []byte(e), lim)
	}
	return l
}

// layout tells how many elements each node has, "+" for a plain one; "packed" for a packed list.
func layout(l *List) string {
	if _, packed := l.Packed(); packed {
		return "packed"
	}
	var nodes []string
	for n := l.quicklist.head; n != nil; n = n.next {
		if n.plain {
			nodes = append(nodes, "+")
		} else {
			nodes = append(nodes, strconv.Itoa(n.count))
		}
	}
	return strings.Join(nodes, " ")
}

func numbers(from, to int) (all []string) {
	for i := from; i < to; i++ {
		all = append(all, strconv.Itoa(i))
	}
	return all
}

// TestRandomChanges runs long programs of the kind that FuzzChanges makes up.
func TestRandomChanges(t *testing.T) {
	for seed := range quick.Rounds(uint64(150)) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := &pair{Assertions: require.New(t), lim: Limits{Node: int(seed%10) - 5}}
		for range 300 {
			op := byte(r.Uint32())
			if len(p.m) > 60 {
				op = op&0xf0 | 13
			}
			p.step(op, byte(r.Uint32()), byte(r.Uint32()))
		}
		p.reads()
	}
}

func TestZeroListIsEmpty(t *testing.T) {
	var l List
	require.Zero(t, l.Len())
	require.Zero(t, l.Bytes())
	require.Equal(t, "ziplist", l.Encoding())
	_, ok := l.End(Head)
	require.False(t, ok)
	require.False(t, l.Set(0, []byte("v"), Defaults))
	require.False(t, l.Insert([]byte("p"), []byte("v"), true, Defaults))
	require.Zero(t, l.Remove([]byte("v"), 1, Head))
	l.RemoveEnd(Tail, 3)
	require.Empty(t, texts(&l, Head))
	require.NoError(t, l.Check())
	c := *l.Clone().(*List)
	c.Push(Head, nil, Defaults)
	e, ok := c.End(Tail)
	require.True(t, ok)
	require.Equal(t, "", string(e.Append(nil)))
	require.False(t, e.IsInt())
	require.Zero(t, l.Len())
}

func TestOneNodeIsPacked(t *testing.T) {
	l := listOf(Limits{Node: 3}, "a", "b", "c")
	require.Equal(t, "packed", layout(&l))
	l.Push(Head, []byte("d"), Limits{Node: 3})
	require.Equal(t, "1 3", layout(&l))
	l.RemoveEnd(Tail, 3)
	require.Equal(t, "1", layout(&l))
	l.Shrink(Limits{Node: 3})
	require.Equal(t, "packed", layout(&l))
	require.Equal(t, []string{"d"}, texts(&l, Head))
	l.RemoveEnd(Tail, 1)
	require.Equal(t, 0, l.Len())
}

// A list that shrank stays a chain until its last node takes half of the limit.
func TestPackedAgainOnlyIfSmall(t *testing.T) {
	l := listOf(Limits{Node: -1}, slices.Repeat([]string{strings.Repeat("x", 500)}, 9)...)
	require.Equal(t, "8 1", layout(&l))
	for _, want := range []string{"8", "7", "6", "5", "packed"} {
		l.RemoveEnd(Tail, 1)
		l.Shrink(Limits{Node: -1})
		require.Equal(t, want, layout(&l))
	}
	l = listOf(Limits{Node: 4}, numbers(0, 5)...)
	for _, want := range []string{"4", "3", "packed"} {
		l.RemoveEnd(Tail, 1)
		l.Shrink(Limits{Node: 4})
		require.Equal(t, want, layout(&l))
	}
}

// Elements that come together are counted together, and one that is overwritten or has no place
// counts as one more.
func TestElementsThatAreExpectedConvert(t *testing.T) {
	lim := Limits{Node: 4}
	full := func() List { return listOf(lim, numbers(0, 4)...) }
	l := full()
	require.True(t, l.Set(0, []byte("v"), lim))
	require.Equal(t, "4", layout(&l))
	l = full()
	require.False(t, l.Set(9, []byte("v"), lim))
	require.Equal(t, "4", layout(&l))
	l = full()
	require.False(t, l.Insert([]byte("none"), []byte("v"), true, lim))
	require.Equal(t, "4", layout(&l))
	var all List
	all.PushAll(Head, [][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("d"), []byte("e")}, lim)
	require.Equal(t, "1 4", layout(&all))
	var large List
	large.PushAll(Tail, [][]byte{make([]byte, 4000), make([]byte, 4185)}, Defaults)
	require.Equal(t, "packed", layout(&large))
	large.PushAll(Tail, [][]byte{nil}, Defaults)
	require.Equal(t, "2 1", layout(&large), "by now the bytes beside the texts count")
}

func TestNodesAreBoundedInBytes(t *testing.T) {
	for node, most := range map[int]int{-1: 4096, -2: 8192, -3: 16384, -4: 32768, -5: 65536, -6: 65536, 0: 8192,
		10000: 8192} {
		lim := Limits{Node: node}
		for _, end := range []End{Head, Tail} {
			var l List
			for i := range 20000 {
				l.Push(end, strconv.AppendInt(nil, int64(i)<<40, 10), lim)
			}
			require.NoError(t, l.Check())
			for n := l.quicklist.head; n != nil; n = n.next {
				require.LessOrEqual(t, len(n.data), most)
				if node != 0 && n != l.quicklist.head && n != l.quicklist.tail {
					require.Greater(t, len(n.data), most-30, "a full node is full")
					require.LessOrEqual(t, cap(n.data), most, "and wastes no memory")
				}
			}
		}
	}
}

func TestLargeElementsHaveNodesOfTheirOwn(t *testing.T) {
	large := strings.Repeat("L", 9000)
	l := listOf(Defaults, "a", large, "b", large)
	require.Equal(t, "1 + 1 +", layout(&l))
	require.Equal(t, []string{"a", large, "b", large}, texts(&l, Head))
	require.True(t, l.Set(1, []byte("small"), Defaults))
	require.Equal(t, "2 1 +", layout(&l), "the node before takes what became small")
	require.True(t, l.Set(1, []byte(large), Defaults))
	require.Equal(t, "1 + 1 +", layout(&l))
	require.True(t, l.Set(-1, []byte(large+"!"), Defaults))
	require.True(t, l.Insert([]byte(large+"!"), []byte("c"), false, Defaults))
	require.Equal(t, "1 + 2 +", layout(&l))
	require.Equal(t, 1, l.Remove([]byte(large), 5, Tail))
	require.Equal(t, "1 2 +", layout(&l))
}

func TestFullNodesAreSplitAndJoined(t *testing.T) {
	lim := Limits{Node: 4}
	l := listOf(lim, numbers(0, 12)...)
	require.Equal(t, "4 4 4", layout(&l))
	require.True(t, l.Insert([]byte("5"), []byte("new"), true, lim))
	require.Equal(t, "4 2 3 4", layout(&l))
	require.Equal(t, []string{"0", "1", "2", "3", "4", "5", "new", "6", "7", "8", "9", "10", "11"}, texts(&l, Head))
	require.Equal(t, 2, l.Remove([]byte("4"), 1, Head)+l.Remove([]byte("5"), 1, Head))
	require.Equal(t, "4 3 4", layout(&l))
	require.True(t, l.Insert([]byte("2"), []byte("more"), false, lim))
	require.Equal(t, "3 2 3 4", layout(&l))
	require.Equal(t, 2, l.Remove([]byte("new"), 1, Head)+l.Remove([]byte("6"), 1, Head))
	require.True(t, l.Insert([]byte("9"), []byte("more"), false, lim))
	require.Equal(t, "3 2 3 3", layout(&l), "the left half took what its neighbour had")
	require.NoError(t, l.Check())
}

// An element that grows in a full node splits it.
func TestOverwritingKeepsNodesWithinTheLimit(t *testing.T) {
	lim := Limits{Node: -1}
	var l List
	for range 1000 {
		l.Push(Tail, []byte("12345"), lim)
	}
	for i := range 1000 {
		require.True(t, l.Set(i, []byte(strings.Repeat("v", 100)), lim))
	}
	require.NoError(t, l.Check())
	require.Equal(t, 1000, l.Len())
	for n := l.quicklist.head; n != nil; n = n.next {
		require.LessOrEqual(t, len(n.data), 4096)
	}
}

func TestViewsBorrowTheirBytes(t *testing.T) {
	scratch := make([]byte, 0, 256)
	l := Of(ziplist.AppendEmpty(scratch))
	l.Push(Tail, []byte("a"), Defaults)
	l.Push(Tail, []byte("b"), Defaults)
	zl, packed := l.Packed()
	require.True(t, packed)
	require.Same(t, &scratch[:1][0], &zl[0], "there was room")
	l.Push(Tail, []byte(strings.Repeat("x", 10000)), Defaults)
	clear(scratch[:256])
	require.NoError(t, l.Check(), "a chain owns its bytes")
	e, _ := l.Index(0)
	require.Equal(t, "a", string(e.Append(nil)))
}

// TestBytes compares the account with the heap.
func TestBytes(t *testing.T) {
	var l List
	before := heap()
	for i := range 200000 {
		l.Push(Tail, strconv.AppendInt(nil, 1700000000000+int64(i), 10), Defaults)
	}
	l.Push(Head, make([]byte, 100000), Defaults)
	grown := heap() - before
	require.InEpsilon(t, grown, l.Bytes(), 0.01)
	require.Less(t, l.Bytes(), 200000*11+100000)
	runtime.KeepAlive(&l)
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // a pool survives the first
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func TestFitLinksWhatIsTooMuch(t *testing.T) {
	l := listOf(Limits{Node: 10}, numbers(0, 5)...)
	l.Fit(Limits{Node: 5})
	require.Equal(t, "packed", layout(&l))
	l.Fit(Limits{Node: 4})
	require.Equal(t, "5", layout(&l))
	require.Equal(t, numbers(0, 5), texts(&l, Head))
	var none List
	none.Fit(Limits{})
	require.Equal(t, "packed", layout(&none))
}

func TestCloneSharesNothing(t *testing.T) {
	for _, lim := range []Limits{{Node: 2}, Defaults} {
		l := listOf(lim, append(numbers(0, 9), strings.Repeat("x", 9000))...)
		c := *l.Clone().(*List)
		require.NoError(t, c.Check())
		want := texts(&l, Head)
		c.Set(0, []byte("other"), lim)
		c.RemoveEnd(Tail, 2)
		require.Equal(t, want, texts(&l, Head))
	}
}

func TestSearch(t *testing.T) {
	l := listOf(Limits{Node: 3}, "a", "b", "1", "b", "01", "b", "1", "a")
	search := func(v string, from End, most, matches int) (at []int) {
		l.Search([]byte(v), from, most, func(i int) bool {
			at = append(at, i)
			return len(at) < matches
		})
		return at
	}
	require.Equal(t, []int{1, 3, 5}, search("b", Head, 100, 100))
	require.Equal(t, []int{5, 3}, search("b", Tail, 100, 2))
	require.Equal(t, []int{1}, search("b", Head, 3, 100))
	require.Equal(t, []int{1, 3}, search("b", Head, 4, 100))
	require.Equal(t, []int{6, 2}, search("1", Tail, 6, 100))
	require.Nil(t, search("none", Head, 100, 100))
	require.Nil(t, search("a", Head, 0, 100))
}

func TestRangeStopsAtTheEnd(t *testing.T) {
	l := listOf(Limits{Node: 3}, numbers(0, 10)...)
	ranged := func(start, n int) (got []string) {
		l.Range(start, n, func(e ziplist.Entry) { got = append(got, string(e.Append(nil))) })
		return got
	}
	require.Equal(t, numbers(0, 10), ranged(0, 100))
	require.Equal(t, numbers(4, 7), ranged(4, 3))
	require.Equal(t, numbers(9, 10), ranged(9, 3))
	require.Nil(t, ranged(10, 3))
	require.Nil(t, ranged(0, 0))
	require.Nil(t, ranged(3, -1))
}

// What the commands do most allocates nothing once the blocks are there.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	l := listOf(Defaults, numbers(1000000, 1004000)...)
	v := []byte("1234567")
	require.Zero(t, testing.AllocsPerRun(5000, func() {
		l.Index(1234)
		l.Set(2345, v, Defaults)
		l.Range(100, 300, func(e ziplist.Entry) {})
		l.Search(v, Tail, 10, func(int) bool { return true })
	}))
	queued := testing.AllocsPerRun(5000, func() {
		l.Push(Tail, v, Defaults)
		l.RemoveEnd(Head, 1)
	})
	require.LessOrEqual(t, queued, 0.5, "a block for many elements now and then")
}

// A list that grows leaves no garbage to speak of, and a long queue none at all, in either
// direction.
func TestGrowingAndQueuingLeaveLittleGarbage(t *testing.T) {
	for _, end := range []End{Head, Tail} {
		for _, element := range []string{"element:12345678", strings.Repeat("x", 3000)} {
			var l List
			v := []byte(element)
			n := 4_000_000 / len(v)
			allocated := allocation(func() {
				for range n {
					l.Push(end, v, Defaults)
				}
			})
			require.Less(t, allocated, l.Bytes()*11/10, "%d bytes", len(v))
			allocated = allocation(func() {
				for range n {
					l.RemoveEnd(1-end, 1)
					l.Push(end, v, Defaults)
				}
			})
			require.Less(t, allocated, l.Bytes()/10, "%d bytes", len(v))
			require.NoError(t, l.Check())
		}
	}
}

// allocation returns how many bytes a function allocates.
func allocation(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

func TestAShortListKeepsNoSpareNode(t *testing.T) {
	l := listOf(Defaults, numbers(1000000, 1040000)...)
	l.RemoveEnd(Head, 3000)
	require.NotZero(t, l.SpareBytes())
	require.NoError(t, l.Check())
	l.RemoveEnd(Tail, l.Len()-2000)
	require.Zero(t, l.SpareBytes())
	require.NoError(t, l.Check())
}

func TestDamageIsFound(t *testing.T) {
	damages := []func(c *quicklist){
		func(c *quicklist) { c.len++ },
		func(c *quicklist) { c.nodes-- },
		func(c *quicklist) { c.held++ },
		func(c *quicklist) { c.tail = c.head },
		func(c *quicklist) { c.head.next.prev = c.tail },
		func(c *quicklist) { c.head.count-- },
		func(c *quicklist) { c.head.data = ziplist.New() },
		func(c *quicklist) { c.head.data[0]++ },
		func(c *quicklist) { c.head.plain = true },
	}
	for i, damage := range damages {
		l := listOf(Limits{Node: 4}, numbers(0, 12)...)
		require.NoError(t, l.Check())
		damage(l.quicklist)
		require.Error(t, l.Check(), "damage %d", i)
	}
	l := listOf(Limits{Node: 1}, "a", "b")
	l.packed = ziplist.New()
	require.Error(t, l.Check())
}
