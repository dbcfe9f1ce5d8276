package index

import (
	"cmp"
	"slices"

	"github.com/miniserver-go/miniserver/internal/search/query"
)

// iterator walks over documents that match a part of a query, in the order of their numbers. It may
// find documents that are gone.
type iterator interface {
	// next goes to the next document, and reports whether there is one.
	next() bool
	// seek goes to the first document, at the current one or behind it, whose number is at least
	// id.
	seek(id ID) bool
	// id returns the number of the document.
	id() ID
	// match returns why the document matches. It is valid until the iterator moves on.
	match() *match
	// estimate returns about how many documents there are.
	estimate() int
}

// match is why a document matches: the document's part in a word, or in several matches.
type match struct {
	kind      matchKind
	weight    float64
	frequency uint32
	word      *wanted
	positions []byte
	parts     []*match
	distances []distanceOf
}

// distanceOf is the distance of a document's vector to that of a query, by its name in the results.
type distanceOf struct {
	name  string
	value float64
}

type matchKind byte

const (
	isWord matchKind = iota // of a text or a tag
	isVirtual
	isNumber
	isIntersection
	isUnion
	isDistance
)

// wanted is a word of a query.
type wanted struct {
	text       string
	idf, okapi float64 // how rare it is, for TFIDF and BM25, and for BM25STD
	expanded   bool
}

// nothing finds no document.
type nothing struct{}

func (nothing) next() bool    { return false }
func (nothing) seek(ID) bool  { return false }
func (nothing) id() ID        { return 0 }
func (nothing) match() *match { return nil }
func (nothing) estimate() int { return 0 }

// all finds every document.
type all struct {
	docs    *table
	current ID
	m       match
}

func (x *Index) all(weight float64) *all {
	return &all{docs: &x.docs, m: match{kind: isVirtual, weight: weight, frequency: 1}}
}

func (a *all) next() bool {
	for a.current < a.docs.last() {
		if a.current++; a.docs.alive(a.current) {
			return true
		}
	}
	return false
}

func (a *all) seek(id ID) bool {
	if a.current < id {
		a.current = id - 1
		return a.next()
	}
	return true
}

func (a *all) id() ID        { return a.current }
func (a *all) match() *match { return &a.m }
func (a *all) estimate() int { return len(a.docs.byKey) }

// entries finds the documents of postings in some fields.
type entries struct {
	reader
	fields query.Fields
	m      match
}

func (p *postings) entries(word *wanted, weight float64, fields query.Fields) *entries {
	e := &entries{reader: p.reader(), fields: fields, m: match{word: word, weight: weight}}
	if word == nil {
		e.m.kind = isVirtual
	}
	return e
}

func (e *entries) accept() bool { return e.of.bare || e.reader.fields.And(e.fields) != query.Fields{} }

func (e *entries) next() bool {
	for e.reader.next() {
		if e.accept() {
			return true
		}
	}
	return false
}

func (e *entries) seek(id ID) bool { return e.reader.seek(id) && (e.accept() || e.next()) }

func (e *entries) id() ID { return e.posting.id }

func (e *entries) match() *match {
	e.m.frequency, e.m.positions = e.frequency, e.positions
	if e.of.bare {
		e.m.frequency = 1
	}
	return &e.m
}

func (e *entries) estimate() int { return int(e.of.count) }

// numbered finds documents of a list, in order.
type numbered struct {
	ids []ID
	at  int // of the next one
	m   match
}

func (n *numbered) next() bool {
	n.at++
	return n.at <= len(n.ids)
}

func (n *numbered) seek(id ID) bool {
	if n.at > 0 && n.at <= len(n.ids) && n.ids[n.at-1] >= id {
		return true
	}
	skipped, _ := slices.BinarySearch(n.ids[min(n.at, len(n.ids)):], id)
	n.at += skipped
	return n.next()
}

func (n *numbered) id() ID        { return n.ids[n.at-1] }
func (n *numbered) match() *match { return &n.m }
func (n *numbered) estimate() int { return len(n.ids) }

