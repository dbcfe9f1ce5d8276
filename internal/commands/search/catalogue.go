package search

import (
	"maps"
	"slices"

	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// catalogue is the indexes of a world, by name.
type catalogue struct {
	indexes map[string]*index.Index
}

func of(w *engine.World) *catalogue { return engine.PerWorld[catalogue](w) }

// FT._LIST
func cmdList(c *engine.Call) {
	names := slices.Sorted(maps.Keys(of(c.World).indexes))
	c.Reply.Array(len(names))
	for _, name := range names {
		c.Reply.BulkString(name)
	}
}
