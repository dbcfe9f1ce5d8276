package search

import (
	"slices"

	"github.com/miniserver-go/miniserver/ds/value"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/search/index"
)

// definitions are what snapshots have of indexes, as RediSearch writes it. What the indexes hold is
// made anew of the keys.
var definitions = engine.Auxiliary{Type: index.Type, Version: index.Version, Save: saveDefinitions,
	Load: loadDefinitions}

func saveDefinitions(w *engine.World) (parts value.Parts) {
	cat := of(w)
	if cat.dropped || len(cat.indexes) == 0 {
		return nil
	}
	parts.Uint(uint64(len(cat.indexes)))
	for _, name := range cat.names() {
		e := cat.indexes[name]
		parts = e.Encode(parts, cat.aliasesOf(e))
	}
	return parts
}

// aliasesOf returns the aliases of an index, in order.
func (cat *catalogue) aliasesOf(e *entry) (names []string) {
	for alias, of := range cat.aliases {
		if of == e {
			names = append(names, alias)
		}
	}
	slices.Sort(names)
	return names
}

func loadDefinitions(w *engine.World, from *value.PartsReader, version int) {
	cat := of(w)
	cat.dropped = false
	cat.clear()
	if len(from.Parts) == 0 {
		return
	}
	for range from.Uint() {
		x, aliases := index.Decode(from, version, parseFilter)
		switch {
		case x == nil:
			return
		case cat.indexes[x.Name] != nil:
			from.Fail("the index %q twice", x.Name)
			return
		}
		cat.add(x, true)
		for _, alias := range aliases {
			cat.setAlias(alias, cat.indexes[x.Name])
		}
	}
}
