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
	level := g.Level(r)
	for i := range level + 1 {
		if cell := *g.cellOf(r, i); cell != 0 && g.cells.Retired(cell) {
			moved := g.cells.Move(cell, linksSize(int(g.linksAt(cell).room)))
			*g.cellOf(r, i) = moved
		}
	}
	if upper := g.at(r).upper; upper != 0 && g.cells.Retired(upper) {
		upper = g.cells.Move(upper, level*refBytes)
		g.at(r).upper = upper
	}
	if !g.cells.Retired(r) {
		return r
	}
	to = g.cells.Move(r, g.cellBytes())
	x := g.at(to)
	for i := range level + 1 {
		for _, near := range g.Links(to, i) {
			list := g.Links(near, i)
			list[slices.Index(list, r)] = to
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
