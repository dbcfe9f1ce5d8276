// Package vectors is the vector set: names, each with a vector and maybe attributes, a text.
//
//	dict.Index ──▶ arena.Arena                       hnsw.Graph
//	               [node] name attributes  ◀───────▶ nodes with vectors and links
//
// A name is a cell that refers to the node of its vector, whose data refer to the cell. What is
// near to a vector is what package hnsw finds.
//
// A set may reduce its vectors: it takes some with more components, and keeps the begin of their
// Walsh transforms, in which every component has an equal part. See reduce.go.
//
// Invariants, verified by Check:
//
//  1. Each cell names a node, whose data name the cell. There are no other nodes.
//  2. The cells are all that is in use in the arena, and no name is there twice.
//  3. The number of attributes is counted.
//
// The saved form is that of Redis.
package vectors

import (
	"bytes"
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
	"github.com/miniserver-go/miniserver/ds/dict"
	"github.com/miniserver-go/miniserver/ds/hnsw"
)

// Options are the properties of a new set.
type Options struct {
	Kind  hnsw.Kind
	Dim   int // components of the vectors that are kept
	Input int // components of those that are reduced to them; 0 if none are
	M     int // links of a node
}

// MaxReduced bounds the product of Input and Dim.
const MaxReduced = 1 << 26

// Set is one set. New makes one; it must not be copied.
type Set struct {
	graph      *hnsw.Graph
	index      dict.Index
	seed       uint64 // of the hashes
	cells      arena.Arena
	cursor     uint64 // of the walk that compacts the cells
	input      int
	matrix     []float32 // that reduces vectors, row by row; nil for that of Walsh
	attributes int       // elements that have some
	uid        uint64    // see UID
	frozen     *frozen   // reads the set as it was; nil if none does
}

// New returns an empty set. The hashes of names depend on the seed, and so do random elements.
func New(o Options, seed uint64) *Set {
	return &Set{graph: hnsw.New(o.Kind, o.Dim, o.M), input: o.Input, seed: seed}
}

// Element names an element until the set is next changed; the zero value is none.
type Element struct{ node hnsw.Ref }

// nodeBytes is what is before the name in a cell: the reference of the node.
const nodeBytes = 4

// HashOf returns the hash of a name, for the index.
func (s *Set) HashOf(r arena.Ref) uint64 { return dict.Hash(s.seed, dict.Key(s.name(r))) }

func (s *Set) name(r arena.Ref) []byte { return arena.Text(unsafe.Add(s.cells.At(r), nodeBytes)) }

// text returns the attributes of a cell.
func (s *Set) text(r arena.Ref) []byte {
	name := s.name(r)
	return arena.Text(unsafe.Add(unsafe.Pointer(unsafe.SliceData(name)), len(name)))
}

func (s *Set) node(r arena.Ref) *hnsw.Ref { return (*hnsw.Ref)(s.cells.At(r)) }

// Len returns the number of elements.
func (s *Set) Len() int { return s.graph.Len() }

// Options returns the properties.
func (s *Set) Options() Options {
	return Options{Kind: s.graph.Kind(), Dim: s.graph.Dim(), Input: s.input, M: s.graph.M()}
}

// MaxLevel returns the highest level of the graph.
func (s *Set) MaxLevel() int { return s.graph.MaxLevel() }

// LastID returns how often a vector was added.
func (s *Set) LastID() uint64 { return s.graph.LastID() }

// WithAttributes returns how many elements have attributes.
func (s *Set) WithAttributes() int { return s.attributes }

// UID returns a number that no other set has. It gets that of next when it is first asked for.
func (s *Set) UID(next func() uint64) uint64 {
	if s.uid == 0 {
		s.uid = next()
	}
	return s.uid
}

func (s *Set) find(name []byte) (slot *arena.Ref, h uint64) {
	return s.index.FindText(s.seed, dict.Key(name), s.cells.Cells(), nodeBytes)
}

// Find returns an element; ok is false if there is none of that name.
func (s *Set) Find(name []byte) (e Element, ok bool) {
	slot, _ := s.find(name)
	if slot == nil {
		return e, false
	}
	return Element{*s.node(*slot)}, true
}

// Name returns the name of an element. It shares the memory of the set.
func (s *Set) Name(e Element) []byte { return s.name(s.graph.Data(e.node)) }

// Attributes returns the attributes of an element, which are empty if it has none. They share the
// memory of the set.
func (s *Set) Attributes(e Element) []byte { return s.text(s.graph.Data(e.node)) }

// Vector returns the vector of an element. It shares the memory of the set.
func (s *Set) Vector(e Element) hnsw.Vector { return s.graph.Vector(e.node) }

// Add adds an element, or gives it another vector, and reports whether it is new. One that is not
// keeps its attributes if attributes is nil. ef is the exploration factor.
func (s *Set) Add(name []byte, v *hnsw.Vector, attributes []byte, ef int) (added bool) {
	slot, h := s.find(name)
	if slot == nil {
		r := s.newCell(name, attributes)
		s.index.Insert(h, r, s)
		*s.node(r) = s.graph.Insert(v, r, ef)
		s.compact()
		return true
	}
	r := *slot
	s.graph.Remove(*s.node(r))
	*s.node(r) = s.graph.Insert(v, r, ef)
	if attributes != nil {
		s.replace(slot, attributes)
	}
	s.compactGraph()
	return false
}

