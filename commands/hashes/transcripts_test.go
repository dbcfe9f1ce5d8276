package hashes_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/commands/hashes"
	"github.com/miniserver-go/miniserver/engine"
	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "hash/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{hashes.Type}, Families: []command.Family{hashes.Family}})
	})
}
