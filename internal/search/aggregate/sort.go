package aggregate

import (
	"errors"

	"github.com/miniserver-go/miniserver/internal/search/expr"
)

// Arrange sorts rows, and passes on some of them.
type Arrange struct {
	Sorts  bool // by Keys, or if there are none, by scores
	Keys   []SortKey
	Offset uint64
	Limit  uint64 // 0 for all, or those that are sorted by default
}

// SortKey is a column by which rows are sorted.
type SortKey struct {
	Name       string
	Descending bool
}

// sortedByDefault is how many sorted rows are passed on if the plan does not say it.
const sortedByDefault = 10

func (a *Arrange) add(p *Pipeline) error {
	if p.plan.Count {
		p.push("Counter", &counter{p, p.last})
		return nil
	}
	if a.Sorts {
		if err := a.addSorter(p); err != nil {
			return err
		}
	}
	if a.Offset > 0 || a.Limit > 0 && !a.Sorts {
		p.push("Pager/Limiter", &pager{p, p.last, a.Offset, a.Limit})
	}
	return nil
}

// addSorter adds the stage that sorts, and before it one that reads columns.
func (a *Arrange) addSorter(p *Pipeline) error {
	s := &sorter{Pipeline: p, most: int(min(a.Offset+a.Limit, 1<<40))}
	if s.most == 0 {
		s.most = sortedByDefault
	}
	var loads []*column
	for _, k := range a.Keys {
		c, err := p.columns.readOrLoad(k.Name, &loads, "Property `%s` not loaded nor in schema")
		if err != nil {
			return err
		}
		s.keys = append(s.keys, sortKey{c, k.Descending})
	}
	p.load(loads)
	s.from = p.last
	p.push("Sorter", s)
	return nil
}

// sorter keeps the best rows, and gives them out in order.
type sorter struct {
	*Pipeline
	from stage
	keys []sortKey
	most int
	best heap
	done bool
	err  error // the first of a comparison, or why there were no more rows
}

type sortKey struct {
	column     *column
	descending bool
}

func (s *sorter) next() (*row, error) {
	if !s.done {
		s.done = true
		if err := s.takeAll(); err != nil {
			return nil, err
		}
	}
	r := s.best.popMax()
	if r == nil {
		return nil, s.err
	}
	s.number = r.number
	return r, nil
}

// takeAll takes all rows, and keeps the best. As in RediSearch a group has the number of the row
// whose memory it gets: of the last document if it is the first, and else of the row that was
// dropped before, or 0.
func (s *sorter) takeAll() error {
	s.best.compare, s.number = s.compare, 0
	for {
		r, err := s.from.next()
		if s.err = firstOf(s.err, err); s.err != nil && errors.Is(s.err, ErrLate) {
			return nil
		}
		if r == nil || s.err != nil {
			return s.err
		}
		if len(s.best.rows) < s.most {
			s.fill(r)
			if !s.keep(r.size()) {
				return ErrRoom
			}
			s.best.insert(r)
			s.number = 0
			continue
		}
		if s.compare(r, s.best.rows[0]) > 0 {
			s.fill(r)
			r = s.best.exchangeMin(r)
		}
		s.number = r.number
		s.drop(r)
	}
}

