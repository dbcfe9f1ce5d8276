package lists

import (
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/event"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the data type of lists.
var Type = engine.Type{Type: list.Type, Explain: explain, Keysizes: "lists_items", Unpacked: "quicklist",
	Elements: elementsOf(),
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*list.List).Range(0, v.Len(), func(e ziplist.Entry) { to.Add("RPUSH", e.Append(nil)) })
	},
	Dump: func(v keyspace.Value, now int64) (_ string, lines []string) {
		l := v.(*list.List)
		l.Range(0, l.Len(), func(e ziplist.Entry) {
			lines = append(lines, elements.Quoted(e.Append(nil))+elements.DumpedTTL(l.DeadlineAt(len(lines)), now))
		})
		return "list", lines
	},
	Plain: &engine.Plain{Columns: 1,
		Rows: func(v keyspace.Value, add func(row ...string)) {
			v.(*list.List).Range(0, v.Len(), func(e ziplist.Entry) { add(string(e.Append(nil))) })
		},
		Build: func(w *engine.World, rows [][]string) (keyspace.Value, error) {
			v := &list.List{}
			for _, row := range rows {
				v.Push(list.Tail, []byte(row[0]), w.Engine().Config.List)
			}
			return v, nil
		},
	},
}

func elementsOf() *engine.Elements {
	e := engine.NewElements("l", "ELEMENTS", "LREM", "elements of a list", event.List)
	e.Index = "INDEXES"
	return e
}
