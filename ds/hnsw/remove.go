package hnsw

import "slices"

// Remove removes a node. Those that were linked with it are linked with each other where that
// leaves them without enough links. O(M^2).
func (g *Graph) Remove(r Ref) {
	level := g.Level(r)
	near := make([][]Ref, level+1)
	for i := range near {
		near[i] = slices.Clone(g.Links(r, i))
		for _, to := range near[i] {
			g.unlink(r, to, i)
		}
	}
	g.forget(r, level)
	if g.entry == r {
		g.entry = g.newEntry(near)
	}
	for i, list := range near {
		g.mend(list, i)
	}
}

// forget takes a node without links out of the list and frees its cells.
func (g *Graph) forget(r Ref, level int) {
	g.changing(r)
	x := g.at(r)
	if g.hand == r {
		g.hand = x.next
	}
	if x.prev != 0 {
		g.at(x.prev).next = x.next
	} else {
		g.newest = x.next
	}
	if x.next != 0 {
		g.at(x.next).prev = x.prev
	}
	for i := range level + 1 {
		g.freeLinks(r, i)
	}
	if level > 0 {
		g.cells.Free(x.upper, level*refBytes)
	}
	g.cells.Free(r, g.cellBytes())
	g.n--
}

// newEntry returns a node of the highest level, after the entry went: one that was linked with it
// there, or else any. O(nodes) at worst.
func (g *Graph) newEntry(near [][]Ref) (entry Ref) {
	if top := near[len(near)-1]; len(top) > 0 {
		entry = top[0]
		for _, r := range top {
			if g.Level(r) > g.Level(entry) {
				entry = r
			}
		}
		return entry
	}
	for r := g.newest; r != 0; r = g.at(r).next {
		if entry == 0 || g.Level(r) > g.Level(entry) {
			entry = r
		}
	}
	return entry
}

// mend links nodes that have lost a link on a level: each with the nearest of the others that has
// room and is not linked with it, and one that has no link at all with the nearest of the graph.
func (g *Graph) mend(list []Ref, level int) {
	for i, r := range list {
		if len(g.Links(r, level)) >= g.room(level) {
			continue
		}
		if to := g.partner(list, i, level); to != 0 {
			g.link(r, to, level)
		}
	}
	for _, r := range list {
		if len(g.Links(r, level)) == 0 {
			g.reconnect(r, level)
		}
	}
}

// partner returns the nearest of some nodes that can be linked with one of them, 0 if none can. Of
// many it looks at those behind it.
func (g *Graph) partner(list []Ref, at, level int) Ref {
	r, best := list[at], Found{}
	v := g.Vector(r)
	for i := range min(len(list)-1, mostCompared) {
		to := list[(at+1+i)%len(list)]
		if len(g.Links(to, level)) >= g.room(level) {
			continue
		}
		f := Found{g.distance(&v, to), to}
		if (best.Node == 0 || g.nearer(f, best)) && !slices.Contains(g.Links(r, level), to) {
			best = f
		}
	}
	return best.Node
}

// reconnect links a node that has no link on a level with the nearest that a search finds there.
func (g *Graph) reconnect(r Ref, level int) {
	v, top := g.Vector(r), g.MaxLevel()
	if level > top {
		return
	}
	near := g.explore(&v, g.descend(&v, top, level), exploration{level: level, ef: g.m, without: r})
	for _, f := range near {
		if len(g.Links(f.Node, level)) < g.room(level) {
			g.link(r, f.Node, level)
			return
		}
	}
	if len(near) > 0 {
		g.force(r, near[0], level)
	}
}
