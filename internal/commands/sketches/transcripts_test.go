package sketches_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/sketches"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "bloom/* hyperloglog/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{sketches.Filter}, Families: []command.Family{sketches.HyperLogLog}})
		e.Join(sketches.Bloom())
	})
}
