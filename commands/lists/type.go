package lists

import (
	"github.com/miniserver-go/miniserver/ds/list"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Type is the data type of lists.
var Type = engine.Type{Type: list.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*list.List).Range(0, v.Len(), func(e ziplist.Entry) { to.Add("RPUSH", e.Append(nil)) })
	},
}
