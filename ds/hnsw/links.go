package hnsw

import (
	"slices"
	"unsafe"
)

// links is the begin of a cell with the links of a node on a level.
type links struct {
	count uint16
	room  uint16 // for so many
}

const (
	linksBytes = int(unsafe.Sizeof(links{}))
	leastRoom  = 8
)

// linksSize is the size of a cell with room for n links.
func linksSize(n int) int { return linksBytes + n*refBytes }

// Links returns the links of a node on a level that it has. They belong to the graph.
func (g *Graph) Links(r Ref, level int) []Ref {
	cell := *g.cellOf(r, level)
	if cell == 0 {
		return nil
	}
	l := g.linksAt(cell)
	return l.all()[:l.count]
}

// cellOf returns where the cell with the links of a level is named.
func (g *Graph) cellOf(r Ref, level int) *Ref {
	x := g.at(r)
	if level == 0 {
		return &x.base
	}
	return (*Ref)(unsafe.Add(g.cells.At(x.upper), (level-1)*refBytes))
}

func (g *Graph) linksAt(cell Ref) *links { return (*links)(g.cells.At(cell)) }

// all returns the links, and behind them what is free.
func (l *links) all() []Ref {
	return unsafe.Slice((*Ref)(unsafe.Add(unsafe.Pointer(l), linksBytes)), int(l.room))
}

// point adds one half of a link.
func (g *Graph) point(from, to Ref, level int) {
	g.changing(from)
	n := len(g.Links(from, level))
	if cell := *g.cellOf(from, level); cell == 0 || n == int(g.linksAt(cell).room) {
		g.setLinks(from, level, min(max(leastRoom, n+n/2), g.room(level)))
	}
	l := g.linksAt(*g.cellOf(from, level))
	l.all()[n] = to
	l.count++
}

// setLinks gives a node a cell with room for n links on a level, which keeps those that it has.
func (g *Graph) setLinks(r Ref, level, n int) {
	cell := g.cells.Alloc(linksSize(n))
	l := g.linksAt(cell)
	l.count, l.room = uint16(len(g.Links(r, level))), uint16(n)
	copy(l.all(), g.Links(r, level))
	g.freeLinks(r, level)
	*g.cellOf(r, level) = cell
}

// freeLinks frees the cell with the links of a level, if there is one.
func (g *Graph) freeLinks(r Ref, level int) {
	if cell := *g.cellOf(r, level); cell != 0 {
		g.cells.Free(cell, linksSize(int(g.linksAt(cell).room)))
	}
}

// drop removes one half of a link. The last link takes its place.
func (g *Graph) drop(from, to Ref, level int) {
	g.changing(from)
	list := g.Links(from, level)
	last := len(list) - 1
	list[slices.Index(list, to)] = list[last]
	g.linksAt(*g.cellOf(from, level)).count--
}
