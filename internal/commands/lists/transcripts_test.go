package lists_test

import (
	"testing"

	"github.com/miniserver-go/miniserver/internal/command"
	"github.com/miniserver-go/miniserver/internal/commands/lists"
	"github.com/miniserver-go/miniserver/internal/corpus/family"
	"github.com/miniserver-go/miniserver/internal/engine"
)

func TestTranscripts(t *testing.T) {
	family.Run(t, "list/*", func(e *engine.Engine) {
		e.Join(engine.Part{Types: []engine.Type{lists.Type}, Families: []command.Family{lists.Family}})
	})
}
