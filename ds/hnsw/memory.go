package hnsw

import (
	"unsafe"

	"github.com/miniserver-go/miniserver/ds/sizeclass"
	"github.com/miniserver-go/miniserver/ds/value"
)

// Size is what the struct of a graph takes.
var Size = sizeclass.RoundScanned(int(unsafe.Sizeof(Graph{})))

// Bytes returns what the graph takes, the struct included.
func (g *Graph) Bytes() int { return Size + g.cells.Bytes() }

// VectorBytes returns what one vector takes.
func (g *Graph) VectorBytes() int { return g.kind.bytes(g.dim) }

// Clone returns a copy in Go's heap, in which a Ref names the same node. Nothing watches the copy.
// O(bytes).
func (g *Graph) Clone() *Graph {
	c := *g
	c.cells, c.watch = g.cells.Clone(), nil
	return &c
}

// Settle moves the blocks to a memory: see arena.Arena.
func (g *Graph) Settle(mem value.Memory, compact bool) { g.cells.Settle(mem, compact) }

// BlockBytes returns the bytes of the blocks that Settle moves.
func (g *Graph) BlockBytes() int { return g.cells.Held() }

// Drop frees about n blocks of a graph that is not used any more, and reports whether there are
// more.
func (g *Graph) Drop(n int) (more bool) { return g.cells.Drop(n) }
