package streams

import (
	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns the parts of a stream and the nodes at both ends.
func explain(value keyspace.Value, ends int) []engine.Detail {
	v := value.(*stream.Stream)
	nodes := engine.Table{Columns: []string{"index", "first-id", "bytes"}}
	i, used := 0, 0
	for id, pack := range v.Packs() {
		used += len(pack)
		if i < ends || i >= v.NodeCount()-ends {
			nodes.Add(i, id.String(), len(pack))
		}
		i++
	}
	pending, consumers := 0, 0
	for _, g := range v.Groups() {
		pending, consumers = pending+g.Pending(), consumers+len(g.Consumers())
	}
	return []engine.Detail{{"stream",
		[]engine.Detail{{"nodes", v.NodeCount(), "listpacks of entries"}, {"used", used, "bytes of the listpacks"},
			{"groups", len(v.Groups()), ""}, {"consumers", consumers, ""},
			{"pending", pending, "messages read and not acknowledged"},
			{"chain", nodes, "by ID"}}, ""}}
}
