package sketches_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/sketches"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "bloom/* cuckoo/* countmin/* hyperloglog/* topk/* tdigest/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{sketches.Filter, sketches.CuckooFilter, sketches.CountMinSketch,
			sketches.TopKType, sketches.TDigestType},
			Families: []command.Family{sketches.HyperLogLog, sketches.CountMin, sketches.TopK, sketches.TDigest}})
		e.Join(sketches.Bloom(), sketches.Cuckoo())
	})
}
