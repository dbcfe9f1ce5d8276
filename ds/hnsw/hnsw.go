// Package hnsw is a graph that finds the vectors nearest to a given one: a hierarchical navigable
// small world, of Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search
// using Hierarchical Navigable Small World graphs" (2016).
//
//	level 2   o ─────────────────── o           up to M links
//	level 1   o ─────── o ───────── o           up to M links
//	level 0   o ─ o ─ o ─ o ─ o ─ o ─ o         up to 2M links; all nodes
//
// Every node is on level 0, and one in M of those of a level is on the next one, too. A search
// begins at a node of the highest level and goes from neighbor to neighbor, always nearer, then
// down a level. On level 0 it keeps the nearest nodes seen so far, as many as the exploration
// factor says, and ends when none of their neighbors is nearer.
//
// A node is a cell of an arena: what it is, and its vector. The links of a level are another one,
// which grows with them. A link is a reference of four bytes, in both nodes:
//
//	[node│vector] ─▶ [count│room│links of level 0]
//	      └───────▶ [level 1│level 2│...] ─▶ [count│room│links] each
//
// The level of a node follows from its number. So equal calls make equal graphs, and a copy that
// was saved and loaded goes on as the original does.
//
// Vectors are normalized to length 1, and kept as they are, as numbers of one byte that share a
// scale, or as the signs of their components. The distance is 1 - cosine, from 0 to 2. One that is
// no number counts as 2.
//
// An index of documents measures in other ways, too: it has raw vectors, which keep their lengths.
// Their distance is 1 - inner product or, in a Euclidean graph, the square of the Euclidean one.
//
// Invariants, verified by Check:
//
//  1. Links are mutual, none is there twice, and none leads to its own node. Both nodes reach up to
//     the level of a link.
//  2. A node has up to M links on a level, and 2M on level 0.
//  3. The entry is a node of the highest level, or 0 in an empty graph.
//  4. The list has all nodes, numbers falling, and the cells in use are theirs.
//
// Redis gives a node a random level and lets it keep more neighbors of the same direction, so that
// links are others there. Recall is alike.
package hnsw

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// Ref names a node until it is removed or Compact moves it; 0 is none.
type Ref = arena.Ref

// The bounds of M, of exploration factors and of dimensions.
const (
	MinM, MaxM = 4, 4096
	MaxEF      = 1_000_000
	MaxDim     = 1 << 16
	MaxLevel   = 15
)

// Graph is one graph. New makes one; it must not be copied.
type Graph struct {
	cells  arena.Arena
	entry  Ref
	newest Ref // the head of the list of all nodes
	n      int
	dim    int
	m      int
	kind   Kind
	euclid bool // the distance is the square of the Euclidean one
	lastID uint64
	hand   Ref // the next node that Compact looks at; 0 if there is none

	watch func(r Ref) // see Watch; nil for none
}

// node is the begin of a node's cell.
type node struct {
	id         uint64
	next, prev Ref    // in the list
	data       uint32 // of the owner
	base       Ref    // the cell with the links of level 0; 0 if there was none yet
	upper      Ref    // the cell that names those of higher levels; 0 if it is on level 0 only
	norm       float32
	scale      float32
	level      uint8
}

const nodeBytes = int(unsafe.Sizeof(node{}))

// New returns an empty graph for vectors of dim components. m is the number of links of a node on a
// level, from MinM to MaxM.
func New(kind Kind, dim, m int) *Graph { return &Graph{kind: kind, dim: dim, m: m} }

// NewEuclidean returns an empty graph for raw vectors of the kind Float. The distance of two is the
// square of the Euclidean one.
func NewEuclidean(dim, m int) *Graph { return &Graph{kind: Float, dim: dim, m: m, euclid: true} }

// Len returns the number of nodes.
func (g *Graph) Len() int { return g.n }

// Kind returns how the vectors are kept.
func (g *Graph) Kind() Kind { return g.kind }

// Dim returns the number of components of the vectors.
func (g *Graph) Dim() int { return g.dim }

// M returns the number of links of a node on a level above 0.
func (g *Graph) M() int { return g.m }

// LastID returns the number that the newest node got that ever was.
func (g *Graph) LastID() uint64 { return g.lastID }

