package index

import (
	"cmp"
	"math"

	"github.com/miniserver-go/miniserver/ds/partsort"
	"github.com/miniserver-go/miniserver/internal/search/query"
)

// Search is a query with what a command wants of the documents that match.
type Search struct {
	Query
	Now    int64 // in milliseconds: documents whose deadline has passed are not found
	Offset int   // the results that are passed over
	Limit  int   // the most results
	Sort   *Order
	Scorer Scorer
	// Standard says that BM25STD is that of Redis 8: b is 0.75, and words have weights.
	Standard   bool
	TanhFactor int64 // by what BM25StdTanh divides scores before it takes the tangent
	Scores     bool  // scores are wanted, even if something else orders
	Explain    bool  // so is how they came about
	Payload    string
	// Unordered says that, without Sort, the results are in the order of documents.
	Unordered bool
	// Work is how many steps those who walk make with a document: it counts for the time.
	Work int
}

// Order is what orders results in place of their scores.
type Order struct {
	Key        func(d *Document) Value
	Descending bool
}

// Document is a document that matches.
type Document struct {
	*document
	id          ID // that of document, which need not be looked at for it
	Score       float64
	Explanation *Explanation
	SortKey     Value
	Distances   []Distance
}

// Distance is the distance of a vector, by its name in the results.
type Distance struct {
	Name  string
	Value float64
}

// Compare returns a negative number if the document became one before another.
func (d *Document) Compare(o *Document) int { return cmp.Compare(d.id, o.id) }

// Key returns the key of the document.
func (d *Document) Key() string { return d.key }

// Payload returns the payload of the document; ok is false if it has none.
func (d *Document) Payload() (payload string, ok bool) { return d.payload, d.paid }

// Sorted returns the value of a sortable field.
func (d *Document) Sorted(f *Field) Value { return f.lists.sorted.at(d.id) }

// Distance returns that of a name; ok is false if there is none.
func (d *Document) Distance(name string) (value float64, ok bool) {
	for _, x := range d.Distances {
		if x.Name == name {
			return x.Value, true
		}
	}
	return 0, false
}

// Results are what a search finds.
type Results struct {
	Total     int // of all that match
	Documents []Document
	Ended     bool // the query took too long
}

// Search finds documents.
func (x *Index) Search(s *Search) (*Results, error) {
	w, err := x.Walk(s)
	if err != nil {
		return nil, err
	}
	best := newRanking(s.Sort, s.Unordered, s.Offset+s.Limit)
	total := 0
	for w.Next() {
		total++
		if best.most > 0 {
			best.add(&w.Document)
			w.least = best.least()
		}
	}
	return &Results{Total: total, Documents: best.page(&x.docs, s.Offset), Ended: w.Ended}, nil
}

// Walk goes through the documents that match, in the order of their numbers. It is valid until the
// index changes.
type Walk struct {
	Document // at which it is
	index    *Index
	it       iterator
	now      int64
	scoring
	scores bool
	near   bool // documents have distances
	pace   *pace
	work   int  // steps of a document
	Ended  bool // it was late, and ended
}

// Walk returns a walk before the first document. It looks at the query of s, its time, and what it
// says of scores.
func (x *Index) Walk(s *Search) (*Walk, error) {
	w, err := x.walk(s)
	if err != nil || !w.scores || s.Scorer != BM25StdNorm {
		return w, err
	}
	highest := 0.0
	for w.Next() {
		highest = max(highest, w.Score)
	}
	if w.Ended {
		return w, nil
	}
	w, err = x.walk(s)
	w.highest = highest
	return w, err
}

func (x *Index) walk(s *Search) (*Walk, error) {
	it, pace, err := x.iterate(&s.Query)
	near := false
	query.Walk(s.Root, func(n query.Node) {
		_, isVector := n.(*query.Vector)
		near = near || isVector
	})
	return &Walk{index: x, it: it, now: s.Now, pace: pace, work: 1 + s.Work, near: near,
		scores: s.Scores || s.Sort == nil && !s.Unordered,
		scoring: scoring{scorer: s.Scorer, average: x.docs.average(), payload: s.Payload, explain: s.Explain,
			standard: s.Standard, tanh: s.TanhFactor}}, err
}

// Next goes to the next document that is there, and reports whether there is one.
func (w *Walk) Next() bool {
	for !w.pace.isOver(w.work) && w.it.next() && !w.pace.over {
		id := w.it.id()
		d := w.index.docs.get(id)
		if d == nil || w.index.docs.mortal && d.deadline != 0 && d.deadline <= w.now {
			continue
		}
		w.document, w.Document.id = d, id
		if w.scores || w.near {
			w.tell()
		}
		return true
	}
	w.Ended = w.pace.over
	return false
}

// tell says of the document how well it matches.
func (w *Walk) tell() {
	m := w.it.match()
	w.Distances = nil
	for _, distance := range m.distances {
		w.Distances = append(w.Distances, Distance{distance.name, distance.value})
	}
	if w.scores {
		w.Score, w.Explanation = w.score(m, w.document, w.index.docs.standing(w.Document.id))
	}
}

