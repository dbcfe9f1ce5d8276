package hnsw

import (
	"errors"
	"math"
	"slices"
)

// MaxID is the greatest number of a node that can be restored.
const MaxID = math.MaxUint32

// A graph is restored node by node: Restore, SetVector, and RestoreLinks for each level, in any
// order of nodes. Until Restored it is of no other use: links are the numbers of nodes.

// Restore adds a node that was saved, with a number up to MaxID and a level up to MaxLevel.
func (g *Graph) Restore(id uint64, level int, data uint32) Ref { return g.add(id, level, data) }

// SetVector gives a restored node its vector.
func (g *Graph) SetVector(r Ref, v *Vector) { g.setVector(r, v) }

// Room returns how many links a node may have on a level.
func (g *Graph) Room(level int) int { return g.room(level) }

// RestoreLinks links a restored node on a level with those of some numbers, as many as it may have.
func (g *Graph) RestoreLinks(r Ref, level int, ids []uint64) {
	if len(ids) == 0 {
		return
	}
	g.setLinks(r, level, len(ids))
	l := g.linksAt(*g.cellOf(r, level))
	l.count = uint16(len(ids))
	for i, id := range ids {
		l.all()[i] = Ref(id)
	}
}

var (
	errTwice = errors.New("two nodes have the same number")
	errLinks = errors.New("links that cannot be")
)

// Restored ends the restoration. What was saved is not to be trusted: the error says what cannot
// be. O(links * log links).
func (g *Graph) Restored() error {
	nodes := make([]Ref, 0, g.n)
	for r := g.newest; r != 0; r = g.at(r).next {
		nodes = append(nodes, r)
	}
	slices.SortFunc(nodes, func(a, b Ref) int { return int(int64(g.ID(a)) - int64(g.ID(b))) })
	g.newest = 0
	byID := make(map[Ref]Ref, len(nodes))
	for i, r := range nodes {
		x := g.at(r)
		if byID[Ref(x.id)] = r; len(byID) <= i {
			return errTwice
		}
		if x.next, x.prev = g.newest, 0; g.newest != 0 {
			g.at(g.newest).prev = r
		}
		g.newest, g.lastID = r, x.id
		if g.entry == 0 || x.level > g.at(g.entry).level {
			g.entry = r
		}
	}
	for level := range g.MaxLevel() + 1 {
		if !g.resolve(nodes, byID, level) {
			return errLinks
		}
	}
	return nil
}

// resolve makes references of the numbers in the links of a level, and reports whether the links
// are mutual, each there once, and lead to other nodes of the level.
func (g *Graph) resolve(nodes []Ref, byID map[Ref]Ref, level int) bool {
	var there, back []uint64
	for _, r := range nodes {
		if g.Level(r) < level {
			continue
		}
		links := g.Links(r, level)
		for i, id := range links {
			to := byID[id]
			if to == 0 || to == r || g.Level(to) < level {
				return false
			}
			links[i] = to
			there = append(there, uint64(r)<<32|uint64(to))
			back = append(back, uint64(to)<<32|uint64(r))
		}
	}
	slices.Sort(there)
	slices.Sort(back)
	return slices.Equal(there, back) && len(slices.Compact(there)) == len(back)
}
