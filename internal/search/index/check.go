package index

import (
	"cmp"
	"fmt"
	"slices"
)

// Fresh returns an index without documents that is defined as this one is.
func (x *Index) Fresh() *Index {
	d := x.Definition
	d.texts, d.sortables, d.Fields = 0, 0, nil
	for _, f := range x.Fields {
		g := *f
		g.lists, g.Errors = lists{}, Errors{}
		d.Fields = append(d.Fields, &g)
	}
	fresh := New(d)
	fresh.synonyms, fresh.defined = x.synonyms, x.defined
	return fresh
}

// Anew returns an index without documents in place of this one, with what was counted.
func (x *Index) Anew() *Index {
	fresh := x.Fresh()
	fresh.Stats = x.Stats
	for i, f := range x.Fields {
		fresh.Fields[i].Errors = f.Errors
	}
	return fresh
}

// Check returns an error that names the first difference between what the index says and what a
// fresh one does, into which the documents of the same keys were put in the order of Keys, and then
// all other keys. What the index says of documents that are gone does not count, nor of those whose
// deadline has passed, unless the key is still there, as while a journal is loaded. O(the index).
func (x *Index) Check(fresh *Index, now int64) error {
	c := &comparison{now: make(renumbering, len(x.docs.docs)+1)}
	c.table(&x.docs, &fresh.docs, now)
	c.documents(&x.docs, &fresh.docs)
	c.dictionary("the words", &x.words, &fresh.words)
	for i, f := range x.Fields {
		c.field(f, fresh.Fields[i])
	}
	return c.err
}

// comparison compares an index with a fresh one. It stops at the first difference.
type comparison struct {
	now renumbering // what the fresh index has for the numbers of documents
	err error
}

func (c *comparison) failf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// table checks the table of documents by itself, and gives new numbers to those that count.
func (c *comparison) table(t, fresh *table, now int64) {
	there, given, words, volatile, texts, payloads := 0, ID(0), uint64(0), 0, 0, 0
	awaited := t.dues.set()
	for i, d := range t.docs {
		switch {
		case d == nil:
			continue
		case d.id != ID(i+1) || t.byKey[d.key] != d:
			c.failf("document %d of key %q is not where it belongs", i+1, d.key)
		case d.due != 0 && !awaited[due{d.due, d.key}]:
			c.failf("an element of key %q is due, and is not awaited", d.key)
		}
		if d.deadline == 0 || d.deadline > now || fresh.find(d.key) != nil {
			given++
			c.now[d.id] = given
		}
		there++
		words += uint64(t.standing(d.id).length)
		texts += d.texts()
		payloads += len(d.payload)
		volatile += b2i(d.due != 0)
	}
	if there != len(t.byKey) || len(t.docs)-there != t.gone || words != t.words || volatile != t.volatile {
		c.failf("%d documents, %d gone, %d words and %d volatile are counted as %d, %d, %d and %d", there,
			len(t.docs)-there, words, volatile, len(t.byKey), t.gone, t.words, t.volatile)
	}
	if texts != t.texts || payloads != t.payloads {
		c.failf("the documents' texts have %d bytes, those of payloads %d, and are counted as %d and %d", texts,
			payloads, t.texts, t.payloads)
	}
}

// set returns all that is noted.
func (h dues) set() map[due]bool {
	set := make(map[due]bool, len(h))
	for _, d := range h {
		set[d] = true
	}
	return set
}

// documents compares what is known of the documents beside the lists.
func (c *comparison) documents(held, fresh *table) {
	for _, d := range fresh.docs {
		if held.find(d.key) == nil {
			c.failf("key %q is not in the index", d.key)
		}
	}
	awaited := held.dues.set()
	for key, at := range fresh.waiting {
		if held.waiting[key] != at || !awaited[due{at, key}] {
			c.failf("an element of key %q, which is no document, is not awaited", key)
		}
	}
	for _, d := range held.docs {
		if d == nil || c.now.of(d.id) == 0 {
			continue
		}
		other := fresh.find(d.key)
		if other == nil {
			c.failf("key %q is in the index, and is no document", d.key)
			continue
		}
		have, want := held.standing(d.id), fresh.standing(other.id)
		if !d.same(other, c.now) || !have.same(want) {
			c.failf("the document of key %q is known as %+v with %+v, and should be as %+v with %+v", d.key, *d, *have,
				*other, *want)
		}
	}
}

