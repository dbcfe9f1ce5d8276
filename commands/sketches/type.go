package sketches

import (
	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/keyspace"
)

// Filter is the data type of Bloom filters. It is rewritten chunk by chunk.
var Filter = engine.Type{Type: bloom.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		const load = "BF.LOADCHUNK"
		f := v.(*bloom.Filter)
		to.Command(load, []byte("1"), f.AppendHeader(nil))
		for chunk, next := f.AppendChunk(nil, 1, 64<<10); next != 0; chunk, next = f.AppendChunk(nil, next, 64<<10) {
			to.Command(load, engine.Decimal(next), chunk)
		}
	},
}
