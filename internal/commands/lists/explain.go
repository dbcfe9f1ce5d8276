package lists

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns the parts of a list and the nodes at both ends.
func explain(value keyspace.Value, ends int) []engine.Detail {
	v := value.(*list.List)
	nodes := engine.Table{Columns: []string{"index", "kind", "elements", "bytes", "used"}}
	held, used, n := 0, 0, 0
	chained := v.Nodes(func(d list.Node) bool { n++; return true })
	if !chained {
		zl, _ := v.Packed()
		return elements.ExplainZiplist(zl, ends)
	}
	i := 0
	v.Nodes(func(d list.Node) bool {
		kind := "ziplist"
		if d.Plain {
			kind = "plain"
		}
		held, used = held+d.Bytes, used+d.Used
		if i < ends || i >= n-ends {
			nodes.Add(i, kind, d.Len, d.Bytes, d.Used)
		}
		i++
		return true
	})
	parts := []engine.Detail{{"nodes", n, fmt.Sprintf("%d bytes each beside their blocks", list.NodeBytes)},
		{"blocks", held, ""}, {"used", used, "of the blocks"}}
	if spare := v.SpareBytes(); spare > 0 {
		parts = append(parts, engine.Detail{"spare", spare, "bytes of a removed node, kept for the next"})
	}
	return []engine.Detail{{"quicklist", append(parts, engine.Detail{"chain", nodes, "from head to tail"}), ""}}
}
