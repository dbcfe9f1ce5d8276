package zsets

import (
	"bytes"

	"github.com/miniserver-go/miniserver/ds/frozen"
	"github.com/miniserver-go/miniserver/ds/zset"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Type is the data type of sorted sets.
var Type = engine.Type{Type: zset.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		v.(*zset.Set).Each(func(member []byte, score float64) bool {
			rewriteMember(member, score, to)
			return true
		})
	},
	RewriteElement: func(x frozen.Element, to engine.Rewriter) { rewriteMember(x.Name, x.Score, to) },
}

func rewriteMember(member []byte, score float64, to engine.Rewriter) {
	to.Add("ZADD", resp.FormatShortest(nil, score), bytes.Clone(member))
}
