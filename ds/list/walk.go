package list

import (
	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/ds/ziplist"
)

// Each calls fn for the elements, in order from the given end on but without the first skip, until
// fn returns false. fn must not change the list. O(n).
func (l *List) Each(from End, skip int, fn func(e ziplist.Entry) bool) {
	if l.quicklist != nil {
		l.quicklist.walk(from, skip, fn)
	} else if l.packed != nil {
		walk(l.packed, from, skip, fn)
	}
}

// Range calls fn for n elements from element start on, which counts from 0, or for those of them
// that are there. O(n), and O(nodes) for the way to the start.
func (l *List) Range(start, n int, fn func(e ziplist.Entry)) {
	if n <= 0 {
		return
	}
	l.Each(Head, start, func(e ziplist.Entry) bool {
		fn(e)
		n--
		return n > 0
	})
}

// Search calls fn with the index of each element whose text is v, in a walk from the given end that
// looks at no more than most elements, until fn returns false. fn must not change the list. O(n).
func (l *List) Search(v []byte, from End, most int, fn func(i int) bool) {
	i, step := 0, 1
	if from == Tail {
		i, step = l.Len()-1, -1
	}
	l.Each(from, 0, func(e ziplist.Entry) bool {
		if most--; most < 0 {
			return false
		}
		at := i
		i += step
		return !e.Equal(v) || fn(at)
	})
}

// walk is List.Each for a quicklist. It seeks the first element from the nearer end.
func (c *quicklist) walk(from End, skip int, fn func(e ziplist.Entry) bool) {
	first := skip
	if from == Tail {
		first = c.len - 1 - skip
	}
	if skip < 0 || skip >= c.len {
		return
	}
	n, i := c.seek(first)
	if from == Tail {
		i = n.count - 1 - i
	}
	for ; n != nil && n.walk(from, i, fn); n, i = n.neighbour(from), 0 {
	}
}

// Clip returns the first index and the number of elements from start to stop, both inclusive and
// negative ones counting from the tail, that exist. O(1).
func (l *List) Clip(start, stop int) (first, n int) {
	return value.Clip(l.Len(), start, stop)
}
