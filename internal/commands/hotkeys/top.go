package hotkeys

import (
	"cmp"
	"container/heap"
	"slices"
)

// Which keys have most of something is found with bounded memory, as in "Efficient Computation of
// Frequent and Top-k Elements in Data Streams" (Metwally, Agrawal, El Abbadi, 2005): there is a
// fixed number of counters, and a key without one takes over the smallest, with its count. So a sum
// is never too small, and too large by what the smallest counter had at most. It is exact as long
// as there are no more keys than counters.

// counter is a key with the sum of its amounts.
type counter struct {
	key  string
	sum  int64
	rank int // in the heap
}

// top finds the keys with the largest sums.
type top struct {
	limit    int
	byKey    map[string]*counter
	smallest counters
	bytes    int // of the keys
}

func newTop(limit int) *top { return &top{limit: limit, byKey: make(map[string]*counter)} }

// counterBytes is about what a counter takes beside its key.
const counterBytes = 128

// memory returns about how many bytes it takes.
func (t *top) memory() int { return t.bytes + len(t.byKey)*counterBytes }

// add adds an amount to a key. O(log of the number of counters).
func (t *top) add(key []byte, amount int64) {
	if c := t.byKey[string(key)]; c != nil {
		c.sum += amount
		heap.Fix(&t.smallest, c.rank)
		return
	}
	c := &counter{sum: amount}
	if len(t.smallest) == t.limit {
		c = t.smallest[0]
		delete(t.byKey, c.key)
		t.bytes -= len(c.key)
		c.sum += amount
	}
	c.key = string(key)
	t.byKey[c.key] = c
	t.bytes += len(c.key)
	if len(t.byKey) > len(t.smallest) {
		heap.Push(&t.smallest, c)
	} else {
		heap.Fix(&t.smallest, c.rank)
	}
}

// largest returns the n largest sums, the largest first.
func (t *top) largest(n int) []*counter {
	list := slices.SortedFunc(slices.Values(t.smallest), func(a, b *counter) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(a.key, b.key))
	})
	return list[:min(n, len(list))]
}

// counters is a heap, the smallest sum first.
type counters []*counter

func (h counters) Len() int           { return len(h) }
func (h counters) Less(i, j int) bool { return h[i].sum < h[j].sum }
func (h counters) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].rank, h[j].rank = i, j
}

func (h *counters) Push(x any) {
	c := x.(*counter)
	c.rank = len(*h)
	*h = append(*h, c)
}

// Pop is part of heap.Interface. Counters are taken over, and not removed.
func (h *counters) Pop() any { panic("hotkeys: a counter is never removed") }
