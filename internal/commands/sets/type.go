package sets

import (
	"bytes"
	"slices"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the data type of sets.
var Type = engine.Type{Type: set.Type, Explain: explain, Keysizes: "sets_items", Unpacked: "hashtable",
	Elements: engine.NewElements("s", "MEMBERS", "SREM", "members of a set", event.Set),
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*set.Set).Each(func(member ziplist.Entry) bool {
			to.Add("SADD", member.Append(nil))
			return true
		})
	},
	Dump: func(v keyspace.Value, now int64) (_ string, lines []string) {
		s := v.(*set.Set)
		s.Each(func(member ziplist.Entry) bool {
			lines = append(lines, elements.Dumped(s, member.Append(nil), "", now))
			return true
		})
		slices.Sort(lines)
		return "set", lines
	},
	Plain: &engine.Plain{Columns: 1,
		Rows: func(v keyspace.Value, add func(row ...string)) {
			v.(*set.Set).Each(func(member ziplist.Entry) bool {
				add(string(member.Append(nil)))
				return true
			})
		},
		Build: func(w *engine.World, rows [][]string) (keyspace.Value, error) {
			v := &set.Set{}
			for _, row := range rows {
				v.Add([]byte(row[0]), w.SetLimits())
			}
			return v, nil
		},
	},
	RewriteElement: func(x frozen.Element, to engine.Rewriter) { to.Add("SADD", bytes.Clone(x.Name)) },
}
