package strings

import (
	"github.com/miniserver-go/miniserver/ds/str"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Type is the data type of strings.
var Type = engine.Type{Type: str.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) { to.Command("SET", v.(*str.Value).Text(nil)) },
}
