package sketches

import (
	"crypto/sha1"
	"fmt"
	"math"

	"github.com/miniserver-go/miniserver/ds/bloom"
	"github.com/miniserver-go/miniserver/internal/engine"
	"github.com/miniserver-go/miniserver/internal/keyspace"
	"github.com/miniserver-go/miniserver/internal/libm"
	"github.com/miniserver-go/miniserver/resp"
)

// Filter is the data type of Bloom filters. It is rewritten chunk by chunk.
var Filter = engine.Type{Type: bloom.Type,
	Rewrite: func(v keyspace.Value, to engine.Rewriter) {
		rewriteChunks("BF.LOADCHUNK", v.(*bloom.Filter), to)
	},
	Explain: explainBloom,
	Dump: func(v keyspace.Value, _ int64) (string, []string) {
		f := v.(*bloom.Filter)
		return fmt.Sprintf("bloom, items %d, capacity %d, sha1 %x", f.Len(), f.Capacity(), sumOf(f)), nil
	},
}

// dumped is a filter whose dump is a header and chunks.
type dumped interface {
	AppendHeader(dst []byte) []byte
	AppendChunk(dst []byte, iter int64, most uint64) (chunk []byte, next int64)
}

// rewriteChunks tells the commands that load a dump in chunks of 64 KiB.
func rewriteChunks(load string, f dumped, to engine.Rewriter) {
	to.Command(load, []byte("1"), f.AppendHeader(nil))
	for chunk, next := f.AppendChunk(nil, 1, 64<<10); next != 0; chunk, next = f.AppendChunk(nil, next, 64<<10) {
		to.Command(load, resp.Decimal(next), chunk)
	}
}

// sumOf returns a digest of a filter, whose items cannot be listed.
func sumOf(f dumped) []byte {
	h := sha1.New()
	_, _ = h.Write(f.AppendHeader(nil))
	for iter := int64(1); iter != 0; {
		var chunk []byte
		chunk, iter = f.AppendChunk(nil, iter, 1<<20)
		_, _ = h.Write(chunk)
	}
	return h.Sum(nil)[:8]
}

// explainBloom tells how full the layers are, and how often an item is found by chance.
func explainBloom(v keyspace.Value, ends int) []engine.Detail {
	f := v.(*bloom.Filter)
	layers := engine.Table{Columns: []string{"layer", "capacity", "items", "bits", "fill", "probes"}}
	none, highest := 1., 1.
	for i := range f.Layers() {
		l, fill := f.Layer(i), f.Fill(i)
		none *= 1 - power(fill, float64(l.Probes))
		highest *= 1 - l.Rate
		if i < ends || i >= f.Layers()-ends {
			layers.Add(i, int(l.Capacity), int(l.Items), int(l.Bits), percent(fill), int(l.Probes))
		}
	}
	return []engine.Detail{
		{Name: "layers", Value: layers, Note: layers.Without(f.Layers())},
		{Name: "false-positives", Value: percent(1 - none), Note: "of items that are not there are found now"},
		{Name: "highest", Value: percent(1 - highest), Note: "when these layers are full"},
	}
}

// percent shows a share with three digits.
func percent(share float64) string { return fmt.Sprintf("%.3g%%", share*100) }

// power returns the same on every processor.
func power(x, y float64) float64 {
	if x == 0 {
		return math.Pow(0, y)
	}
	return libm.Pow(x, y)
}
