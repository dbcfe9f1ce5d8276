package lapse

import (
	"fmt"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Element is what a Table marks: a pointer, or something as small around one, to a block that knows
// its key. Two elements with the same key are two. The key must not change.
type Element interface {
	comparable
	dict.Element
}

// Table is the deadlines of elements. The zero value is an empty one.
type Table[E Element] struct {
	marks []mark[E] // open addressing, a power of two long; a vacant one has no deadline
	dated int
	queue []mark[E] // a heap, the soonest on top
	seed  uint64
}

// mark is an element with its deadline; in the queue, with a deadline that it has or had.
type mark[E Element] struct {
	deadline int64
	element  E
}

const (
	fewest = 8  // marks of the smallest table
	spare  = 16 // items of the queue beyond twice the marks
)

// NewTable returns an empty table whose hashes depend on seed.
func NewTable[E Element](seed uint64) *Table[E] { return &Table[E]{seed: seed} }

// Dated returns how many elements have a deadline. O(1).
func (t *Table[E]) Dated() int { return t.dated }

// Next returns a time before which no element is due, 0 if none has a deadline. It is the soonest
// deadline, or one that was until it was moved or cleared. O(1).
func (t *Table[E]) Next() int64 {
	if t.dated == 0 {
		return 0
	}
	return t.queue[0].deadline
}

// Bytes returns the bytes held, the Table's own included. O(1).
func (t *Table[E]) Bytes() int {
	each := int(unsafe.Sizeof(mark[E]{}))
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + sizeclass.RoundScanned(cap(t.marks)*each) +
		sizeclass.RoundScanned(cap(t.queue)*each)
}

// At returns the deadline of e; 0 if it has none. O(1).
func (t *Table[E]) At(e E) int64 {
	if t.dated == 0 {
		return 0
	}
	return t.marks[t.find(e)].deadline
}

// Put gives e the deadline, 0 for none. A later one in place of one it has is O(1), anything else
// O(log n) amortized.
func (t *Table[E]) Put(e E, deadline int64) {
	if deadline == 0 {
		t.Drop(e)
		return
	}
	t.reserve()
	m := &t.marks[t.find(e)]
	old := m.deadline
	*m = mark[E]{deadline, e}
	if old == 0 {
		t.dated++
	}
	if old == 0 || deadline < old {
		t.push(*m)
	}
}

// Drop tells that e is gone, or has no deadline any more. O(1) amortized.
func (t *Table[E]) Drop(e E) {
	if t.dated == 0 {
		return
	}
	i := t.find(e)
	if t.marks[i].deadline == 0 {
		return
	}
	t.vacate(i)
	t.tidy()
}

// Replace tells that an element of the same key took the place of old, whose deadline it keeps.
func (t *Table[E]) Replace(old, by E) {
	if d := t.At(old); d != 0 {
		t.Drop(old)
		t.Put(by, d)
	}
}

// Due takes the mark off an element that is due and returns it, the soonest first; ok is false if
// none is. O(log n).
func (t *Table[E]) Due(now int64) (e E, ok bool) {
	for t.dated > 0 && t.queue[0].deadline <= now {
		top := t.queue[0]
		i := t.find(top.element)
		switch d := t.marks[i].deadline; {
		case d > top.deadline:
			t.queue[0].deadline = d
			t.sink(0)
		case d == 0:
			t.pop()
		default:
			t.pop()
			t.vacate(i)
			t.tidy()
			return top.element, true
		}
	}
	return e, false
}

// Each calls fn for each element that has a deadline until fn returns false. fn must not change the
// table. O(n).
func (t *Table[E]) Each(fn func(e E, deadline int64) bool) {
	for _, m := range t.marks {
		if m.deadline != 0 && !fn(m.element, m.deadline) {
			return
		}
	}
}

// --- marks ---

func (t *Table[E]) home(e E) int { return int(dict.Hash(t.seed, e.Key())) & (len(t.marks) - 1) }

// find returns where the mark of e is, or would be. There must be a vacant one.
func (t *Table[E]) find(e E) int {
	i := t.home(e)
	for t.marks[i].deadline != 0 && t.marks[i].element != e {
		i = (i + 1) & (len(t.marks) - 1)
	}
	return i
}

// reserve makes room for one mark more: an eighth stays vacant.
func (t *Table[E]) reserve() {
	if n := len(t.marks); t.dated+1 > n-n/8 {
		t.resize(max(2*n, fewest))
	}
}

func (t *Table[E]) resize(n int) {
	old := t.marks
	t.marks = make([]mark[E], n)
	for _, m := range old {
		if m.deadline != 0 {
			t.marks[t.find(m.element)] = m
		}
	}
}

// vacate removes mark i and moves those behind it that are not at home to where they are found.
func (t *Table[E]) vacate(i int) {
	t.dated--
	last := len(t.marks) - 1
	for j := (i + 1) & last; t.marks[j].deadline != 0; j = (j + 1) & last {
		if home := t.home(t.marks[j].element); (j-home)&last >= (j-i)&last {
			t.marks[i] = t.marks[j]
			i = j
		}
	}
	t.marks[i] = mark[E]{}
}

// tidy gives back what is not needed after a mark is gone.
func (t *Table[E]) tidy() {
	switch n := len(t.marks); {
	case t.dated == 0:
		t.marks, t.queue = nil, nil
		return
	case n > fewest && t.dated < n/8:
		t.resize(n / 2)
	}
	if len(t.queue) > 2*t.dated+spare {
		t.requeue()
	}
}

// --- queue ---

// requeue makes the queue anew of the marks.
func (t *Table[E]) requeue() {
	t.queue = make([]mark[E], 0, t.dated+t.dated/4)
	t.Each(func(e E, deadline int64) bool {
		t.queue = append(t.queue, mark[E]{deadline, e})
		return true
	})
	for i := len(t.queue)/2 - 1; i >= 0; i-- {
		t.sink(i)
	}
}

func (t *Table[E]) push(m mark[E]) {
	t.queue = append(t.queue, m)
	i := len(t.queue) - 1
	for up := (i - 1) / 2; i > 0 && m.deadline < t.queue[up].deadline; i, up = up, (up-1)/2 {
		t.queue[i] = t.queue[up]
	}
	t.queue[i] = m
	if len(t.queue) > 2*t.dated+spare {
		t.requeue()
	}
}

func (t *Table[E]) pop() {
	last := len(t.queue) - 1
	t.queue[0] = t.queue[last]
	t.queue[last] = mark[E]{}
	t.queue = t.queue[:last]
	if last > 0 {
		t.sink(0)
	}
}

// sink moves item i down to its place.
func (t *Table[E]) sink(i int) {
	m := t.queue[i]
	for {
		down := 2*i + 1
		if down >= len(t.queue) {
			break
		}
		if right := down + 1; right < len(t.queue) && t.queue[right].deadline < t.queue[down].deadline {
			down = right
		}
		if m.deadline <= t.queue[down].deadline {
			break
		}
		t.queue[i] = t.queue[down]
		i = down
	}
	t.queue[i] = m
}

// Check returns an error naming the first violation of the package's invariants. O(n log n).
func (t *Table[E]) Check() error {
	first := make(map[E]int64, t.dated)
	for i, m := range t.queue {
		if up := t.queue[max(i-1, 0)/2]; m.deadline < up.deadline {
			return fmt.Errorf("lapse: item %d is due at %d, before the one above it", i, m.deadline)
		}
		if d, seen := first[m.element]; !seen || m.deadline < d {
			first[m.element] = m.deadline
		}
	}
	marked := 0
	for i, m := range t.marks {
		if m.deadline == 0 {
			continue
		}
		marked++
		d, queued := first[m.element]
		switch {
		case !queued || d > m.deadline:
			return fmt.Errorf("lapse: %q is due at %d, but not queued by then", m.element.Key(), m.deadline)
		case t.find(m.element) != i:
			return fmt.Errorf("lapse: the mark of %q is not found", m.element.Key())
		}
	}
	if marked != t.dated || len(t.queue) > 2*t.dated+spare {
		return fmt.Errorf("lapse: %d marks counted as %d, %d items queued", marked, t.dated, len(t.queue))
	}
	return nil
}