// same reports whether a document is known as in the fresh index.
func (d *document) same(fresh *document, now renumbering) bool {
	return now.of(d.id) == fresh.id && d.payload == fresh.payload && d.paid == fresh.paid &&
		d.deadline == fresh.deadline && d.due == fresh.due
}

// same reports whether two documents stand the same, also if their scores are no numbers.
func (s *standing) same(o *standing) bool {
	return cmp.Compare(s.score, o.score) == 0 && s.most == o.most && s.length == o.length
}

// field compares the lists of a field.
func (c *comparison) field(held, fresh *Field) {
	c.dictionary("the tags of "+held.Name, &held.lists.tags, &fresh.lists.tags)
	c.postings("the documents without "+held.Name, &held.lists.missing, &fresh.lists.missing)
	c.numbers(held, fresh)
	c.vectors(held, fresh)
	c.sorted(held, fresh)
	c.shapes(held, fresh)
}

// dictionary compares the words or tags that documents have.
func (c *comparison) dictionary(name string, held, fresh *dictionary) {
	ordered, bytes := 0, 0
	held.from("", func(w *word) bool {
		if held.of[w.text] != w {
			c.failf("%s: %q is in order and not in the table", name, w.text)
		}
		ordered++
		bytes += len(w.text)
		return true
	})
	if sums := held.recount(); sums != held.sums {
		c.failf("%s: %+v of entries are counted as %+v", name, sums, held.sums)
	}
	if ordered != len(held.of) || bytes != held.bytes {
		c.failf("%s: %d of %d bytes are counted as %d of %d", name, ordered, bytes, len(held.of), held.bytes)
	}
	none := postings{bare: held.bare}
	for text, w := range held.of {
		p := &none
		if other := fresh.find(text); other != nil {
			p = &other.postings
		}
		c.postings(fmt.Sprintf("%s: %q", name, text), &w.postings, p)
	}
	for text := range fresh.of {
		if held.find(text) == nil {
			c.failf("%s: there is no %q", name, text)
		}
	}
}

// recount returns what the postings have by looking at all of them.
func (d *dictionary) recount() (sums tally) {
	for _, w := range d.of {
		sums.hold(&w.postings)
		for r := w.reader(); r.next(); {
			sums.note(&r.posting)
		}
	}
	return sums
}

// postings compares the documents that have a word.
func (c *comparison) postings(name string, held, fresh *postings) {
	h, f, count, last := held.reader(), fresh.reader(), uint32(0), ID(0)
	for h.next() {
		if h.id <= last || int(h.id) >= len(c.now) {
			c.failf("%s: number %d follows on %d", name, h.id, last)
			return
		}
		count, last = count+1, h.id
		switch id := c.now.of(h.id); {
		case id == 0:
		case !f.next():
			c.failf("%s: document %d does not have it", name, h.id)
		case id != f.id || !h.same(&f.posting):
			c.failf("%s: document %d is %+v, and should be %+v", name, id, h.posting, f.posting)
		}
	}
	if f.next() {
		c.failf("%s: document %d is not there", name, f.id)
	}
	if count != held.count || held.fields.Or(fresh.fields) != held.fields {
		c.failf("%s: %d entries in %v are counted as %d in %v", name, count, fresh.fields, held.count, held.fields)
	}
}

// same reports whether two entries say the same of their documents.
func (p *posting) same(q *posting) bool {
	return p.frequency == q.frequency && p.fields == q.fields && slices.Equal(p.positions, q.positions)
}

