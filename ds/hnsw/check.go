package hnsw

import (
	"fmt"
	"slices"

	"github.com/miniserver-go/miniserver/ds/arena"
)

// Check returns an error naming the first violation of the package's invariants, nil if there is
// none. O(links * M).
func (g *Graph) Check() error {
	n, top, cells := 0, 0, 0
	prev, last := Ref(0), g.lastID+1
	for r := g.newest; r != 0; r = g.at(r).next {
		x := g.at(r)
		if x.prev != prev || x.id >= last {
			return fmt.Errorf("hnsw: node %d is not in its place of the list", x.id)
		}
		prev, last = r, x.id
		n, top = n+1, max(top, int(x.level))
		cells += arena.Size(g.cellBytes())
		if x.level > 0 {
			cells += arena.Size(int(x.level) * refBytes)
		}
		for i := range int(x.level) + 1 {
			if err := g.checkLinks(r, i); err != nil {
				return err
			}
			if cell := *g.cellOf(r, i); cell != 0 {
				cells += arena.Size(linksSize(int(g.linksAt(cell).room)))
			}
		}
	}
	switch {
	case n != g.n:
		return fmt.Errorf("hnsw: %d nodes, %d counted", n, g.n)
	case (g.entry == 0) != (n == 0) || g.MaxLevel() != top:
		return fmt.Errorf("hnsw: the entry is on level %d of %d", g.MaxLevel(), top)
	}
	return g.cells.Check(cells)
}

func (g *Graph) checkLinks(r Ref, level int) error {
	links := g.Links(r, level)
	if len(links) > g.room(level) {
		return fmt.Errorf("hnsw: node %d has %d links on level %d", g.ID(r), len(links), level)
	}
	for i, to := range links {
		if to == r || slices.Contains(links[:i], to) || g.Level(to) < level {
			return fmt.Errorf("hnsw: node %d has a link on level %d that cannot be", g.ID(r), level)
		}
		if !slices.Contains(g.Links(to, level), r) {
			return fmt.Errorf("hnsw: node %d has a link on level %d that is not mutual", g.ID(r), level)
		}
	}
	return nil
}
