package streams_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/streams"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "stream/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{streams.Type}, Families: []command.Family{streams.Family}})
	})
}
