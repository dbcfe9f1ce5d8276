package list

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/expiry"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Deadlines of elements: milliseconds since the epoch, from 1 to expiry.Max, 0 for none. The list
// does not know the time: an element that is due stays until Expire, which the keyspace calls at
// every lookup.
//
// An element is named by its text, and a deadline is given to all that have the text by then. Each
// occurrence keeps its own from there on, wherever it moves in the list, and one that is pushed
// later has none. DeadlineAt and SetDeadlineAt name occurrences by index, for snapshots of a list.

// Volatile returns how many elements have a deadline. O(1).
func (l *List) Volatile() int { return l.deadlines.Count() }

// NextDeadline returns a time before which no element is due, 0 if none has a deadline. O(1).
func (l *List) NextDeadline() int64 { return l.deadlines.Next() }

// Deadline returns the soonest deadline of the elements whose text is v, 0 if none of them has one;
// ok is false if there are none. O(n).
func (l *List) Deadline(v []byte) (deadline int64, ok bool) {
	l.Search(v, Head, l.Len(), func(i int) bool {
		ok = true
		if d := l.DeadlineAt(i); d != 0 && (deadline == 0 || d < deadline) {
			deadline = d
		}
		return l.deadlines != nil
	})
	return deadline, ok
}

// SetDeadline gives all elements whose text is v a deadline, 0 for none, and reports whether there
// are any. O(n). The dice are not needed; they are what other collections take.
func (l *List) SetDeadline(v []byte, deadline int64, _ func(n uint64) uint64) (found bool) {
	l.Search(v, Head, l.Len(), func(i int) bool {
		found = true
		l.SetDeadlineAt(i, deadline)
		return l.deadlines != nil
	})
	return found
}

// DeadlineAt returns the deadline of element i, which counts from 0 and exists; 0 if it has none.
// O(1).
func (l *List) DeadlineAt(i int) int64 {
	if l.deadlines == nil {
		return 0
	}
	return l.deadlines.At(i)
}

// SetDeadlineAt gives element i, which counts from 0 and exists, a deadline, 0 for none. O(1), but
// O(n) for the first.
func (l *List) SetDeadlineAt(i int, deadline int64) {
	if l.deadlines == nil {
		if deadline == 0 {
			return
		}
		l.deadlines = expiry.NewArray(l.Len())
		if l.quicklist == nil {
			l.packed = append(ziplist.List(nil), l.packed...) // a view's bytes are borrowed, deadlines are not
		}
	}
	l.deadlines.Put(i, deadline)
}

// Deadlines calls fn for each element that has a deadline, from the head on, until fn returns
// false. fn must not change the list. O(n).
func (l *List) Deadlines(fn func(v []byte, deadline int64) bool) {
	if l.Volatile() == 0 {
		return
	}
	var digits [20]byte
	i := -1
	l.Each(Head, 0, func(e ziplist.Entry) bool {
		i++
		d := l.deadlines.At(i)
		return d == 0 || fn(e.Text(digits[:]), d)
	})
}

// Expire removes all elements that are due, however many are asked for, calls fn with each before
// it goes unless fn is nil, and returns how many. O(n).
func (l *List) Expire(now int64, _ int, fn func(v []byte)) (removed int) {
	if l.deadlines == nil {
		return 0
	}
	var digits [20]byte
	for end := l.deadlines.Len(); ; {
		i, n := l.deadlines.LastDue(now, end)
		if n == 0 {
			return l.deadlines.DeleteDue(now)
		}
		if fn != nil {
			l.Range(i, n, func(e ziplist.Entry) { fn(e.Text(digits[:])) })
		}
		l.deleteRange(i, n)
		end = i
	}
}

// deleteRange removes n elements from element i on, without a look at the deadlines.
func (l *List) deleteRange(i, n int) {
	switch {
	case i == 0:
		l.removeEnd(Head, n)
	case i+n == l.Len():
		l.removeEnd(Tail, n)
	case l.quicklist != nil:
		l.quicklist.deleteRange(i, n)
	default:
		l.packed = l.packed.DeleteRange(i, n).Trim()
	}
}

// deleteRange removes n elements from element i on, which exist.
func (c *quicklist) deleteRange(i, n int) {
	for x, i := c.seek(i); n > 0; i = 0 {
		next, k := x.next, min(n, x.count-i)
		if k == x.count {
			c.unlink(x)
		} else {
			x.own()
			c.setNode(x, x.data.DeleteRange(i, k).Trim(), x.count-k)
		}
		n -= k
		x = next
	}
}

// The methods below keep the deadlines in step with a change of the list that is about to be made.

// insertDeadlines is for n elements that come before element i.
func (l *List) insertDeadlines(i, n int) { l.deadlines.Insert(i, n) }

// insertDeadlineBeside is for an element that comes beside the first whose text is pivot, if there
// is one.
func (l *List) insertDeadlineBeside(pivot []byte, behind bool) {
	l.Search(pivot, Head, l.Len(), func(i int) bool {
		if behind {
			i++
		}
		l.insertDeadlines(i, 1)
		return false
	})
}

// clearDeadline is for element i, if it exists, that is about to be overwritten.
func (l *List) clearDeadline(i int) {
	if n := l.Len(); i < 0 {
		i += n
	} else if i >= n {
		return
	}
	if i >= 0 {
		l.deadlines.Put(i, 0)
	}
}

// removeDeadlines is for the elements that Remove is about to remove.
func (l *List) removeDeadlines(v []byte, count int, from End) {
	var gone []int
	l.Search(v, from, l.Len(), func(i int) bool {
		if len(gone) < count {
			gone = append(gone, i)
		}
		return len(gone) < count
	})
	slices.Sort(gone)
	for _, i := range slices.Backward(gone) {
		l.deadlines.Delete(i, 1)
	}
}

// removeDeadlinesAtEnd is for n elements at an end, or all, that are about to be removed.
func (l *List) removeDeadlinesAtEnd(end End, n int) {
	switch n = min(n, l.Len()); {
	case n <= 0:
	case end == Head:
		l.deadlines.Delete(0, n)
	default:
		l.deadlines.Delete(l.Len()-n, n)
	}
}

// Discard removes all elements whose text is v and reports whether there were any. O(n).
func (l *List) Discard(v []byte) bool { return l.Remove(v, l.Len(), Head) > 0 }