// numbers compares the numbers, or the places, of a field.
func (c *comparison) numbers(held, fresh *Field) {
	want, all := fresh.lists.numbers.all(), held.lists.numbers.all()
	for _, p := range all {
		id := c.now.of(p.id)
		switch {
		case id == 0:
		case len(want) == 0 || want[0] != pair{p.value, id}:
			c.failf("the numbers of %s: %v of document %d should not be there", held.Name, p.value, p.id)
		default:
			want = want[1:]
		}
	}
	if len(want) > 0 || len(all) != held.lists.numbers.count {
		c.failf("the numbers of %s: %d are missing, and %d are counted as %d", held.Name, len(want), len(all),
			held.lists.numbers.count)
	}
}

// pair is a number with its document.
type pair struct {
	value float64
	id    ID
}

// all returns all pairs in order.
func (n *numbers) all() (list []pair) {
	for _, r := range n.runs {
		for i, value := range r.values {
			list = append(list, pair{value, r.ids[i]})
		}
	}
	return list
}

// vectors compares the vectors of a field.
func (c *comparison) vectors(held, fresh *Field) {
	h, f, at := &held.lists.vectors, &fresh.lists.vectors, 0
	for i, id := range h.ids {
		if id = c.now.of(id); id == 0 {
			continue
		}
		if at == len(f.ids) || f.ids[at] != id || slices.Compare(h.numbers(i), f.numbers(at)) != 0 {
			c.failf("the vectors of %s: that of document %d is another one", held.Name, id)
			return
		}
		at++
	}
	if at < len(f.ids) {
		c.failf("the vectors of %s: that of document %d is missing", held.Name, f.ids[at])
	}
	c.graph(held.Name, h)
}

// graph checks the graph of a field, and that its nodes are the vectors of documents.
func (c *comparison) graph(name string, v *vectors) {
	if v.graph == nil {
		return
	}
	if err := v.graph.Check(); err != nil {
		c.failf("the graph of %s: %v", name, err)
	}
	nodes := 0
	for at, r := range v.nodes {
		if r == 0 {
			continue
		}
		if nodes++; int(v.graph.Data(r)) != at {
			c.failf("the graph of %s: node %d is that of %d", name, at, v.graph.Data(r))
		}
	}
	if nodes != v.graph.Len() {
		c.failf("the graph of %s: %d of %d nodes belong to a vector", name, nodes, v.graph.Len())
	}
}

// numbers returns those of vector i.
func (v *vectors) numbers(i int) (list []float64) {
	if v.space.Element == Float64 {
		return v.double.at(i)
	}
	for _, f := range v.at(i) {
		list = append(list, float64(f))
	}
	return list
}

// sorted compares the values by which documents are sorted.
func (c *comparison) sorted(held, fresh *Field) {
	h, f, texts := &held.lists.sorted, &fresh.lists.sorted, 0
	for i, text := range h.texts {
		if h.kinds[i] == IsText {
			texts += len(text)
		}
	}
	if texts != h.held {
		c.failf("the values of %s have texts of %d bytes, and are counted as %d", held.Name, texts, h.held)
	}
	for id, now := range c.now {
		if now > 0 && h.at(ID(id)) != f.at(now) {
			c.failf("the values of %s: that of document %d is %v, and should be %v", held.Name, id, h.at(ID(id)),
				f.at(now))
		}
	}
}

// shapes compares the shapes of a field.
func (c *comparison) shapes(held, fresh *Field) {
	h, f, at := &held.lists.shapes, &fresh.lists.shapes, 0
	for i, id := range h.ids {
		if id = c.now.of(id); id == 0 {
			continue
		}
		if at == len(f.ids) || f.ids[at] != id || !slices.EqualFunc(h.list[i].rings, f.list[at].rings, slices.Equal) {
			c.failf("the shapes of %s: that of document %d is another one", held.Name, id)
			return
		}
		at++
	}
	if at < len(f.ids) {
		c.failf("the shapes of %s: that of document %d is missing", held.Name, f.ids[at])
	}
}