// union finds the documents that any of several iterators finds: the heap has them by their
// documents, the first on top. What has come to its end is gone.
//
// As in RediSearch, a union that was to go to a document and came to one behind it tells only of
// the first iterator that matches that one.
type union struct {
	heap   []member
	begun  bool
	quick  bool // one of those that match is enough
	beyond bool // it came to a document behind the one that it was to go to
	pace   *pace
	most   int
	m      match
	found  []member // at the document
}

// member is an iterator of a union, with its place there and the document at which it is.
type member struct {
	iterator
	place int
	at    ID
}

// newUnion returns a union. One that is quick tells only of the first that matches.
func newUnion(p *pace, list []iterator, weight float64, quick bool) iterator {
	u := &union{pace: p, quick: quick, m: match{kind: isUnion, weight: weight}, heap: make([]member, len(list))}
	for i, it := range list {
		u.most += it.estimate()
		u.heap[i] = member{it, i, 0}
	}
	return u
}

// move moves to the next document, or to the first from one on if that is not 0.
func (m *member) move(to ID) (found bool) {
	if to == 0 {
		found = m.iterator.next()
	} else {
		found = m.iterator.seek(to)
	}
	if found {
		m.at = m.iterator.id()
	}
	return found
}

func (u *union) next() bool {
	last := ID(0)
	if u.begun {
		last = u.id()
	}
	return u.advance(last+1, 0)
}

func (u *union) seek(id ID) bool {
	if u.begun && len(u.heap) > 0 && u.id() >= id {
		return true
	}
	found := u.advance(id, id)
	u.beyond = found && u.id() > id
	return found
}

// advance moves all members to the document of a number or behind it.
func (u *union) advance(id, to ID) bool {
	u.beyond = false
	if !u.begun {
		u.begin(to)
	}
	for len(u.heap) > 0 && u.heap[0].at < id {
		if u.pace.isOver(1) {
			return false
		}
		if !u.heap[0].move(to) {
			last := len(u.heap) - 1
			u.heap[0] = u.heap[last]
			u.heap = u.heap[:last]
		}
		u.sink(0)
	}
	return len(u.heap) > 0
}

// begin moves all members to their first documents.
func (u *union) begin(to ID) {
	u.begun = true
	kept := u.heap[:0]
	for i := range u.heap {
		if u.heap[i].move(to) {
			kept = append(kept, u.heap[i])
		}
	}
	u.heap = kept
	for i := len(u.heap)/2 - 1; i >= 0; i-- {
		u.sink(i)
	}
}

// sink moves a member of the heap down to its place.
func (u *union) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(u.heap) {
			return
		}
		if child+1 < len(u.heap) && u.heap[child+1].at < u.heap[child].at {
			child++
		}
		if u.heap[i].at <= u.heap[child].at {
			return
		}
		u.heap[i], u.heap[child] = u.heap[child], u.heap[i]
		i = child
	}
}

func (u *union) id() ID { return u.heap[0].at }

func (u *union) match() *match {
	u.found = u.found[:0]
	u.gather(0)
	slices.SortFunc(u.found, func(a, b member) int { return a.place - b.place })
	u.m.clear()
	for i := range u.found {
		u.m.join(u.found[i].iterator.match())
	}
	return &u.m
}

// gather finds the members at the first document, from one of the heap down: if one is enough, the
// first of them.
func (u *union) gather(i int) {
	if i >= len(u.heap) || u.heap[i].at != u.heap[0].at {
		return
	}
	if m := u.heap[i]; len(u.found) == 1 && (u.quick || u.beyond) {
		if m.place < u.found[0].place {
			u.found[0] = m
		}
	} else {
		u.found = append(u.found, m)
	}
	u.gather(2*i + 1)
	u.gather(2*i + 2)
}

func (u *union) estimate() int { return u.most }

// clear takes the parts out of a match.
func (m *match) clear() {
	m.parts, m.distances, m.frequency = m.parts[:0], m.distances[:0], 0
}

// clone returns a copy that stays as it is.
func (m *match) clone() *match {
	c := *m
	c.parts, c.distances = make([]*match, len(m.parts)), slices.Clone(m.distances)
	for i, p := range m.parts {
		c.parts[i] = p.clone()
	}
	return &c
}

