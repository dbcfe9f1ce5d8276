package expiry

import (
	"fmt"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
)

// Element is what has deadlines in a Table: a pointer to a block that knows its key, or a struct of one. No two
// elements in a table have the same key, and the key must not change.
type Element interface {
	comparable
	dict.Element
}

// Table is the deadlines of elements. It must not be copied.
type Table[E Element] struct {
	items dict.Map[item[E]] // by key
	queue []item[E]         // a heap, the soonest on top
}

// item is an element with its deadline; in the queue, with a deadline that it has or had.
type item[E Element] struct {
	element  E
	deadline int64
}

// Key returns the element's.
func (m item[E]) Key() string { return m.element.Key() }

// queueSlack is how many items the queue may have beyond twice the number of deadlines.
const queueSlack = 16

// NewTable returns an empty table whose hashes depend on seed.
func NewTable[E Element](seed uint64) *Table[E] {
	t := &Table[E]{}
	t.items.Init(seed)
	return t
}

// Count returns how many elements have a deadline. Like Next and Bytes it returns 0 for a nil Table. O(1).
func (t *Table[E]) Count() int {
	if t == nil {
		return 0
	}
	return t.items.Len()
}

// Next returns a time before which no element is due, 0 if none has a deadline. It is the soonest
// deadline, or one that was until it was moved or cleared. O(1).
func (t *Table[E]) Next() int64 {
	if t.Count() == 0 {
		return 0
	}
	return t.queue[0].deadline
}

// Bytes returns the bytes held, the Table's own included. O(1).
func (t *Table[E]) Bytes() int {
	if t == nil {
		return 0
	}
	each := int(unsafe.Sizeof(item[E]{}))
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.items.Bytes() + sizeclass.RoundScanned(cap(t.queue)*each)
}

// At returns the deadline of e; 0 if it has none. O(1).
func (t *Table[E]) At(e E) int64 {
	m, _ := t.items.Find(e.Key())
	return m.deadline
}

// Put gives e the deadline, 0 for none. A later one in place of one it has is O(1), anything else
// O(log n) amortized.
func (t *Table[E]) Put(e E, deadline int64) {
	if deadline == 0 {
		t.Delete(e)
		return
	}
	h := t.items.Hash(e.Key())
	m := t.items.LookupHash(h, e.Key())
	switch {
	case m == nil:
		t.items.InsertHash(h, item[E]{e, deadline})
	case deadline >= m.deadline:
		m.deadline = deadline
		return
	default:
		m.deadline = deadline
	}
	t.push(item[E]{e, deadline})
}

// With gives e the deadline as Put does, and returns t. If t is nil it returns a new table whose hashes depend on seed,
// or nil if there is no deadline.
func (t *Table[E]) With(seed uint64, e E, deadline int64) *Table[E] {
	if t == nil {
		if deadline == 0 {
			return nil
		}
		t = NewTable[E](seed)
	}
	t.Put(e, deadline)
	return t
}

// Delete removes the deadline of e. O(1) amortized.
func (t *Table[E]) Delete(e E) {
	if _, ok := t.items.Delete(e.Key()); ok {
		t.compact()
	}
}

// Replace gives the deadline of old to an element of the same key that took its place.
func (t *Table[E]) Replace(old, by E) {
	if d := t.At(old); d != 0 {
		t.Delete(old)
		t.Put(by, d)
	}
}

// PopDue removes the deadline of an element that is due and returns the element, the soonest first; ok is
// false if none is due. O(log n).
func (t *Table[E]) PopDue(now int64) (e E, ok bool) {
	for t.Count() > 0 && t.queue[0].deadline <= now {
		top := t.queue[0]
		h := t.items.Hash(top.Key())
		m := t.items.LookupHash(h, top.Key())
		switch {
		case m == nil || m.element != top.element:
			t.pop()
		case m.deadline > top.deadline:
			t.queue[0].deadline = m.deadline
			t.siftDown(0)
		default:
			t.pop()
			t.items.DeleteHash(h, top.Key())
			t.compact()
			return top.element, true
		}
	}
	return e, false
}

// Each calls fn for each element that has a deadline until fn returns false. fn must not change the
// table. O(n).
func (t *Table[E]) Each(fn func(e E, deadline int64) bool) {
	t.items.Each(func(m item[E]) bool { return fn(m.element, m.deadline) })
}

// compact frees what is not needed any more after a deadline was removed.
func (t *Table[E]) compact() {
	switch n := t.Count(); {
	case n == 0:
		t.items.Clear()
		t.queue = nil
	case len(t.queue) > 2*n+queueSlack:
		t.rebuildQueue()
	}
}

// --- queue ---

// rebuildQueue makes the queue anew from the items.
func (t *Table[E]) rebuildQueue() {
	t.queue = make([]item[E], 0, t.Count()+t.Count()/4)
	t.Each(func(e E, deadline int64) bool {
		t.queue = append(t.queue, item[E]{e, deadline})
		return true
	})
	for i := len(t.queue)/2 - 1; i >= 0; i-- {
		t.siftDown(i)
	}
}

func (t *Table[E]) push(m item[E]) {
	t.queue = append(t.queue, m)
	i := len(t.queue) - 1
	for up := (i - 1) / 2; i > 0 && m.deadline < t.queue[up].deadline; i, up = up, (up-1)/2 {
		t.queue[i] = t.queue[up]
	}
	t.queue[i] = m
	if len(t.queue) > 2*t.Count()+queueSlack {
		t.rebuildQueue()
	}
}

func (t *Table[E]) pop() {
	last := len(t.queue) - 1
	t.queue[0] = t.queue[last]
	t.queue[last] = item[E]{}
	t.queue = t.queue[:last]
	if last > 0 {
		t.siftDown(0)
	}
}

// siftDown moves item i down to its place.
func (t *Table[E]) siftDown(i int) {
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
	if err := t.items.Check(); err != nil {
		return err
	}
	first := make(map[E]int64, t.Count())
	for i, m := range t.queue {
		if up := t.queue[max(i-1, 0)/2]; m.deadline < up.deadline {
			return fmt.Errorf("expiry: item %d is due at %d, before the one above it", i, m.deadline)
		}
		if d, seen := first[m.element]; !seen || m.deadline < d {
			first[m.element] = m.deadline
		}
	}
	if len(t.queue) > 2*t.Count()+queueSlack {
		return fmt.Errorf("expiry: %d items queued for %d marks", len(t.queue), t.Count())
	}
	var err error
	t.Each(func(e E, deadline int64) bool {
		if d, queued := first[e]; !queued || d > deadline || deadline > Max {
			err = fmt.Errorf("expiry: %q is due at %d, but not queued by then", e.Key(), deadline)
		}
		return err == nil
	})
	return err
}
