package hashes

import (
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// explain returns the parts of a hash, with up to ends entries at each end.
func explain(value keyspace.Value, ends int) []engine.Detail {
	v := value.(*hash.Hash)
	if d, ok := v.Layout(); ok {
		return elements.ExplainCells("pairs", "fields and values", d)
	}
	zl, _ := v.Ziplist()
	return elements.ExplainZiplist(zl, ends)
}
