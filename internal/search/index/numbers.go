package index

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"
)

// numbers is the numbers of a field in order, each with the documents that have it: runs of up to
// runLength pairs, the least first. A place is its geohash.
type numbers struct {
	runs  []run
	count int
}

type run struct {
	values []float64
	ids    []ID
}

const runLength = 1024

// compare compares pair i of a run with another pair.
func (r *run) compare(i int, value float64, id ID) int {
	return cmp.Or(cmp.Compare(r.values[i], value), cmp.Compare(r.ids[i], id))
}

// at returns the place of a pair in a run.
func (r *run) at(value float64, id ID) int {
	return sort.Search(len(r.values), func(i int) bool { return r.compare(i, value, id) >= 0 })
}

// add adds a pair.
func (n *numbers) add(value float64, id ID) {
	n.count++
	if len(n.runs) == 0 {
		n.runs = []run{{}}
	}
	i := sort.Search(len(n.runs)-1, func(i int) bool { return n.runs[i+1].compare(0, value, id) > 0 })
	r := &n.runs[i]
	at := r.at(value, id)
	r.values, r.ids = slices.Insert(r.values, at, value), slices.Insert(r.ids, at, id)
	if len(r.values) > runLength {
		n.split(i)
	}
}

// split divides a full run. One that grows at its end keeps nearly all.
func (n *numbers) split(i int) {
	r := &n.runs[i]
	half := len(r.values) / 2
	if i == len(n.runs)-1 {
		half = len(r.values) - 1
	}
	second := run{slices.Clone(r.values[half:]), slices.Clone(r.ids[half:])}
	r.values, r.ids = slices.Clip(r.values[:half]), slices.Clip(r.ids[:half])
	n.runs = slices.Insert(n.runs, i+1, second)
}

// clean removes the pairs of documents that are gone.
func (n *numbers) clean(s *sweep) {
	old := n.runs
	*n = numbers{}
	for _, r := range old {
		for i, id := range r.ids {
			if id = s.of(id); id > 0 {
				n.append(r.values[i], id)
			}
		}
	}
}

// append adds a pair above all others.
func (n *numbers) append(value float64, id ID) {
	n.count++
	if last := len(n.runs) - 1; last < 0 || len(n.runs[last].values) >= runLength/2 {
		n.runs = append(n.runs, run{make([]float64, 0, runLength/2), make([]ID, 0, runLength/2)})
	}
	r := &n.runs[len(n.runs)-1]
	r.values, r.ids = append(r.values, value), append(r.ids, id)
}

// span is the numbers from min to max.
type span struct {
	min, max               float64
	excludeMin, excludeMax bool
}

// parts calls yield for the parts of runs that lie in a span.
func (n *numbers) parts(s span, yield func(values []float64, ids []ID) bool) {
	from := sort.Search(len(n.runs), func(i int) bool {
		r := &n.runs[i]
		return len(r.values) > 0 && !s.before(r.values[len(r.values)-1])
	})
	for _, r := range n.runs[from:] {
		lo := sort.Search(len(r.values), func(i int) bool { return !s.before(r.values[i]) })
		hi := sort.Search(len(r.values), func(i int) bool { return s.after(r.values[i]) })
		if lo < hi && !yield(r.values[lo:hi], r.ids[lo:hi]) || hi < len(r.values) {
			return
		}
	}
}

// before reports whether a number lies before the span. All do if it begins with NaN.
func (s *span) before(f float64) bool { return !(f > s.min || !s.excludeMin && f == s.min) }

// after reports whether a number lies behind the span. All do if it ends with NaN.
func (s *span) after(f float64) bool { return !(f < s.max || !s.excludeMax && f == s.max) }

// within returns how many pairs lie in a span.
func (n *numbers) within(s span) (count int) {
	n.parts(s, func(values []float64, _ []ID) bool {
		count += len(values)
		return true
	})
	return count
}

// overlaps reports whether a span has numbers between the least and the greatest.
func (n *numbers) overlaps(least, most float64) bool {
	if n.count == 0 {
		return false
	}
	last := &n.runs[len(n.runs)-1]
	return most >= n.runs[0].values[0] && least <= last.values[len(last.values)-1]
}

// bytes returns the memory of the pairs.
func (n *numbers) bytes() (total int) {
	for i := range n.runs {
		total += cap(n.runs[i].values)*8 + cap(n.runs[i].ids)*4 + 48
	}
	return total
}

// idSet gathers numbers of documents, in any order and several times, and gives them in order.
type idSet struct {
	list  []ID
	bits  []uint64 // in place of list, if there are many
	count int      // about how many there are
}

// newIDSet returns a set for about count numbers, of which the highest may be most.
func newIDSet(count int, most ID) *idSet {
	s := &idSet{count: min(count, int(most))}
	if count > int(most)/64+64 {
		s.bits = make([]uint64, most/64+1)
	} else {
		s.list = make([]ID, 0, count)
	}
	return s
}

func (s *idSet) add(id ID) {
	if s.bits != nil {
		s.bits[id/64] |= 1 << (id % 64)
	} else {
		s.list = append(s.list, id)
	}
}

// sorted returns the numbers in order.
func (s *idSet) sorted() []ID {
	if s.bits == nil {
		slices.Sort(s.list)
		s.list = slices.Compact(s.list)
		return s.list
	}
	s.list = make([]ID, 0, s.count)
	for i, word := range s.bits {
		for ; word != 0; word &= word - 1 {
			s.list = append(s.list, ID(i*64+bits.TrailingZeros64(word)))
		}
	}
	s.bits = nil
	return s.list
}
