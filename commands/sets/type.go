package sets

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/set"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Type is the data type of sets.
var Type = engine.Type{Type: set.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*set.Set).Each(func(member ziplist.Entry) bool {
			to.Add("SADD", member.Append(nil))
			return true
		})
	},
	RewriteElement: func(x frozen.Element, to engine.Rewriter) { to.Add("SADD", bytes.Clone(x.Name)) },
}
