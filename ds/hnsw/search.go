package hnsw

import "slices"

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

// heap is found nodes, on top the nearest, or with far the farthest.
type heap struct {
	g    *Graph
	list []Found
	far  bool
}

func (h *heap) before(a, b Found) bool {
	if h.far {
		a, b = b, a
	}
	return h.g.nearer(a, b)
}

func (h *heap) push(f Found) {
	h.list = append(h.list, f)
	i := len(h.list) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.before(f, h.list[parent]) {
			break
		}
		h.list[i], i = h.list[parent], parent
	}
	h.list[i] = f
}

func (h *heap) pop() Found {
	top, last := h.list[0], len(h.list)-1
	f := h.list[last]
	if h.list = h.list[:last]; last == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && h.before(h.list[child+1], h.list[child]) {
			child++
		}
		if !h.before(h.list[child], f) {
			break
		}
		h.list[i], i = h.list[child], child
	}
	h.list[i] = f
	return top
}

// keep adds a node to the nearest ones, of which there are most at most.
func (h *heap) keep(f Found, most int) {
	if len(h.list) < most {
		h.push(f)
	} else if h.before(h.list[0], f) {
		h.pop()
		h.push(f)
	}
}

// sorted returns the nodes, the nearest first, and empties the heap.
func (h *heap) sorted() []Found {
	slices.SortFunc(h.list, func(a, b Found) int {
		if h.g.nearer(a, b) {
			return -1
		}
		return 1
	})
	return h.list
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

// explore returns the nodes of a level near to a vector, from a node on.
func (g *Graph) explore(v *Vector, start Found, how exploration) []Found {
	g.begin()
	next, best := heap{g: g}, heap{g: g, far: true}
	see := func(f Found) {
		if len(best.list) == how.ef && !g.nearer(f, best.list[0]) {
			return
		}
		next.push(f)
		if f.Node == how.without {
			return
		}
		if how.accept != nil {
			if how.effort--; !how.accept(f.Node) {
				return
			}
		}
		best.keep(f, how.ef)
	}
	g.at(start.Node).round = g.round
	for see(start); len(next.list) > 0; {
		f := next.pop()
		if len(best.list) == how.ef && g.nearer(best.list[0], f) || how.accept != nil && how.effort <= 0 {
			break
		}
		for _, r := range g.Links(f.Node, how.level) {
			if x := g.at(r); x.round != g.round {
				x.round = g.round
				see(Found{g.distance(v, r), r})
			}
		}
	}
	return best.sorted()
}

// begin begins a search, which has seen no node.
func (g *Graph) begin() {
	if g.round++; g.round != 0 {
		return
	}
	for r := g.newest; r != 0; r = g.at(r).next {
		g.at(r).round = 0
	}
	g.round = 1
}
