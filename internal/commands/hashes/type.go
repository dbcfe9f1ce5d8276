package hashes

import (
	"bytes"
	"slices"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the data type of hashes.
var Type = engine.Type{Type: hash.Type, Explain: explain, Keysizes: "hashes_items", Elements: fields(),
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*hash.Hash).Each(func(field, value ziplist.Entry) bool {
			to.Add("HMSET", field.Append(nil), value.Append(nil))
			return true
		})
	},
	Dump: func(v keyspace.Value, now int64) (_ string, lines []string) {
		h := v.(*hash.Hash)
		h.Each(func(field, value ziplist.Entry) bool {
			lines = append(lines, elements.Dumped(h, field.Append(nil), " "+elements.Quoted(value.Append(nil)), now))
			return true
		})
		slices.Sort(lines)
		return "hash", lines
	},
	Plain: &engine.Plain{Columns: 2,
		Rows: func(v keyspace.Value, add func(row ...string)) {
			v.(*hash.Hash).Each(func(field, value ziplist.Entry) bool {
				add(string(field.Append(nil)), string(value.Append(nil)))
				return true
			})
		},
		Build: func(w *engine.World, rows [][]string) (keyspace.Value, error) {
			v := &hash.Hash{}
			for _, row := range rows {
				v.Set([]byte(row[0]), []byte(row[1]), w.HashLimits())
			}
			return v, nil
		},
	},
	RewriteElement: func(x frozen.Element,
		to engine.Rewriter) {
		to.Add("HMSET", bytes.Clone(x.Name), bytes.Clone(x.Value))
	},
}

func fields() *engine.Elements {
	e := engine.NewElements("h", "FIELDS", "HDEL", "fields of a hash", event.Hash)
	e.Expect = func(c *engine.Call, v keyspace.Collection) { v.(*hash.Hash).ExpectDeadline(c.World.HashLimits()) }
	e.InValkey = true
	return e
}
