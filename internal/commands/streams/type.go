package streams

import (
	"fmt"

	"github.com/miniserver-go/miniserver/ds/stream"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the data type of streams. It is rewritten as a payload, which also holds the groups and
// their pending entries.
var Type = engine.Type{Type: stream.Type, Explain: explain, Dump: dump, Undigested: groups}

// groups returns what the groups of a stream are, which its digest leaves out. When a consumer was
// seen last is not replicated.
func groups(v keyspace.Value) (lines []string) {
	for _, g := range v.(*stream.Stream).Groups() {
		lines = append(lines, fmt.Sprintf("%q %v", g.Name(), g.Last))
		for _, c := range g.Consumers() {
			lines = append(lines, fmt.Sprintf("%q %q", g.Name(), c.Name()))
		}
		g.Each(stream.ID{}, func(p *stream.Pending) bool {
			lines = append(lines,
				fmt.Sprintf("%q %v %q %d %d", g.Name(), p.ID, p.Consumer().Name(), p.Delivered, p.Count))
			return true
		})
	}
	return lines
}