// fill keeps a row, and puts into it what it is sorted by, which is compared again and again.
func (s *sorter) fill(r *row) {
	r.keep()
	for _, k := range s.keys {
		r.at(k.column)
	}
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// compare returns more than 0 if a comes before b. It is never 0, also for rows of equal numbers.
func (s *sorter) compare(a, b *row) int {
	if len(s.keys) == 0 {
		return s.byScore(a, b)
	}
	descending := false
	for _, k := range s.keys {
		v, w := a.at(k.column), b.at(k.column)
		descending = k.descending
		switch {
		case v != nil && w == nil:
			return 1
		case v == nil && w != nil:
			return -1
		case v == nil:
			continue
		}
		if c := s.order(v, w); c != 0 {
			return directed(c, descending)
		}
	}
	if a.number < b.number {
		return directed(-1, descending)
	}
	return directed(1, descending)
}

// byScore compares as if a higher score came first.
func (s *sorter) byScore(a, b *row) int {
	switch x, y := a.score(), b.score(); {
	case x < y:
		return -1
	case x > y:
		return 1
	case a.number > b.number:
		return -1
	}
	return 1
}

// directed turns the order of two values around, unless it is to descend.
func directed(c int, descending bool) int {
	if descending {
		return c
	}
	return -c
}

// order compares two values. An error ends the pipeline.
func (s *sorter) order(v, w *expr.Value) int {
	c, err := expr.Compare(v, w)
	s.err = firstOf(s.err, err)
	return c
}

// heap is a min-max heap of rows: rows[0] is the least, and the greatest is a child of it. Levels
// take turns: on those of the least, a row is not more than all below it, on the others not less.
type heap struct {
	rows    []*row
	compare func(a, b *row) int
}

// isMin reports whether a place is on a level of the least.
func isMin(i int) bool {
	level := 0
	for i++; i > 1; i /= 2 {
		level++
	}
	return level%2 == 0
}

// before reports whether the row at i comes before that at j on its way up: it is less on a level
// of the least, or more on another one.
func (h *heap) before(i, j int, least bool) bool {
	c := h.compare(h.rows[i], h.rows[j])
	return least && c < 0 || !least && c > 0
}

func (h *heap) swap(i, j int) { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }

func above(i int) int { return (i+1)/2 - 1 }

// insert adds a row.
func (h *heap) insert(r *row) {
	h.rows = append(h.rows, r)
	i := len(h.rows) - 1
	if i == 0 {
		return
	}
	least := isMin(i)
	if h.before(i, above(i), !least) {
		h.swap(i, above(i))
		i, least = above(i), !least
	}
	for top := above(above(i)); i > 2 && h.before(i, top, least); top = above(above(i)) {
		h.swap(i, top)
		i = top
	}
}

// exchangeMin puts a row into the place of the least, which it returns.
func (h *heap) exchangeMin(r *row) *row {
	least := h.rows[0]
	h.rows[0] = r
	h.sink(0, true)
	return least
}

// popMax removes the greatest row; it returns nil if there is none.
func (h *heap) popMax() *row {
	last := len(h.rows) - 1
	if last < 0 {
		return nil
	}
	i := min(1, last)
	if last >= 2 && h.before(1, 2, true) {
		i = 2
	}
	greatest := h.rows[i]
	h.rows[i] = h.rows[last]
	h.rows[last] = nil
	h.rows = h.rows[:last]
	if i < last {
		h.sink(i, false)
	}
	return greatest
}

// sink moves a row down to where it belongs.
func (h *heap) sink(i int, least bool) {
	for {
		best := h.bestBelow(i, least)
		if best < 0 || !h.before(best, i, least) {
			return
		}
		h.swap(i, best)
		if best <= 2*i+2 {
			return
		}
		if h.before(best, above(best), !least) {
			h.swap(best, above(best))
		}
		i = best
	}
}

// bestBelow returns the first in order of the children and grandchildren of a place, -1 if there is
// none. A child that has children need not be asked.
func (h *heap) bestBelow(i int, least bool) int {
	best, n := -1, len(h.rows)
	for child := 2*i + 1; child <= 2*i+2 && child < n; child++ {
		if 2*child+1 >= n {
			best = h.better(best, child, least)
		}
	}
	for j := 4*i + 3; j <= 4*i+6 && j < n; j++ {
		best = h.better(best, j, least)
	}
	return best
}

// better returns the first in order of two places; the first of them may be -1 for none.
func (h *heap) better(i, j int, least bool) int {
	if i < 0 || !h.before(i, j, least) {
		return j
	}
	return i
}
