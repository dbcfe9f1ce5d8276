package expiry

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Table is the deadlines of elements, which are known by their references. The zero value is empty.
// It must not be copied.
type Table struct {
	index dict.Index   // of the items, by their elements
	items arena.Arena  // an item for each element that has a deadline
	queue []item       // a heap, the soonest on top
	mem   value.Memory // of the index and the items; nil for Go's heap
}

// item is an element with its deadline; in the queue, with a deadline that it has or had.
type item struct {
	deadline int64
	element  arena.Ref
}

const itemSize = int(unsafe.Sizeof(item{}))

// queueSlack is how many items the queue may have beyond twice the number of deadlines.
const queueSlack = 16

// HashOf returns the hash of an item's element, for the index.
func (t *Table) HashOf(r arena.Ref) uint64 { return hash(t.at(r).element) }

// hash spreads references, which are close to one another.
func hash(element arena.Ref) uint64 {
	h := uint64(element) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

func (t *Table) at(r arena.Ref) *item { return (*item)(t.items.At(r)) }

// find returns the slot of an element's item in the index; nil if it has none.
func (t *Table) find(e arena.Ref) *arena.Ref {
	for p := t.index.Probe(hash(e)); ; {
		if slot := p.Next(); slot == nil || t.at(*slot).element == e {
			return slot
		}
	}
}

// Count returns how many elements have a deadline. Like Next, Bytes and At it returns 0 for a nil
// Table. O(1).
func (t *Table) Count() int {
	if t == nil {
		return 0
	}
	return t.index.Len()
}

// Next returns a time before which no element is due, 0 if none has a deadline. It is the soonest
// deadline, or one that was until it was moved or cleared. O(1).
func (t *Table) Next() int64 {
	if t.Count() == 0 {
		return 0
	}
	return t.queue[0].deadline
}

// Bytes returns the bytes held, the Table's own included. O(1).
func (t *Table) Bytes() int {
	if t == nil {
		return 0
	}
	return sizeclass.RoundScanned(int(unsafe.Sizeof(*t))) + t.index.Bytes() + t.items.Bytes() +
		sizeclass.Round(cap(t.queue)*itemSize)
}

// Settle moves the index and the items to mem, or with compact what is in memory that is being
// emptied. It does nothing if t is nil.
func (t *Table) Settle(mem value.Memory, compact bool) {
	if t != nil {
		t.mem = mem
		t.index.Settle(mem, compact)
		t.items.Settle(mem, compact)
	}
}

// Held returns the bytes of the blocks that Settle moves.
func (t *Table) Held() int {
	if t == nil {
		return 0
	}
	return t.index.Held() + t.items.Held()
}

// Drop frees about n blocks of a table that is not used for anything else any more, and reports
// whether there are more.
func (t *Table) Drop(n int) (more bool) {
	if t == nil {
		return false
	}
	more = t.index.Drop(n)
	return t.items.Drop(n) || more
}

// At returns the deadline of e; 0 if it has none. O(1).
func (t *Table) At(e arena.Ref) int64 {
	if t == nil {
		return 0
	}
	return t.deadlineOf(e)
}

func (t *Table) deadlineOf(e arena.Ref) int64 {
	if slot := t.find(e); slot != nil {
		return t.at(*slot).deadline
	}
	return 0
}

// Put gives e the deadline, 0 for none. A later one in place of one it has is O(1), anything else
// O(log n) amortized.
func (t *Table) Put(e arena.Ref, deadline int64) {
	if deadline == 0 {
		t.Delete(e)
		return
	}
	if slot := t.find(e); slot == nil {
		t.add(item{deadline, e})
	} else {
		m := t.at(*slot)
		earlier := deadline < m.deadline
		if m.deadline = deadline; !earlier {
			return
		}
	}
	t.push(item{deadline, e})
}

// add adds an item of an element that has none.
func (t *Table) add(m item) {
	r := t.items.Alloc(itemSize)
	*t.at(r) = m
	t.index.Insert(hash(m.element), r, t)
}

// With gives e the deadline as Put does, and returns t. If t is nil it returns a new table in mem,
// or nil if there is no deadline.
func (t *Table) With(e arena.Ref, deadline int64, mem value.Memory) *Table {
	if t == nil {
		if deadline == 0 {
			return nil
		}
		t = &Table{}
		t.Settle(mem, false)
	}
	t.Put(e, deadline)
	return t
}

// Delete removes the deadline of e. O(1) amortized.
func (t *Table) Delete(e arena.Ref) {
	if slot := t.find(e); slot != nil {
		r := *slot
		t.index.Remove(hash(e), slot, t)
		t.items.Free(r, itemSize)
		t.compact()
	}
}

// Replace gives the deadline of old, if it has one, to an element that took its place. O(log n)
// amortized.
func (t *Table) Replace(old, by arena.Ref) {
	if d := t.At(old); d != 0 {
		t.Delete(old)
		t.Put(by, d)
	}
}

// PopDue removes the deadline of an element that is due and returns both, the soonest first; zeros
// if none is due. O(log n).
func (t *Table) PopDue(now int64) (e arena.Ref, deadline int64) {
	for t.Count() > 0 && t.queue[0].deadline <= now {
		top := t.queue[0]
		slot := t.find(top.element)
		switch {
		case slot == nil:
			t.pop()
		case t.at(*slot).deadline > top.deadline:
			t.queue[0].deadline = t.at(*slot).deadline
			t.siftDown(0)
		default:
			t.pop()
			deadline = t.at(*slot).deadline
			t.Delete(top.element)
			return top.element, deadline
		}
	}
	return 0, 0
}

// Each calls fn for each element that has a deadline until fn returns false. fn must not change the
// table. O(n).
func (t *Table) Each(fn func(e arena.Ref, deadline int64) bool) {
	t.index.Each(func(r arena.Ref) bool { m := *t.at(r); return fn(m.element, m.deadline) })
}

// Clone returns a copy, for elements that have the same references. O(n).
func (t *Table) Clone() *Table {
	if t.Count() == 0 {
		return nil
	}
	return &Table{index: *t.index.Clone(), items: t.items.Clone(), queue: append([]item(nil), t.queue...)}
}

// compact frees what is not needed any more after a deadline was removed.
func (t *Table) compact() {
	switch n := t.Count(); {
	case n == 0:
		t.Drop(math.MaxInt)
		*t = t.empty()
	case len(t.queue) > 2*n+queueSlack:
		t.rebuildQueue()
	}
	if t.items.Sparse() {
		t.rebuildItems()
	}
}

// empty returns an empty table in the same memory.
func (t *Table) empty() (c Table) {
	c.Settle(t.mem, false)
	return c
}

// rebuildItems puts the items into an arena of their size.
func (t *Table) rebuildItems() {
	c := t.empty()
	c.queue = t.queue
	t.Each(func(e arena.Ref, deadline int64) bool {
		c.add(item{deadline, e})
		return true
	})
	t.Drop(math.MaxInt)
	*t = c
}

// --- queue ---

// rebuildQueue makes the queue anew from the items.
func (t *Table) rebuildQueue() {
	t.queue = make([]item, 0, t.Count()+t.Count()/4)
	t.Each(func(e arena.Ref, deadline int64) bool {
		t.queue = append(t.queue, item{deadline, e})
		return true
	})
	for i := len(t.queue)/2 - 1; i >= 0; i-- {
		t.siftDown(i)
	}
}

func (t *Table) push(m item) {
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

func (t *Table) pop() {
	last := len(t.queue) - 1
	t.queue[0] = t.queue[last]
	t.queue[last] = item{}
	t.queue = t.queue[:last]
	if last > 0 {
		t.siftDown(0)
	}
}

// siftDown moves item i down to its place.
func (t *Table) siftDown(i int) {
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
func (t *Table) Check() error {
	if err := t.index.Check(t); err != nil {
		return err
	}
	if err := t.items.Check(t.Count() * itemSize); err != nil {
		return err
	}
	first := make(map[arena.Ref]int64, t.Count())
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
	t.Each(func(e arena.Ref, deadline int64) bool {
		if d, queued := first[e]; !queued || d > deadline || deadline > Max {
			err = fmt.Errorf("expiry: element %d is due at %d, but not queued by then", e, deadline)
		}
		return err == nil
	})
	return err
}

// CheckOf is Check for a Table, or nil, of which only elements of that index may have deadlines.
func (t *Table) CheckOf(elements *dict.Index) error {
	if t == nil {
		return nil
	}
	left := t.Count()
	elements.Each(func(e arena.Ref) bool {
		if t.At(e) != 0 {
			left--
		}
		return true
	})
	if left != 0 {
		return fmt.Errorf("expiry: %d deadlines of elements that are gone", left)
	}
	return t.Check()
}
