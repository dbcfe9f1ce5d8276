package zsets

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// explain returns the parts of a sorted set, with up to ends entries at each end.
func explain(value keyspace.Value, ends int) []engine.Detail {
	v := value.(*zset.Set)
	if d, ok := v.Layout(); ok {
		return explainSkiplist(v, d, ends)
	}
	zl, _ := v.Ziplist()
	return elements.ExplainZiplist(zl, ends)
}

// explainSkiplist returns the parts of a sorted set with a skiplist and a dict, and the nodes at
// both ends.
func explainSkiplist(v *zset.Set, d zset.Layout, ends int) []engine.Detail {
	levels := engine.Table{Columns: []string{"height", "nodes", "share"}}
	for i, n := range d.Nodes.Heights {
		levels.Add(i+1, n, fmt.Sprintf("%.1f%%", float64(n)*100/float64(max(d.Members.Len, 1))))
	}
	_, _, head := v.Tower(-1)
	entries := towers(v, ends)
	return []engine.Detail{{"skiplist", []engine.Detail{
		{"head", d.Nodes.Head, "links of the first node of each level"},
		{"nodes", d.Nodes.Fixed, fmt.Sprintf("score, two links and a height for each of %d", d.Members.Len)},
		{"levels", d.Nodes.Levels, "links and spans above the lowest level"},
		{"members", d.Nodes.Members, "stored once, in the nodes; the dict refers to them"},
		{"rounding", d.Nodes.Waste, "lengths, rounding to 8 bytes, cells that are free"},
		{"heights", levels, "each level has a quarter of the nodes of the one below"},
		{"spans", head, "of the links of the head, from level 1 upward; on level 0 a span is always 1, and not stored"},
		{"entries", entries, entries.Without(v.Len())},
	}, ""}, {"dict", elements.ExplainDict(d.Members), ""}, {"fixed", d.Fixed, "what holds skiplist and dict together"}}
}

// towers returns the nodes at both ends of a skiplist. The span of a link to the end counts the
// nodes behind, as in Redis.
func towers(v *zset.Set, ends int) engine.Table {
	nodes, n := engine.Table{Columns: []string{"index", "height", "spans", "score", "content"}}, v.Len()
	for i := 0; i < n; i++ {
		if i == ends {
			i = max(i, n-ends)
		}
		if i < n {
			member, score, spans := v.Tower(i)
			nodes.Add(i, len(spans)+1, spans, string(resp.FormatShortest(nil, score)), elements.Clipped(member))
		}
	}
	return nodes
}