// ranking is the best documents so far: in the order in which they came, and from the first one on
// that takes the place of another one, as a heap with the worst on top.
type ranking struct {
	list      []ranked
	more      []Document // those that have more than a score
	free      int32      // a place in more; -1 if there is none
	by        *Order
	unordered bool
	most      int
	mixed     bool // they did not come in order, so that the last need not be the worst
	heaped    bool
}

func newRanking(by *Order, unordered bool, most int) *ranking {
	r := &ranking{by: by, unordered: unordered, most: most, free: -1, list: make([]ranked, 0, min(most, 10))}
	if by != nil {
		r.more = make([]Document, 0, min(most, 10)+1)
	}
	return r
}

// ranked is a document of a ranking, as small as it may be.
type ranked struct {
	score float64
	id    ID
	more  int32 // where it is in more; -1 if it has a score and nothing else
}

// compare returns a negative number if a comes before b.
func (r *ranking) compare(a, b *ranked) int {
	switch {
	case r.unordered:
		return cmp.Compare(a.id, b.id)
	case r.by != nil:
		return r.by.compare(&r.more[a.more], &r.more[b.more])
	case a.score != b.score && !math.IsNaN(a.score) && !math.IsNaN(b.score):
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Compare(a.id, b.id)
}

// compare compares by the sort keys. What has none comes last in either order.
func (o *Order) compare(a, b *Document) int {
	order := a.SortKey.Compare(b.SortKey)
	none := a.SortKey.Kind == NoValue || b.SortKey.Kind == NoValue
	switch {
	case order == 0 && o.Descending:
		return cmp.Compare(b.id, a.id)
	case order == 0:
		return cmp.Compare(a.id, b.id)
	case o.Descending && !none:
		return -order
	}
	return order
}

// add adds a document, if it is among the best.
func (r *ranking) add(d *Document) {
	if r.by != nil {
		d.SortKey = r.by.Key(d)
		if worst := r.worst(); worst != nil && r.by.compare(d, &r.more[worst.more]) >= 0 {
			return
		}
	}
	one := r.rank(d)
	last := len(r.list) - 1
	switch {
	case len(r.list) < r.most:
		r.mixed = r.mixed || last >= 0 && r.compare(&one, &r.list[last]) < 0
		r.list = append(r.list, one)
		return
	case !r.mixed && r.compare(&one, &r.list[last]) >= 0:
		r.free = one.more
		return
	case !r.heaped:
		for i := len(r.list)/2 - 1; i >= 0; i-- {
			r.sink(i)
		}
		r.mixed, r.heaped = true, true
	}
	if r.compare(&one, &r.list[0]) < 0 {
		one, r.list[0] = r.list[0], one
		r.sink(0)
	}
	r.free = one.more
}

// rank returns a document as it is ranked. What it has beside its score is put into more.
func (r *ranking) rank(d *Document) ranked {
	one := ranked{score: d.Score, id: d.id, more: -1}
	if r.by == nil && d.Explanation == nil && d.Distances == nil {
		return one
	}
	if r.more == nil {
		r.more = make([]Document, 0, cap(r.list)+1) // one that is not added is there, too
	}
	if one.more = r.free; one.more < 0 {
		one.more = int32(len(r.more))
		r.more = append(r.more, Document{})
	}
	r.more[one.more] = *d
	r.free = -1
	return one
}

// sink moves a document of the heap down to its place.
func (r *ranking) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(r.list) {
			return
		}
		if child+1 < len(r.list) && r.compare(&r.list[child+1], &r.list[child]) > 0 {
			child++
		}
		if r.compare(&r.list[i], &r.list[child]) >= 0 {
			return
		}
		r.list[i], r.list[child] = r.list[child], r.list[i]
		i = child
	}
}

// least returns the score below which no document is added any more.
func (r *ranking) least() float64 {
	if worst := r.worst(); worst != nil && r.by == nil && !r.unordered {
		return worst.score
	}
	return math.Inf(-1)
}

// worst returns the last of the best, if no more can be added without one that goes; nil if there
// is room for more, or if it is not known.
func (r *ranking) worst() *ranked {
	switch last := len(r.list) - 1; {
	case len(r.list) < r.most:
		return nil
	case r.heaped:
		return &r.list[0]
	case !r.mixed:
		return &r.list[last]
	}
	return nil
}

// page returns the best from an offset on, in order.
func (r *ranking) page(docs *table, offset int) []Document {
	offset = min(offset, len(r.list))
	partsort.Sort(r.list, offset, len(r.list), r.compare)
	page := make([]Document, 0, len(r.list)-offset)
	for _, one := range r.list[offset:] {
		if one.more >= 0 {
			page = append(page, r.more[one.more])
		} else {
			page = append(page, Document{document: docs.get(one.id), id: one.id, Score: one.score})
		}
	}
	return page
}

// Terms returns the words of the query that the document has, in the order of the query; those that
// stand for others, such as stems, too.
func (w *Walk) Terms() (words []string) {
	var gather func(m *match)
	gather = func(m *match) {
		if m.kind == isWord {
			words = append(words, m.word.text)
		}
		for _, p := range m.parts {
			gather(p)
		}
	}
	gather(w.it.match())
	return words
}