// SetAttributes gives an element other attributes, and reports whether it is there.
func (s *Set) SetAttributes(name, attributes []byte) bool {
	slot, _ := s.find(name)
	if slot == nil {
		return false
	}
	s.replace(slot, attributes)
	return true
}

// Remove removes an element and reports whether it was there.
func (s *Set) Remove(name []byte) bool {
	slot, h := s.find(name)
	if slot == nil {
		return false
	}
	r := *slot
	s.index.Remove(h, slot, s)
	s.graph.Remove(*s.node(r))
	s.freeCell(r)
	s.compact()
	s.compactGraph()
	return true
}

// compactGraph moves some nodes if much of the memory of the graph is free.
func (s *Set) compactGraph() {
	s.graph.Compact(func(data uint32, to hnsw.Ref) {
		*s.node(data) = to
		s.frozen.moved(to)
	})
}

// newCell makes a cell, which names no node yet.
func (s *Set) newCell(name, attributes []byte) arena.Ref {
	r := s.cells.Alloc(cellBytes(len(name), len(attributes)))
	p := unsafe.Add(s.cells.At(r), nodeBytes)
	arena.PutText(unsafe.Add(p, arena.PutText(p, name)), attributes)
	if len(attributes) > 0 {
		s.attributes++
	}
	return r
}

func cellBytes(name, attributes int) int {
	return nodeBytes + arena.TextSize(name) + arena.TextSize(attributes)
}

func (s *Set) sizeOf(r arena.Ref) int { return cellBytes(len(s.name(r)), len(s.text(r))) }

func (s *Set) freeCell(r arena.Ref) {
	if len(s.text(r)) > 0 {
		s.attributes--
	}
	s.cells.Free(r, s.sizeOf(r))
}

// replace puts a cell with other attributes into a slot of the index.
func (s *Set) replace(slot *arena.Ref, attributes []byte) {
	old := *slot
	s.frozen.keep(*s.node(old))
	r := s.newCell(bytes.Clone(s.name(old)), attributes)
	*s.node(r) = *s.node(old)
	s.graph.SetData(*s.node(r), r)
	*slot = r
	s.freeCell(old)
	s.compact()
}

// compact moves the cells of some chains if much of the arena is free.
func (s *Set) compact() {
	if s.cells.Compacting() || s.cells.Sparse() {
		s.cursor = s.index.Compact(&s.cells, s.cursor, s.move)
	}
}

func (s *Set) move(r arena.Ref) arena.Ref {
	if s.cells.Retired(r) {
		r = s.cells.Move(r, s.sizeOf(r))
		s.graph.SetData(*s.node(r), r)
	}
	return r
}

// Random returns an element, each with the same probability. The set must not be empty. O(1).
func (s *Set) Random(dice func(n uint64) uint64) Element {
	return Element{*s.node(s.index.Random(dice))}
}

// Sample calls fn for count different elements, each selection with the same probability.
func (s *Set) Sample(count int, dice func(n uint64) uint64, fn func(e Element)) {
	if 2*count > s.Len() {
		s.draw(count, dice, fn)
		return
	}
	s.index.Sample(count, dice, func(r arena.Ref) bool { fn(Element{*s.node(r)}); return true })
}

// draw is Sample for many of all elements. O(elements).
func (s *Set) draw(count int, dice func(n uint64) uint64, fn func(e Element)) {
	left := s.Len()
	s.Each(func(e Element) bool {
		if count >= left || dice(uint64(left)) < uint64(count) {
			fn(e)
			count--
		}
		left--
		return count > 0
	})
}

// Each calls fn for the elements, the newest first, until it returns false.
func (s *Set) Each(fn func(e Element) bool) {
	for r := s.graph.Newest(); r != 0; r = s.graph.Older(r) {
		if !fn(Element{r}) {
			return
		}
	}
}

// Levels returns the number of levels on which an element has links.
func (s *Set) Levels(e Element) int { return s.graph.Level(e.node) + 1 }

// Neighbor is an element with its distance from another one, or from a vector.
type Neighbor struct {
	Element
	Distance float32
}

// Links returns the elements with which one is linked on a level.
func (s *Set) Links(e Element, level int) []Neighbor {
	list := make([]Neighbor, 0, 2*s.graph.M())
	for _, r := range s.graph.Links(e.node, level) {
		list = append(list, Neighbor{Element{r}, s.graph.Distance(e.node, r)})
	}
	return list
}

// Query is what is searched for.
type Query struct {
	Vector hnsw.Vector
	Count  int  // of elements
	EF     int  // exploration factor, at least Count
	Exact  bool // looks at all elements
	// Accept says of attributes whether an element counts that has them. Without it all count, with
	// it only elements with attributes.
	Accept func(attributes []byte) bool
	Effort int // with Accept: how many elements are looked at; not if Exact
}

// Search returns the elements nearest to a vector, the nearest first; of those in the same distance
// the one that was added later.
func (s *Set) Search(q *Query) []Neighbor {
	var accept func(r hnsw.Ref) bool
	if q.Accept != nil {
		accept = func(r hnsw.Ref) bool {
			text := s.text(s.graph.Data(r))
			return len(text) > 0 && q.Accept(text)
		}
	}
	var found []hnsw.Found
	if q.Exact {
		found = s.graph.Exact(&q.Vector, q.Count, accept)
	} else {
		found = s.graph.Search(&q.Vector, q.EF, accept, q.Effort)
	}
	list := make([]Neighbor, min(q.Count, len(found)))
	for i := range list {
		list[i] = Neighbor{Element{found[i].Node}, found[i].Distance}
	}
	return list
}
