package hashes_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/hashes"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "hash/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{hashes.Type}, Families: []command.Family{hashes.Family}})
		e.Join(hashes.Import())
	})
}
