package hnsw

import "slices"

// movedAtOnce is how many nodes Compact looks at.
const movedAtOnce = 16

// Compact is to be called after Remove. If much of the arena is free, it begins to move the nodes
// out of its blocks, or goes on with it, and tells of each that was moved: its data, and what names
// it now. O(M^2).
func (g *Graph) Compact(moved func(data uint32, to Ref)) {
	if !g.cells.Compacting() {
		if !g.cells.Sparse() {
			return
		}
		g.cells.Retire()
		g.hand = g.newest
	}
	for range movedAtOnce {
		if g.hand == 0 {
			g.cells.Release()
			return
		}
		r := g.hand
		g.hand = g.at(r).next
		if to := g.move(r); to != r {
			moved(g.Data(to), to)
		}
	}
}

// move moves the cells of a node that have to, and returns what names it then.
func (g *Graph) move(r Ref) (to Ref) {
	if x := g.at(r); x.upper != 0 && g.cells.Retired(x.upper) {
		upper := g.cells.Move(x.upper, int(x.level)*g.levelBytes())
		g.at(r).upper = upper
	}
	if !g.cells.Retired(r) {
		return r
	}
	to = g.cells.Move(r, g.cellBytes())
	x := g.at(to)
	for level := range int(x.level) + 1 {
		for _, near := range g.Links(to, level) {
			links := g.Links(near, level)
			links[slices.Index(links, r)] = to
		}
	}
	if g.entry == r {
		g.entry = to
	}
	if x.next != 0 {
		g.at(x.next).prev = to
	}
	if x.prev != 0 {
		g.at(x.prev).next = to
	} else {
		g.newest = to
	}
	return to
}
