package vectors

import (
	"github.com/miniserver-go/miniserver/ds/hnsw"
	"github.com/miniserver-go/miniserver/ds/vectors"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// VINFO key
func cmdVInfo(p *part, c *engine.Call) {
	s, found := engine.Read[*vectors.Set](c, c.Arg())
	if !c.OK() {
		return
	}
	if !found {
		c.Reply.NullArray()
		return
	}
	o := s.Options()
	numbers := []struct {
		name string
		n    uint64
	}{{"hnsw-m", uint64(o.M)}, {"vector-dim", uint64(o.Dim)}, {"projection-input-dim", uint64(o.Input)},
		{"size", uint64(s.Len())}, {"max-level", uint64(s.MaxLevel())},
		{"attributes-count", uint64(s.WithAttributes())}, {"vset-uid", s.UID(p.nextUID)},
		{"hnsw-max-node-uid", s.LastID()}}
	c.Reply.Map(1 + len(numbers))
	c.Reply.Status("quant-type")
	c.Reply.Status(kinds[o.Kind])
	for _, f := range numbers {
		c.Reply.Status(f.name)
		c.Reply.Uint(f.n)
	}
}

// The most elements whose neighbors VRECALL looks for, how many if nothing is said, and the most
// neighbors of one.
const mostSamples, fewSamples, mostNeighbors = 10_000, 20, 1 << 20

// VRECALL key k [EF search-exploration-factor] [SAMPLES count]
//
// It looks for the k nearest elements of some of the elements, as VSIM does and by looking at all,
// and replies with the share that VSIM finds, and what both took.
func cmdVRecall(c *engine.Call) {
	s, found := engine.Read[*vectors.Set](c, c.Arg())
	k := c.IntIn(1, mostNeighbors, engine.ErrNotPositive)
	ef, samples := int64(defaultSearchEF), int64(fewSamples)
	for c.More() {
		switch {
		case c.Left() < 2:
			c.Refuse(engine.ErrSyntax)
		case c.Word("EF"):
			ef = c.IntIn(1, hnsw.MaxEF, errEF)
		case c.Word("SAMPLES"):
			samples = c.IntIn(1, mostSamples, engine.ErrNotPositive)
		default:
			c.Refuse(engine.ErrSyntax)
		}
	}
	if !c.OK() {
		return
	}
	if !found {
		c.Reply.NullArray()
		return
	}
	r := s.Recall(int(k), int(ef), int(samples), c.World.Clock)
	c.Reply.Map(5)
	c.Reply.Status("vectors")
	c.Reply.Int(int64(r.Vectors))
	c.Reply.Status("samples")
	c.Reply.Int(int64(r.Asked))
	c.Reply.Status("recall")
	c.Reply.Double(r.Share())
	c.Reply.Status("query_usec")
	c.Reply.Int(r.Graph)
	c.Reply.Status("exact_usec")
	c.Reply.Int(r.Full)
}

// explain returns where the bytes of a set are.
func explain(v keyspace.Value, _ int) []engine.Detail {
	s := v.(*vectors.Set)
	p, o := s.Parts(), s.Options()
	return []engine.Detail{{"vectorset", []engine.Detail{
		{"kind", kinds[o.Kind], "how vectors are kept"}, {"dim", o.Dim, "components"},
		{"levels", s.MaxLevel() + 1, "of the graph"},
		{"graph-bytes", p.Graph, "nodes, links and vectors"}, {"vectors-bytes", p.Vectors, "of these, the vectors"},
		{"names-bytes", p.Names, "names and attributes"}, {"index-bytes", p.Index, "finds names"},
		{"matrix-bytes", p.Matrix, "reduces vectors; none is kept for the usual one"}}, ""}}
}
