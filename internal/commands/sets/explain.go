package sets

import (
	"strconv"

	"github.com/miniserver-go/miniserver/ds/intset"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns the parts of a set.
func explain(value keyspace.Value, ends int) []engine.Detail {
	v := value.(*set.Set)
	if d, ok := v.Layout(); ok {
		return elements.ExplainCells("members", "members", d)
	}
	if zl, ok := v.Ziplist(); ok {
		return elements.ExplainZiplist(zl, ends)
	}
	ints, _ := v.Intset()
	return explainIntset(ints, ends)
}

// explainIntset returns the parts of an intset and the integers at both ends.
func explainIntset(s intset.Set, ends int) []engine.Detail {
	n := s.Len()
	entries := engine.Table{Columns: []string{"index", "offset", "integer"}}
	for i := range n {
		if i < ends || i >= n-ends {
			entries.Add(i, 8+i*s.Width(), strconv.FormatInt(s.At(i), 10))
		}
	}
	return []engine.Detail{{"intset", []engine.Detail{{"header", 8, "width and length"},
		{"width", s.Width(), "bytes of each integer, by the largest there ever was"},
		{"data", n * s.Width(), ""}, {"entries", entries, entries.Without(n)}}, ""}}
}
