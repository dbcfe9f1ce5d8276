package sketches

import (
	"crypto/sha1"
	"fmt"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/resp"
)

// Filter is the data type of Bloom filters. It is rewritten chunk by chunk.
var Filter = engine.Type{Type: bloom.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		const load = "BF.LOADCHUNK"
		f := v.(*bloom.Filter)
		to.Command(load, []byte("1"), f.AppendHeader(nil))
		for chunk, next := f.AppendChunk(nil, 1, 64<<10); next != 0; chunk, next = f.AppendChunk(nil, next, 64<<10) {
			to.Command(load, resp.Decimal(next), chunk)
		}
	},
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		f := v.(*bloom.Filter)
		return fmt.Sprintf("bloom, items %d, capacity %d, sha1 %x", f.Len(), f.Capacity(), sumOf(f)), nil
	},
}

// sumOf returns a digest of a Bloom filter, whose items cannot be listed.
func sumOf(f *bloom.Filter) []byte {
	h := sha1.New()
	_, _ = h.Write(f.AppendHeader(nil))
	for iter := int64(1); iter != 0; {
		var chunk []byte
		chunk, iter = f.AppendChunk(nil, iter, 1<<20)
		_, _ = h.Write(chunk)
	}
	return h.Sum(nil)[:8]
}