// join adds a part.
func (m *match) join(part *match) {
	m.parts = append(m.parts, part)
	m.distances = append(m.distances, part.distances...)
	m.frequency += part.frequency
}

// intersection finds the documents that all of several iterators find.
type intersection struct {
	list  []iterator
	pace  *pace
	slop  int // the words that may lie between theirs; negative: any number
	order bool
	m     match
	begun bool
	found bool // m is that of the document

	places places
}

// newIntersection returns an intersection of at least one iterator. Those that find few come first,
// unless their order counts.
func newIntersection(p *pace, list []iterator, weight float64, slop int, order bool) iterator {
	n := &intersection{list: list, pace: p, slop: slop, order: order, m: match{kind: isIntersection, weight: weight}}
	if !order {
		slices.SortStableFunc(list, func(a, b iterator) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return n
}

// rank returns what an iterator is sorted by: intersections come first, as they may well be empty.
func rank(it iterator) int {
	if c, ok := it.(*counted); ok {
		it = c.iterator
	}
	if n, ok := it.(*intersection); ok && len(n.list) > 1 {
		return 0
	}
	return it.estimate()
}

func (n *intersection) next() bool { return n.step() && n.meet() }

// step goes to the next document of the first iterator. What that tells of it may depend on how it
// came there, see union.
func (n *intersection) step() bool {
	if !n.begun {
		n.begun = true
		return n.list[0].next()
	}
	return n.list[0].seek(n.list[0].id() + 1)
}

func (n *intersection) seek(id ID) bool {
	n.begun = true
	return n.list[0].seek(id) && n.meet()
}

// meet goes to the first document from that of the first iterator on which all find, and whose
// words lie as they must.
func (n *intersection) meet() bool {
	for {
		id := n.list[0].id()
		for i := 1; i < len(n.list); i++ {
			if n.pace.isOver(1) || !n.list[i].seek(id) {
				return false
			}
			if at := n.list[i].id(); at > id {
				if _, ok := n.list[i].(*not); ok {
					at = id + 1 // as in RediSearch, where it does not tell which document it finds next
				}
				if !n.list[0].seek(at) {
					return false
				}
				id, i = n.list[0].id(), 0
			}
		}
		n.found = false
		if n.slop < 0 || n.places.near(n.match(), n.slop, n.order) {
			return true
		}
		if !n.step() {
			return false
		}
	}
}

func (n *intersection) id() ID { return n.list[0].id() }

func (n *intersection) match() *match {
	if !n.found {
		n.m.clear()
		for _, it := range n.list {
			n.m.join(it.match())
		}
		n.found = true
	}
	return &n.m
}

func (n *intersection) estimate() (least int) {
	least = n.list[0].estimate()
	for _, it := range n.list[1:] {
		least = min(least, it.estimate())
	}
	return least
}

// not finds the documents that another iterator does not find.
type not struct {
	all
	child iterator
	ended bool
}

func (x *Index) not(child iterator, weight float64) *not {
	n := &not{all: *x.all(weight), child: child}
	n.m.frequency = 0
	return n
}

func (n *not) next() bool {
	for n.all.next() {
		if !n.excluded() {
			return true
		}
	}
	return false
}

func (n *not) seek(id ID) bool {
	if n.current >= id {
		return true
	}
	n.current = id - 1
	return n.next()
}

// excluded reports whether the child finds the document.
func (n *not) excluded() bool {
	if !n.ended {
		n.ended = !n.child.seek(n.current)
	}
	return !n.ended && n.child.id() == n.current
}

// optional finds every document, and tells of those that another iterator finds.
type optional struct {
	not
	weight float64
}

func (x *Index) optional(child iterator, weight float64) *optional {
	o := &optional{not: not{all: *x.all(0), child: child}, weight: weight}
	return o
}

func (o *optional) next() bool      { return o.all.next() }
func (o *optional) seek(id ID) bool { return o.all.seek(id) }

func (o *optional) match() *match {
	if o.excluded() {
		m := o.child.match()
		m.weight = o.weight
		return m
	}
	return &o.m
}
