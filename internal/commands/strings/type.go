package strings

import (
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/internal/commands/elements"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
)

// Type is the data type of strings.
var Type = engine.Type{Type: str.Type, Explain: explain, Keysizes: "strings_sizes",
	Rewrite: func(v keyspace.Value, to engine.Rewriter) { to.Command("SET", v.(*str.Value).Text(nil)) },
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		return "string " + elements.Quoted(v.(*str.Value).Text(nil)), nil
	},
	Plain: &engine.Plain{
		Rows: func(v keyspace.Value, add func(row ...string)) { add(string(v.(*str.Value).Text(nil))) },
		Build: func(_ *engine.World, rows [][]string) (keyspace.Value, error) {
			v := str.Of([]byte(rows[0][0]))
			return &v, nil
		},
	},
}
