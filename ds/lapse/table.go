package lapse

import (
	"fmt"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Element is what a Table marks: a pointer, or something as small around one, to a block that knows
// its key. No two that are marked have the same key, and the key must not change.
type Element interface {
	comparable
	dict.Element
}

// Table is the deadlines of elements. It must not be copied.
type Table[E Element] struct {
	marks dict.Map[mark[E]] // by key
	queue []mark[E]         // a heap, the soonest on top
}

// mark is an element with its deadline; in the queue, with a deadline that it has or had.
type mark[E Element] struct {
	element  E
	deadline int64
}

// Key returns the element's.
func (m mark[E]) Key() string { return m.element.Key() }

// spare is the items that the queue may have beyond twice the marks.
const spare = 16

// NewTable returns an empty table whose hashes depend on seed.
func NewTable[E Element](seed uint64) *Table[E] {
	t := &Table[E]{}
	t.marks.Init(seed)
	return t
}

// Dated returns how many elements have a deadline. O(1).
func (t *Table[E]) Dated() int { return t.marks.Len() }

// Next returns a time before which no element is due, 0 if none has a deadline. It is the soonest
// deadline, or one that was until it was moved or cleared. O(1).
func (t *Table[E]) Next() int64 {
	if t.Dated() == 0 {
		return 0
	}
	return t.queue[0].deadline
}

// Bytes returns the bytes held, the Table's own included. O(1).
func (t *Table[E]) Bytes() int {
	each := int(unsafe.Sizeof(mark[E]{}))
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.marks.Bytes() + sizeclass.RoundScanned(cap(t.queue)*each)
}

// At returns the deadline of e; 0 if it has none. O(1).
func (t *Table[E]) At(e E) int64 {
	m, _ := t.marks.Find(e.Key())
	return m.deadline
}

// Put gives e the deadline, 0 for none. A later one in place of one it has is O(1), anything else
// O(log n) amortized.
func (t *Table[E]) Put(e E, deadline int64) {
	if deadline == 0 {
		t.Drop(e)
		return
	}
	h := t.marks.Hash(e.Key())
	m := t.marks.LookupHash(h, e.Key())
	switch {
	case m == nil:
		t.marks.InsertHash(h, mark[E]{e, deadline})
	case deadline >= m.deadline:
		m.deadline = deadline
		return
	default:
		m.deadline = deadline
	}
	t.push(mark[E]{e, deadline})
}

// Drop tells that e is gone, or has no deadline any more. O(1) amortized.
func (t *Table[E]) Drop(e E) {
	if _, ok := t.marks.Delete(e.Key()); ok {
		t.tidy()
	}
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
	for t.Dated() > 0 && t.queue[0].deadline <= now {
		top := t.queue[0]
		h := t.marks.Hash(top.Key())
		m := t.marks.LookupHash(h, top.Key())
		switch {
		case m == nil || m.element != top.element:
			t.pop()
		case m.deadline > top.deadline:
			t.queue[0].deadline = m.deadline
			t.sink(0)
		default:
			t.pop()
			t.marks.DeleteHash(h, top.Key())
			t.tidy()
			return top.element, true
		}
	}
	return e, false
}

// Each calls fn for each element that has a deadline until fn returns false. fn must not change the
// table. O(n).
func (t *Table[E]) Each(fn func(e E, deadline int64) bool) {
	t.marks.Each(func(m mark[E]) bool { return fn(m.element, m.deadline) })
}

// tidy gives back what is not needed after a mark is gone.
func (t *Table[E]) tidy() {
	switch n := t.Dated(); {
	case n == 0:
		t.marks.Clear()
		t.queue = nil
	case len(t.queue) > 2*n+spare:
		t.requeue()
	}
}

// --- queue ---

// requeue makes the queue anew of the marks.
func (t *Table[E]) requeue() {
	t.queue = make([]mark[E], 0, t.Dated()+t.Dated()/4)
	t.Each(func(e E, deadline int64) bool {
		t.queue = append(t.queue, mark[E]{e, deadline})
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
	if len(t.queue) > 2*t.Dated()+spare {
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

// Check returns an error naming the first violation of the package's invariants. O(n).
func (t *Table[E]) Check() error {
	if err := t.marks.Check(); err != nil {
		return err
	}
	first := make(map[E]int64, t.Dated())
	for i, m := range t.queue {
		if up := t.queue[max(i-1, 0)/2]; m.deadline < up.deadline {
			return fmt.Errorf("lapse: item %d is due at %d, before the one above it", i, m.deadline)
		}
		if d, seen := first[m.element]; !seen || m.deadline < d {
			first[m.element] = m.deadline
		}
	}
	if len(t.queue) > 2*t.Dated()+spare {
		return fmt.Errorf("lapse: %d items queued for %d marks", len(t.queue), t.Dated())
	}
	var err error
	t.Each(func(e E, deadline int64) bool {
		if d, queued := first[e]; !queued || d > deadline || deadline > Max {
			err = fmt.Errorf("lapse: %q is due at %d, but not queued by then", e.Key(), deadline)
		}
		return err == nil
	})
	return err
}
