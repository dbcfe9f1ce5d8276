package hashes

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/hash"
	"github.com/miniserver-go/miniserver/ds/ziplist"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Type is the data type of hashes.
var Type = engine.Type{Type: hash.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*hash.Hash).Each(func(field, value ziplist.Entry) bool {
			to.Add("HMSET", field.Append(nil), value.Append(nil))
			return true
		})
	},
	RewriteElement: func(x frozen.Element, to engine.Rewriter) { to.Add("HMSET", bytes.Clone(x.Name), bytes.Clone(x.Value)) },
}
