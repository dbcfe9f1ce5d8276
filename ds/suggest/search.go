package suggest

import (
	"math"
	"slices"
)

// MaxPrefix bounds the runes of a prefix, which has fewer, and its bytes, which are fewer than
// twice as many.
const MaxPrefix = 100

// Query is what is searched for.
type Query struct {
	Prefix []byte
	Most   int  // results
	Edits  int  // by which the begin of a text may differ from the prefix
	Trim   bool // leave out results with less than a tenth of the highest score
}

// Suggestion is a text that was found. Payload belongs to the dictionary; it is nil without one.
type Suggestion struct {
	Text    []byte
	Payload []byte
	Score   float32
}

// Search returns the texts with the highest scores, the highest first. The score of a text is less
// the longer it is, and the more it differs from the prefix. ok is false if the prefix has too many
// runes. O(length of the texts that begin so), less where the scores of most are low.
func (d *Dictionary) Search(q Query) (list []Suggestion, ok bool) {
	s := search{Query: q, prefix: folded(Runes(q.Prefix)), lowest: math.MinInt32, edits: q.Edits + 1}
	if len(s.prefix) >= MaxPrefix {
		return nil, false
	}
	for i := range q.Edits + 1 {
		s.cells = append(s.cells, cell{i, i})
	}
	s.states = []state{{least: q.Edits + 1}}
	s.visit(d.root)
	list = make([]Suggestion, len(s.best))
	for i := len(list) - 1; i >= 0; i-- {
		list[i] = s.best.take()
	}
	if q.Trim {
		list = trimmed(list)
	}
	return list, true
}

// trimmed returns the results before the first with less than a tenth of the highest score.
func trimmed(list []Suggestion) []Suggestion {
	highest := float32(0)
	for i := range list {
		if highest != 0 && list[i].Score < highest/10 {
			return list[:i]
		}
		highest = max(highest, list[i].Score)
	}
	return list
}

// search is one search. The states tell how the runes of the path match the prefix: they are rows
// of the table by which Levenshtein distances are computed, without the cells above the edits that
// are allowed.
type search struct {
	Query
	prefix []uint16
	path   []uint16
	cells  []cell  // of all states
	states []state // for each rune of the path, and one before the first
	best   ranking
	lowest float32 // no lower score is looked for
	// edits is by how much the text differs. As in RediSearch it stays that of the text before if
	// all of the prefix was matched above the last nodes.
	edits int
}

// cell is what it costs to match the path with the first runes of the prefix.
type cell struct{ runes, cost int }

// state is a row of cells, which begins at first and ends with the next row. It has none behind the
// end of the prefix.
type state struct {
	first int
	least int // distance so far
	cost  int // of the last cell; 0 for the first state
}

// visit searches a node and those below it.
func (s *search) visit(n *node) {
	depth, matched := len(s.path), false
	defer func() { s.back(depth) }()
	for _, r := range n.runes {
		ok := false
		if matched, ok = s.step(r); !ok {
			return
		}
		s.path = append(s.path, r)
	}
	if matched && n.end {
		s.found(n)
	}
	for _, k := range n.kids {
		if k.best >= s.lowest || k.score >= s.lowest {
			s.visit(k)
		}
	}
}

// back takes back the steps beyond a depth.
func (s *search) back(depth int) {
	s.path = s.path[:depth]
	if len(s.states) > depth+1 {
		s.cells = s.cells[:s.states[depth+1].first]
		s.states = s.states[:depth+1]
	}
}

// step matches one more rune. ok is false if no text that goes on so can match.
func (s *search) step(r uint16) (matched, ok bool) {
	at := s.states[len(s.states)-1]
	row := s.cells[at.first:]
	if len(row) == 0 {
		s.states = append(s.states, state{first: len(s.cells), least: at.least})
		return true, true
	}
	if matched = s.isEnd(row); matched {
		s.edits = min(at.cost, at.least)
	}
	first := len(s.cells)
	s.next(row, fold(r))
	if next := s.cells[first:]; len(next) > 0 {
		cost := next[len(next)-1].cost
		at = state{first, min(cost, at.least), cost}
		if s.isEnd(next) {
			matched, s.edits = true, at.least
		}
	} else if at.first = first; !matched {
		return false, false
	}
	s.states = append(s.states, at)
	return matched, true
}

// isEnd reports whether a row has the end of the prefix.
func (s *search) isEnd(row []cell) bool { return row[len(row)-1].runes == len(s.prefix) }

// next appends the row behind a row.
func (s *search) next(row []cell, r uint16) {
	first := len(s.cells)
	if c := row[0]; c.runes == 0 && c.cost < s.Edits {
		s.cells = append(s.cells, cell{0, c.cost + 1})
	}
	for i, c := range row {
		if c.runes >= len(s.prefix) {
			return
		}
		cost := c.cost
		if s.prefix[c.runes] != r {
			cost++
		}
		if left := len(s.cells) - 1; left >= first && s.cells[left].runes == c.runes {
			cost = min(cost, s.cells[left].cost+1)
		}
		if i+1 < len(row) && row[i+1].runes == c.runes+1 {
			cost = min(cost, row[i+1].cost+1)
		}
		if cost <= s.Edits {
			s.cells = append(s.cells, cell{c.runes + 1, cost})
		}
	}
}

// found ranks the text of a node.
func (s *search) found(n *node) {
	score := n.score
	if s.isAlike() {
		score = math.MaxInt32
	}
	if s.Edits > 0 {
		score = float32(float64(score) * math.Exp(float64(-2*s.edits)))
	}
	longer := len(s.path) - len(s.Prefix)
	score = float32(float64(score) / math.Sqrt(1+float64(max(longer, -longer))))
	if len(s.best) == s.Most {
		if !(score > s.lowest) {
			return
		}
		s.best.take()
	}
	s.best.add(Suggestion{Text: AppendText(nil, s.path), Payload: n.payload, Score: score})
	if len(s.best) == s.Most {
		s.lowest = s.best[0].Score
	}
}

// isAlike reports whether a text counts as the prefix itself. RediSearch compares as many bytes as
// there are runes, which is the first half.
func (s *search) isAlike() bool {
	n := len(s.path)
	return n == len(s.prefix) && slices.Equal(s.path[:n/2], s.prefix[:n/2]) &&
		(n%2 == 0 || byte(s.path[n/2]) == byte(s.prefix[n/2]))
}

// ranking is a heap of suggestions, the worst on top. Of equal ones the order is that of
// RediSearch's heap.
type ranking []Suggestion

func (r *ranking) add(one Suggestion) {
	*r = append(*r, one)
	h := *r
	for i := len(h) - 1; i > 0; {
		above := (i - 1) / 2
		if h[i].Score > h[above].Score {
			return
		}
		h[i], h[above] = h[above], h[i]
		i = above
	}
}

// take removes the worst.
func (r *ranking) take() Suggestion {
	h := *r
	worst, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*r = h
	for i := 0; 2*i+1 < len(h); {
		below := 2*i + 1
		if below+1 < len(h) && h[below].Score > h[below+1].Score {
			below++
		}
		if !(h[i].Score > h[below].Score) {
			break
		}
		h[i], h[below] = h[below], h[i]
		i = below
	}
	return worst
}
