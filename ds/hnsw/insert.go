package hnsw

import "slices"

// Insert adds a node with a vector and data of the owner. ef is the exploration factor: the more,
// the better the links. O(ef * log nodes) about.
func (g *Graph) Insert(v *Vector, data uint32, ef int) Ref {
	g.lastID++
	level := g.levelOf(g.lastID)
	r := g.add(g.lastID, level, data)
	g.setVector(r, v)
	g.connect(r, level, ef)
	if g.entry == 0 || level > g.Level(g.entry) {
		g.entry = r
	}
	return r
}

// add makes a node without links and puts it in front of the list.
func (g *Graph) add(id uint64, level int, data uint32) Ref {
	r, upper := g.cells.Alloc(g.cellBytes()), Ref(0)
	if level > 0 {
		upper = g.cells.Alloc(level * refBytes)
	}
	*g.at(r) = node{id: id, next: g.newest, data: data, upper: upper, level: uint8(level)}
	for i := 1; i <= level; i++ {
		*g.cellOf(r, i) = 0
	}
	if g.newest != 0 {
		g.at(g.newest).prev = r
	}
	g.newest = r
	g.n++
	return r
}

// connect links a node on its levels with the nodes near to it.
func (g *Graph) connect(r Ref, level, ef int) {
	if g.entry == 0 {
		return
	}
	v, top := g.Vector(r), g.MaxLevel()
	start := g.descend(&v, top, min(level, top))
	for i := min(level, top); i >= 0; i-- {
		v = g.Vector(r) // new links may have moved it
		near := g.explore(&v, start, exploration{level: i, ef: ef, without: r})
		for _, f := range g.spread(near, g.m) {
			g.join(r, f, i)
		}
		if len(near) == 0 {
			continue
		}
		if len(g.Links(r, i)) == 0 {
			g.force(r, near[0], i)
		}
		start = near[0]
	}
}

// What is O(M^2) or worse is done for so many nodes at most, of which a graph with the usual M does
// not have more.
const (
	mostCompared = 64   // with a node
	mostSpread   = 1024 // of those that an insertion finds, or 2M
)

// spread returns most of some nodes, which are sorted by their distances from one: those that lie
// in different directions, which are nearer to it than to any that is chosen already, and then the
// nearest of the others.
func (g *Graph) spread(near []Found, most int) []Found {
	if len(near) <= most {
		return near
	}
	near = near[:min(len(near), max(mostSpread, 2*most))]
	chosen, others := make([]Found, 0, most), make([]Found, 0, most)
	for _, f := range near {
		switch {
		case len(chosen) == most:
			return chosen
		case g.apart(f, chosen[:min(len(chosen), mostCompared)]):
			chosen = append(chosen, f)
		case len(others) < most:
			others = append(others, f)
		}
	}
	return append(chosen, others[:min(most-len(chosen), len(others))]...)
}

// apart reports whether a node is farther from each of some others than f says.
func (g *Graph) apart(f Found, others []Found) bool {
	v := g.Vector(f.Node)
	return !slices.ContainsFunc(others, func(o Found) bool { return g.distance(&v, o.Node) < f.Distance })
}

// join links r, which has room, with another node on a level. If that one has no room, it gives up
// the link that it needs least, which may be this one: the longest to a node that is nearer to
// another one of them, or else the longest. Of many links it looks at some.
func (g *Graph) join(r Ref, to Found, level int) {
	if len(g.Links(to.Node, level)) < g.room(level) {
		g.link(r, to.Node, level)
		return
	}
	near := append(g.around(to.Node, level, g.ID(r)), Found{to.Distance, r})
	slices.SortFunc(near, g.compare)
	last := len(near) - 1
	for i := last; i > 0; i-- {
		if !g.apart(near[i], near[:i]) {
			last = i
			break
		}
	}
	if drop := near[last].Node; drop != r && len(g.Links(drop, level)) > 1 {
		g.unlink(to.Node, drop, level)
		g.link(r, to.Node, level)
	}
}

func (g *Graph) compare(a, b Found) int {
	if g.nearer(a, b) {
		return -1
	}
	return 1
}

// around returns the nodes that a node is linked with on a level, or some of them, which a number
// chooses.
func (g *Graph) around(r Ref, level int, some uint64) []Found {
	v, links := g.Vector(r), g.Links(r, level)
	near := make([]Found, 0, min(len(links), mostCompared)+1)
	from := int(some % uint64(len(links)))
	for i := range min(len(links), mostCompared) {
		to := links[(from+i)%len(links)]
		near = append(near, Found{g.distance(&v, to), to})
	}
	return near
}

// force links r, which has no link on a level, with a node that has no room there, or with one that
// is linked with that. No node loses its last link.
func (g *Graph) force(r Ref, to Found, level int) {
	near := g.around(to.Node, level, g.ID(r))
	slices.SortFunc(near, g.compare)
	for _, f := range slices.Backward(near) {
		if f.Node == r {
			continue
		}
		if len(g.Links(f.Node, level)) > 1 {
			g.unlink(to.Node, f.Node, level)
			break
		}
		g.link(r, f.Node, level)
		return
	}
	g.link(r, to.Node, level)
}

// link links two nodes that have room on a level and are not linked there.
func (g *Graph) link(a, b Ref, level int) {
	g.point(a, b, level)
	g.point(b, a, level)
}

// unlink removes a link.
func (g *Graph) unlink(a, b Ref, level int) {
	g.drop(a, b, level)
	g.drop(b, a, level)
}
