package hnsw

import (
	"slices"
	"sync"

	"github.com/miniserver-go/miniserver/ds/simd"
)

// Found is a node with its distance from what is searched for.
type Found struct {
	Distance float32
	Node     Ref
}

// nearer reports whether a comes before b: of nodes in the same distance the newer one does.
func (g *Graph) nearer(a, b Found) bool {
	if a.Distance != b.Distance {
		return a.Distance < b.Distance
	}
	return g.at(a.Node).id > g.at(b.Node).id
}

// Exact returns the nodes nearest to a vector that accept accepts, the nearest first, most at most.
// accept may be nil. O(nodes).
func (g *Graph) Exact(v *Vector, most int, accept func(r Ref) bool) []Found {
	best := heap{g: g, far: true}
	for r := g.newest; r != 0; r = g.at(r).next {
		if accept == nil || accept(r) {
			best.keep(Found{g.distance(v, r), r}, most)
		}
	}
	return best.sorted()
}

// Search returns nodes near to a vector, the nearest first, up to ef of them: the more, the surer
// that they are the nearest. With accept it returns only those that accept accepts, and asks for
// effort nodes at most.
func (g *Graph) Search(v *Vector, ef int, accept func(r Ref) bool, effort int) []Found {
	if g.entry == 0 {
		return nil
	}
	start := g.descend(v, g.MaxLevel(), 0)
	return g.explore(v, start, exploration{ef: ef, accept: accept, effort: effort})
}

// Within returns nodes whose distance from a vector is at most radius, in no order. It goes from
// the nearest of ef nodes that a search finds from neighbor to neighbor, as long as their distance
// is at most reach: the greater, the surer that none is missed. ok is false if there are more than
// most nodes; then some are returned. O(nodes within reach).
func (g *Graph) Within(v *Vector, radius, reach float32, ef, most int) (found []Found, ok bool) {
	near := g.Search(v, ef, nil, 0)
	x := explorers.Get().(*explorer)
	defer x.end()
	x.begin(g)
	see := func(f Found) {
		if f.Distance <= reach {
			x.next.list = append(x.next.list, f)
		}
	}
	for _, f := range near {
		x.seen.add(f.Node)
		see(f)
	}
	for last := len(x.next.list) - 1; last >= 0 && len(found) <= most; last = len(x.next.list) - 1 {
		f := x.next.list[last]
		if x.next.list = x.next.list[:last]; f.Distance <= radius {
			found = append(found, f)
		}
		x.follow(g.Links(f.Node, 0))
		for _, r := range x.fresh {
			see(Found{g.distance(v, r), r})
		}
	}
	return found, len(found) <= most
}

// descend goes from the entry down to a level, from neighbor to nearer neighbor above it, and
// returns the nearest node.
func (g *Graph) descend(v *Vector, from, to int) Found {
	best := Found{g.distance(v, g.entry), g.entry}
	for level := from; level > to; level-- {
		for again := true; again; {
			again = false
			for _, r := range g.Links(best.Node, level) {
				if f := (Found{g.distance(v, r), r}); f.Distance < best.Distance {
					best, again = f, true
				}
			}
		}
	}
	return best
}

// exploration is how a level is searched.
type exploration struct {
	level, ef int
	accept    func(r Ref) bool
	effort    int // how many nodes accept is asked about
	without   Ref // a node that is not found
}

// explorer is what a search needs, kept for the next one.
type explorer struct {
	seen  refSet
	fresh []Ref // of the links of a node, to those that were not seen before
	next  heap  // nodes whose links are to be followed
	best  heap  // the nearest nodes, as many as the exploration factor says
}

var explorers = sync.Pool{New: func() any { return &explorer{best: heap{far: true}} }}

// explore returns the nodes of a level near to a vector, from a node on.
func (g *Graph) explore(v *Vector, start Found, how exploration) []Found {
	x := explorers.Get().(*explorer)
	x.begin(g)
	x.seen.add(start.Node)
	x.see(start, &how)
	for len(x.next.list) > 0 {
		f := x.next.pop()
		if x.full(&how) && g.nearer(x.best.list[0], f) || how.accept != nil && how.effort <= 0 {
			break
		}
		x.follow(g.Links(f.Node, how.level))
		for _, r := range x.fresh {
			x.see(Found{g.distance(v, r), r}, &how)
		}
	}
	found := slices.Clone(x.best.sorted())
	x.end()
	return found
}

// begin begins a search, which has seen no node.
func (x *explorer) begin(g *Graph) {
	x.seen.clear()
	x.next.g, x.next.list = g, x.next.list[:0]
	x.best.g, x.best.list = g, x.best.list[:0]
}

// mostKept is how many nodes an explorer may have room for that is kept.
const mostKept = 1 << 14

// end gives the explorer back.
func (x *explorer) end() {
	if x.next.g, x.best.g = nil, nil; len(x.seen.slots) <= mostKept && cap(x.next.list) <= mostKept {
		explorers.Put(x)
	}
}

func (x *explorer) full(how *exploration) bool { return len(x.best.list) == how.ef }

// follow notes which nodes are seen for the first time, and has the processor fetch them.
func (x *explorer) follow(links []Ref) {
	x.fresh = x.fresh[:0]
	cells := x.next.g.cells.Cells()
	for _, r := range links {
		if x.seen.add(r) {
			x.fresh = append(x.fresh, r)
			simd.Prefetch(cells.At(r), x.next.g.cellBytes())
		}
	}
}

// see takes a node that is seen for the first time.
func (x *explorer) see(f Found, how *exploration) {
	if x.full(how) && !x.next.g.nearer(f, x.best.list[0]) {
		return
	}
	x.next.push(f)
	if f.Node == how.without {
		return
	}
	if how.accept != nil {
		if how.effort--; !how.accept(f.Node) {
			return
		}
	}
	x.best.keep(f, how.ef)
}
