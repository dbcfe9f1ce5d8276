package arrays_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/arrays"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "array/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{arrays.Type}, Families: []command.Family{arrays.Family}})
	})
}