// MaxLevel returns the highest level.
func (g *Graph) MaxLevel() int {
	if g.entry == 0 {
		return 0
	}
	return g.Level(g.entry)
}

// Level returns the highest level of a node.
func (g *Graph) Level(r Ref) int { return int(g.at(r).level) }

// ID returns the number of a node, which none had before it.
func (g *Graph) ID(r Ref) uint64 { return g.at(r).id }

// Data returns what the owner has given with a node.
func (g *Graph) Data(r Ref) uint32 { return g.at(r).data }

// SetData gives a node other data.
func (g *Graph) SetData(r Ref, data uint32) { g.at(r).data = data }

// Newest returns the newest node, 0 if there is none.
func (g *Graph) Newest() Ref { return g.newest }

// Older returns the node that is the next in age, 0 if there is none.
func (g *Graph) Older(r Ref) Ref { return g.at(r).next }

// Watch has fn called whenever the links of a node are about to change, or the node is about to go;
// nil ends that.
func (g *Graph) Watch(fn func(r Ref)) { g.watch = fn }

// changing tells of a node that is about to change.
func (g *Graph) changing(r Ref) {
	if g.watch != nil {
		g.watch(r)
	}
}

func (g *Graph) at(r Ref) *node { return (*node)(g.cells.At(r)) }

const refBytes = int(unsafe.Sizeof(Ref(0)))

// cellBytes is the size of the cell of a node.
func (g *Graph) cellBytes() int { return nodeBytes + g.kind.bytes(g.dim) }

// room returns how many links a node may have on a level.
func (g *Graph) room(level int) int {
	if level == 0 {
		return 2 * g.m
	}
	return g.m
}

// Vector returns the vector of a node. It shares the memory of the graph.
func (g *Graph) Vector(r Ref) Vector {
	x := g.at(r)
	p := unsafe.Add(unsafe.Pointer(x), nodeBytes)
	v := Vector{Kind: g.kind, Norm: x.norm, Scale: x.scale, dim: g.dim}
	switch g.kind {
	case Float:
		v.floats = unsafe.Slice((*float32)(p), g.dim)
	case Int8:
		v.ints = unsafe.Slice((*int8)(p), g.dim)
	case Bit:
		v.bits = unsafe.Slice((*uint64)(p), words(g.dim))
	}
	return v
}

// Floats returns the components of a node's vector, of the kind Float. They belong to the graph.
func (g *Graph) Floats(r Ref) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(g.cells.At(r), nodeBytes)), g.dim)
}

// setVector stores a vector in a node.
func (g *Graph) setVector(r Ref, v *Vector) {
	x, to := g.at(r), g.Vector(r)
	x.norm, x.scale = v.Norm, v.Scale
	copy(to.floats, v.floats)
	copy(to.ints, v.ints)
	copy(to.bits, v.bits)
}

// distance returns the distance of a node from a vector.
func (g *Graph) distance(v *Vector, r Ref) float32 {
	x := g.at(r)
	p := unsafe.Add(unsafe.Pointer(x), nodeBytes)
	switch g.kind {
	case Float:
		if g.euclid {
			return squareDistance(v.floats, unsafe.Slice((*float32)(p), g.dim))
		}
		return floatDistance(v.floats, unsafe.Slice((*float32)(p), g.dim))
	case Int8:
		return intDistance(v.ints, unsafe.Slice((*int8)(p), g.dim), v.Scale, x.scale)
	default:
		return bitDistance(v.bits, unsafe.Slice((*uint64)(p), words(g.dim)), g.dim)
	}
}

// Distance returns the distance of two nodes.
func (g *Graph) Distance(a, b Ref) float32 {
	v := g.Vector(a)
	return g.distance(&v, b)
}

// levelOf returns the level of the node with a number: each level has one in m of the nodes of the
// level below. The number is mixed as by SplitMix64, of Steele, Lea and Flood (2014).
func (g *Graph) levelOf(id uint64) (level int) {
	x := id * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	for chance := ^uint64(0) / uint64(g.m); x < chance && level < MaxLevel; chance /= uint64(g.m) {
		level++
	}
	return level
}
