// Package index is an index over documents, the hashes or JSON documents at keys: it finds those
// that match a query, and tells how well.
//
//	definition.go   what an index is about, and its fields: FT.CREATE
//	source.go       what the fields of a document say
//	index.go        documents come, change and go
//
//	table.go        the documents by number and by key
//	dictionary.go   words, or tags, in order, each with its postings
//	postings.go     the documents that have a word: numbers, frequencies, fields, positions
//	numbers.go      the numbers of a field in order; places, as geohashes
//	vectors.go      the vectors of a field
//
//	iterator.go     walks over the documents that match
//	evaluate.go     a tree of package query ─▶ iterators
//	scorer.go       how well a document matches
//
// A document gets a new number whenever it changes: the numbers are the order in which documents
// changed last, and so that of results which nothing else orders. What the lists say of a number
// that is gone is passed over, until clean removes it, and gives the numbers that are free to the
// documents that follow.
//
// Invariants:
//
//  1. All lists are in the order of numbers.
//  2. A key has at most one number, and the table has what the lists say of it.
//  3. A document that does not fit the definition is not in the index, also if it did before.
//
// Nothing here knows commands or keys' deadlines as such: whoever keeps the index tells it of each
// change.
package index

import (
	"slices"
	"strings"

	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Index is an index.
type Index struct {
	Definition
	Stats

	prefixes []string // of keys, in order, without those that begin with another one
	docs     table
	words    dictionary
	synonyms map[string][]string // the groups of a word, in order
	defined  int                 // bytes of the definition and the synonyms
	entries  int                 // of all lists, with those of documents that are gone
	draft    draft               // of the document that is added
}

// Stats are what an index counts beside what it holds.
type Stats struct {
	Errors Errors // of all fields
	Uses   int64  // commands that named the index
}

// Errors are the failures to index a document.
type Errors struct {
	Count     int64
	Last, Key string
}

func (e *Errors) add(key string, err error) {
	e.Count++
	e.Last, e.Key = err.Error(), key
}

// New returns an index without documents.
func New(d Definition) *Index {
	x := &Index{Definition: d}
	for _, p := range slices.Sorted(slices.Values(d.Prefixes)) {
		if n := len(x.prefixes); n == 0 || !strings.HasPrefix(p, x.prefixes[n-1]) {
			x.prefixes = append(x.prefixes, p)
		}
	}
	x.docs.init()
	x.number(0)
	x.defined = d.bytes()
	return x
}

// number gives numbers to the fields from one on, and makes their lists.
func (x *Index) number(from int) {
	for _, f := range x.Fields[from:] {
		if f.Kind == Text {
			f.number = x.texts
			x.texts++
		}
		if f.Sortable {
			f.sorted = x.sortables
			x.sortables++
		}
		f.lists.init(f)
	}
}

// Extend adds fields, for FT.ALTER. The documents must be put again.
func (x *Index) Extend(fields []*Field) {
	from := len(x.Fields)
	x.Fields = append(x.Fields, fields...)
	x.number(from)
	for _, f := range fields {
		x.defined += f.names()
	}
}

// Clear forgets all documents.
func (x *Index) Clear() {
	x.docs.init()
	x.words, x.entries = dictionary{}, 0
	for _, f := range x.Fields {
		f.lists = lists{}
		f.lists.init(f)
	}
}

// Covers reports whether a key belongs to the index by its prefix. No prefix lies between the key
// and the one that it has.
func (x *Index) Covers(key string) bool {
	i, found := slices.BinarySearch(x.prefixes, key)
	return found || i > 0 && strings.HasPrefix(key, x.prefixes[i-1])
}

// Put says that the key, which the index covers, has a value with a deadline, 0 for none. A value
// that is nil, of another type or that the filter does not select is no document.
func (x *Index) Put(key string, v keyspace.Value, deadline int64) {
	x.Remove(key)
	s, ok := x.open(v)
	if !ok {
		if s != nil {
			x.docs.wait(key, s.due())
		}
		return
	}
	d := &x.draft
	if f, err := d.read(x, s); err != nil {
		x.Errors.add(key, err)
		if f != nil {
			f.Errors.add(key, err)
		}
		x.docs.wait(key, s.due())
		return
	}
	doc := x.docs.add(key)
	doc.deadline, doc.due = deadline, s.due()
	d.describe(x, doc, s)
	d.list(x, doc)
	x.docs.note(doc, d.standing)
}

// Remove forgets the document of a key, if there is one.
func (x *Index) Remove(key string) {
	if d := x.docs.find(key); d != nil {
		for _, f := range x.Fields {
			f.lists.vectors.forget(d.id)
			f.lists.sorted.forget(d.id)
		}
	}
	x.docs.remove(key)
}

// fewEntries is how many entries lists have that take no time to clean.
const fewEntries = 10_000

// Tidy removes what the lists say of documents that are gone, if that takes no time. So in a small
// index a word is as frequent as in the documents that are there; in a large one, as in RediSearch,
// those that are gone count until they are more than the others.
func (x *Index) Tidy() {
	if x.docs.gone > 0 && x.entries < fewEntries {
		x.Clean(func() {})
	}
}

// IsWasteful reports whether so many documents are gone that Clean is due.
func (x *Index) IsWasteful() bool { return x.docs.wasteful() }

// Rename says that the value of a key, and nothing else, has moved to another key that the index
// covers.
func (x *Index) Rename(from, to string) bool {
	if x.docs.find(from) == nil {
		return false
	}
	x.Remove(to)
	x.docs.rename(from, to)
	return true
}

// Waiting returns how many vectors are to be moved into graphs. Until then a query looks at all of
// them.
func (x *Index) Waiting() (n int) {
	for _, f := range x.Fields {
		n += f.lists.vectors.waiting()
	}
	return n
}

// Progress returns which share of the vectors is where it is to be: 1 for all.
func (x *Index) Progress() float64 {
	all := 0
	for _, f := range x.Fields {
		all += len(f.lists.vectors.ids)
	}
	return 1 - float64(x.Waiting())/float64(max(all, 1))
}

// Connect moves vectors into graphs, one at least if there is any, until late reports true, and
// reports whether there are more.
func (x *Index) Connect(late func() bool) (more bool) {
	for _, f := range x.Fields {
		for f.lists.vectors.waiting() > 0 {
			if f.lists.vectors.connect(&x.docs); late() {
				return x.Waiting() > 0
			}
		}
	}
	return false
}

// Entries returns how many entries all lists have, also of documents that are gone.
func (x *Index) Entries() int { return x.entries }

// SetDeadline says that a key has another deadline, 0 for none.
func (x *Index) SetDeadline(key string, deadline int64) { x.docs.setDeadline(key, deadline) }

// Due returns the keys in which elements have expired at a time, which are to be put again.
func (x *Index) Due(now int64) []string { return x.docs.elementsDue(now) }

// Len returns the number of documents.
func (x *Index) Len() int { return len(x.docs.byKey) }

// Clean removes from all lists what they say of documents that are gone, whose numbers go to
// others. After every few entries it calls breathe. Until Clean returns, documents may get other
// deadlines, and nothing else may be asked or changed. O(the index).
func (x *Index) Clean(breathe func()) {
	s := &sweep{now: x.docs.renumber(breathe), breathe: breathe}
	x.entries = x.words.clean(s)
	for _, f := range x.Fields {
		x.entries += f.lists.clean(s)
	}
}

// sweep is a walk through all lists.
type sweep struct {
	now     renumbering
	steps   int
	breathe func()
}

// of returns the new number of a document, or 0 if it is gone, for an entry of a list.
func (s *sweep) of(id ID) ID {
	if s.steps++; s.steps%stepsBetween == 0 {
		s.breathe()
	}
	return s.now.of(id)
}

// Keys returns the keys of all documents, in the order in which they were put.
func (x *Index) Keys() (keys []string) {
	for _, d := range x.docs.docs {
		if d != nil {
			keys = append(keys, d.key)
		}
	}
	return keys
}

// Tags returns the tags of a field, in order.
func (x *Index) Tags(f *Field) (tags []string) {
	f.lists.tags.from("", func(w *word) bool {
		tags = append(tags, w.text)
		return true
	})
	return tags
}

// Number returns the number of the document of a key; 0 if there is none.
func (x *Index) Number(key string) ID {
	if d := x.docs.find(key); d != nil {
		return d.id
	}
	return 0
}
